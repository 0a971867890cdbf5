private import Media
private import MessageSchema

extension CameraCatalogue {
    /// Reads positions as a setting has them: `ID=front,ID=back`.
    ///
    /// - Throws: `ErrorReply` with code `usage` for an entry that means nothing.
    package static func positions(_ text: String) throws -> Positions {
        var positions: Positions = [:]
        for entry in text.split(separator: ",") {
            guard let equals = entry.lastIndex(of: "="),
                let position = CameraPosition(rawValue: String(entry[entry.index(after: equals)...]))
            else {
                throw ErrorReply(.usage, "--camera-positions: \"\(entry)\" is not ID=front, ID=back or ID=external")
            }
            positions[String(entry[..<equals])] = position
        }
        return positions
    }
}
