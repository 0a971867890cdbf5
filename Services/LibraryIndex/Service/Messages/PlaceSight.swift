import Consent
import MessageSchema
import ServiceRuntime

/// Whether one request may tell where pictures were taken; asks nobody, and hides the place where it may not.
///
/// A `once` grant is redeemed with the first place that it is needed for, and used up with the request. Once an operator has
/// stopped the sight it stays hidden for the rest of the request, though the decision still allows it.
struct PlaceSight {
    /// The place may not be told any more: the item has to be made again without it.
    struct Lost: Error {}

    private let gate: ConsentGate
    private let asker: Asker
    private var authorization: Authorization?
    private var isStopped = false

    init(_ gate: ConsentGate, for asker: Asker) {
        var asker = asker
        asker.mayPrompt = false
        self.gate = gate
        self.asker = asker
    }

    /// What to ask immediately before a place is told; nil when none may be.
    mutating func look() async -> (@Sendable () throws -> Void)? {
        if let check = check() { return check }
        if authorization?.revocation?.reason == .stopped { isStopped = true }
        end()
        guard !isStopped, gate.allows(.place, for: asker) else { return nil }
        // A refusal hides the place, and no more.
        authorization = try? await gate.authorize([.place], for: asker)
        return check()
    }

    /// The request is over.
    mutating func end() {
        authorization?.end()
        authorization = nil
    }

    private func check() -> (@Sendable () throws -> Void)? {
        guard let authorization, (try? authorization.check()) != nil else { return nil }
        return { guard (try? authorization.check()) != nil else { throw Lost() } }
    }
}
