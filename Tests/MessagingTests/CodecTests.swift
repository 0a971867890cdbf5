import Consent
import MessageSchema
import Testing

@testable import Messaging

@Suite("Codecs", .timeLimit(.minutes(1)))
struct CodecTests {
    private func decode(_ text: String) throws(MalformedMessage) -> Header { try HeaderCodec.decode(Array(text.utf8)) }

    @Test func `every field of a header survives`() throws {
        var header = Header(.request, id: "42")
        header.name = "library.assets"
        header.expiresAt = .max
        header.deadline = -1
        header.trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        header.version = 1
        header.credit = 7
        header.seq = 0
        header.ack = .min
        header.idempotencyKey = "k\u{1}\"\\\n/ü🦊"
        header.onBehalfOf = Delegation(principal: .unit("a.service"), label: "l", grant: "g")
        header.mayPrompt = false
        header.purpose = "für \u{7F}\u{2028} alles"
        #expect(try HeaderCodec.decode(HeaderCodec.encode(header)) == header)
        for kind in Header.Kind.allCases where kind != .request {
            #expect(try HeaderCodec.decode(HeaderCodec.encode(Header(kind, id: "x"))) == Header(kind, id: "x"))
        }
    }

    @Test func `a header is the bytes that the wire page shows`() {
        var header = Header(.request, id: "2")
        header.name = "library.read"
        header.credit = 4
        let text = String(decoding: HeaderCodec.encode(header), as: UTF8.self)
        #expect(text == #"{"kind":"request","id":"2","name":"library.read","credit":4}"#)
    }

    @Test(arguments: [
        #"{"kind":"ping","id":"1"}"#, " { \"id\" : \"1\" , \n\t\"kind\":\"ping\"\r} ",
        #"{"kind":"ping","id":"1","unknown":{"a":[1,2.5e-3,-0,true,null,"\u00e9"]},"seq":null}"#,
        #"{"\u006bind":"p\u0069ng","id":"\u0031"}"#, #"{"id":"0","id":"1","kind":"ping"}"#,
    ])
    func `different spellings are the same header`(text: String) throws {
        #expect(try decode(text) == Header(.ping, id: "1"))
    }

    @Test(
        arguments: [
            ("", nil), ("{", nil), ("[]", nil), ("null", nil), (#"{"id":"1""#, "1"), (#"{"id":"1",}"#, "1"),
            (#"{"id":"1","kind":"ping"}x"#, "1"), (#"{"id":"1","kind":ping}"#, "1"),
            (#"{"id":"1","kind":"ping","seq":01}"#, "1"),
            (#"{"id":"1","kind":"ping","x":1.}"#, "1"), (#"{"id":"1","kind":"ping","x":1e}"#, "1"),
            (#"{"id":"1","kind":"ping","x":-}"#, "1"), (#"{"id":"1","kind":"ping","x":"\q"}"#, "1"),
            (#"{"id":"1","kind":"ping","x":"\ud800"}"#, "1"), (#"{"id":"1","kind":"ping","x":"\ud800\u0041"}"#, "1"),
            (#"{"id":"1","kind":"ping","x":"\udc00"}"#, "1"), (#"{"id":"1","kind":"ping","x":"\u12"}"#, "1"),
            ("{\"id\":\"1\",\"kind\":\"ping\",\"x\":\"\u{0}\"}", "1"), (#"{"id":1,"kind":"ping"}"#, nil),
            (#"{"id":"","kind":"ping"}"#, nil), (#"{"kind":"ping"}"#, nil), (#"{"id":"1"}"#, "1"),
            (#"{"id":"1","kind":"pong"}"#, "1"), (#"{"id":"1","kind":"ping","seq":1.0}"#, "1"),
            (#"{"id":"1","kind":"ping","seq":9223372036854775808}"#, "1"),
            (#"{"id":"1","kind":"ping","mayPrompt":1}"#, "1"),
            (#"{"id":"1","kind":"credit","credit":-1}"#, "1"), (#"{"id":"1","kind":"request"}"#, "1"),
            (#"{"id":"1","kind":"request","name":"x","idempotencyKey":""}"#, "1"),
            (#"{"id":"1","kind":"request","name":"x","onBehalfOf":{"principal":"uid:-1"}}"#, "1"),
            (#"{"id":"1","kind":"request","name":"x","onBehalfOf":{}}"#, "1"),
            (#"{"id":"1","kind":"request","name":"x","onBehalfOf":"uid:1"}"#, "1"),
        ] as [(String, String?)]
    )
    func `what is no header is refused, with its id where that was read`(text: String, id: String?) {
        let error = #expect(throws: MalformedMessage.self) { try decode(text) }
        #expect(error?.id == id)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        let bytes = Array(#"{"id":"1","kind":"ping","x":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        #expect(throws: MalformedMessage.self) { try HeaderCodec.decode(bytes) }
    }

    @Test func `size, depth and length have their limits`() throws {
        let nested = { (depth: Int) in
            #"{"id":"1","kind":"ping","x":"# + String(repeating: "[", count: depth)
                + String(repeating: "]", count: depth) + "}"
        }
        #expect(try decode(nested(Limits.jsonDepth - 1)).id == "1")
        #expect(throws: MalformedMessage.self) { try decode(nested(Limits.jsonDepth)) }
        let long = { (count: Int) in #"{"id":"\#(String(repeating: "i", count: count))","kind":"ping"}"# }
        #expect(try decode(long(Limits.identifierBytes)).kind == .ping)
        #expect(throws: MalformedMessage.self) { try decode(long(Limits.identifierBytes + 1)) }
        let padded = #"{"id":"1","kind":"ping"}"# + String(repeating: " ", count: Limits.headerBytes)
        #expect(throws: MalformedMessage.self) { try decode(padded) }
        #expect(try decode(#"{"id":"1","kind":"credit","credit":999999999}"#).credit == Limits.credit)
    }

    @Test func `random bytes and cut headers never trap`() {
        var generator = SplitMix(state: 1)
        let whole = Array(#"{"kind":"request","id":"1","name":"a\u00e9b","x":[{"y":-1.5e+3},true,null],"seq":12}"#.utf8)
        for end in 0...whole.count { _ = try? HeaderCodec.decode(Array(whole[..<end])) }
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? HeaderCodec.decode(bytes)
        }
    }

    @Test(arguments: [
        ("", true), ("[]", true), (String(repeating: "[", count: 32), true), (String(repeating: "[", count: 33), false),
        (#"{"a":""# + String(repeating: "[", count: 99) + #""}"#, true),
        (#"{"a":"\""# + String(repeating: "[", count: 99) + #""}"#, true),
        (#"{"a":"\\"# + "\"" + String(repeating: "[", count: 32), false),
        (String(repeating: "[]", count: 500), true), (String(repeating: #"{"a":"#, count: 40), false), ("\"\\", true),
    ])
    func `depth counts brackets outside strings`(text: String, isWithin: Bool) {
        let bytes = Attachment(Array(text.utf8))
        let result = unsafe bytes.withUnsafeBytes { unsafe JSONDepth.isWithin(32, $0) }
        #expect(result == isWithin)
    }

    @Test(arguments: [
        (#"{"b":1,"a":[1, 2.50,{}],"c":"\u00e9\n"}"#, #"{"a":[1,2.50,{}],"b":1,"c":"é\u000a"}"#),
        (" { } ", "{}"), (#"[null , true,false,"" ,-1e+5]"#, #"[null,true,false,"",-1e+5]"#),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
    ])
    func `a value has one canonical spelling`(text: String, expected: String) throws {
        let bytes = try CanonicalJSON.bytes(of: Array(text.utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(try CanonicalJSON.bytes(of: bytes) == bytes)
    }

    @Test(arguments: ["", "{", "[1,]", "nul", "{} {}", String(repeating: "[", count: 100)])
    func `what is no value has no canonical spelling`(text: String) {
        #expect(throws: MalformedMessage.self) { try CanonicalJSON.bytes(of: Array(text.utf8)) }
    }

    @Test func `an empty body is an empty object`() throws {
        #expect(try BodyCodec.decode(Empty.self, from: nil) == Empty())
        #expect(try BodyCodec.decode(Store.self, from: Attachment([])).limit == nil)
        #expect(BodyCodec.empty == (try BodyCodec.encode(Empty())))
        let error = #expect(throws: MalformedMessage.self) { try BodyCodec.decode(Add.self, from: nil) }
        #expect(error?.problem == .missingField)
    }

    @Test func `a body says which field is wrong`() {
        let body = Attachment(Array(#"{"left":1,"right":[]}"#.utf8))
        let error = #expect(throws: MalformedMessage.self) { try BodyCodec.decode(Add.self, from: body) }
        #expect(error == MalformedMessage(.badField, "right"))
        let garbage = Attachment([0xFF, 0x00])
        #expect(throws: MalformedMessage(.notJSON, "the body")) { try BodyCodec.decode(Add.self, from: garbage) }
    }

    @Test func `an error with a code of a later version keeps it as the cause`() throws {
        let body = Attachment(Array(#"{"code":"fromTheFuture","description":"d","retryAfter":7}"#.utf8))
        let error = ErrorReply(received: body)
        #expect(error.code == .internalFault)
        #expect(error.cause == "fromTheFuture")
        #expect(error.retryAfter == 7)
        #expect(ErrorReply(received: nil).code == .badMessage)
        let known = ErrorReply.assetsLibrary(-3302, .invalidData, "Invalid data", cause: "empty")
        #expect(ErrorReply(received: Attachment(try BodyCodec.encode(known))) == known)
    }

    @Test func `attachments hold what they were given`() throws {
        struct Failure: Error {}
        #expect(Attachment([]).count == 0)
        #expect(Attachment([1, 2, 3]).bytes == [1, 2, 3])
        let filled = unsafe Attachment(capacity: 10) { memory in
            unsafe memory[0] = 9
            return 1
        }
        #expect(filled.bytes == [9])
        #expect(filled.withBytes { $0.byteCount } == 1)
        let failing: (UnsafeMutableRawBufferPointer) throws -> Int = { _ in throw Failure() }
        #expect(throws: Failure.self) { try unsafe Attachment(capacity: 1, filling: failing) }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }
}
