private import Glibc
package import Media
private import Timekeeping

/// The wall clock beside the camera.
package enum LocalTime {
    /// An instant with the offset that the machine's zone has at it (localtime_r(3)).
    package static func at(microsecondsSince1970 microseconds: Int64) -> CaptureTime {
        var seconds = time_t(microseconds / 1_000_000)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return CaptureTime(microsecondsSince1970: microseconds, offsetMinutes: unsafe parts.tm_gmtoff / 60)
    }

    /// Now.
    package static func now() -> CaptureTime { at(microsecondsSince1970: Timestamp.now().microseconds) }

    /// A file name such as `IMG_20261130_034500.JPG`, from the wall clock; `_2` before the dot for the second of several.
    package static func fileName(
        _ prefix: String,
        _ time: CaptureTime,
        _ fileExtension: String,
        number: Int? = nil
    ) -> String {
        let digits = time.exifText.filter { $0.isNumber }
        let ending = number.map { "_\($0)" } ?? ""
        return "\(prefix)_\(digits.prefix(8))_\(digits.dropFirst(8))\(ending).\(fileExtension)"
    }
}
