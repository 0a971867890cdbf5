import Cameras
import MessageSchema
import Movies
import Sound
import SoundConformance
import Synchronization
import Testing

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct MicrophoneShelfTests {
    private static func card(_ number: Int, _ id: String) -> SoundDeviceFacts {
        SoundDeviceFacts(card: number, device: 0, cardID: id, cardName: id, driver: "test", deviceName: id)
    }

    private static func shelf(
        _ scan: MicrophoneScanner.Scan,
        hasBuiltInCamera: Bool,
        whyForbidden: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> MicrophoneShelf {
        MicrophoneShelf(
            scanner: MicrophoneScanner { scan },
            builtIn: .auto,
            whyForbidden: whyForbidden,
            hasBuiltInCamera: { hasBuiltInCamera }
        )
    }

    @Test func `what is opened is the microphone that was permitted, whatever number its card has by then`()
        async throws
    {
        let cards = Mutex([Self.card(0, "A"), Self.card(1, "B")])
        let opened = Mutex<[String]>([])
        let shelf = MicrophoneShelf(
            scanner: MicrophoneScanner { MicrophoneScanner.Scan(devices: cards.withLock { $0 }) },
            builtIn: .auto,
            opening: { name, _ throws(SoundError) -> any SoundPort in
                opened.withLock { $0.append(name) }
                throw SoundError(.inUse)
            },
            hasBuiltInCamera: { false }
        )
        let device = try await shelf.device("")
        #expect(device.microphone.id == "A-0")
        // While the person is asked A is plugged out, and in again behind B.
        cards.withLock { $0 = [Self.card(0, "B"), Self.card(1, "A")] }
        await #expect(throws: SoundError(.inUse)) { _ = try await device.open(WantedSound()) }
        #expect(opened.withLock { $0 } == ["hw:1,0"])
        cards.withLock { $0 = [Self.card(0, "B")] }
        await #expect(throws: SoundError(.absent)) { _ = try await device.open(WantedSound()) }
        #expect(opened.withLock { $0 }.count == 1)
    }

    @Test func `a tone is the usual microphone of the built-in cameras alone`() async throws {
        let none = MicrophoneScanner.Scan()
        #expect(try await Self.shelf(none, hasBuiltInCamera: true).device("").microphone == BuiltInMicrophones.tone)
        let absent = await #expect(throws: ErrorReply.self) {
            _ = try await Self.shelf(none, hasBuiltInCamera: false).device("")
        }
        #expect(absent?.code == .microphoneAbsent)
        let closed = MicrophoneScanner.Scan(deniedCards: 1)
        let denied = await #expect(throws: ErrorReply.self) {
            _ = try await Self.shelf(closed, hasBuiltInCamera: true).device("")
        }
        #expect(denied?.code == .microphoneDenied)
        #expect(denied?.reason?.contains("group audio") == true)
    }

    @Test func `one that the policy forbids is not the usual one, and can be named to hear that`() async throws {
        let scan = MicrophoneScanner.Scan(devices: [Self.card(0, "A"), Self.card(1, "B")])
        let shelf = Self.shelf(scan, hasBuiltInCamera: false) {
            $0 == "A-0" ? "the policy of this machine forbids it" : nil
        }
        #expect(try await shelf.device("").microphone.id == "B-0")
        #expect(try await shelf.device("A-0").microphone.availability.state == .disabled)
    }

    @Test func `one that is not there is told with those that are, and not with what else is wrong`() async throws {
        let scan = MicrophoneScanner.Scan(devices: [Self.card(0, "A"), Self.card(1, "B")])
        for (found, words) in [(scan, "There are A-0, B-0"), (.init(), "There is \(BuiltInMicrophones.tone.id)")] {
            let absent = await #expect(throws: ErrorReply.self) {
                _ = try await Self.shelf(found, hasBuiltInCamera: true).device("nope")
            }
            #expect(absent?.code == .microphoneAbsent && absent?.reason == words)
        }
    }

    @Test func `a microphone gives what a film can have`() {
        #expect(SoundFormat.rates == MovieSound.rates)
        #expect(SoundFormat.channelCounts == MovieSound.channelCounts)
    }

    @Test(arguments: SoundRule.allCases)
    func `a scripted microphone does what every microphone does`(rule: SoundRule) async throws {
        let microphone = ScriptedMicrophone()
        let count = Mutex<Int64>(0)
        let subject = SoundSubject(microphone) {
            await microphone.waits()
        } give: {
            let number = count.withLock { count in
                count += 1
                return count
            }
            await microphone.send(Tone.block(at: 1_000_000 + number * 100_000))
        }
        try await subject.check(rule)
    }
}
