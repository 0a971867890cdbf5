package import MessageSchema
package import Video4Linux
private import VideoConversion

extension CameraFormat {
    /// A device's format as programs see it.
    package init(_ format: VideoFormatDescription) {
        self.init(
            pixelFormat: format.pixelFormat.description,
            description: format.text,
            isCompressed: format.isCompressed,
            isConverted: ConvertibleFormat(format.pixelFormat).map { _ in true },
            sizes: format.sizes.map { FrameSizes($0) }
        )
    }
}

extension FrameSizes {
    init(_ sizes: VideoSizes) {
        let intervals: [String] =
            switch sizes.intervals {
            case .unknown: []
            case .discrete(let all): all.sorted { $0.seconds < $1.seconds }.map(\.description)
            case .range(let fastest, let slowest, _): [fastest.description, slowest.description]
            }
        self.init(width: sizes.minimumWidth, height: sizes.minimumHeight, intervals: intervals)
        if case .range(_, _, let step) = sizes.intervals {
            intervalsAreRange = true
            intervalStep = step?.description
        }
        guard !sizes.isDiscrete else { return }
        maximumWidth = sizes.maximumWidth
        maximumHeight = sizes.maximumHeight
        stepWidth = sizes.stepWidth
        stepHeight = sizes.stepHeight
    }
}
