import Media
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A name template` {
    private static let subject = NameTemplate.Subject(
        filename: "IMG_0001.JPG",
        kind: .photo,
        id: "0A1B2C3D-0000-4000-8000-000000000001",
        date: AssetDate(
            raw: "2026:11:30 23:05:07",
            local: "2026-11-30T23:05:07.123",
            offsetMinutes: 120,
            offsetSource: .tag,
            utc: "2026-11-30T21:05:07Z"
        ),
        cameraMake: "Leica",
        cameraModel: "Q3/43"
    )

    private static func parts(_ text: String, _ subject: NameTemplate.Subject = subject) throws -> [String] {
        try NameTemplate(text).parts(of: subject)
    }

    @Test(arguments: [
        ("{name}", ["IMG_0001.JPG"]), ("{date:%Y/%m}/{name}", ["2026", "11", "IMG_0001.JPG"]),
        ("{date}", ["2026-11-30.JPG"]), ("{date:%y%m%d-%H.%M.%S 100%%}", ["261130-23.05.07 100%.JPG"]),
        ("{kind}/{make}/{camera}/{id}", ["photo", "Leica", "Q3/43", "0a1b2c3d.JPG"]),
        ("a {{{name}}} b", ["a {IMG_0001} b.JPG"]), ("..{name}", ["..IMG_0001.JPG"]), ("fest/é", ["fest", "é.JPG"]),
        ("{date:%Y}{date:/%m}/x", []),
    ])
    func `says the folders and the name`(text: String, expected: [String]) throws {
        guard !expected.isEmpty else {
            #expect(throws: NameTemplate.Fault.self) { try NameTemplate(text) }
            return
        }
        #expect(try Self.parts(text) == expected)
        #expect(try NameTemplate(text).description == text)
    }

    @Test func `takes the date by the clock where the picture was made`() throws {
        #expect(try Self.parts("{date:%d %H}") == ["30 23.JPG"])
        var subject = Self.subject
        subject.date = AssetDate(raw: "1", local: nil, offsetSource: .container, utc: "2026-12-31T23:59:60Z")
        #expect(try Self.parts("{date:%d %S}", subject) == ["31 60.JPG"])
    }

    @Test(arguments: [
        nil, "", "2026", "0000-00-00T00:00:00", "2026-13-01T00:00:00", "2026-01-32T00:00:00", "2026-01-01T24:00:00",
        "2026-01-01T00:60:00", "2026/01/01T00:00:00", "2026-01-01 00:00:00", "２026-01-01T00:00:0",
    ])
    func `has one word for a date that is none`(local: String?) throws {
        var subject = Self.subject
        subject.date = local.map { AssetDate(raw: $0, local: $0) }
        #expect(try Self.parts("{date:%Y/%m}/{name}", subject) == ["unknown", "IMG_0001.JPG"])
        #expect(try Self.parts("{date:%Y/%m|no date}/{name}", subject) == ["no date", "IMG_0001.JPG"])
    }

    @Test func `says what is not known`() throws {
        var subject = Self.subject
        subject.cameraMake = nil
        subject.cameraModel = ""
        #expect(try Self.parts("{make}/{camera|other}/{name}", subject) == ["unknown", "other", "IMG_0001.JPG"])
    }

    @Test(arguments: [
        ("clip.MOV", "clip.MOV"), ("noextension", "noextension"), (".hidden", ".hidden"), ("a.b c", "a.b c"),
        ("a.tar.gz", "a.tar.gz"), ("", "unknown"), ("a.", "a."), ("x.1234567890123456", "x.1234567890123456"),
    ])
    func `keeps the extension that the file has`(filename: String, expected: String) throws {
        var subject = Self.subject
        subject.filename = filename
        #expect(try Self.parts("{name}", subject) == [expected])
    }

    @Test func `never takes a folder out of a value`() throws {
        var subject = Self.subject
        subject.filename = "../../x.jpg"
        subject.cameraModel = "/etc\u{0}\n"
        #expect(try Self.parts("{camera}/{name}", subject) == ["/etc\u{0}\n", "../../x.jpg"])
    }

    @Test(arguments: [
        ("", 1, "needs a name"), ("/{name}", 1, "needs a name"), ("a//b", 3, "needs a name"), ("a/", 3, "needs a name"),
        ("../{name}", 1, "outside"), ("a/../b", 3, "outside"), (". ./x", 1, "outside"), ("a/.", 3, "outside"),
        ("a\u{0}", 2, "control"), ("a\nb", 2, "control"), ("{name", 1, "not closed"), ("name}", 5, "closes nothing"),
        ("x{nmae}", 3, "no field 'nmae'"), ("{}", 2, "no field ''"), ("{name:x}", 6, "only {date}"),
        ("{date:%Q}", 7, "no %Q"), ("{date:%Y%}", 9, "a letter follows"), ("{date:}", 7, "needs one"),
        ("{date:/%Y}", 7, "needs a name"), ("{date:%Y/}", 10, "needs one"), ("{date:%Y/../%m}", 12, "needs a name"),
        ("{date:{name}}", 7, "within a field"), ("{make|}", 7, "needs a text"), ("{make|..}", 7, "needs a text"),
        ("{make|a/b}", 8, "no folder"), ("{date:%Y|\n}", 10, "control"), ("a/b/c/d/e/f/g/h/i", 16, "more than 7"),
        ("a/b/c/d/e/f/{date:%Y/%m/%d}", 24, "more than 7"),
    ])
    func `tells the wrong place`(text: String, position: Int, reason: String) throws {
        let fault = try #require(throws: NameTemplate.Fault.self) { try NameTemplate(text) }
        #expect(fault.position == position, "\(fault)")
        #expect(fault.reason.contains(reason), "\(fault)")
    }

    @Test func `has 1,024 bytes at most`() throws {
        #expect(try Self.parts(String(repeating: "a", count: 1024)).count == 1)
        #expect(throws: NameTemplate.Fault.self) { try NameTemplate(String(repeating: "a", count: 1025)) }
    }
}
