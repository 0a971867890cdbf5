package import Cameras
package import Consent
import Video4Linux

/// Who holds a camera, what for, and what they want of it.
package struct CameraHold: Hashable, Sendable {
    /// What a camera is held for.
    package enum Use: String, Hashable, Sendable {
        case photo, film, preview
        /// While its settings are looked at or changed.
        case controls
    }

    package let use: Use
    /// What it shall give; a size that is not there is the usual one.
    package var wanted: WantedFormat
    /// The programs for which it is held.
    package var owners: Set<Principal>
    /// Whether it wants its size or nothing, where another holder is what is in the way.
    package let insists: Bool

    /// A wish for a camera.
    package init(
        _ use: Use,
        wanted: WantedFormat = WantedFormat(),
        owners: Set<Principal> = [],
        insists: Bool = false
    ) {
        self.use = use
        self.wanted = wanted
        self.owners = owners
        self.insists = insists
    }

    /// Whether it takes any format, and one that changes under way: frames say what they are.
    var isFlexible: Bool { use == .preview || use == .controls }

    /// Whether H.264 of the camera's own, which has no single pictures, is as good as any format.
    var takesH264: Bool { use == .controls || wanted.h264 != .never }

    /// Whether it can do something with what a camera gives.
    func canUse(_ format: VideoFormat) -> Bool { format.pixelFormat != .h264 || takesH264 }

    /// Whether a camera that gives this, because it was asked for that, need not be opened in another way for it.
    func isServed(by format: VideoFormat, openedFor opened: WantedFormat) -> Bool {
        guard canUse(format) else { return false }
        // The camera may have others than its own JPEG, unless it gave that to whoever wanted them too.
        if wanted.prefersUncompressed, !opened.prefersUncompressed, format.isJPEG { return false }
        // Uncompressed pictures may come slowly; a film that does not need them is not made of them.
        if use == .film, opened.prefersUncompressed { return false }
        let (width, height) = (wanted.usualWidth, wanted.usualHeight)
        // What the camera gave to the same wish it gives again.
        if width == opened.usualWidth, height == opened.usualHeight { return true }
        return switch use {
        case .film: format.width == width && format.height == height
        case .photo, .preview: format.width >= width && format.height >= height
        case .controls: true
        }
    }
}

extension WantedFormat {
    /// The width it stands for.
    var usualWidth: Int { width ?? FormatChoice.usualSize.width }
    /// The height it stands for.
    var usualHeight: Int { height ?? FormatChoice.usualSize.height }

    /// The larger of two wishes on each side.
    func covering(_ other: WantedFormat) -> WantedFormat {
        WantedFormat(
            width: max(usualWidth, other.usualWidth),
            height: max(usualHeight, other.usualHeight),
            framesPerSecond: framesPerSecond
        )
    }

    /// Whether it asks for no more on either side, and for less on one, or does without uncompressed pixels.
    func isSmaller(than other: WantedFormat) -> Bool {
        guard usualWidth <= other.usualWidth, usualHeight <= other.usualHeight else { return false }
        return usualWidth < other.usualWidth || usualHeight < other.usualHeight
            || other.prefersUncompressed && !prefersUncompressed
    }
}
