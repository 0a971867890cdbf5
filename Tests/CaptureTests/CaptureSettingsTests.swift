import MessageSchema
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct CaptureSettingsTests {
    private static func settings(_ width: Int?, _ height: Int?) -> CaptureSettings {
        var settings = CaptureSettings(camera: "back")
        settings.width = width
        settings.height = height
        return settings
    }

    @Test(arguments: [Int.min, -1, 0, 65_501, Int.max])
    func `a side that no picture has is refused by its name`(side: Int) {
        let wide = #expect(throws: ErrorReply.self) { try Self.settings(side, 480).checkSize() }
        let high = #expect(throws: ErrorReply.self) { try Self.settings(640, side).checkSize() }
        #expect([wide?.code, high?.code] == [.invalidArgument, .invalidArgument])
        #expect([wide?.parameters?["argument"], high?.parameters?["argument"]] == ["width", "height"])
    }

    @Test func `a side that a picture may have, and none, are taken`() throws {
        try Self.settings(nil, nil).checkSize()
        try Self.settings(1, 65_500).checkSize()
    }
}
