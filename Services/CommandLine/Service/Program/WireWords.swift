import MessageSchema

/// What the fields of requests are called on the command line.
///
/// A service's refusal names the field of the message; who typed an option is told of the option.
enum WireWords {
    /// The parameters of commands, by the path of the field that they become; the first that a command has is meant.
    private static let parameters: [String: [String]] = [
        "camera": ["camera", "CAMERA"],
        "settings.camera": ["camera"],
        "settings.flash": ["flash"],
        "settings.delay": ["delay"],
        "settings.count": ["count"],
        "settings.format": ["format"],
        "settings.whenBusy": ["when-busy"],
        "settings.codec": ["codec"],
        "settings.container": ["container"],
        "settings.quality": ["quality"],
        "settings.maximumDuration": ["duration"],
        "settings.maximumBytes": ["maximum-bytes"],
        "settings.interval": ["interval"],
        "settings.playbackFramesPerSecond": ["playback-fps"],
        "settings.preRoll": ["pre-roll"],
        "settings.microphone": ["microphone"],
        "query.since": ["since"],
        "query.until": ["until"],
        "query.group": ["group"],
        "query.kind": ["kind"],
        "query.filter": ["filter"],
        "query.limit": ["limit"],
        "query.offset": ["offset"],
        "query.area": ["area"],
        "selection.query.since": ["since"],
        "selection.query.until": ["until"],
        "selection.query.group": ["group"],
        "selection.query.kind": ["kind"],
        "selection.assets": ["URL"],
        "destination": ["to"],
        "privacy": ["privacy"],
        "metadata": ["metadata"],
        "original": ["original"],
        "filename": ["FILE"],
        "url": ["URL"],
        "since": ["since"],
        "caption": ["text"],
        "offset": ["offset"],
        "length": ["length"],
        "width": ["fit", "size"],
        "height": ["fit", "size"],
        "framesPerSecond": ["rate"],
        "values": ["set"],
        "names": ["reset"],
        "width or height": ["fit"],
        "album": ["NAME"],
        "group": ["GROUP"],
        "assets": ["URL"],
        "prompt": ["PROMPT"],
        "purpose": ["purpose", "notice"],
        "validUntil": ["until"],
        "record": ["RECORD"],
        "subject": ["subject"],
        "method": ["method"],
        "notice": ["notice"],
        "privacyNotice": ["notice"],
        "language": ["notice"],
        "retentionPeriod": ["notice"],
        "jurisdiction": ["notice"],
        "withdrawalMethod": ["notice"],
        "piiTypes": ["notice"],
        "storageLocations": ["notice"],
        "controllers": ["notice"],
        "use": ["USE"],
        "answer": ["ANSWER"],
        "needs": ["resource"],
        "resource": ["resource"],
        "access": ["access"],
        "lifespan": ["lifespan"],
        "principal": ["principal"],
        "label": ["label"],
        "change.resource": ["resource"],
        "change.access": ["access"],
        "change.lifespan": ["lifespan"],
        "change.principal": ["principal"],
        "change.label": ["label"],
        "job": ["JOB"],
        "recording": ["RECORDING"],
    ]

    /// What the person typed, for a field of a message: `--since`, `NAME`, or `location.latitude in --metadata`.
    ///
    /// - Returns: Nil when the command has no such parameter.
    static func spoken(_ field: String, for signature: CommandSignature) -> String? {
        let all = signature.allParameters
        var path = field[...]
        while true {
            let names = parameters[String(path)] ?? []
            if let found = names.lazy.compactMap({ name in all.first { $0.name == name } }).first {
                let inner = field.dropFirst(path.count + 1)
                return (inner.isEmpty ? "" : "\(inner) in ") + found.typed
            }
            guard let dot = path.lastIndex(of: ".") else { return nil }
            path = path[..<dot]
        }
    }
}

extension ParameterDescription {
    /// As it is typed: with its dashes, or as the help names it.
    fileprivate var typed: String {
        if case .positional = form { name } else { "--\(name)" }
    }
}

extension ErrorReply {
    /// The refusal in the words of the command line, with what exactly was found; the wire's own word stays in
    /// `parameters`.
    func spoken(for signature: CommandSignature) -> ErrorReply {
        if recoverySuggestion == ErrorWords.repeating {
            var error = self
            // Keys are the programs'; a person looks, or asks again.
            error.recoverySuggestion =
                signature.name == "export"
                ? "run the same export again: it goes on from what is there"
                : "look whether it has happened, and try again"
            return error
        }
        if let found = parameters?["found"] {
            var error = self
            error.reason = ErrorWords.joined([reason, found], by: ": ")
            return error
        }
        // Several fields have commas between them: the first tells what was typed.
        guard let field = parameters?["parameter"]?.split(separator: ",").first.map(String.init),
            let word = WireWords.spoken(field, for: signature)
        else { return self }
        var error = self
        if let reason, reason.hasPrefix(field + " ") {
            error.reason = word + reason.dropFirst(field.count)
        } else if reason == nil || reason == code.usualReason {
            error.reason = "\(word) has a value that it can not have."
        } else if let reason, !reason.contains(word) {
            error.reason = "\(word): \(reason)"
        }
        if recoverySuggestion == code.usualRecovery {
            error.recoverySuggestion = "see 'obscura \(signature.name) --help'"
        }
        return error
    }
}
