package import Media

/// What a file is by its first bytes; its name is never asked.
package enum FileType: String, Hashable, Sendable, CaseIterable {
    // Pictures.
    case jpeg, png, gif, webP, tiff, bmp, heic, heif, avif
    // Raw pictures.
    case dng, cr2, cr3, nef, arw, pef, rw2, orf, raf
    // Films.
    case quickTime, mpeg4, m4v, threeGPP, matroska, webM, avi, transportStream, programStream, windowsMedia
    // Sound.
    case wave, aiff, mp3, m4a, flac, ogg
    // Nothing that is known.
    case empty, unknown

    /// The uniform type identifier; `public.data` for what is not known.
    package var uti: String {
        switch self {
        case .jpeg: "public.jpeg"
        case .png: "public.png"
        case .gif: "com.compuserve.gif"
        case .webP: "org.webmproject.webp"
        case .tiff: "public.tiff"
        case .bmp: "com.microsoft.bmp"
        case .heic: "public.heic"
        case .heif: "public.heif"
        case .avif: "public.avif"
        case .dng: "com.adobe.raw-image"
        case .cr2: "com.canon.cr2-raw-image"
        case .cr3: "com.canon.cr3-raw-image"
        case .nef: "com.nikon.raw-image"
        case .arw: "com.sony.arw-raw-image"
        case .pef: "com.pentax.raw-image"
        case .rw2: "com.panasonic.rw2-raw-image"
        case .orf: "com.olympus.raw-image"
        case .raf: "com.fuji.raw-image"
        case .quickTime: "com.apple.quicktime-movie"
        case .mpeg4: "public.mpeg-4"
        case .m4v: "com.apple.m4v-video"
        case .threeGPP: "public.3gpp"
        case .matroska: "org.matroska.mkv"
        case .webM: "org.webmproject.webm"
        case .avi: "public.avi"
        case .transportStream: "public.mpeg-2-transport-stream"
        case .programStream: "public.mpeg"
        case .windowsMedia: "com.microsoft.windows-media-wmv"
        case .wave: "com.microsoft.waveform-audio"
        case .aiff: "public.aiff-audio"
        case .mp3: "public.mp3"
        case .m4a: "com.apple.m4a-audio"
        case .flac: "org.xiph.flac"
        case .ogg: "org.xiph.ogg-audio"
        case .empty, .unknown: "public.data"
        }
    }

    /// Picture, film, or neither.
    package var kind: AssetKind {
        switch self {
        case .jpeg, .png, .gif, .webP, .tiff, .bmp, .heic, .heif, .avif, .dng, .cr2, .cr3, .nef, .arw, .pef, .rw2,
            .orf, .raf:
            .photo
        case .quickTime, .mpeg4, .m4v, .threeGPP, .matroska, .webM, .avi, .transportStream, .programStream,
            .windowsMedia:
            .video
        case .wave, .aiff, .mp3, .m4a, .flac, .ogg, .empty, .unknown: .unknown
        }
    }

    /// Whether the file is a raw picture: its pixels are not looked at, but an embedded JPEG may be.
    package var isRaw: Bool {
        switch self {
        case .dng, .cr2, .cr3, .nef, .arw, .pef, .rw2, .orf, .raf: true
        default: false
        }
    }

    /// Whether the file is built of ISO base media boxes with a `moov`.
    package var isBoxedMovie: Bool {
        switch self {
        case .quickTime, .mpeg4, .m4v, .threeGPP, .m4a: true
        default: false
        }
    }
}
