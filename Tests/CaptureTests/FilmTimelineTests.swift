import MessageSchema
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct FilmTimelineTests {
    private static let usual: Int64 = 40_000

    private static func times(_ stamps: [Int64]) -> ([Int64?], [FilmCut]) {
        var timeline = FilmTimeline()
        let times = stamps.map { timeline.place($0, usual: usual)?.time }
        return (times, timeline.cuts)
    }

    static let runs: [([Int64], [Int64?])] = [
        // As the camera says, from zero; lost frames are time that passed.
        ([9_000_000, 9_040_000, 9_200_000, 11_200_000], [0, 40_000, 200_000, 2_200_000]),
        // The same time twice is no frame of its own.
        ([5, 5, 7, 7, 9], [0, nil, 2, nil, 4]),
        // More than two seconds, hours, back, and back to before the beginning.
        ([0, 2_000_001, 2_040_001], [0, 40_000, 80_000]),
        ([0, 100, 3_600_000_000, 3_600_000_100], [0, 100, 40_100, 40_200]),
        ([1_000_000, 1_040_000, 20_000, 60_000], [0, 40_000, 80_000, 120_000]),
        ([Int64.min, Int64.max, Int64.min], [0, 40_000, 80_000]),
        ([4_154_505_010_200_000, 1_000_000, 1_040_000], [0, 40_000, 80_000]),
    ]

    @Test(arguments: runs)
    func `film time goes forward without the camera's jumps`(stamps: [Int64], times: [Int64?]) {
        #expect(Self.times(stamps).0 == times)
    }

    @Test func `what was cut is told: where, how much, and why`() {
        var timeline = FilmTimeline()
        _ = timeline.place(1_000_000, usual: Self.usual)
        _ = timeline.place(1_040_000, usual: Self.usual)
        _ = timeline.place(9_080_000, usual: Self.usual)
        timeline.pause()
        timeline.pause()
        let place = timeline.place(9_620_000, usual: Self.usual)
        #expect(place?.cut == .pause && place?.time == 120_000)
        _ = timeline.place(9_500_000, usual: Self.usual)
        #expect(
            timeline.cuts == [
                FilmCut(at: 0.08, gap: 8, reason: .timeJump), FilmCut(at: 0.12, gap: 0.5, reason: .pause),
                FilmCut(at: 0.16, gap: -0.16, reason: .timeJump),
            ]
        )
    }

    @Test func `a pause before the first frame cuts nothing`() {
        var timeline = FilmTimeline()
        timeline.pause()
        #expect(timeline.place(7, usual: Self.usual) == FilmTimeline.Place(time: 0))
        #expect(timeline.place(9, usual: Self.usual) == FilmTimeline.Place(time: 2))
        #expect(timeline.cuts.isEmpty)
    }

    @Test func `a clock that jumps for ever costs no memory for ever`() {
        var timeline = FilmTimeline()
        for index in 0..<5_000 as Range<Int64> { _ = timeline.place(index % 2 * 10_000_000, usual: Self.usual) }
        #expect(timeline.cuts.count == 1_000)
        #expect(timeline.last == 4_999 * Self.usual)
    }
}
