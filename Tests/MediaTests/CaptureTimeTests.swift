import Media
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CaptureTimeTests {
    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00.000000+00:00"),
        (951_782_400_000_000, 0, "2000-02-29T00:00:00.000000+00:00"),
        (1_796_003_100_123_456, 120, "2026-11-30T03:45:00.123456+02:00"),
        (1_796_003_100_000_001, -570, "2026-11-29T16:15:00.000001-09:30"),
        (-1, 0, "1969-12-31T23:59:59.999999+00:00"),
        (4_102_444_800_000_000, 0, "2100-01-01T00:00:00.000000+00:00"),
    ])
    func `an instant is written as the wall clock with its offset`(instant: Int64, offset: Int, text: String) {
        #expect(CaptureTime(microsecondsSince1970: instant, offsetMinutes: offset).text == text)
    }

    @Test func `EXIF and QuickTime have forms of their own`() {
        let time = CaptureTime(microsecondsSince1970: 1_796_003_100_123_456, offsetMinutes: -570)
        #expect(time.exifText == "2026:11:29 16:15:00")
        #expect(time.offsetText == "-09:30")
        #expect(time.quickTimeText == "2026-11-29T16:15:00-0930")
    }
}
