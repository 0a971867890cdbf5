import Consent
import FoundationEssentials
import Hashing
import Receipts
import Testing

private let now = Moment(milliseconds: 1_796_000_000_000)

private func record(_ subject: String = "guest-17 \u{1F4F7} \"é\"") throws -> ConsentRecord {
    let id = try #require(ConsentRecordID(random: String(repeating: "0a", count: 16)))
    let controller = ConsentParty(
        id: "org",
        name: "Booth & Söhne",
        address: "1 Road",
        contact: "a@b",
        type: "controller"
    )
    let notice = ConsentNotice(
        purpose: "Guest book\n\tprints",
        privacyNotice: "https://example.org/notice",
        language: "en",
        piiTypes: ["image"],
        controllers: [controller],
        storageLocations: ["on the booth"],
        retentionPeriod: "30 days",
        jurisdiction: "DE",
        recipients: [],
        withdrawalMethod: "Say so at the booth"
    )
    return try ConsentRecord(id: id, subject: subject, notice: notice, isGiven: true, by: .user(0), at: now)
}

@Suite(.timeLimit(.minutes(1)))
struct `Ed25519` {
    /// RFC 8032, section 7.1, tests 1 to 3.
    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ])
    func `signs and checks as RFC 8032 says`(seed: String, key: String, message: String, signature: String) throws {
        let seedBytes = try #require([UInt8](hexadecimal: seed))
        let signing = try #require(SigningKey(seed: seedBytes))
        let bytes = try #require([UInt8](hexadecimal: message))
        #expect(signing.publicKey.description == key)
        #expect(signing.signature(of: bytes).hexadecimal == signature)
        #expect(signing.publicKey.verifies(signing.signature(of: bytes), of: bytes))
        #expect(!signing.publicKey.verifies(signing.signature(of: bytes), of: bytes + [0]))
    }

    @Test func `a private key shows nothing but its public one`() {
        let key = SigningKey.random()
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), String(describing: [key]), dumped] {
            #expect(text.contains(key.publicKey.description) && !text.contains(key.seed.hexadecimal))
            let numbers = key.seed.map(String.init)
            #expect(!text.contains(numbers.joined(separator: ", ")))
            #expect(!text.contains("seed"))
        }
    }

    @Test func `refuses signatures and keys of other lengths`() throws {
        let key = SigningKey.random()
        let signature = key.signature(of: [1])
        for count in [0, 1, 63, 65] {
            let other = Array((signature + [0]).prefix(count))
            #expect(!key.publicKey.verifies(other, of: [1]))
        }
        #expect(SigningKey(seed: []) == nil && VerifyingKey("00") == nil)
        #expect(SigningKey.random().publicKey != key.publicKey)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `The canonical form` {
    @Test func `is that of RFC 8785`() throws {
        let text = #"{"\u20ac": "x", "\r": "y", "a\/b": [ "\u000f\n\"\\", {} ], "\ud83d\ude00": "z", "1": ""}"#
        let form = try CanonicalText(decoding: Array(text.utf8)).canonicalForm
        let expected = #"{"\r":"y","1":"","a/b":["\u000f\n\"\\",{}],"€":"x","😀":"z"}"#
        #expect(String(decoding: form, as: UTF8.self) == expected)
        #expect(try CanonicalText(decoding: form).canonicalForm == form)
    }

    @Test func `sorts names by their UTF-16 units`() throws {
        // U+FB33 comes after U+1F600, whose first unit is 0xD83D.
        let form = try CanonicalText(decoding: Array("{\"\u{FB33}\":\"1\",\"\u{1F600}\":\"2\"}".utf8)).canonicalForm
        #expect(String(decoding: form, as: UTF8.self) == "{\"\u{1F600}\":\"2\",\"\u{FB33}\":\"1\"}")
    }

    @Test(arguments: [
        #"{"a": "1", "a": "2"}"#, #"{"a": "1", "\u0061": "1"}"#, #"{"x": [{"": "", "b": {}, "": ""}]}"#,
        "{\"\u{e9}\": \"1\", \"e\u{301}\": \"2\"}",
    ])
    func `has no name twice`(text: String) {
        let error = #expect(throws: CanonicalTextError.self) { try CanonicalText(decoding: Array(text.utf8)) }
        guard case .repeatedName? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        #"{"a": "\ud800"}"#, #"{"a": "\udc00\ud800"}"#, #"{"a": "\u12g4"}"#, #"{"a": "\x"}"#, "{\"a\": \"\n\"}",
        #"{"a": "b",}"#, #"["a" "b"]"#, #"{"a"}"#, "{} {}", "\u{feff}{}", #"{"a": "b"#,
    ])
    func `is strict`(text: String) {
        #expect(throws: CanonicalTextError.self) { try CanonicalText(decoding: Array(text.utf8)) }
    }

    @Test func `is of UTF-8 alone, and not too deep`() {
        let wide = "[]".utf16.flatMap { [UInt8($0 & 0xff), 0] }
        #expect(throws: CanonicalTextError.self) { try CanonicalText(decoding: wide) }
        #expect(throws: CanonicalTextError.self) { try CanonicalText(decoding: [0x22, 0xff, 0x22]) }
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(throws: CanonicalTextError.tooDeep) { try CanonicalText(decoding: Array(deep.utf8)) }
    }

    @Test(arguments: ["1", "true", "null", #"{"a": 1}"#, #"["x", null]"#, "", "{"])
    func `has no numbers, truth values and null`(text: String) {
        #expect(throws: (any Error).self) { try CanonicalText(decoding: Array(text.utf8)) }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A receipt` {
    private let key = SigningKey.random()

    private func file(_ change: (inout [String: CanonicalText]) -> Void = { _ in }) throws -> [UInt8] {
        let signed = SignedReceipt(ConsentReceipt(of: try record(), at: now), signedWith: key)
        guard case .object(var parts) = try CanonicalText(encoding: signed) else { return [] }
        change(&parts)
        return CanonicalText.object(parts).canonicalForm
    }

    @Test func `is checked with the public key alone, however it is written`() throws {
        let bytes = try file()
        #expect(try VerifiedReceipt(checking: bytes).key == key.publicKey)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted]
        let pretty = try encoder.encode(CanonicalText(decoding: bytes))
        #expect(pretty.count > bytes.count)
        let verified = try VerifiedReceipt(checking: Array(pretty), against: key.publicKey)
        #expect(verified.document["record"]?["subject"]?.text == (try record().subject))
    }

    @Test func `proves nothing when it says something twice, in whichever order`() throws {
        let text = String(decoding: try file(), as: UTF8.self)
        let subject = "\"subject\":"
        let forged = text.replacing(subject, with: "\"subject\":\"somebody else\",\(subject)")
        #expect(forged != text)
        let receipt = "\"receipt\":"
        for bytes in [forged, text.replacing(receipt, with: "\"receipt\":{},\(receipt)")].map({ Array($0.utf8) }) {
            let error = #expect(throws: ReceiptFault.self) { try VerifiedReceipt(checking: bytes) }
            #expect(error == .notAReceipt("it has a name twice in one object"))
        }
    }

    @Test func `proves nothing when any byte of what was signed is another one`() throws {
        let bytes = try file()
        var faults = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            do throws(ReceiptFault) {
                _ = try VerifiedReceipt(checking: changed, against: key.publicKey)
                Issue.record("byte \(index) was changed")
            } catch {
                faults += 1
            }
        }
        #expect(faults == bytes.count)
    }

    @Test func `says what is wrong with it`() throws {
        let other = SigningKey.random()
        #expect(throws: ReceiptFault.otherKey(key.publicKey)) {
            try VerifiedReceipt(checking: try file(), against: other.publicKey)
        }
        #expect(throws: ReceiptFault.wrongSignature) {
            try VerifiedReceipt(checking: try file { $0["publicKey"] = .text(other.publicKey.description) })
        }
        #expect(throws: ReceiptFault.wrongSignature) {
            try VerifiedReceipt(
                checking: try file { parts in
                    guard case .object(var receipt)? = parts["receipt"] else { return }
                    receipt["added"] = .text("later")
                    parts["receipt"] = .object(receipt)
                }
            )
        }
        #expect(throws: ReceiptFault.unknownAlgorithm("none")) {
            try VerifiedReceipt(checking: try file { $0["algorithm"] = .text("none") })
        }
        for name in ["receipt", "algorithm", "publicKey", "signature"] {
            let fault = #expect(throws: ReceiptFault.self) {
                try VerifiedReceipt(checking: try file { $0[name] = nil })
            }
            guard case .notAReceipt(let words)? = fault else {
                Issue.record("\(name): \(String(describing: fault))")
                continue
            }
            #expect(words.contains(name))
        }
        #expect(throws: ReceiptFault.self) { try VerifiedReceipt(checking: Array("[1]".utf8)) }
    }
}
