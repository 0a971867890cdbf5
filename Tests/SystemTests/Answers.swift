/// What the commands print with `--json`; these names are the contract.
struct ErrorLine: Decodable {
    struct Fields: Decodable {
        var domain: String
        var code: String
        var number: Int?
        var description: String
        var reason: String?
        var recoverySuggestion: String?
        var cause: String?
        var parameters: [String: String]?
    }

    var error: Fields
}

struct StatusLine: Decodable {
    struct Service: Decodable {
        var name: String
        var pid: Int32?
        var state: String
        var detail: String?
    }

    var deployment: String
    var ready: Bool
    var services: [Service]
}

struct CameraLine: Decodable {
    struct Availability: Decodable {
        var state: String
        var reason: String?
    }

    var id: String
    var name: String
    var position: String
    var driver: String
    var builtIn: Bool
    var availability: Availability
    var mediaTypes: [String]
    var flash: Bool
}

struct AssetLine: Decodable {
    struct Moment: Decodable {
        var raw: String?
        var local: String?
        var offsetMinutes: Int?
        var utc: String?
    }

    struct Location: Decodable {
        var latitude: Double
        var longitude: Double
    }

    var url: String
    var kind: String
    var filename: String?
    var bytes: Int
    var sha256: String
    var width: Int?
    var height: Int?
    var orientation: Int?
    var date: Moment?
    var duration: Double?
    var location: Location?
    var state: String
    var frames: Int?
    var droppedFrames: Int?
}

struct GroupLine: Decodable {
    var url: String
    var name: String
    var type: String
    var count: Int
    var editable: Bool
}

struct ImportLine: Decodable {
    struct Trouble: Decodable, Hashable {
        var path: String
        var reason: String
    }

    var found: Int
    var imported: Int
    var duplicates: Int
    var skipped: [Trouble]
    var failed: [Trouble]
}

struct VerifyLine: Decodable {
    struct Damage: Decodable {
        var url: String?
        var reason: String?
    }

    var checked: Int
    var damaged: [Damage]
    var missing: Int
    var orphans: Int
    var repaired: Int
}

struct ExportResult: Decodable {
    var destination: String
    var files: Int
    var bytes: Int
    var copied: Int
    var skipped: Int
    var failed: Int
    var verified: Int
}

struct PermissionLine: Decodable {
    var principal: String
    var resource: String
    var access: String
    var status: String
    var lifespan: String?
}
