package import Cameras
package import Media

extension QualityPreset {
    /// The format that a preset asks a camera for.
    package var wanted: WantedFormat {
        switch self {
        case .high: WantedFormat(width: 1_280, height: 720, framesPerSecond: 30)
        case .medium: WantedFormat(width: 640, height: 480, framesPerSecond: 30)
        case .low: WantedFormat(width: 320, height: 240, framesPerSecond: 15)
        case .vga: WantedFormat(width: 640, height: 480)
        case .hd: WantedFormat(width: 1_280, height: 720)
        case .qhd: WantedFormat(width: 960, height: 540)
        }
    }
}
