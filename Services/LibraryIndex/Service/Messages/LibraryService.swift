import Consent
package import Logging
import Media
import MessageSchema
package import Messaging
package import ServiceRuntime

/// The library on the wire: asks the gate what the caller may, then the library.
///
/// Handlers are tasks of their own; nothing here blocks or keeps state. Whoever saved an asset may look at it and read it
/// without more.
package struct LibraryService: Sendable {
    let library: Library
    let gate: ConsentGate
    let feed: ChangeFeed
    let log: Logger

    /// A service over an open library.
    ///
    /// `feed` is advanced by the library's `announce`.
    package init(library: Library, gate: ConsentGate, feed: ChangeFeed, log: Logger) {
        self.library = library
        self.gate = gate
        self.feed = feed
        self.log = log
    }

    /// Registers every message of the library.
    package func register(on server: MessageServer, operatorsOnly: CallerRule) async {
        await server.registerUpload(SaveAsset.self) { request, call, source in
            try await mapped { try await save(request, call, source) }
        }
        await server.register(FindSaved.self, access: .roles(.capture)) { request, call in
            try await mapped {
                let permit = try ReadingPermit(own: Asker(call), gate)
                let record = try await library.saved(request.request, owner: Owner(call))
                try permit.check()
                return FindSaved.Reply(asset: record?.message(showsLocation: true, isOwn: true))
            }
        }
        await server.register(LibraryContents.self, access: .roles(.probe)) { _, _ in
            try await mapped { try await library.contents() }
        }
        await server.registerUpload(ImportAsset.self, access: operatorsOnly) { request, call, source in
            try await mapped { try await importFile(request, call, source) }
        }
        await server.registerUpload(ReplaceAsset.self) { request, call, source in
            try await mapped { try await replace(request, call, source) }
        }
        await server.registerUpload(CheckAsset.self) { request, call, source in
            try await mapped { try await check(request, call, source) }
        }
        await registerReading(on: server)
        await registerChanging(on: server)
        await server.register(VerifyLibrary.self, access: operatorsOnly) { _, _ in
            try await mapped { try await library.verify() }
        }
        await server.register(RebuildLibrary.self, access: operatorsOnly) { _, call in
            try await mapped { try await library.rebuild(for: Owner(call)) }
        }
        await server.register(BackUpLibrary.self, access: operatorsOnly) { _, _ in
            try await mapped { try await library.backUp() }
        }
    }

    private func registerReading(on server: MessageServer) async {
        await server.register(ListGroups.self) { request, call in
            try await mapped {
                let authorization = try await gate.authorize([.read], for: call)
                defer { authorization.end() }
                let groups = try await library.groups(of: request.types)
                try authorization.check()
                return ListGroups.Reply(groups: groups)
            }
        }
        await server.registerStream(ListAssets.self) { request, call, sink in
            try await mapped { try await list(request, call, sink) }
        }
        await server.register(CountAssets.self) { request, call in
            try await mapped { try await count(request, call) }
        }
        await server.register(FindAsset.self) { request, call in
            try await mapped { try await find(request, call) }
        }
        await server.register(ReadMetadata.self) { request, call in
            try await mapped { try await metadata(request, call) }
        }
        await server.registerStream(ReadAsset.self) { request, call, sink in
            try await mapped { try await read(request, call, sink) }
        }
        await server.register(DigestAsset.self) { request, call in
            try await mapped { try await digest(request, call) }
        }
        await server.registerStream(ThumbnailAsset.self) { request, call, sink in
            try await mapped { try await thumbnail(request, call, sink) }
        }
        await server.registerStream(ListChanges.self) { request, call, sink in
            try await mapped { try await changes(request, call, sink) }
        }
        await server.registerStream(WatchLibrary.self) { request, call, sink in
            try await mapped { try await watch(request, call, sink) }
        }
    }

    private func registerChanging(on server: MessageServer) async {
        await server.register(CreateAlbum.self, remembersReplies: true) { request, call in
            try await mapped {
                let authorization = try await gate.authorize([.readWrite], for: call)
                defer { authorization.end() }
                let made = try await library.createAlbum(named: request.album) { try authorization.check() }
                return CreateAlbum.Reply(group: made)
            }
        }
        await server.register(ChangeAlbum.self, remembersReplies: true) { request, call in
            try await mapped {
                let authorization = try await gate.authorize([.readWrite], for: call)
                defer { authorization.end() }
                return try await library.change(request.change, request.group, request.assets) {
                    try authorization.check()
                }
            }
        }
        await server.register(DeleteAlbum.self, remembersReplies: true) { request, call in
            try await mapped {
                let authorization = try await gate.authorize([.readWrite], for: call)
                defer { authorization.end() }
                let deleted = try await library.deleteAlbum(request.group) { try authorization.check() }
                return DeleteAlbum.Reply(deleted: deleted)
            }
        }
        await server.register(MarkAssets.self, remembersReplies: true) { request, call in
            try await changing(request.assets, call) { allowed in
                try await library.mark(request.assets, favourite: request.favourite, caption: request.caption, allowed)
            }
        }
        await server.register(TrashAssets.self, remembersReplies: true) { request, call in
            try await changing(request.assets, call) { try await library.trash(request.assets, $0) }
        }
        await server.register(RestoreAssets.self, remembersReplies: true) { request, call in
            try await changing(request.assets, call) { try await library.restore(request.assets, $0) }
        }
        await server.register(DeleteAssets.self, remembersReplies: true) { request, call in
            try await changing(request.assets, call) { try await library.delete(request.assets, $0) }
        }
    }

    /// Changes assets as far as the caller may: its own without more, others' with `readWrite`.
    ///
    /// Whoever names one that is not there is asked, too, so that nobody learns which there are.
    private func changing(
        _ urls: [AssetURL],
        _ call: Call,
        _ body: (@escaping @Sendable () throws -> Void) async throws -> ChangedAssets
    ) async throws -> ChangedAssets {
        try await mapped {
            let asker = Asker(call)
            let records = try await library.assets(urls)
            let areOwn = records.count == urls.count && records.allSatisfy { isOwn($0, call) }
            if areOwn, let permit = try? ReadingPermit(own: asker, gate, refusing: .addOnly) {
                return try await body(permit.check)
            }
            let authorization = try await gate.authorize([.readWrite], for: call)
            defer { authorization.end() }
            return try await body { try authorization.check() }
        }
    }

    /// Gives every error of the library its words on the wire.
    func mapped<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw ErrorReply.library(error) ?? error
        }
    }

    /// Whether the caller, or whom it works for, saved it; what an operator imported is everybody's.
    func isOwn(_ record: AssetRecord, _ call: Call) -> Bool {
        record.origin == .saved && record.owner == call.principal.description
    }
}

extension Need {
    static let addOnly = Need(.library, .addOnly)
    static let read = Need(.library, .read)
    static let readWrite = Need(.library, .readWrite)
    static let place = Need(.location, .read)
}

extension Owner {
    /// For whom a request is.
    init(_ call: Call) {
        self.init(principal: call.principal.description, label: call.label.isEmpty ? nil : call.label)
    }
}
