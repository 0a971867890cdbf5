import Cameras
private import Video4Linux

/// Pictures that are ready for a film and not in it: in memory alone, in the order of their times.
///
/// While the film is paused they are the newest seconds, bounded by time and by bytes; when it goes on they are the first
/// to be written.
struct PreRoll {
    /// One picture, and the frame it was made of, without its bytes.
    struct Picture {
        let sample: FilmPictures.Sample
        let frame: CapturedFrame

        fileprivate var microseconds: Int64 { frame.stamp.microseconds }
    }

    /// Bytes of pictures that are kept at most, whatever the seconds.
    static let mostBytes = 128 << 20
    /// Microseconds between frames beyond which what was before is not the same scene.
    private static let longestStep: Int64 = 2_000_000

    /// Microseconds from the first picture to the newest at most.
    private let limit: Int64
    private let mostBytes: Int
    private var pictures: [Picture] = []
    private var bytes = 0
    /// Whether the film is paused: old pictures go then.
    private(set) var isHolding = true

    /// Holds nothing yet.
    init(microseconds: Int64, mostBytes: Int = Self.mostBytes) {
        limit = microseconds
        self.mostBytes = mostBytes
    }

    var isEmpty: Bool { pictures.isEmpty }
    var count: Int { pictures.count }
    /// When the oldest picture was taken, on the camera's clock.
    var oldest: Int64? { pictures.first?.microseconds }

    /// Lets go of what is too old beside a frame of that time; of everything where the camera's clock jumped.
    mutating func makeRoom(for microseconds: Int64) {
        guard isHolding, let last = pictures.last else { return }
        let (step, isTooMuch) = microseconds.subtractingReportingOverflow(last.microseconds)
        guard !isTooMuch, step >= 0, step <= Self.longestStep else { return drop(pictures.count) }
        drop(pictures.prefix { microseconds - $0.microseconds > limit }.count)
    }

    /// Adds the newest picture.
    mutating func add(_ picture: Picture) {
        pictures.append(picture)
        bytes += picture.sample.bytes.count
        guard isHolding else { return }
        var count = 0
        var rest = bytes
        while rest > mostBytes, count < pictures.count {
            rest -= pictures[count].sample.bytes.count
            count += 1
        }
        drop(count)
    }

    /// The film goes on: what is there is to be written, from the first picture that needs no other.
    ///
    /// - Returns: Microseconds from that picture to the newest.
    mutating func release() -> Int64 {
        guard isHolding else { return 0 }
        isHolding = false
        drop(pictures.prefix { !$0.sample.isKey }.count)
        guard let first = pictures.first, let last = pictures.last else { return 0 }
        return last.microseconds - first.microseconds
    }

    /// The film is paused: from now on the newest seconds are kept, and nothing is left of what was before.
    mutating func hold() {
        isHolding = true
        drop(pictures.count)
    }

    /// Takes the oldest picture that is to be written; nil while the film is paused.
    mutating func next() -> Picture? {
        guard !isHolding, let picture = pictures.first else { return nil }
        drop(1)
        return picture
    }

    private mutating func drop(_ count: Int) {
        for picture in pictures.prefix(count) { bytes -= picture.sample.bytes.count }
        pictures.removeFirst(count)
    }
}
