/// Where a camera looks, as the kernel's `V4L2_CID_CAMERA_ORIENTATION` has it.
package enum CameraPosition: String, Hashable, Sendable, Codable, CaseIterable {
    case front, back, external
}

/// What the flash shall do for a photo, and the torch for a film.
package enum FlashMode: String, Hashable, Sendable, Codable, CaseIterable {
    case auto, on, off
}

/// What a photo's file is.
package enum PhotoFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// The camera's own JPEG where it gives one, else encoded.
    case jpeg
    /// Without loss, of uncompressed pixels where the camera gives them.
    case png
    /// Every sample as the camera gave it, uncompressed, in a TIFF file.
    case raw
}

/// What becomes of a photo that is asked for while another one is taken with the same camera.
package enum BusyRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// It waits for its turn.
    case queue
    /// It is refused, with the time after which to try again.
    case refuse
}

/// Movie quality as the picker's `videoQuality` names it.
package enum QualityPreset: String, Hashable, Sendable, Codable, CaseIterable {
    case high, medium, low
    case vga = "640x480"
    case hd = "1280x720"
    case qhd = "960x540"
}

/// What a film's file is.
package enum FilmContainer: String, Hashable, Sendable, Codable, CaseIterable {
    /// QuickTime.
    case mov
    /// MPEG-4 part 14.
    case mp4
}

/// How a film's pictures are compressed.
package enum FilmCodec: String, Hashable, Sendable, Codable, CaseIterable {
    /// Motion JPEG: each picture by itself.
    case jpeg
    /// H.264 (MPEG-4 part 10), decoded in the order in which it is shown.
    case h264
}
