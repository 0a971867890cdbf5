import CommandLineService
import Consent
import Files
import FoundationEssentials
import Media
import MessageSchema
import Testing

/// Any JSON, to see which fields it has.
private indirect enum JSON: Decodable {
    case object([String: JSON])
    case array([JSON])
    case other

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.singleValueContainer().decode([String: JSON].self) {
            self = .object(object)
        } else if let array = try? decoder.singleValueContainer().decode([JSON].self) {
            self = .array(array)
        } else {
            self = .other
        }
    }

    /// The paths of all fields, such as `services.name`; those of a list are those of its items.
    var paths: Set<String> {
        switch self {
        case .object(let fields):
            fields.reduce(into: Set(fields.keys)) { paths, field in
                for path in field.value.paths { paths.insert("\(field.key).\(path)") }
            }
        case .array(let items): items.reduce(into: []) { $0.formUnion($1.paths) }
        case .other: []
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `What --json prints` {
    private static let asset = """
        url kind uti filename bytes sha256 width height orientation date date.raw date.local date.offsetMinutes \
        date.offsetSource date.utc duration location location.latitude location.longitude location.altitude state \
        original representations representations.uti representations.filename representations.bytes \
        representations.width representations.height representations.orientation representations.scale \
        representations.url
        """

    private static var fullAsset: Asset {
        var asset = Samples.asset
        asset.date = AssetDate(
            raw: "2026:11-30 03:45:00",
            local: "2026-11-30T03:45:00",
            offsetMinutes: 60,
            offsetSource: .tag,
            utc: "2026-11-30T02:45:00Z"
        )
        asset.duration = 1
        asset.location = Location(latitude: 0, longitude: 0, altitude: 0)
        asset.original = Samples.url
        asset.representations = [
            Representation(
                uti: "public.jpeg",
                filename: "a.jpg",
                bytes: 1,
                width: 1,
                height: 1,
                orientation: .up,
                scale: 1,
                url: Samples.url
            )
        ]
        return asset
    }

    private static var permission: PermissionState {
        var state = PermissionState(principal: .user(7), resource: .library, access: .read, status: .authorized)
        state.provenBy = "uid"
        state.label = "booth"
        state.lifespan = Lifespan("until=2026-12-01T00:00:00Z")
        state.until = "2026-12-01T00:00:00Z"
        state.decidedAt = "2026-11-30T00:00:00Z"
        state.decidedBy = "uid:0"
        return state
    }

    private static func cluster() -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListSources.self) { _ in
            .init(sources: [.init(source: .camera, available: false, reason: "absent", mediaTypes: [.image])])
        }
        cluster.on(ListMicrophones.self) { _ in
            let state = Availability(.busy, reason: "used")
            return .init(microphones: [.init(id: "m", name: "M", driver: "d", builtIn: false, availability: state)])
        }
        cluster.on(ListCameras.self) { _ in
            var camera = Samples.camera("a", .front)
            camera.availability = Availability(.busy, reason: "used")
            return .init(cameras: [camera])
        }
        cluster.on(ListServices.self) { _ in
            let service = ServiceStatus(
                name: .capture,
                instance: "i",
                pid: 1,
                version: "1",
                state: .degraded,
                since: "2026-11-30T00:00:00Z",
                detail: "why",
                endpoints: []
            )
            return .init(deployment: "personal", ready: true, services: [service])
        }
        var result = Samples.result()
        result.asset = fullAsset
        let photo = result
        result.frames = 1
        result.droppedFrames = 0
        let film = result
        cluster.on(TakePhoto.self) { _ in photo }
        cluster.onStream(RecordMovie.self) { _, _ in film }
        cluster.onStream(ListAssets.self) { _, send in
            try await send(.init(assets: [fullAsset]), [])
            return .init(count: 1)
        }
        cluster.on(FindAsset.self) { _ in .init(asset: fullAsset) }
        cluster.on(ListGroups.self) { _ in
            .init(groups: [.init(url: Samples.group, name: "A", type: .album, count: 1, editable: true)])
        }
        cluster.on(VerifyLibrary.self) { _ in
            let damage = VerifyLibrary.Damage(url: Samples.url, reason: "bytes")
            return .init(checked: 1, damaged: [damage], missing: 0, orphans: 0, repaired: 0)
        }
        cluster.on(RebuildLibrary.self) { _ in .init(orphans: 3, restored: 1, damaged: 1, skipped: 1) }
        cluster.on(BackUpLibrary.self) { _ in .init(name: "library-20261201T013107Z-42.sqlite", bytes: 4096) }
        addPermissions(to: cluster)
        return cluster
    }

    private static func addPermissions(to cluster: FakeCluster) {
        cluster.on(RequestPermissions.self) { _ in .init(permissions: [permission]) }
        cluster.on(PermissionStatus.self) { _ in .init(permissions: [permission]) }
        cluster.on(ListPermissions.self) { _ in .init(permissions: [permission]) }
        cluster.on(AnswerPrompt.self) { _ in .init(permissions: [permission]) }
        cluster.on(GrantPermission.self) { _ in permission }
        cluster.on(DenyPermission.self) { _ in permission }
        cluster.on(RevokePermission.self) { _ in permission }
        cluster.on(ResetPermission.self) { _ in permission }
        cluster.on(ListPrompts.self) { _ in .init(prompts: [Samples.prompt(purpose: "p", label: "l")]) }
    }

    private static let permissionFields = "principal resource access status lifespan until"

    static let commands: [(line: String, fields: String)] = [
        ("sources", "source available reason mediaTypes"),
        (
            "cameras list",
            """
            id name position driver builtIn availability availability.state availability.reason mediaTypes flash torch \
            formats
            """
        ),
        (
            "microphones list",
            "id name driver builtIn availability availability.state availability.reason"
        ),
        (
            "status",
            """
            deployment ready services services.name services.pid services.version services.state services.since \
            services.detail
            """
        ),
        ("photo --camera a", asset + " camera asked granted"),
        ("record --camera a --duration 1", asset + " camera asked granted frames droppedFrames"),
        ("library list", asset),
        ("library show \(Samples.url)", asset),
        ("library groups", "url name type count editable"),
        ("library verify", "checked damaged damaged.url damaged.reason missing orphans repaired"),
        ("library rebuild", "orphans restored damaged skipped"),
        ("library backup", "name bytes"),
        ("permissions request --resource library", permissionFields),
        ("permissions status --resource library", permissionFields),
        ("permissions grant --resource library", permissionFields),
        ("permissions deny --resource library", permissionFields),
        ("permissions revoke --resource library", permissionFields),
        ("permissions reset --resource library", permissionFields),
        ("permissions answer p1 allow", permissionFields),
        ("permissions list", permissionFields + " provenBy label decidedAt decidedBy"),
        ("permissions prompts", "prompt principal provenBy label resource access purpose asked"),
    ]

    private static func paths(_ line: String) throws -> Set<String> {
        try JSONDecoder().decode(JSON.self, from: Data(line.utf8)).paths
    }

    @Test(arguments: commands)
    func `has the fields that it is known for`(line: String, fields: String) async throws {
        let words = line.split(separator: " ").map(String.init) + ["--json"]
        let outcome = await obscura(words, on: Self.cluster())
        #expect(outcome.lines.count == 1, "\(outcome.errors)")
        let found = try Self.paths(try #require(outcome.lines.first))
        #expect(Set(fields.split(separator: " ").map(String.init)).subtracting(found) == [])
        #expect(!found.contains("type") || line == "library groups", "a single object has no type")
    }

    @Test func `of an import has the fields that it is known for`() async throws {
        let folder = try TemporaryDirectory()
        let directory = try folder.open()
        for name in ["a.jpg", "b.jpg"] { try directory.writeAtomically([1], to: name) }
        let cluster = FakeCluster()
        cluster.onUpload(ImportAsset.self) { request, _ in
            guard request.filename == "a.jpg" else { throw ErrorReply(.unreadable, "no") }
            return .init(outcome: .skipped, reason: "not media")
        }
        let outcome = await obscura("library", "import", folder.path, "--json", on: cluster)
        let found = try Self.paths(try #require(outcome.lines.first))
        let fields = "found imported duplicates skipped skipped.path skipped.reason failed failed.path failed.reason"
        #expect(Set(fields.split(separator: " ").map(String.init)).subtracting(found) == [])
    }

    @Test func `of an export ends with a line that has the fields that it is known for`() async throws {
        let folder = try TemporaryDirectory()
        let cluster = FakeCluster()
        cluster.onStream(StreamExport.self) { _, send in
            let file = StreamExport.File(
                asset: Samples.asset,
                sha256: Samples.asset.sha256 ?? "",
                bytes: 4,
                isPresent: false
            )
            try await send(.init(file: file), [])
            try await send(.init(last: true), Array("test".utf8))
            return .init(job: "j", files: 1, bytes: 4)
        }
        let outcome = await obscura("export", "--to", folder.path + "/bag", "--json", on: cluster)
        let lines = try outcome.lines.map(Self.paths)
        #expect(lines.allSatisfy { $0.contains("type") }, "\(outcome.errors)")
        let fields = "type job destination files bytes copied skipped failed verified repaired damaged missing unlisted"
        #expect(Set(fields.split(separator: " ").map(String.init)).subtracting(try #require(lines.last)) == [])
    }

    @Test func `of an error has the fields that it is known for`() async throws {
        let cluster = FakeCluster()
        cluster.on(ListGroups.self) { _ in
            var error = ErrorReply.accessDenied(recoverySuggestion: "ask")
            (error.retryAfter, error.cause, error.parameters) = (1, "c", ["resource": "library"])
            throw error
        }
        let outcome = await obscura("library", "groups", "--json", on: cluster)
        let line = try #require(outcome.errors.split(separator: "\n").first)
        let fields = "domain code number description reason recoverySuggestion retryAfter cause parameters"
        let known = Set(fields.split(separator: " ").map { "error.\($0)" })
        #expect(known.subtracting(try Self.paths(String(line))) == [])
    }
}
