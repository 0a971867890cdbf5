/// Lets one at a time pass, in the order in which they came; belongs to one actor.
final class Turnstile {
    private var queue: [CheckedContinuation<Void, Never>] = []
    /// Whether somebody is inside.
    private(set) var isTaken = false

    /// Waits until it is one's turn; whoever has entered leaves.
    ///
    /// Cancelling the task does not end the wait.
    func enter() async {
        if isTaken {
            await withCheckedContinuation { queue.append($0) }
        } else {
            isTaken = true
        }
    }

    /// Lets the next one pass.
    func leave() {
        if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
    }
}
