import Consent
import Hashing
import Media
import MessageSchema
import Messaging
import ServiceRuntime

extension LibraryService {
    /// An asset whose bytes the caller may have, why, and what is taken out of them.
    ///
    /// Where the caller leaves the choice, the location is asked for in one prompt with the rest; a no to it alone takes
    /// the place out and refuses nothing.
    func readable(
        _ url: AssetURL,
        _ call: Call,
        without profile: PrivacyProfile?
    ) async throws -> (AssetRecord, ReadingPermit, PrivacyProfile) {
        if let profile {
            let (record, permit) = try await readable(url, call, withLocation: profile == .none)
            return (record, permit, profile)
        }
        let found = try await library.asset(url)
        let asker = Asker(call)
        // One's own is shown whole, when it is shown.
        let isShownWhole = found.map { isOwn($0, call) && ownPermit(call) != nil } ?? false
        let isOpen = isShownWhole || found?.mayHoldPlace != true
        if !isOpen {
            switch gate.standing(of: .place, for: asker) {
            case .allowed, .notDetermined: break
            default:
                let (record, permit) = try await readable(url, call, withLocation: false)
                return (record, permit, .location)
            }
        }
        do {
            let (record, permit) = try await readable(url, call, withLocation: true)
            return (record, permit, .none)
        } catch let error as ErrorReply where !isOpen && error.isRefusal {
            // Only the place was refused.
            guard case .allowed = gate.standing(of: .read, for: asker) else { throw error }
            let (record, permit) = try await readable(url, call, withLocation: false)
            return (record, permit, .location)
        }
    }

    /// Opens what may be read.
    ///
    /// - Throws: `LibraryError`; where the place could not be taken out for a caller who may not know it, what stands against
    ///   the location.
    func open(
        _ record: AssetRecord,
        without profile: PrivacyProfile,
        asked: PrivacyProfile?,
        _ call: Call
    ) async throws -> ReadableContent {
        do {
            return try await library.open(record, without: profile)
        } catch let error as LibraryError {
            guard case .notRedacted(let reason) = error.code, asked == nil else { throw error }
            let asker = Asker(call)
            var reply = ErrorReply.refusal(gate.standing(of: .place, for: asker), of: .place, to: asker)
            reply.reason = "It may say where it was taken, and that can not be taken out. \(reason)"
            throw reply
        }
    }

    func digest(_ request: DigestAsset, _ call: Call) async throws -> DigestAsset.Reply {
        let (record, permit, profile) = try await readable(request.url, call, without: request.privacy)
        defer { permit.end() }
        let content = try await open(record, without: profile, asked: request.privacy, call)
        try permit.check()
        return DigestAsset.Reply(
            bytes: content.bytes,
            sha256: content.digest.description,
            privacy: content.profile == .none ? nil : content.profile
        )
    }
}

extension ErrorReply {
    /// Whether a person or a policy said no, or nobody said anything.
    fileprivate var isRefusal: Bool { [.accessDenied, .accessRestricted, .dismissed].contains(code) }
}
