import Consent
import MessageSchema
import Messaging
import ServiceRuntime

extension LibraryService {
    func metadata(_ request: ReadMetadata, _ call: Call) async throws -> ReadMetadata.Reply {
        let record = try await library.asset(request.url)
        let permit = try await permit(for: record, [.read], call)
        defer { permit.end() }
        guard let record, record.trashed == nil else { throw LibraryError(.noSuchAsset) }
        var sight = PlaceSight(gate, for: Asker(call))
        defer { sight.end() }
        let isOwn = isOwn(record, call)
        let place = (isOwn && ownPermit(call) != nil) || record.location == nil ? nil : await sight.look()
        let all = try await library.metadata(of: record, showsLocation: true)
        // From here to the answer nothing is awaited.
        try permit.check()
        let isPlaceTold = (isOwn && ownPermit(call) != nil) || (place.map { (try? $0()) != nil } ?? false)
        return ReadMetadata.Reply(metadata: all?.filter { isPlaceTold || $0.key != "{GPS}" })
    }
}

extension Enumeration {
    /// What it takes to have it: where pictures were taken is told also by asking which were taken there.
    var needs: [Need] {
        let need: Need = isTrash ? .readWrite : .read
        return area == nil ? [need] : [need, .place]
    }
}
