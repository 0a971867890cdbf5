import MessageSchema
import Sound
import SoundConformance
import Synchronization
import Testing
import Timekeeping

/// Whatever a microphone is made of, it does what every microphone does.
@Suite(.timeLimit(.minutes(1)))
struct SoundDeviceTests {
    private static let microphone = Microphone(
        id: "m-0",
        name: "M",
        driver: "m",
        builtIn: false,
        availability: Availability(.available)
    )

    @Test(arguments: SoundRule.allCases)
    func `the built-in microphone`(rule: SoundRule) async throws {
        let clock = ManualClock()
        let subject = SoundSubject(PatternMicrophone(clock: clock) { 0 }) {
            await clock.nextTimerScheduled()
        } give: {
            clock.advance(by: .milliseconds(20))
        }
        try await subject.check(rule)
    }

    @Test(arguments: SoundRule.allCases)
    func `a microphone of alsa-lib's that is always ready`(rule: SoundRule) async throws {
        try await SoundSubject(AlsaMicrophone(Self.microphone) { ["null"] }).check(rule)
    }

    @Test(arguments: SoundRule.allCases)
    func `a microphone of the kernel's whose sound comes now and then`(rule: SoundRule) async throws {
        let ports = Mutex<[ScriptedPort]>([])
        let opening: AlsaMicrophone.Opening = { _, _ throws(SoundError) -> any SoundPort in
            let port = ScriptedPort()
            ports.withLock { $0.append(port) }
            return port
        }
        let microphone = AlsaMicrophone(Self.microphone, patience: .seconds(50), opening: opening) { ["hw:0,0"] }
        let subject = SoundSubject(microphone) {
        } give: {
            ports.withLock { $0.last }?.give()
        }
        try await subject.check(rule)
    }
}
