package import MessageSchema

/// When the built-in microphone appears.
package enum BuiltInMicrophoneChoice: Hashable, Sendable {
    /// Where there is no other.
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
    package init(_ scan: MicrophoneScanner.Scan, builtIn: BuiltInMicrophoneChoice) {
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
        if builtIn == .always || builtIn == .auto && found.isEmpty { found.append(BuiltInMicrophones.tone) }
        microphones = found
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
    /// The card's own name and the device on it, never the card's number.
    ///
    /// Two cards of a kind get names by the order in which the kernel met them (`U0x46d0x825`, `U0x46d0x825_1`); what
    /// tells these apart is the place that their driver puts at the end of the long name ("… at usb-0000:00:14.0-1, …").
    static func ids(of devices: [SoundDeviceFacts]) -> [String] {
        devices.map { facts in
            let twins = Set(devices.filter { $0.cardName == facts.cardName && $0.driver == facts.driver }.map(\.card))
            let place = twins.count > 1 ? place(facts.cardLongName) : nil
            let card = place.map { "\(plain(facts.cardName))@\($0)" } ?? plain(facts.cardID)
            return "\(card)-\(facts.device)"
        }
    }

    /// What follows the last " at ", up to a comma.
    private static func place(_ longName: String) -> String? {
        guard let range = lastRange(of: " at ", in: longName) else { return nil }
        let rest = longName[range.upperBound...]
        let place = plain(String(rest.prefix { $0 != "," }))
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
