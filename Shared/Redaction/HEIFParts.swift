package import Movies

/// The parts of a HEIC, HEIF or AVIF that are known: what redaction lets stay, and what a decoder does not suspect.
///
/// Source: ISO/IEC 14496-12 clause 8.11; ISO/IEC 23008-12 clauses 6 and 9; AV1 Image File Format.
package enum HEIFParts {
    /// Items that are pictures, or made of such; an item of the type `jpeg` may have metadata of its own.
    package static let pictures: Set<String> = [
        "hvc1", "hvt1", "lhv1", "av01", "avc1", "vvc1", "grid", "iovl", "iden", "tmap",
    ]
    /// What a `meta` box has.
    package static let structure: Set<FourCharacterCode> = [
        "hdlr", "pitm", "iinf", "iprp", "iref", "iloc", "idat", "dinf", "grpl",
    ]
    /// Properties of items that say nothing about the place.
    package static let properties: Set<FourCharacterCode> = [
        "ispe", "pixi", "colr", "pasp", "hvcC", "lhvC", "av1C", "avcC", "vvcC", "irot", "imir", "clap", "auxC", "rloc",
        "lsel", "a1op", "a1lx", "clli", "mdcv", "cclv", "amve", "oinf", "tols", "rrtp", "iscl", "ndwt", "reve",
    ]
    /// Properties of the time of making and changing.
    package static let times: Set<FourCharacterCode> = ["crtt", "mdft"]
    /// Texts for readers, and space between properties, which may hold anything: of no use but as a number that counts.
    package static let words: Set<FourCharacterCode> = ["udes", "altt", "free", "skip"]
}
