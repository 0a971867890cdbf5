/// How stored pixels are turned for display, in the numbering of EXIF 2.32 tag 0x0112.
package enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// Whether display width is stored height.
    package var swapsAxes: Bool { rawValue >= 5 }

    /// The number of the Assets Library's `ALAssetOrientation`: up 0, down 1, left 2, right 3, then the mirrored four.
    package var assetsLibraryValue: Int {
        switch self {
        case .up: 0
        case .down: 1
        case .left: 2
        case .right: 3
        case .upMirrored: 4
        case .downMirrored: 5
        case .leftMirrored: 6
        case .rightMirrored: 7
        }
    }

    /// The orientation for a sensor that must be turned by `degrees` counter-clockwise.
    ///
    /// V4L2's `V4L2_CID_CAMERA_SENSOR_ROTATION` gives such degrees (ext-ctrls-camera.rst).
    ///
    /// - Parameter degrees: A multiple of 90; anything else is taken as upright.
    package init(sensorRotation degrees: Int) {
        switch (degrees % 360 + 360) % 360 {
        case 90: self = .left
        case 180: self = .down
        case 270: self = .right
        default: self = .up
        }
    }
}
