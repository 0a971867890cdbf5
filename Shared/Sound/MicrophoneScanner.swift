private import CAlsa

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

    private let look: @Sendable () -> Scan

    /// A scanner that looks in this way: at the machine itself unless told otherwise.
    package init(look: @escaping @Sendable () -> Scan = MicrophoneScanner.machine) { self.look = look }

    /// Looks.
    package func scan() -> Scan { look() }

    /// Looks at this machine's cards.
    package static func machine() -> Scan {
        var denied: Int32 = 0
        let room = 64
        var devices = [calsa_device](repeating: calsa_device(), count: room)
        let count = unsafe devices.withUnsafeMutableBufferPointer { buffer in
            unsafe calsa_list(buffer.baseAddress, Int32(room), &denied)
        }
        let found = devices.prefix(min(room, Int(count))).map { device in
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
        return Scan(devices: found, deniedCards: Int(denied))
    }

    /// A text of fixed room, up to its first zero; control characters are left out.
    private static func text<Room: BitwiseCopyable>(_ room: Room) -> String {
        let text = unsafe withUnsafeBytes(of: room) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    }
}
