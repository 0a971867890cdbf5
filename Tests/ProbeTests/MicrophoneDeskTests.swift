import Cameras
import CapabilityProbeService
import MessageSchema
import Sound
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MicrophoneDeskTests {
    private static let scan = MicrophoneScanner.Scan(
        devices: [
            SoundDeviceFacts(
                card: 1,
                device: 0,
                cardID: "PCH",
                cardName: "HDA Intel PCH",
                driver: "HDA-Intel",
                deviceName: "ALC257 Analog"
            )
        ]
    )

    @Test func `it lists what the scan finds, and what the policy forbids is disabled`() async {
        let desk = MicrophoneDesk(
            scanner: MicrophoneScanner { Self.scan },
            builtIn: .always,
            whyForbidden: { $0 == "PCH-0" ? "the policy of this machine forbids it" : nil },
            hasBuiltInCamera: { true }
        )
        let reply = await desk.list()
        #expect(reply.microphones.map(\.id) == ["PCH-0", "pattern-microphone"])
        #expect(reply.microphones.map(\.availability.state) == [.disabled, .available])
        #expect(reply.microphones.first?.availability.reason == "the policy of this machine forbids it")
        #expect(reply.microphones.first?.name == "HDA Intel PCH, ALC257 Analog")
        #expect(reply.problem == nil)
    }

    @Test(arguments: [true, false])
    func `a machine without any is told so, and has the built-in one with the built-in cameras`(hasCamera: Bool) async {
        let desk = MicrophoneDesk(
            scanner: MicrophoneScanner { MicrophoneScanner.Scan() },
            builtIn: .auto,
            hasBuiltInCamera: { hasCamera }
        )
        let reply = await desk.list()
        #expect(reply.microphones == (hasCamera ? [BuiltInMicrophones.tone] : []))
        #expect(reply.problem == "there is no sound card with a microphone")
    }
}
