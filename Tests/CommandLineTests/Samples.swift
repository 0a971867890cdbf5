import Consent
import Hashing
import Media
import MessageSchema
import Receipts

enum Samples {
    static let url = AssetURL(id: "0A1B2C3D-0000-4000-8000-000000000001", fileExtension: "JPG")
    static let group = GroupURL(id: "0A1B2C3D-0000-4000-8000-000000000002")

    static var asset: Asset {
        Asset(
            url: url,
            kind: .photo,
            uti: "public.jpeg",
            filename: "IMG_0001.JPG",
            bytes: 4,
            sha256: "9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a",
            width: 640,
            height: 480,
            orientation: .up,
            state: .ok,
            representations: [],
            added: "2026-11-30T03:45:00Z"
        )
    }

    static var notice: ConsentNotice {
        ConsentNotice(
            purpose: "Prints",
            privacyNotice: "https://example.org",
            language: "en",
            piiTypes: ["image"],
            controllers: [ConsentParty(id: "1", name: "n", address: "a", contact: "c", type: "controller")],
            storageLocations: ["here"],
            retentionPeriod: "30 days",
            jurisdiction: "DE",
            recipients: [],
            withdrawalMethod: "by word"
        )
    }

    static let key = SigningKey.random()

    static var consent: ConsentRecord {
        let made = Result { () throws in
            guard let id = ConsentRecordID(random: String(repeating: "0a", count: 16)) else {
                throw CancellationError()
            }
            return try ConsentRecord(
                id: id,
                subject: "guest-17\u{1B}[2J",
                notice: notice,
                isGiven: true,
                by: .user(0),
                method: "a form",
                at: Moment(milliseconds: 1_796_000_000_000)
            )
        }
        guard case .success(let record) = made else { preconditionFailure("the sample is a record") }
        return record
    }

    static var receipt: SignedReceipt {
        SignedReceipt(
            ConsentReceipt(of: consent, at: Moment(milliseconds: 1_796_000_001_000)),
            signedWith: key
        )
    }

    static var use: Use {
        Use(
            use: UseID(.capture, process: 1_234, number: 17),
            service: .capture,
            principal: .user(1000),
            label: "/usr/bin/booth",
            needs: [Need(.camera("pattern-back")), Need(.library, .addOnly)],
            grants: [DecisionID(generation: 3), DecisionID(generation: 4)],
            purpose: "A portrait",
            since: "2026-11-30T03:45:00Z"
        )
    }

    static func result(_ camera: String = "pattern-back") -> CaptureResult {
        let settings = CaptureSettings(camera: camera)
        return CaptureResult(asset: asset, camera: camera, asked: settings, granted: settings)
    }

    static func camera(
        _ id: String,
        _ position: CameraPosition,
        _ state: Availability.State = .available
    ) -> Camera {
        Camera(
            id: id,
            name: "Pattern",
            position: position,
            driver: "pattern",
            builtIn: true,
            availability: Availability(state),
            mediaTypes: [.image, .movie],
            flash: false,
            torch: false,
            formats: []
        )
    }

    static func prompt(_ name: String = "p1", purpose: String? = nil, label: String? = nil) -> Prompt {
        Prompt(
            prompt: name,
            principal: .user(1000),
            provenBy: "uid",
            label: label,
            needs: [Need(.camera("pattern-back")), Need(.library)],
            resource: .camera("pattern-back"),
            access: .use,
            purpose: purpose,
            asked: "2026-11-30T03:45:00Z"
        )
    }
}
