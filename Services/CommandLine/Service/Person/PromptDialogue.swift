private import Consent
package import MessageSchema
private import Synchronization

/// Shows prompts to the person at a terminal, one after the other, and sends the answers.
package struct PromptDialogue: Sendable {
    private let cluster: any Cluster
    private let person: PersonTerminal
    private let concerns: @Sendable (Prompt) -> Bool

    /// A dialogue about those prompts for which `concerns` is true.
    package init(
        with person: PersonTerminal,
        over cluster: any Cluster,
        concerns: @escaping @Sendable (Prompt) -> Bool = { _ in true }
    ) {
        self.cluster = cluster
        self.person = person
        self.concerns = concerns
    }

    /// Follows prompts and asks, until the task is cancelled, the stream ends or the terminal is closed.
    ///
    /// A terminal that is closed answers nothing: the question stays for whoever else is there to answer.
    ///
    /// - Throws: `ErrorReply`, with code `operatorRequired` when the caller may not answer for the person.
    package func run() async throws {
        // More than a person's open prompts: three for each principal.
        let (queue, continuation) = AsyncStream<PromptEvent>.makeStream(bufferingPolicy: .bufferingOldest(1_024))
        let closed = ClosedPrompts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                _ = try await cluster.stream(FollowPrompts(), CallRules(timeout: nil)) { event, _ in
                    switch event.kind {
                    case .opened: continuation.yield(event)
                    case .closed: closed.close(event.prompt.prompt)
                    }
                }
            }
            group.addTask {
                for await event in queue where concerns(event.prompt) && !closed.contains(event.prompt.prompt) {
                    await ask(event.prompt, closed)
                    if person.isClosed() { throw CancellationError() }
                }
            }
            defer { group.cancelAll() }
            while try await group.next() != nil {}
        }
    }

    private func ask(_ prompt: Prompt, _ closed: ClosedPrompts) async {
        await person.discardTyped()
        person.write(PromptText.question(prompt))
        let reading = Task { await read() }
        closed.onClose(prompt.prompt) { reading.cancel() }
        let answer = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        guard !Task.isCancelled else { return }
        if closed.contains(prompt.prompt) {
            return person.write("\nThe question was answered elsewhere, or is over.\n")
        }
        guard let answer else { return person.write("\nLeft undecided.\n") }
        do {
            let request = AnswerPrompt(prompt: prompt.prompt, answer: answer.answer, lifespan: answer.lifespan)
            _ = try await cluster.call(request)
        } catch let error as ErrorReply {
            // Cancelled: whoever asked has got the answer and ended, before this terminal heard that it has arrived.
            guard !Task.isCancelled else { return }
            person.write(ErrorLine.text(error) + "\n")
        } catch {
            guard !Task.isCancelled else { return }
            person.write("The answer was not sent: \(EscapedText.shown(String(describing: error)))\n")
        }
    }

    /// Reads lines until one is an answer; the end of the input dismisses, a cancelled task or closed terminal gives nil.
    private func read() async -> (answer: PromptAnswer, lifespan: Lifespan?)? {
        while let line = await person.readLine() {
            if let answer = PromptText.answer(line) { return answer }
            person.write("Please answer once, session, always, deny or dismiss (yes is once, no is deny): ")
        }
        return Task.isCancelled || person.isClosed() ? nil : (.dismiss, nil)
    }
}

/// The prompts that are over, and what to do when one is.
private final class ClosedPrompts: Sendable {
    private struct State {
        var closed: Set<String> = []
        var actions: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    func contains(_ prompt: String) -> Bool { state.withLock { $0.closed.contains(prompt) } }

    func close(_ prompt: String) {
        let action = state.withLock { state in
            state.closed.insert(prompt)
            return state.actions.removeValue(forKey: prompt)
        }
        action?()
    }

    func onClose(_ prompt: String, _ action: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if state.closed.contains(prompt) { return true }
            state.actions[prompt] = action
            return false
        }
        if isClosed { action() }
    }
}
