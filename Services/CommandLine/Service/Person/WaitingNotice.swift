package import Consent

/// Says on standard error, once, that a person's answer is waited for.
///
/// A question that is answered or refused at once is not mentioned.
package struct WaitingNotice: Sendable {
    private let needs: [Need]
    private let delay: Duration
    private let cluster: any Cluster
    private let terminal: Terminal

    /// A notice about those needs that nobody has decided about, after the work has waited for so long.
    package init(
        of needs: [Need],
        after delay: Duration = .seconds(1),
        _ cluster: any Cluster,
        _ terminal: Terminal
    ) {
        self.needs = needs
        self.delay = delay
        self.cluster = cluster
        self.terminal = terminal
    }

    /// Does work that may wait for an answer.
    ///
    /// - Parameter work: Calls its argument when it waits no more; from then on there is no notice.
    /// - Returns: What the work gives.
    /// - Throws: What the work throws.
    package func around<Result: Sendable>(
        _ work: (@escaping @Sendable () -> Void) async throws -> Result
    ) async throws -> Result {
        let notice = Task {
            // Whatever is wrong with the cluster, the work itself will say it. What was allowed once is undecided again
            // while it is used, so that it must have been undecided before.
            guard let before = try? await cluster.undecided(among: needs), !before.isEmpty,
                (try? await Task.sleep(for: delay)) != nil,
                let open = try? await cluster.undecided(among: before), !open.isEmpty, !Task.isCancelled
            else { return }
            terminal.writeError(Self.line(about: open))
        }
        defer { notice.cancel() }
        return try await work { notice.cancel() }
    }

    private static func line(about needs: [Need]) -> String {
        EscapedText.shown(
            "Nobody has decided about \(needs.map(\.description).joined(separator: ", ")) yet: waiting for the person's "
                + "answer, where 'obscura up' or 'obscura permissions prompts --answer' runs, or by "
                + "'obscura permissions answer'."
        )
    }
}
