/// Which colours red, green and blue are, and what light their values mean, in the numbers of ITU-T H.273 (8.1 and 8.2).
package struct PictureColours: Hashable, Sendable {
    /// `ColourPrimaries`; 2 is not known.
    package var primaries: UInt8
    /// `TransferCharacteristics`; 2 is not known.
    package var transfer: UInt8

    /// Colours by their numbers.
    package init(primaries: UInt8, transfer: UInt8) {
        self.primaries = primaries
        self.transfer = transfer
    }

    /// Those of webcams and screens: the primaries of BT.709, the transfer of IEC 61966-2-1.
    package static let sRGB = PictureColours(primaries: 1, transfer: 13)
}
