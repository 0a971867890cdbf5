/// Asks the person at the terminal of `obscura up`, for as long as it runs.
struct PromptsAtTheTerminal: Sendable {
    let options: ClusterOptions
    let context: CommandContext

    /// Follows prompts until the task is cancelled; begins again when the coordinator was away.
    func answer() async {
        guard let person = context.person else { return }
        while !Task.isCancelled {
            do {
                let cluster = try context.connect(options.runtime)
                try await PromptDialogue(with: person, over: cluster).run()
            } catch {
                // The status lines tell of a coordinator that is away; cancellation ends the loop at its head.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
