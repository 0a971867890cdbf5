private import CVideoConversion
package import Video4Linux

/// Makes pictures that libv4lconvert alone understands into ones that everything here does.
///
/// It knows of no device: no list of cameras, no settings of other programs. Not safe by itself: one caller at a time.
/// Blocks for as long as the arithmetic takes.
@safe package final class FrameConverter {
    /// What comes out; the sample range and the colours are those of what goes in.
    package let format: VideoFormat

    private let source: VideoFormat
    private let way: ConvertibleFormat
    private let handle: OpaquePointer
    private var packed: [UInt8] = []

    /// A converter of a camera's format; nil for formats that need none, for sizes that can not be halved, and without
    /// memory.
    package init?(from source: VideoFormat) {
        guard let way = ConvertibleFormat(source.pixelFormat), source.isPlausible, source.planeCount == 1,
            source.width % 2 == 0, source.height % 2 == 0, source.bytesPerRow >= source.width * way.bytesPerPixel,
            let handle = unsafe cvconv_create()
        else { return nil }
        self.source = source
        self.way = way
        unsafe self.handle = handle
        let isPlanar = way.target == .yuv420
        format = VideoFormat(
            pixelFormat: way.target,
            width: source.width,
            height: source.height,
            bytesPerRow: isPlanar ? source.width : source.width * 3,
            imageByteCount: isPlanar ? source.width * source.height / 2 * 3 : source.width * source.height * 3,
            isFullRange: source.isFullRange,
            isRec709: source.isRec709,
            colours: source.colours,
            interval: source.interval
        )
    }

    deinit { unsafe cvconv_destroy(handle) }

    /// Bytes that a picture has at least.
    package var leastByteCount: Int { source.bytesPerRow * (source.height / 2 * way.halfHeights) }

    /// Converts one picture; nil for one that is cut short, or that the library refuses.
    package func convert(_ picture: RawSpan) -> [UInt8]? {
        guard picture.byteCount >= leastByteCount else { return nil }
        pack(picture)
        let from = Self.described(way.pixelFormat, source, row: rowByteCount, bytes: packed.count)
        let to = Self.described(format.pixelFormat, source, row: format.bytesPerRow, bytes: format.imageByteCount)
        let (sourceCount, targetCount) = (Int32(clamping: packed.count), Int32(clamping: format.imageByteCount))
        var written: Int32 = -1
        let target = unsafe [UInt8](unsafeUninitializedCapacity: format.imageByteCount) { bytes, count in
            unsafe bytes.initialize(repeating: 0)
            count = bytes.count
            guard let start = bytes.baseAddress else { return }
            written = unsafe packed.withUnsafeMutableBufferPointer { source in
                guard let first = source.baseAddress else { return -1 }
                return unsafe cvconv_convert(handle, from, to, first, sourceCount, start, targetCount)
            }
        }
        return written == targetCount ? target : nil
    }

    private var rowByteCount: Int { source.width * way.bytesPerPixel }

    /// Copies the rows without what pads them: the library reads some formats as if nothing did.
    private func pack(_ picture: RawSpan) {
        packed.removeAll(keepingCapacity: true)
        packed.reserveCapacity(rowByteCount * (source.height / 2 * way.halfHeights))
        unsafe picture.withUnsafeBytes { bytes in
            for row in rows { unsafe packed.append(contentsOf: bytes[row]) }
        }
    }

    /// Where the rows lie, without padding.
    ///
    /// Those of 4:2:0 in three planes are half as long after the first plane.
    private var rows: [Range<Int>] {
        let (height, stride) = (source.height, source.bytesPerRow)
        guard way.pixelFormat == "YV12" else {
            return (0..<height / 2 * way.halfHeights).map { $0 * stride..<$0 * stride + rowByteCount }
        }
        let luma = (0..<height).map { $0 * stride..<$0 * stride + rowByteCount }
        let chroma = (0..<height).map { row in
            let start = height * stride + row * (stride / 2)
            return start..<start + rowByteCount / 2
        }
        return luma + chroma
    }

    private static func described(
        _ pixelFormat: PixelFormat,
        _ shape: VideoFormat,
        row: Int,
        bytes: Int
    ) -> cvconv_format {
        cvconv_format(
            width: UInt32(shape.width),
            height: UInt32(shape.height),
            pixelformat: pixelFormat.rawValue,
            bytesperline: UInt32(row),
            sizeimage: UInt32(clamping: bytes)
        )
    }
}
