import MessageSchema

/// Where the pictures of a preview go.
actor PreviewOutput {
    private enum Place {
        /// One after the other in one file, or to a pipe.
        case stream(any Output)
        /// A file that is always the newest picture.
        case newest
        /// A file for each picture, with its number between the two parts.
        case numbered(String, digits: Int, String)
    }

    private let target: OutputTarget
    private let place: Place
    private var count = 0

    /// Understands a path: a number's place (`%d`, `%04d`) is for a file each, a picture's name for the newest one,
    /// anything else for all of them.
    init(_ target: OutputTarget) throws(ErrorReply) {
        self.target = target
        let path = target.path.lowercased()
        if let parts = Self.numbered(target.path) {
            guard Self.numbered(parts.after) == nil else {
                throw ErrorReply.usage(
                    "Which number?",
                    "'\(target.path)' has more than one place for a picture's number",
                    "leave one, as in frame%04d.jpg"
                )
            }
            place = .numbered(parts.before, digits: parts.digits, parts.after)
        } else if path.hasSuffix(".jpg") || path.hasSuffix(".jpeg") {
            place = .newest
        } else {
            place = .stream(try target.open())
        }
    }

    /// Takes one picture.
    func write(_ jpeg: [UInt8]) async throws {
        count += 1
        switch place {
        case .stream(let output): try await output.write(jpeg)
        case .newest: try await target.write { try await $0.write(jpeg) }
        case .numbered(let before, let digits, let after):
            let number = String(count)
            let padding = String(repeating: "0", count: max(0, digits - number.count))
            try await target.renamed(before + padding + number + after).write { try await $0.write(jpeg) }
        }
    }

    /// All pictures are there.
    func finish() async throws {
        guard case .stream(let output) = place else { return }
        try await output.commit()
    }

    /// The preview was ended from elsewhere: the pictures until then are kept.
    func abandon() async {
        guard case .stream(let output) = place else { return }
        // The error that ended it is the one to tell; a file that can not be kept is not there.
        if count > 0 { _ = try? await output.commit() }
        await output.discard()
    }

    /// The parts around `%d` or `%0Nd`, as `printf` has them.
    private static func numbered(_ path: String) -> (before: String, digits: Int, after: String)? {
        guard let percent = path.firstIndex(of: "%"), let end = path[percent...].firstIndex(of: "d") else { return nil }
        let digits = path[path.index(after: percent)..<end]
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), digits.isEmpty || digits.first == "0" else {
            return nil
        }
        let count = digits.isEmpty ? 0 : Int(digits) ?? 0
        guard count <= 20 else { return nil }
        return (String(path[..<percent]), count, String(path[path.index(after: end)...]))
    }
}
