/// Text in the fixed arrays of C structures, which Swift sees as tuples.
enum CText {
    /// The bytes up to the first zero, as UTF-8 with repairs; control characters are left out.
    static func text<Tuple: BitwiseCopyable>(_ tuple: Tuple) -> String {
        let text = unsafe withUnsafeBytes(of: tuple) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    }
}
