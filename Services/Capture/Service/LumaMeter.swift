package import Cameras
private import Imaging
private import Video4Linux

/// How bright a frame is, from a sample of its pixels.
package enum LumaMeter {
    /// Mean brightness from 0 to 255; `nil` for a frame that says nothing about it.
    package static func mean(of frame: CapturedFrame) -> Double? {
        switch frame.format.pixelFormat {
        case .yuyv: mean(of: frame.bytes[...], from: 0, step: 2)
        case .uyvy: mean(of: frame.bytes[...], from: 1, step: 2)
        case .nv12, .yuv420, .grey:
            mean(of: frame.bytes.prefix(max(0, frame.format.firstPlaneByteCount)), from: 0, step: 1)
        case .rgb24, .bgr24: mean(of: frame.bytes[...], from: 1, step: 3)
        default: meanOfJPEG(frame.bytes)
        }
    }

    private static func mean(of bytes: ArraySlice<UInt8>, from start: Int, step: Int) -> Double? {
        // About four thousand pixels are enough for an average.
        let pixels = bytes.count / step
        guard pixels > 0 else { return nil }
        let stride = max(1, pixels / 4_096) * step
        var sum = 0
        var count = 0
        var index = bytes.startIndex + start
        while index < bytes.endIndex {
            sum += Int(bytes[index])
            count += 1
            index += stride
        }
        return count == 0 ? nil : Double(sum) / Double(count)
    }

    private static func meanOfJPEG(_ bytes: [UInt8]) -> Double? {
        // A frame that does not decode says nothing; whoever needs the picture finds out why.
        guard let decoder = try? JPEGDecoder(), let picture = try? decoder.decode(bytes, coveringSide: 160) else {
            return nil
        }
        return mean(of: picture.bytes[...], from: 0, step: 1)
    }
}
