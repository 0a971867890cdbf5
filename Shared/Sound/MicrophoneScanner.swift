private import CAlsa
private import Glibc

/// What the kernel says about a device that gives sound.
package struct SoundDeviceFacts: Hashable, Sendable {
    /// The card's number now, and the device's on the card.
    package var card: Int
    package var device: Int
    package var cardID: String
    package var cardName: String
    /// The name with the place in the machine, where the driver tells it.
    package var cardLongName: String
    package var driver: String
    package var deviceName: String
    /// How many more may use it now.
    package var free: Int

    /// Facts by name.
    package init(
        card: Int,
        device: Int,
        cardID: String,
        cardName: String,
        cardLongName: String = "",
        driver: String,
        deviceName: String,
        free: Int = 1
    ) {
        self.card = card
        self.device = device
        self.cardID = cardID
        self.cardName = cardName
        self.cardLongName = cardLongName
        self.driver = driver
        self.deviceName = deviceName
        self.free = free
    }

    /// alsa-lib's names of it by number: itself, then with conversions.
    package var names: [String] { ["hw:\(card),\(device)", "plughw:\(card),\(device)"] }
}

/// Finds the microphones of a machine, without opening any.
///
/// Blocks for as long as the drivers take to answer.
package struct MicrophoneScanner: Sendable {
    /// What was found.
    package struct Scan: Hashable, Sendable {
        package var devices: [SoundDeviceFacts]
        /// Cards that this process may not look at.
        package var deniedCards: Int

        /// A scan.
        package init(devices: [SoundDeviceFacts] = [], deniedCards: Int = 0) {
            self.devices = devices
            self.deniedCards = deniedCards
        }
    }

    /// As many as the kernel has numbers for (`SNDRV_CARDS`, CONFIG_SND_MAX_CARDS in Debian's kernels).
    private static let mostCards = 32

    private let look: @Sendable () -> Scan

    /// A scanner that looks in this way: at the machine itself unless told otherwise.
    package init(look: @escaping @Sendable () -> Scan = MicrophoneScanner.machine) { self.look = look }

    /// Looks.
    package func scan() -> Scan { look() }

    /// Looks at this machine's cards.
    package static func machine() -> Scan {
        scan(probe: { probe($0, in: "/dev/snd") }, devices: devices(of:))
    }

    /// Looks at every card that there can be.
    ///
    /// - Parameters:
    ///   - probe: Whether the card of a number is there and may be looked at: 0, or the negative of errno.
    ///   - devices: What a card that may be looked at has.
    /// - Returns: What they have, and how many may not be looked at.
    package static func scan(probe: (Int) -> Int32, devices: (Int) -> [SoundDeviceFacts]) -> Scan {
        var scan = Scan()
        for card in 0..<mostCards {
            switch -probe(card) {
            case 0: scan.devices += devices(card)
            case EACCES, EPERM: scan.deniedCards += 1
            // There is no such card, or it is going.
            default: break
            }
        }
        return scan
    }

    /// Whether a card's control node in a folder can be opened: 0, or the negative of errno.
    package static func probe(_ card: Int, in folder: String) -> Int32 { unsafe calsa_probe(folder, Int32(card)) }

    private static func devices(of card: Int) -> [SoundDeviceFacts] {
        let room = 64
        var devices = [calsa_device](repeating: calsa_device(), count: room)
        let count = unsafe devices.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe calsa_list(Int32(card), start, Int32(room))
        }
        // A card that went meanwhile has none.
        return devices.prefix(max(0, min(room, Int(count)))).map { device in
            SoundDeviceFacts(
                card: Int(device.card),
                device: Int(device.device),
                cardID: text(device.card_id),
                cardName: text(device.card_name),
                cardLongName: text(device.long_name),
                driver: text(device.driver),
                deviceName: text(device.device_name),
                free: Int(device.free_subdevices)
            )
        }
    }

    /// A text of fixed room, up to its first zero; control characters are left out.
    private static func text<Room: BitwiseCopyable>(_ room: Room) -> String {
        let text = unsafe withUnsafeBytes(of: room) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    }
}
