package import MessageSchema

/// When the built-in microphone appears.
package enum BuiltInMicrophoneChoice: Hashable, Sendable {
    /// Where the built-in cameras appear, and there is no other that could be one.
    case auto
    case always, never
}

/// A scan as programs see it.
package struct MicrophoneCatalogue: Hashable, Sendable {
    /// The microphones: the kernel's in the order of their cards, then the built-in one.
    package let microphones: [Microphone]
    /// Why there is none of hardware, or not all that there are.
    package let problem: String?
    private let names: [String: [String]]

    /// Makes the catalogue of a scan.
    ///
    /// - Parameters:
    ///   - scan: What was found.
    ///   - builtIn: When the built-in one appears.
    ///   - hasBuiltInCamera: Whether the built-in cameras appear: what a real camera sees never sounds like a test tone.
    ///   - whyForbidden: Why nobody may use the microphone of an identity; nil where programs may be allowed to.
    package init(
        _ scan: MicrophoneScanner.Scan,
        builtIn: BuiltInMicrophoneChoice,
        hasBuiltInCamera: Bool,
        whyForbidden: (String) -> String? = { _ in nil }
    ) {
        let ids = MicrophoneIdentity.ids(of: scan.devices)
        var found: [Microphone] = []
        var names: [String: [String]] = [:]
        for (facts, id) in zip(scan.devices, ids) where names[id] == nil {
            names[id] = facts.names
            found.append(
                Microphone(
                    id: id,
                    name: Self.name(facts),
                    driver: facts.driver,
                    builtIn: false,
                    availability: facts.free > 0
                        ? Availability(.available) : Availability(.busy, reason: "another program uses it")
                )
            )
        }
        problem =
            scan.deniedCards > 0
            ? "the services' user may not open the sound cards: it is not in the group audio"
            : found.isEmpty ? "there is no sound card with a microphone" : nil
        // A card that may not be looked at may have a microphone.
        let isAlone = found.isEmpty && scan.deniedCards == 0 && hasBuiltInCamera
        if builtIn == .always || builtIn == .auto && isAlone { found.append(BuiltInMicrophones.tone) }
        microphones = found.map { microphone in
            guard let reason = whyForbidden(microphone.id) else { return microphone }
            var microphone = microphone
            microphone.availability = Availability(.disabled, reason: reason)
            return microphone
        }
        self.names = names
    }

    /// The microphone with this identity, or the usual one for an empty name: the first that is free, else the first.
    package func microphone(_ name: String) -> Microphone? {
        guard name.isEmpty else { return microphones.first { $0.id == name } }
        return microphones.first { $0.availability.state == .available } ?? microphones.first
    }

    /// alsa-lib's names of a microphone; none for a built-in one.
    package func names(of microphone: Microphone) -> [String] { names[microphone.id] ?? [] }

    private static func name(_ facts: SoundDeviceFacts) -> String {
        guard !facts.deviceName.isEmpty, facts.deviceName != facts.cardName else { return facts.cardName }
        return "\(facts.cardName), \(facts.deviceName)"
    }
}

/// What names a microphone for longer than until the next start.
enum MicrophoneIdentity {
    /// The card's name with its place in the machine, where its driver tells that, and the device on it.
    ///
    /// Else the kernel's own name of the card; never the card's number.
    /// Two cards of a kind get names of the kernel's by the order in which it met them (`U0x46d0x825`, `U0x46d0x825_1`), and
    /// the one that is there has the name of the other when that is gone. The place is at the end of the long name
    /// ("… at usb-0000:00:14.0-1, …", "… at 0xf7f10000 irq 45"), and is used whether there is a second one or not: a
    /// microphone keeps its identity when another of its kind comes.
    static func ids(of devices: [SoundDeviceFacts]) -> [String] {
        devices.map { facts in
            let card = place(facts.cardLongName).map { "\(plain(facts.cardName))@\($0)" } ?? plain(facts.cardID)
            return "\(card)-\(facts.device)"
        }
    }

    /// What follows the last " at ", up to a comma or to the interrupt, which differs from start to start.
    private static func place(_ longName: String) -> String? {
        guard let range = lastRange(of: " at ", in: longName) else { return nil }
        let rest = String(longName[range.upperBound...].prefix { $0 != "," })
        let end = lastRange(of: " irq ", in: rest)?.lowerBound ?? rest.endIndex
        let place = plain(String(rest[..<end]))
        return place.isEmpty ? nil : place
    }

    private static func lastRange(of part: String, in text: String) -> Range<String.Index>? {
        var found: Range<String.Index>?
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(part) {
                found = start..<text.index(start, offsetBy: part.count)
            }
            start = text.index(after: start)
        }
        return found
    }

    /// Letters, digits and a few marks; the rest as `_`, because identities are parts of resources.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._:+-".contains($0)) ? $0 : "_" })
    }
}
