import Containers
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A wall clock` {
    @Test(arguments: [
        ("2003:12:04 06:46:52", "2003-12-04T06:46:52", Int?.none),
        ("2017-05-01T10:00:00+0200", "2017-05-01T10:00:00", 120),
        ("2006-10-29 06:27:51-05:00", "2006-10-29T06:27:51", -300),
        ("2009:10:27 12:14:00.250Z", "2009-10-27T12:14:00.250", 0),
        ("2012:02:29 23:59:60", "2012-02-29T23:59:60", nil),
        ("2012:02:29 23:59", "2012-02-29T23:59:00", nil),
    ])
    func `reads the forms that cameras write`(text: String, expected: String, offset: Int?) {
        let found = WallClock.read(text)
        #expect(found?.clock.text == expected)
        #expect(found?.offsetMinutes == offset)
    }

    @Test(arguments: [
        "", "0000:00:00 00:00:00", "    :  :     :  :  ", "2003:02:29 00:00:00", "2003:13:01 00:00:00",
        "2003:12:04", "20031204 064652", "2003:12:04 24:00:00", "now",
    ])
    func `is not made up`(text: String) {
        #expect(WallClock.read(text) == nil)
    }

    @Test(arguments: [("+15:00", Int?.none), ("+14:00", 840), ("-02:30", -150), ("+2", nil), ("", nil), ("+0199", nil)])
    func `has an offset only when the text has one`(text: String, expected: Int?) {
        #expect(WallClock.offset(text) == expected)
    }

    @Test(arguments: [Int64(0), -1, 951_782_400, 1_709_164_800, 4_102_444_800, -62_135_596_800, 253_402_300_799])
    func `and the seconds since 1970 are the same thing`(seconds: Int64) {
        #expect(WallClock(secondsSince1970: seconds)?.secondsSince1970 == seconds)
    }

    @Test func `crosses the day with its offset`() {
        let clock = WallClock(year: 2026, month: 1, day: 1, hour: 0, minute: 30, second: 0, fraction: "5")
        #expect(clock?.utc(offsetMinutes: 60) == "2025-12-31T23:30:00.5Z")
        #expect(WallClock(secondsSince1970: .max) == nil)
    }
}
