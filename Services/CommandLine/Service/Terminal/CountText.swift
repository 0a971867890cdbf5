/// A number of things for people to read.
package enum CountText {
    /// The number with its noun: `1 file`, `2 files`; `plural` for a noun that does not end with an s then.
    package static func of(_ count: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }
}
