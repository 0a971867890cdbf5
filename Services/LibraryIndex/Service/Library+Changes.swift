private import Media
package import MessageSchema
private import SQLite

/// What stands for a point in the library's history.
///
/// Its text is for programs to keep, not to understand.
struct ChangeToken: Hashable, CustomStringConvertible {
    /// Which history: another one after a restore.
    let epoch: String
    /// The number of the last change that was told.
    let generation: Int64

    init(epoch: String, generation: Int64) {
        self.epoch = epoch
        self.generation = generation
    }

    /// Reads a token; nil for a text that never was one.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, AssetID(String(parts[0])) != nil, let generation = Int64(parts[1]), generation >= 0
        else { return nil }
        self.init(epoch: String(parts[0]), generation: generation)
    }

    var description: String { "\(epoch).\(generation)" }
}

extension Library {
    /// The number of the last change; 0 before the first.
    package func generation() async throws -> Int64 {
        try await database.perform { try ChangeTable(connection: $0).generation() }
    }

    /// What stands for a number of a change, in this library's history.
    package func token(at generation: Int64) async throws -> String {
        ChangeToken(epoch: try await epoch(), generation: generation).description
    }

    /// The number of the last change that a token stands for; of the last one that there is, without a token.
    ///
    /// - Throws: `LibraryError`: `changesExpired`, `invalidArgument` for a text that never was a token.
    package func generation(of token: String?) async throws -> Int64 {
        guard let token else { return try await generation() }
        guard let token = ChangeToken(token) else {
            throw LibraryError(.invalidArgument(parameter: "since", rule: "a token that the library gave"))
        }
        let epoch = try await epoch()
        return try await database.perform { connection in
            let table = ChangeTable(connection: connection)
            guard token.epoch == epoch else { throw LibraryError(.changesExpired(.otherEpoch)) }
            guard try token.generation <= table.generation() else { throw LibraryError(.changesExpired(.ahead)) }
            guard try token.generation >= table.floor() else { throw LibraryError(.changesExpired(.tooOld)) }
            return token.generation
        }
    }

    /// The changes after a number, at most `count` and what follows from them, in order.
    ///
    /// - Throws: `LibraryError`: `changesExpired` when some of them are forgotten.
    package func events(after generation: Int64, count: Int) async throws -> [LibraryEvent] {
        try await database.perform { connection in
            let table = ChangeTable(connection: connection)
            guard try generation >= table.floor() else { throw LibraryError(.changesExpired(.tooOld)) }
            var events = try table.events(after: generation, count: count)
            guard let last = events.last, events.contains(where: { $0.kind != .updated && $0.url.asset != nil }) else {
                return events
            }
            // Which assets these groups have follows from what the assets are; they have no changes of their own.
            for group in try GroupTable(connection: connection).all() where group.type != .album {
                events.append(LibraryEvent(generation: last.generation, kind: .updated, url: .group(group.url)))
            }
            return events
        }
    }

    private func epoch() async throws -> String {
        try await database.perform { connection in
            try connection.first("SELECT value FROM facts WHERE name = 'epoch'") { try $0.text(0) } ?? ""
        }
    }
}
