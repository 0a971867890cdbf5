/// The size of a preview's pictures, in pixels.
package struct PreviewSize: Hashable, Sendable {
    package let width, height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The largest size that fits into what a viewer wants, with the picture's shape.
    ///
    /// Pictures are never enlarged: who wants more than there is gets what there is. Sizes that are not the picture's
    /// own are even, as halved chroma wants them.
    package init(fitting wish: PreviewWish, in picture: PreviewSize) {
        let widest = wish.width ?? picture.width
        let highest = wish.height ?? picture.height
        guard widest < picture.width || highest < picture.height else {
            self = picture
            return
        }
        // Which side is the tighter one; compared as fractions, so that nothing is rounded before it has to be.
        let isBoundByWidth = widest * picture.height <= highest * picture.width
        let width = isBoundByWidth ? widest : (picture.width * highest + picture.height / 2) / picture.height
        let height = isBoundByWidth ? (picture.height * widest + picture.width / 2) / picture.width : highest
        self.init(width: max(2, width & ~1), height: max(2, height & ~1))
    }
}

/// What a viewer wants to see.
package struct PreviewWish: Hashable, Sendable {
    /// Pixels at most; as the camera gives them when nil.
    package var width: Int?
    /// Pixels at most; as the camera gives them when nil.
    package var height: Int?
    /// Pictures a second at most; every frame when nil.
    package var framesPerSecond: Double?

    package init(width: Int? = nil, height: Int? = nil, framesPerSecond: Double? = nil) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }
}

/// Which of a camera's frames a viewer with a rate is owed.
///
/// Frames are chosen on a grid of the viewer's own, so that the rate holds on average whatever the camera's is: 20 of
/// 30 frames a second are every second and third one in turn, and never every second one.
struct PreviewPace: Hashable, Sendable {
    /// Microseconds between two frames; nil for every frame.
    private let interval: Int64?
    /// When the next one is due.
    private var next: Int64?

    init(framesPerSecond: Double?) {
        interval = framesPerSecond.map { Int64((1_000_000 / max($0, 0.000_1)).rounded()) }
    }

    /// Looks at a frame that was taken then, after so many that the camera lost.
    ///
    /// - Returns: Whether the frame is owed, and how many of the lost ones would have been.
    mutating func look(at microseconds: Int64, lostBefore: Int) -> (isDue: Bool, missed: Int) {
        guard let interval else {
            defer { next = microseconds }
            return (true, next == nil ? 0 : lostBefore)
        }
        guard let next else {
            self.next = microseconds + interval
            return (true, 0)
        }
        // A camera's clock is not quite even; without some slack a frame that is a hair early would halve the rate.
        guard microseconds + interval / 4 >= next else { return (false, 0) }
        let late = max(0, microseconds - next)
        self.next = late >= interval ? microseconds + interval : next + interval
        return (true, min(lostBefore, Int(late / interval)))
    }
}
