import MessageSchema
import Sound
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MicrophoneCatalogueTests {
    private static func webcam(_ card: Int, id: String, port: String, free: Int = 1) -> SoundDeviceFacts {
        SoundDeviceFacts(
            card: card,
            device: 0,
            cardID: id,
            cardName: "HD Webcam",
            cardLongName: "Maker HD Webcam at usb-0000:00:14.0-\(port), high speed",
            driver: "USB-Audio",
            deviceName: "USB Audio",
            free: free
        )
    }

    private static let loopback = [0, 1].map {
        SoundDeviceFacts(
            card: 2,
            device: $0,
            cardID: "Loopback",
            cardName: "Loopback",
            cardLongName: "Loopback 1",
            driver: "Loopback",
            deviceName: "Loopback PCM"
        )
    }

    @Test func `a microphone is named after its card and device, whatever the card's number`() {
        var scan = MicrophoneScanner.Scan(devices: [Self.webcam(0, id: "Webcam", port: "1")] + Self.loopback)
        let first = MicrophoneCatalogue(scan, builtIn: .never)
        #expect(first.microphones.map(\.id) == ["Webcam-0", "Loopback-0", "Loopback-1"])
        #expect(
            first.microphones.map(\.name) == [
                "HD Webcam, USB Audio", "Loopback, Loopback PCM", "Loopback, Loopback PCM",
            ]
        )
        #expect(first.problem == nil)
        for index in scan.devices.indices { scan.devices[index].card += 3 }
        let later = MicrophoneCatalogue(scan, builtIn: .never)
        #expect(later.microphones == first.microphones)
        let microphone = later.microphone("Loopback-1")
        #expect(microphone.map { later.names(of: $0) } == ["hw:5,1", "plughw:5,1"])
    }

    @Test func `two of a kind are told apart by where they are plugged in, whichever came first`() {
        let one = [Self.webcam(0, id: "Webcam", port: "1"), Self.webcam(1, id: "Webcam_1", port: "2.1")]
        let other = [Self.webcam(0, id: "Webcam", port: "2.1"), Self.webcam(1, id: "Webcam_1", port: "1")]
        let ids = { (devices: [SoundDeviceFacts]) in
            MicrophoneCatalogue(MicrophoneScanner.Scan(devices: devices), builtIn: .never).microphones.map(\.id)
        }
        #expect(ids(one) == ["HD_Webcam@usb-0000:00:14.0-1-0", "HD_Webcam@usb-0000:00:14.0-2.1-0"])
        #expect(ids(other) == ids(one).reversed())
    }

    @Test func `one that is in use is listed as busy, and the usual one is one that is free`() {
        let devices = [Self.webcam(0, id: "Webcam", port: "1", free: 0)] + Self.loopback
        let catalogue = MicrophoneCatalogue(MicrophoneScanner.Scan(devices: devices), builtIn: .never)
        #expect(catalogue.microphones.map(\.availability.state) == [.busy, .available, .available])
        #expect(catalogue.microphone("")?.id == "Loopback-0")
        #expect(catalogue.microphone("Webcam-0")?.availability.state == .busy)
        #expect(catalogue.microphone("nothing") == nil)
    }

    @Test func `the built-in one is there where there is no other, always, or never`() {
        let none = MicrophoneScanner.Scan()
        let some = MicrophoneScanner.Scan(devices: Self.loopback)
        let ids = { (scan: MicrophoneScanner.Scan, choice: BuiltInMicrophoneChoice) in
            MicrophoneCatalogue(scan, builtIn: choice).microphones.map(\.id)
        }
        #expect(ids(none, .auto) == ["pattern-microphone"])
        #expect(ids(some, .auto) == ["Loopback-0", "Loopback-1"])
        #expect(ids(some, .always) == ["Loopback-0", "Loopback-1", "pattern-microphone"])
        #expect(ids(none, .never) == [])
        #expect(MicrophoneCatalogue(none, builtIn: .never).problem == "there is no sound card with a microphone")
        let denied = MicrophoneScanner.Scan(deniedCards: 1)
        #expect(MicrophoneCatalogue(denied, builtIn: .never).problem?.contains("group audio") == true)
    }

    @Test func `looking at this machine's cards never fails`() {
        let scan = MicrophoneScanner().scan()
        #expect(scan.deniedCards >= 0)
        #expect(scan.devices.allSatisfy { !$0.cardID.isEmpty })
    }
}
