import CTurboJPEG

/// The codec of one encoder, and the memory that it uses again for each picture: fresh pages for each would cost nearly as
/// much as the codec does.
@safe final class EncoderWorkspace {
    let handle: tjhandle
    /// The picture that is coded now.
    var picture = PlanarPicture()
    private var target: UnsafeMutablePointer<UInt8>?
    /// Bytes of `target` that are known to be there.
    private var room: UInt = 0

    /// Takes over a codec, which is destroyed with it.
    init(adopting handle: tjhandle) { unsafe self.handle = handle }

    deinit {
        unsafe tjDestroy(handle)
        unsafe tjFree(target)
    }

    /// Runs one compression into a buffer of the codec's own.
    ///
    /// - Returns: A copy of the result; nil when the codec failed.
    func collect(
        _ compress: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) -> Int32
    ) -> [UInt8]? {
        // The codec makes the buffer larger where that is needed, and says the bytes of the picture alone.
        var size = unsafe target == nil ? 0 : room
        let result = unsafe compress(&target, &size)
        guard result == 0, let start = unsafe target else { return nil }
        room = max(room, size)
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(size)))
    }
}
