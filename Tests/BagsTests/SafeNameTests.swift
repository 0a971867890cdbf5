import Bags
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A safe name` {
    @Test(arguments: [
        ("IMG_0001.JPG", "IMG_0001.JPG"), ("../../etc/passwd", "_.._etc_passwd"), ("/absolute", "_absolute"),
        ("..", "asset"), ("", "asset"), ("-rf", "rf"), (".hidden.jpg", "hidden.jpg"), ("a\u{0}b\n.jpg", "ab.jpg"),
        ("trailing. . ", "trailing"), ("CON.jpg", "CON_.jpg"), ("nul.tar.gz", "nul_.tar.gz"), ("com1", "com1_"),
        ("100%.jpg", "100_.jpg"), ("a\\b:c*.png", "a_b_c_.png"), ("evil\u{202E}gpj.exe", "evilgpj.exe"),
        ("снимок.jpg", "снимок.jpg"), ("👨‍👩‍👧.jpg", "👨‍👩‍👧.jpg"),
    ])
    func `is made of any text`(text: String, expected: String) {
        #expect(SafeName(text).text() == expected)
    }

    @Test(arguments: ["a", "й", "😀", "e\u{301}"])
    func `has 255 bytes at most, suffix and extension included`(letter: String) {
        let long = SafeName(String(repeating: letter, count: 400) + ".jpeg")
        for suffix in ["", "-0a1b2c3d"] {
            let name = long.text(suffix: suffix)
            #expect(name.utf8.count <= 255 && name.utf8.count > 245)
            #expect(name.hasSuffix(suffix + ".jpeg"))
        }
        #expect(SafeName("a" + String(repeating: "\u{301}", count: 500)).text().utf8.count <= 255)
    }

    @Test func `is made safe again as itself`() {
        for text in ["../x", "CON", "  .a. ", String(repeating: "ß", count: 300), "a.b.c", "-.-"] {
            let once = SafeName(text).text()
            #expect(SafeName(once).text() == once)
        }
    }

    @Test func `shares its key with names that differ in case or Unicode form alone`() {
        #expect(SafeName.key("Straße.JPG") == SafeName.key("STRASSE.jpg"))
        #expect(SafeName.key("e\u{301}.jpg") == SafeName.key("\u{E9}.jpg"))
        #expect(SafeName.key("a.jpg") != SafeName.key("b.jpg"))
    }
}
