import Glibc
import MessageSchema
import Sound
import Synchronization
import Testing

/// What no sound card does on demand.
@Suite(.timeLimit(.minutes(1)))
struct SoundRecoveryTests {
    private static let facts = Microphone(
        id: "m-0",
        name: "M",
        driver: "m",
        builtIn: false,
        availability: Availability(.available)
    )

    private static func microphone(_ port: ScriptedPort, patience: Duration = .seconds(50)) -> AlsaMicrophone {
        AlsaMicrophone(facts, patience: patience, opening: { _, _ throws(SoundError) -> any SoundPort in port }) {
            ["hw:0,0"]
        }
    }

    private static func code(_ microphone: AlsaMicrophone) async -> SoundError.Code? {
        do throws(SoundError) {
            _ = try await microphone.nextBlock()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `one that gives nothing is stopped and started anew, twice, and then stalled`() async throws {
        let port = ScriptedPort()
        let microphone = Self.microphone(port, patience: .milliseconds(5))
        _ = try await microphone.open(WantedSound())
        #expect(await Self.code(microphone) == .stalled)
        let anew: [SoundPortStep] = [.drop, .prepare, .start]
        #expect(port.steps == [.prepare, .start] + anew + anew)
        await microphone.close()
    }

    @Test func `one that gives sound again after it was started anew goes on, and says that some was lost`()
        async throws
    {
        var script = ScriptedPort.Script()
        script.givesAtStart = 3
        let port = ScriptedPort(script)
        let microphone = Self.microphone(port, patience: .milliseconds(5))
        _ = try await microphone.open(WantedSound())
        let block = try await microphone.nextBlock()
        #expect(block.isAfterLoss && block.frameCount == 960)
        port.give()
        #expect(try await !microphone.nextBlock().isAfterLoss)
        await microphone.close()
    }

    @Test func `after an overrun it is started anew, and the next sound says so`() async throws {
        var script = ScriptedPort.Script()
        script.failures = [EPIPE, EPIPE]
        script.givesAtStart = 3
        let port = ScriptedPort(script)
        let microphone = Self.microphone(port)
        _ = try await microphone.open(WantedSound())
        #expect(try await microphone.nextBlock().isAfterLoss)
        #expect(port.steps.filter { $0 == .start }.count == 3)
        await microphone.close()
    }

    @Test(arguments: [EPIPE, ESTRPIPE])
    func `one that only loses is not started anew for ever`(errorNumber: Int32) async throws {
        var script = ScriptedPort.Script()
        script.lastFailure = errorNumber
        let port = ScriptedPort(script)
        let microphone = Self.microphone(port)
        _ = try await microphone.open(WantedSound())
        #expect(await Self.code(microphone) == .stalled)
        #expect(port.steps.filter { $0 == .start }.count < 20)
        await microphone.close()
    }

    @Test func `after the machine slept it is waited for, and goes on`() async throws {
        var script = ScriptedPort.Script()
        script.failures = [ESTRPIPE, ESTRPIPE]
        script.awakenings = [-EAGAIN, 0]
        let port = ScriptedPort(script)
        port.give()
        let microphone = Self.microphone(port)
        _ = try await microphone.open(WantedSound())
        #expect(try await microphone.nextBlock().isAfterLoss)
        #expect(port.steps == [.prepare, .start, .resume, .resume])
        await microphone.close()
    }

    static let ends: [(Int32, SoundError.Code)] = [
        (ENODEV, .removed), (EBADFD, .removed), (EIO, .fault), (EINVAL, .fault),
    ]

    @Test(arguments: ends)
    func `one that is unplugged or fails says which`(end: (Int32, SoundError.Code)) async throws {
        var script = ScriptedPort.Script()
        script.lastFailure = end.0
        let microphone = Self.microphone(ScriptedPort(script))
        _ = try await microphone.open(WantedSound())
        #expect(await Self.code(microphone) == end.1)
        await microphone.close()
    }

    @Test(arguments: [(48_000, 4), (96_000, 1), (192_000, 2), (500, 1)])
    func `what no film can have is read with a conversion`(rate: Int, channels: Int) async throws {
        let asked = Mutex<[String]>([])
        let opening: AlsaMicrophone.Opening = { name, wanted throws(SoundError) -> any SoundPort in
            asked.withLock { $0.append(name) }
            return name.hasPrefix("plug") ? ScriptedPort() : ScriptedPort(rate: rate, channels: channels)
        }
        let both = AlsaMicrophone(Self.facts, opening: opening) { ["hw:0,0", "plughw:0,0"] }
        #expect(try await both.open(WantedSound()) == SoundFormat(rate: 48_000, channels: 1))
        #expect(asked.withLock { $0 } == ["hw:0,0", "plughw:0,0"])
        await both.close()
        let bare = AlsaMicrophone(Self.facts, opening: opening) { ["hw:0,0"] }
        let error = await #expect(throws: SoundError.self) { try await bare.open(WantedSound()) }
        #expect(error?.code == .notSupported)
    }

    @Test func `one that another program has is not tried with a conversion, and the names are those of the opening`()
        async throws
    {
        let card = Mutex(0)
        let asked = Mutex<[String]>([])
        let opening: AlsaMicrophone.Opening = { name, _ throws(SoundError) -> any SoundPort in
            asked.withLock { $0.append(name) }
            throw SoundError(result: -EBUSY, operation: "snd_pcm_open", wasOpen: false)
        }
        let microphone = AlsaMicrophone(Self.facts, opening: opening) {
            let number = card.withLock { $0 }
            return ["hw:\(number),0", "plughw:\(number),0"]
        }
        card.withLock { $0 = 3 }
        let error = await #expect(throws: SoundError.self) { try await microphone.open(WantedSound()) }
        #expect(error?.code == .inUse)
        #expect(asked.withLock { $0 } == ["hw:3,0"])
    }
}
