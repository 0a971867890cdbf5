package import Media

/// What a driver says about the colours of its pictures, with V4L2's defaults put in.
///
/// Source: the kernel's `include/uapi/linux/videodev2.h`: `V4L2_MAP_XFER_FUNC_DEFAULT`, `V4L2_MAP_YCBCR_ENC_DEFAULT`,
/// `V4L2_MAP_QUANTIZATION_DEFAULT`, and colorspaces-details.rst. A driver that says nothing is a webcam: sRGB.
package struct FormatColours: Hashable, Sendable {
    /// Primaries and transfer.
    package let colours: PictureColours
    /// Whether luma weighs the colours as ITU-R BT.709 has it.
    ///
    /// BT.601 is meant else; of the matrices of BT.2020 and SMPTE 240M, which no webcam has, nothing is known here.
    package let isRec709: Bool
    /// Whether luma spans 0 to 255.
    package let isFullRange: Bool

    /// Makes sense of `enum v4l2_colorspace`, `v4l2_xfer_func`, `v4l2_ycbcr_encoding` and `v4l2_quantization`.
    package init(colorspace: UInt32, transfer: UInt32, encoding: UInt32, quantization: UInt32) {
        colours = PictureColours(
            primaries: Self.primaries[colorspace] ?? 2,
            transfer: (transfer == 0 ? Self.usualTransfer[colorspace] : Self.transfers[transfer]) ?? 2
        )
        // V4L2_YCBCR_ENC_709 and _XV709; by default of V4L2_COLORSPACE_REC709 and _DCI_P3.
        isRec709 = encoding == 2 || encoding == 4 || encoding == 0 && (colorspace == 3 || colorspace == 12)
        // V4L2_QUANTIZATION_FULL_RANGE; by default of V4L2_COLORSPACE_JPEG.
        isFullRange = quantization == 1 || quantization == 0 && colorspace == 7
    }

    /// By `V4L2_COLORSPACE_`: default, SMPTE170M, SMPTE240M, REC709, BT878, 470_SYSTEM_M, 470_SYSTEM_BG, JPEG, SRGB, BT2020,
    /// DCI_P3; those of OPRGB have no number.
    private static let primaries: [UInt32: UInt8] = [
        0: 1, 1: 6, 2: 7, 3: 1, 4: 6, 5: 4, 6: 5, 7: 1, 8: 1, 10: 9, 12: 11,
    ]
    /// By colorspace; that of RAW (11) is linear.
    private static let usualTransfer: [UInt32: UInt8] = [
        0: 13, 1: 1, 2: 7, 3: 1, 4: 1, 5: 1, 6: 1, 7: 13, 8: 13, 10: 1, 11: 8, 12: 17,
    ]
    /// By `V4L2_XFER_FUNC_`: 709, SRGB, SMPTE240M, NONE, DCI_P3, SMPTE2084; that of OPRGB has no number.
    private static let transfers: [UInt32: UInt8] = [1: 1, 2: 13, 4: 7, 5: 8, 6: 17, 7: 16]
}
