import MessageSchema

/// `obscura record pause`, `resume`, `stop`: a film that another command of the same program takes.
struct RecordingCommand: Command {
    /// What a running film is told.
    enum Verb: String, CaseIterable {
        case pause, resume, stop

        fileprivate var summary: String {
            switch self {
            case .pause: "Pauses a film; the camera stays in use"
            case .resume: "Goes on with a film that is paused, or begins one with pre-roll"
            case .stop: "Ends a film and keeps it"
            }
        }
    }

    private static let recording = Positional(
        "RECORDING",
        "Its name, as record --progress tells it; may be left out where one film alone runs",
        .optional,
        as: .name
    )

    private let verb: Verb
    let signature: CommandSignature

    init(_ verb: Verb) {
        self.verb = verb
        signature = CommandSignature(
            "record \(verb.rawValue)",
            verb.summary,
            parameters: [Self.recording],
            examples: [
                ("record \(verb.rawValue)", "the film that runs"),
                ("record \(verb.rawValue) 4a1f09c2d3b58e77", "one of several films of this user's programs"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let named = arguments[Self.recording].first
        let asJSON = arguments[CommonParameters.json]
        let cluster = try context.cluster(arguments)
        let recording: String
        if let named { recording = named } else { recording = try await theOnlyOne(cluster) }
        switch verb {
        case .pause: _ = try await cluster.call(PauseRecording(recording: recording))
        case .resume: _ = try await cluster.call(ResumeRecording(recording: recording))
        case .stop: _ = try await cluster.call(StopRecording(recording: recording))
        }
        if asJSON { context.terminal.writeJSON(Line(recording: recording)) }
        return .success
    }

    /// The film of the caller that runs, where there is one alone.
    private func theOnlyOne(_ cluster: any Cluster) async throws -> String {
        let recordings = try await cluster.call(ListRecordings()).recordings
        guard let first = recordings.first else {
            throw ErrorReply(
                .unknownRecording,
                "No film runs",
                reason: "None of yours does",
                recoverySuggestion: "'obscura record' begins one"
            )
        }
        guard recordings.count == 1 else {
            throw ErrorReply.usage(
                "Which film?",
                "\(recordings.count) of yours run: \(recordings.joined(separator: ", "))",
                "say which: obscura record \(verb.rawValue) \(first)"
            )
        }
        return first
    }

    private struct Line: Encodable {
        let recording: String
    }
}
