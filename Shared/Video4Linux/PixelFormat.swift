/// The four characters that name a pixel format to V4L2, such as `YUYV` or `MJPG`.
///
/// Source: linux/videodev2.h; `v4l2_fourcc` puts the first character in the lowest byte.
package struct PixelFormat: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    package static let yuyv: PixelFormat = "YUYV"
    package static let uyvy: PixelFormat = "UYVY"
    package static let nv12: PixelFormat = "NV12"
    package static let yuv420: PixelFormat = "YU12"
    package static let rgb24: PixelFormat = "RGB3"
    package static let bgr24: PixelFormat = "BGR3"
    package static let grey: PixelFormat = "GREY"
    package static let motionJPEG: PixelFormat = "MJPG"
    package static let jpeg: PixelFormat = "JPEG"
    /// Units after start codes, one picture in a buffer.
    package static let h264: PixelFormat = "H264"

    /// The kernel's number.
    package let rawValue: UInt32

    /// The format with the kernel's number.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The format with these four ASCII characters; any other literal is a programmer's error and traps.
    package init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount == 4, "A pixel format has four characters.")
        rawValue = value.withUTF8Buffer { bytes in
            unsafe bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The four characters; the big-endian mark in the top bit is left out, and what can not be printed becomes `?`.
    package var description: String {
        let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: (rawValue & 0x7FFF_FFFF) >> UInt32($0)) }
        return String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
