/// The usual file name extensions of uniform type identifiers, as asset URLs print them.
package enum FileExtension {
    /// The extension for `uti` in capitals, `DAT` for what is not known.
    package static func forType(_ uti: String) -> String { known[uti] ?? "DAT" }

    private static let known: [String: String] = [
        "public.jpeg": "JPG", "public.png": "PNG", "com.compuserve.gif": "GIF", "public.tiff": "TIF",
        "org.webmproject.webp": "WEBP", "public.heic": "HEIC", "public.heif": "HEIF", "public.avif": "AVIF",
        "com.microsoft.bmp": "BMP", "com.adobe.raw-image": "DNG", "com.canon.cr2-raw-image": "CR2",
        "com.canon.cr3-raw-image": "CR3", "com.nikon.raw-image": "NEF", "com.sony.arw-raw-image": "ARW",
        "com.apple.quicktime-movie": "MOV", "public.mpeg-4": "MP4", "com.apple.m4v-video": "M4V",
        "public.3gpp": "3GP", "public.avi": "AVI", "org.matroska.mkv": "MKV", "org.webmproject.webm": "WEBM",
        "public.mpeg-2-transport-stream": "TS", "public.mpeg": "MPG",
    ]
}
