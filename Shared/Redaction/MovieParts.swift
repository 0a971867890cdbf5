package import Movies

/// The parts of a film that are known to say nothing about the place: what redaction lets stay, and what a decoder does
/// not suspect.
///
/// Source: ISO/IEC 14496-12 clause 8; QuickTime File Format, "Movie Atoms", "User Data Atoms", "Metadata Atoms and
/// Types".
package enum MovieParts {
    /// Beside the head, the fragments and the media data.
    package static let stream: Set<FourCharacterCode> = ["ftyp", "styp", "pdin", "sidx", "ssix", "mfra", "wide"]
    /// Space between boxes, which may hold anything.
    package static let space: Set<FourCharacterCode> = ["free", "skip", "wide"]
    /// How a track is played, in `trak`.
    package static let timing: Set<FourCharacterCode> = ["edts", "tapt", "load", "clip", "matt"]
    /// In `mdia`.
    package static let media: Set<FourCharacterCode> = ["mdhd", "hdlr", "minf", "elng"]
    /// In `minf`.
    package static let information: Set<FourCharacterCode> = ["vmhd", "smhd", "nmhd", "gmhd", "hdlr", "dinf", "stbl"]
    /// In `stbl`.
    package static let samples: Set<FourCharacterCode> = [
        "stsd", "stts", "ctts", "stss", "stsc", "stsz", "stco", "co64", "sdtp", "cslg", "stps", "sgpd", "sbgp", "subs",
        "stsh", "padb", "stdp",
    ]
    /// In `mvex`.
    package static let defaults: Set<FourCharacterCode> = ["mehd", "trex", "leva"]
    /// In `moof`.
    package static let fragment: Set<FourCharacterCode> = ["mfhd", "traf"]
    /// In `traf`.
    package static let run: Set<FourCharacterCode> = ["tfhd", "tfdt", "trun", "sdtp", "sgpd", "sbgp", "subs"]
    /// User data for players.
    package static let players: Set<FourCharacterCode> = ["name", "hnti", "hinf", "LOOP", "SelO", "AllF", "WLOC"]
    /// User data: the day, maker, model, software, encoder, format; with © in Mac Roman, 0xA9.
    package static let prose: Set<UInt32> = [
        0xA964_6179, 0xA96D_616B, 0xA96D_6F64, 0xA973_7772, 0xA974_6F6F, 0xA965_6E63, 0xA966_6D74,
    ]

    private static let keyPrefix = "com.apple.quicktime."
    private static let keys: Set<String> = ["make", "model", "software", "creationdate"]

    /// Whether metadata under this name say what made the film and when.
    package static func isKey(_ name: String) -> Bool {
        name.hasPrefix(keyPrefix) && keys.contains(String(name.dropFirst(keyPrefix.count)))
    }
}
