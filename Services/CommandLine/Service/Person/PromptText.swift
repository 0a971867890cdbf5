package import Consent
package import MessageSchema

/// How a prompt reads on a terminal: what is proven, what is said, what is asked, and what can be answered.
package enum PromptText {
    /// The question, ending where the answer is typed; texts of the program can not steer the terminal.
    package static func question(_ prompt: Prompt) -> String {
        var lines = ["", "A program asks for your permission."]
        lines.append("  who   \(prompt.principal), proven by \(proof(prompt.provenBy))")
        if let label = prompt.label { lines.append("        says it is \(EscapedText.shown(label)) (not proven)") }
        for (index, need) in prompt.needs.enumerated() {
            lines.append((index == 0 ? "  what  " : "        ") + meaning(need))
        }
        if let purpose = prompt.purpose {
            lines.append("  why   \"\(EscapedText.shown(purpose))\" (its own words)")
        } else {
            lines.append("  why   it does not say")
        }
        lines.append("  long  once or yes: this one time; session: as long as the program keeps using it;")
        lines.append("        always: until you change it; deny or no: until you change it")
        lines.append("Allow? [once, session, always, deny, dismiss] ")
        return lines.joined(separator: "\n")
    }

    /// The question on one line, for a list that grows.
    package static func line(_ prompt: Prompt) -> String {
        "\(prompt.prompt)  \(prompt.principal) asks to \(prompt.needs.map(meaning).joined(separator: "; "))"
    }

    /// What a need means, in words.
    package static func meaning(_ need: Need) -> String {
        switch (need.resource, need.access) {
        case (.camera(let id), _): "use the camera '\(EscapedText.shown(id))'"
        case (.microphone(let id), _): "use the microphone '\(EscapedText.shown(id))'"
        case (.library, .addOnly): "add to the library"
        case (.library, .readWrite): "read and change everything in the library"
        case (.library, _): "read everything in the library"
        case (.location, _): "see where pictures were taken"
        case (.export, _): "copy pictures and films out of the library"
        }
    }

    private static func proof(_ word: String) -> String {
        switch Proof(rawValue: word) {
        case .peerCredentials: "the kernel (any program of that user)"
        case .systemUnit: "its systemd unit"
        case .enrolledKey: "its enrolled key"
        case .containerRuntime: "its container"
        case nil: EscapedText.shown(word)
        }
    }

    /// What was answered; nil for a word that is none of the answers, and for none at all: an Enter too many decides nothing.
    package static func answer(_ line: String) -> (answer: PromptAnswer, lifespan: Lifespan?)? {
        switch line.lowercased().split(separator: " ").joined() {
        // The weaker of the two that allow: nobody says for ever by a nod.
        case "once", "o", "yes", "y": (.allow, .once)
        case "session", "s": (.allow, .session)
        case "always", "a", "forever": (.allow, .forever)
        case "deny", "d", "no", "n", "never": (.deny, .forever)
        case "dismiss", "x": (.dismiss, nil)
        default: nil
        }
    }
}
