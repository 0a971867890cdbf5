import MessageSchema

/// The tags that may stay: only what is known to say nothing about the place, or, for `all`, about anything but how the
/// picture is shown.
///
/// Source: TIFF 6.0; CIPA DC-008 (EXIF 2.32) section 4.6; DNG 1.7 chapters 4 and 6; TIFF/EP (ISO 12234-2).
package enum TIFFTags {
    /// The kinds of directory.
    package enum Directory: Sendable {
        /// With a picture: its data are kept.
        case picture
        /// The first directory of an EXIF block, which describes the picture around it.
        case main
        /// How the picture was taken.
        case exif
        /// What DCF says about the file.
        case interoperability
    }

    /// Points to the EXIF directory.
    package static let exif: UInt16 = 0x8769
    /// Points from there to the directory of DCF.
    package static let interoperability: UInt16 = 0xA005
    /// Points to more directories with pictures.
    package static let subdirectories: UInt16 = 0x014A

    /// Whether entries with this tag are known to say nothing about the place.
    package static func saysNoPlace(_ tag: UInt16, in directory: Directory) -> Bool {
        isKept(tag, in: directory, .location)
    }

    /// Whether entries with this tag stay.
    static func isKept(_ tag: UInt16, in directory: Directory, _ profile: PrivacyProfile) -> Bool {
        let isLocation = profile == .location
        switch directory {
        case .picture:
            return technical.contains(tag) || raw.contains { $0.contains(tag) }
                || (isLocation
                    && (descriptive.contains(tag) || exposure.contains(tag) || ownRaw.contains(tag) || tag == exif))
        case .main: return isLocation && (descriptive.contains(tag) || mainPicture.contains(tag) || tag == exif)
        case .exif: return isLocation && (exposure.contains(tag) || tag == interoperability)
        case .interoperability: return isLocation && [0x0001, 0x0002, 0x1001, 0x1002].contains(tag)
        }
    }

    /// What describes the picture around an EXIF block.
    private static let mainPicture: Set<UInt16> = [
        0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0112, 0x0115, 0x011A, 0x011B, 0x0128, 0x012D, 0x013E, 0x013F, 0x0211,
        0x0212, 0x0213, 0x0214,
    ]

    /// How the picture is stored and shown.
    private static let technical: Set<UInt16> = [
        0x00FE, 0x00FF, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0107, 0x0108, 0x0109, 0x010A, 0x0111, 0x0112, 0x0115,
        0x0116, 0x0117, 0x0118, 0x0119, 0x011A, 0x011B, 0x011C, 0x0122, 0x0123, 0x0124, 0x0125, 0x0128, 0x0129, 0x012D,
        0x013D, 0x013E, 0x013F, 0x0140, 0x0141, 0x0142, 0x0143, 0x0144, 0x0145, subdirectories, 0x014C, 0x014E, 0x0150,
        0x0152, 0x0153, 0x0154, 0x0155, 0x0156, 0x015B, 0x0201, 0x0202, 0x0211, 0x0212, 0x0213, 0x0214, 0x828D, 0x828E,
        // The colour profile.
        0x8773,
    ]

    /// Words about the picture, who made it and with what.
    private static let descriptive: Set<UInt16> = [
        0x010D, 0x010E, 0x010F, 0x0110, 0x011D, 0x0131, 0x0132, 0x013B, 0x013C, 0x4746, 0x4749, 0x8298,
    ]

    /// How it was taken; not ambient pressure, altitude's cousin, nor the user's comment, in which programs write places.
    private static let exposure: Set<UInt16> = [
        0x829A, 0x829D, 0x8822, 0x8824, 0x8827, 0x8830, 0x8831, 0x8832, 0x8833, 0x8834, 0x8835, 0x9000, 0x9003, 0x9004,
        0x9010, 0x9011, 0x9012, 0x9101, 0x9102, 0x9201, 0x9202, 0x9203, 0x9204, 0x9205, 0x9206, 0x9207, 0x9208, 0x9209,
        0x920A, 0x9214, 0x9290, 0x9291, 0x9292, 0xA000, 0xA001, 0xA002, 0xA003, 0xA20B, 0xA20C, 0xA20E, 0xA20F,
        0xA210, 0xA214, 0xA215, 0xA217, 0xA300, 0xA301, 0xA302, 0xA401, 0xA402, 0xA403, 0xA404, 0xA405, 0xA406, 0xA407,
        0xA408, 0xA409, 0xA40A, 0xA40C, 0xA420, 0xA430, 0xA431, 0xA432, 0xA433, 0xA434, 0xA435, 0xA460, 0xA461, 0xA462,
        0xA500,
    ]

    /// What a DNG needs to be developed.
    ///
    /// Not among it: private data, the original file, pointers to profiles elsewhere.
    private static let raw: [ClosedRange<UInt16>] = [
        50_706...50_734, 50_737...50_739, 50_778...50_780, 50_784...50_784, 50_829...50_834, 50_879...50_879,
        50_931...50_932, 50_934...50_942, 50_964...50_970, 50_972...50_975, 50_981...50_982, 51_008...51_009,
        51_022...51_022, 51_041...51_041, 51_044...51_044, 51_058...51_058, 51_089...51_091, 51_107...51_112,
        51_125...51_125, 51_177...51_182, 52_525...52_538, 52_543...52_550,
    ]

    /// What a DNG says about the one camera, the file and the time.
    private static let ownRaw: Set<UInt16> = [50_735, 50_736, 50_781, 50_827, 50_971, 51_043, 51_081, 51_105]
}
