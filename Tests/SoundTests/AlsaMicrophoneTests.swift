import MessageSchema
import Sound
import Testing

/// alsa-lib's own "null" device stands for a sound card here; real ones are in the camera lab.
@Suite(.timeLimit(.minutes(1)))
struct AlsaMicrophoneTests {
    private static let microphone = Microphone(
        id: "null-0",
        name: "Nothing",
        driver: "null",
        builtIn: false,
        availability: Availability(.available)
    )

    @Test func `a device is opened with what it grants, gives blocks with their times, and can be opened again`()
        async throws
    {
        let device = AlsaMicrophone(Self.microphone) { ["null"] }
        for channels in [1, 2] {
            let before = SoundClock.now()
            let format = try await device.open(WantedSound(rate: 44_100, channels: channels))
            #expect(format == SoundFormat(rate: 44_100, channels: channels))
            let busy = await #expect(throws: SoundError.self) { try await device.open(WantedSound()) }
            #expect(busy?.code == .inUse)
            let block = try await device.nextBlock()
            #expect(block.frameCount > 0 && block.samples.count == block.frameCount * channels)
            // Its first frame was taken before the block was read: no more than the buffer's half second.
            #expect(block.microseconds > before - 1_000_000 && block.microseconds <= SoundClock.now())
            await device.close()
        }
    }

    @Test func `a device that is not there is absent, and one without a name that fits is not opened`() async {
        let absent = AlsaMicrophone(Self.microphone) { ["hw:31,0", "plughw:31,0"] }
        let error = await #expect(throws: SoundError.self) { try await absent.open(WantedSound()) }
        #expect(error?.code == .absent)
        let nameless = AlsaMicrophone(Self.microphone) { [] }
        let other = await #expect(throws: SoundError.self) { try await nameless.open(WantedSound()) }
        #expect(other?.code == .absent)
        let closed = await #expect(throws: SoundError.self) { try await absent.nextBlock() }
        #expect(closed?.code == .cancelled)
        await absent.close()
    }

    @Test func `errors of calls have a code by errno and by whether the device was open`() {
        let codes: [(Int32, Bool, SoundError.Code)] = [
            (-13, false, .denied), (-16, false, .inUse), (-2, false, .absent), (-19, false, .absent),
            (-19, true, .removed), (-22, false, .notSupported), (-22, true, .fault), (-5, true, .fault),
        ]
        for (result, wasOpen, code) in codes {
            let error = SoundError(result: result, operation: "snd_pcm_open", wasOpen: wasOpen)
            #expect(error.code == code)
            #expect(error.errorNumber == -result)
        }
    }
}
