import Glibc
import MessageSchema
import Sound
import TestSupport
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
        let first = MicrophoneCatalogue(scan, builtIn: .never, hasBuiltInCamera: true)
        #expect(first.microphones.map(\.id) == ["HD_Webcam@usb-0000:00:14.0-1-0", "Loopback-0", "Loopback-1"])
        #expect(
            first.microphones.map(\.name) == [
                "HD Webcam, USB Audio", "Loopback, Loopback PCM", "Loopback, Loopback PCM",
            ]
        )
        #expect(first.problem == nil)
        for index in scan.devices.indices { scan.devices[index].card += 3 }
        let later = MicrophoneCatalogue(scan, builtIn: .never, hasBuiltInCamera: true)
        #expect(later.microphones == first.microphones)
        let microphone = later.microphone("Loopback-1")
        #expect(microphone.map { later.names(of: $0) } == ["hw:5,1", "plughw:5,1"])
    }

    @Test func `two of a kind are told apart by where they are plugged in, whichever came first`() {
        let one = [Self.webcam(0, id: "Webcam", port: "1"), Self.webcam(1, id: "Webcam_1", port: "2.1")]
        let other = [Self.webcam(0, id: "Webcam", port: "2.1"), Self.webcam(1, id: "Webcam_1", port: "1")]
        let ids = { (devices: [SoundDeviceFacts]) in
            MicrophoneCatalogue(MicrophoneScanner.Scan(devices: devices), builtIn: .never, hasBuiltInCamera: true)
                .microphones.map(\.id)
        }
        #expect(ids(one) == ["HD_Webcam@usb-0000:00:14.0-1-0", "HD_Webcam@usb-0000:00:14.0-2.1-0"])
        #expect(ids(other) == ids(one).reversed())
        // And the one that is left keeps its name, also where the kernel gives it that of the other.
        #expect(ids([Self.webcam(0, id: "Webcam", port: "2.1")]) == [ids(one)[1]])
    }

    @Test func `the interrupt of a card is no part of its place, nor are its number and its kernel's name`() {
        var facts = SoundDeviceFacts(
            card: 0,
            device: 0,
            cardID: "Generic_1",
            cardName: "HD-Audio Generic",
            cardLongName: "HD-Audio Generic at 0xfe9c8000 irq 75",
            driver: "HDA-Intel",
            deviceName: "ALC257 Analog"
        )
        let id = { (facts: SoundDeviceFacts) in
            MicrophoneCatalogue(MicrophoneScanner.Scan(devices: [facts]), builtIn: .never, hasBuiltInCamera: true)
                .microphones.map(\.id)
        }
        let first = id(facts)
        #expect(first == ["HD-Audio_Generic@0xfe9c8000-0"])
        facts.card = 1
        facts.cardID = "Generic"
        facts.cardLongName = "HD-Audio Generic at 0xfe9c8000 irq 81"
        #expect(id(facts) == first)
    }

    @Test func `one that is in use is listed as busy, and the usual one is one that is free`() {
        let devices = [Self.webcam(0, id: "Webcam", port: "1", free: 0)] + Self.loopback
        let catalogue = MicrophoneCatalogue(
            MicrophoneScanner.Scan(devices: devices),
            builtIn: .never,
            hasBuiltInCamera: true
        )
        #expect(catalogue.microphones.map(\.availability.state) == [.busy, .available, .available])
        #expect(catalogue.microphone("")?.id == "Loopback-0")
        #expect(catalogue.microphone("HD_Webcam@usb-0000:00:14.0-1-0")?.availability.state == .busy)
        #expect(catalogue.microphone("nothing") == nil)
    }

    @Test func `the built-in one is there with the built-in cameras and without another, always, or never`() {
        let none = MicrophoneScanner.Scan()
        let some = MicrophoneScanner.Scan(devices: Self.loopback)
        let ids = { (scan: MicrophoneScanner.Scan, choice: BuiltInMicrophoneChoice, hasBuiltInCamera: Bool) in
            MicrophoneCatalogue(scan, builtIn: choice, hasBuiltInCamera: hasBuiltInCamera).microphones.map(\.id)
        }
        #expect(ids(none, .auto, true) == ["pattern-microphone"])
        // Beside a camera of hardware nobody films a test tone without asking for it.
        #expect(ids(none, .auto, false) == [])
        #expect(ids(some, .auto, true) == ["Loopback-0", "Loopback-1"])
        #expect(ids(some, .always, false) == ["Loopback-0", "Loopback-1", "pattern-microphone"])
        #expect(ids(none, .never, true) == [])
        let nothing = MicrophoneCatalogue(none, builtIn: .never, hasBuiltInCamera: true)
        #expect(nothing.problem == "there is no sound card with a microphone")
    }

    @Test func `a card that may not be looked at may have a microphone: it is told, and no tone stands for it`() {
        let denied = MicrophoneScanner.Scan(deniedCards: 1)
        let catalogue = MicrophoneCatalogue(denied, builtIn: .auto, hasBuiltInCamera: true)
        #expect(catalogue.microphones.isEmpty)
        #expect(catalogue.problem?.contains("group audio") == true)
        #expect(MicrophoneCatalogue(denied, builtIn: .always, hasBuiltInCamera: true).microphones.count == 1)
    }

    @Test func `one that the policy forbids is disabled, and not the usual one where there is another`() {
        let scan = MicrophoneScanner.Scan(devices: Self.loopback)
        let catalogue = MicrophoneCatalogue(scan, builtIn: .never, hasBuiltInCamera: false) {
            $0 == "Loopback-0" ? "the policy of this machine forbids it" : nil
        }
        #expect(catalogue.microphones.first?.availability.reason == "the policy of this machine forbids it")
        #expect(catalogue.microphones.map(\.availability.state) == [.disabled, .available])
        #expect(catalogue.microphone("")?.id == "Loopback-1")
    }

    @Test func `every card is looked for, and those that may not be looked at are counted`() {
        for errorNumber in [EACCES, EPERM] {
            let answers: [Int: Int32] = [0: 0, 3: -errorNumber, 31: -errorNumber, 7: -ENODEV]
            let scan = MicrophoneScanner.scan {
                answers[$0] ?? -ENOENT
            } devices: { card in
                card == 0 ? Self.loopback : []
            }
            #expect(scan == MicrophoneScanner.Scan(devices: Self.loopback, deniedCards: 2))
        }
    }

    @Test func `a card's control node is found where it is, and nothing where there is none`() throws {
        try withTemporaryDirectory { path, _ in
            makeFile(in: path, named: Array("controlC3".utf8))
            #expect(MicrophoneScanner.probe(3, in: path) == 0)
            #expect(MicrophoneScanner.probe(4, in: path) == -ENOENT)
            #expect(MicrophoneScanner.probe(3, in: path + "/controlC3") == -ENOTDIR)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may look at everything"))
    func `a control node that may not be opened is denied`() throws {
        try withTemporaryDirectory { path, _ in
            makeFile(in: path, named: Array("controlC3".utf8))
            let result = unsafe chmod(path + "/controlC3", 0)
            #expect(result == 0)
            #expect(MicrophoneScanner.probe(3, in: path) == -EACCES)
        }
    }

    @Test func `looking at this machine's cards never fails`() {
        let scan = MicrophoneScanner().scan()
        #expect(scan.deniedCards >= 0)
        #expect(scan.devices.allSatisfy { !$0.cardID.isEmpty })
    }
}
