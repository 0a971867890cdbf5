private import Consent
private import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Text forms` {
    static let key = String(repeating: "0a", count: 32)

    @Test(arguments: [
        "uid:0", "uid:1000", "unit:booth.service", "unit:getty@tty1.service", "key:\(key)", "container:web_1",
    ])
    func `a principal is written as it is read`(text: String) {
        #expect(Principal(text)?.description == text)
    }

    @Test(
        arguments: [
            "", "uid:", "uid:-1", "uid:+1", "uid:01", "uid:4294967296", "unit:booth", "unit:.service",
            "unit:a b.service",
            "unit:../x.service", "key:0A", "key:\(key.uppercased())", "container:", "root", "uid:1000\n",
        ]
    )
    func `other text is no principal`(text: String) {
        #expect(Principal(text) == nil)
    }

    @Test(arguments: ["camera/pattern-front", "camera/*", "microphone/usb:1-2", "library", "location", "export"])
    func `a resource is written as it is read`(text: String) {
        #expect(Resource(text)?.description == text)
    }

    @Test(arguments: [
        "", "camera", "camera/", "camera/a/b", "camera/**", "camera/a*", "library/x", "camera/'; rm", "cámara/x",
    ])
    func `other text is no resource`(text: String) {
        #expect(Resource(text) == nil)
    }

    @Test(arguments: ["once", "session", "forever", "until=2026-11-30T08:00:00Z", "unusedFor=30d"])
    func `a lifespan is written as it is read`(text: String) {
        #expect(Lifespan(text)?.description == text)
    }

    @Test(arguments: [
        "", "twice", "until=", "until=tomorrow", "unusedFor=30", "unusedFor=0d", "unusedFor=-1d", "once=1",
    ])
    func `other text is no lifespan`(text: String) {
        #expect(Lifespan(text) == nil)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2026-11-30T03:54:28Z", 1_796_010_868_000),
            ("2026-11-30T04:54:28.5+01:00", 1_796_010_868_500), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ]
    )
    func `RFC 3339 text means its moment`(text: String, milliseconds: Int64) throws {
        let moment = try #require(Moment(text))
        #expect(moment.milliseconds == milliseconds)
        #expect(Moment(moment.description) == moment)
    }

    @Test(
        arguments: [
            "2026-11-30", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T00:00:00",
            "2026-11-30T00:00:00.Z", "2026-11-30T00:00:00Z ", "1969-12-31T23:59:59Z", "²026-11-30T00:00:00Z",
        ]
    )
    func `other text is no moment`(text: String) {
        #expect(Moment(text) == nil)
    }

    @Test func `text from a program can not steer a terminal`() {
        let text = EscapedText("a\u{1b}[2J\r\n\\ \u{202e}b\u{200b}c\u{a0}d").text
        #expect(text == #"a\u{1b}[2J\u{d}\u{a}\\ \u{202e}b\u{200b}c d"#)
    }

    @Test(
        arguments: [
            ("a\u{1b}[2J\n\u{202e}b", #"a\u{1b}[2J\u{a}\u{202e}b"#), (#"a\u{1b}[2J"#, #"a\u{1b}[2J"#),
            (#"C:\\x"#, #"C:\\x"#), (#"dev\x2da.service"#, #"dev\x2da.service"#), ("a\u{a0}b", "a b"), ("", ""),
        ]
    )
    func `what is shown is escaped once, however often it is made harmless`(text: String, expected: String) {
        #expect(EscapedText.shown(text) == expected)
        #expect(EscapedText.shown(EscapedText.shown(text)) == expected)
        #expect(EscapedText.shown(EscapedText(text).text) == EscapedText(text).text)
    }

    @Test(arguments: [
        "a\\b\u{1b}", String(repeating: "\u{1b}", count: 500), "plain", String(repeating: "é", count: 200),
    ])
    func `a label is the same text for everybody who passes it on`(raw: String) {
        let first = EscapedText.label(EscapedText(raw, limit: 160).text)
        #expect(EscapedText.label(first) == first)
        #expect((first ?? "").unicodeScalars.count <= EscapedText.purposeLimit)
    }

    @Test(arguments: [(5, "abc…"), (9, "abc…"), (10, #"abc\u{1b}…"#), (11, #"abc\u{1b}d…"#), (12, #"abc\u{1b}def"#)])
    func `what is shown is cut at its limit, and never within an escape`(limit: Int, expected: String) {
        #expect(EscapedText.shown("abc\u{1b}def", limit: limit) == expected)
        #expect(EscapedText.shown("abcde", limit: 5) == "abcde")
    }

    @Test(arguments: ["camera/*", "library", "camera/front for uid:1000", "export for unit:booth.service"])
    func `a restriction says what is forbidden, and to whom`(text: String) {
        #expect(Restriction(text)?.description == text)
    }

    @Test(arguments: ["", "camera", "library for", "library for root", "for uid:1", "library  for uid:1"])
    func `other text is no restriction`(text: String) {
        #expect(Restriction(text) == nil)
    }

    @Test func `accesses, needs and lifespans are texts in JSON`() throws {
        let need = Need(.camera("front"), .use)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(
            String(decoding: try encoder.encode(need), as: UTF8.self) == #"{"access":"use","resource":"camera/front"}"#
        )
        #expect(try JSONDecoder().decode(Need.self, from: try encoder.encode(need)) == need)
        #expect(try JSONDecoder().decode([Access].self, from: encoder.encode(Access.allCases)) == Access.allCases)
        #expect(String(decoding: try encoder.encode([Lifespan.once]), as: UTF8.self) == #"["once"]"#)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Access].self, from: Array(#"["x"]"#.utf8).data)
        }
    }

    @Test func `text from a program is cut at its limit`() {
        #expect(EscapedText(String(repeating: "x", count: 200)).text.count == 200)
        let cut = EscapedText(String(repeating: "e\u{301}", count: 5_000)).text
        #expect(cut.unicodeScalars.count == 200 && cut.hasSuffix("…"))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Resources and accesses` {
    @Test func `a pattern covers its kind and nothing else`() {
        #expect(Resource.camera("*").covers(.camera("a")))
        #expect(!Resource.camera("a").covers(.camera("*")))
        #expect(!Resource.camera("*").covers(.microphone("a")))
        #expect(Resource.camera("a").overlaps(.camera("*")))
    }

    @Test func `a grant allows itself and readWrite allows all of the library`() {
        for mine in Access.allCases {
            for other in Access.allCases {
                let expected = mine == other || (mine == .readWrite && other != .use)
                #expect(mine.covers(other) == expected)
            }
        }
    }

    @Test func `a no to less is a no to more`() {
        let order: [Access] = [.addOnly, .read, .readWrite]
        for (i, mine) in order.enumerated() {
            for (j, other) in order.enumerated() {
                #expect(mine.refuses(other) == (i <= j))
            }
            #expect(!mine.refuses(.use) && !Access.use.refuses(mine))
        }
        #expect(Access.use.refuses(.use))
    }
}

extension [UInt8] {
    fileprivate var data: FoundationEssentials.Data { FoundationEssentials.Data(self) }
}
