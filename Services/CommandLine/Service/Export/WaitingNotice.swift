package import Consent
private import MessageSchema

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
            // Whatever is wrong with the cluster, the work itself will say it.
            guard let states = try? await cluster.call(PermissionStatus(needs: needs)).permissions else { return }
            let open = states.filter { $0.status == .notDetermined }.map { "\($0.resource) \($0.access.rawValue)" }
            guard !open.isEmpty, (try? await Task.sleep(for: delay)) != nil, !Task.isCancelled else { return }
            terminal.writeError(
                "Nobody has decided about \(open.joined(separator: ", ")) yet: waiting for the person's answer."
            )
        }
        defer { notice.cancel() }
        return try await work { notice.cancel() }
    }
}
