/// How deep JSON nests, found in one pass over the bytes, before anything is decoded.
enum JSONDepth {
    /// Whether no array or object in `bytes` lies inside more than `maximum` levels.
    ///
    /// It looks at brackets outside strings alone: what is not JSON is left to the decoder.
    static func isWithin(_ maximum: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var depth = 0
        var isInString = false
        var index = 0
        while index < bytes.count {
            switch unsafe bytes[index] {
            case UInt8(ascii: "\\") where isInString: index += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString:
                depth += 1
                if depth > maximum { return false }
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
            default: break
            }
            index += 1
        }
        return true
    }
}
