import Consent
import MessageSchema
private import Synchronization
private import Timekeeping

/// What was decided about the demo's principal before it began, to which the demo returns whatever happens to it.
final class DemoDecisions: Sendable {
    /// Long enough for a coordinator that was killed to be there again.
    private static let patience = Duration.seconds(15)

    private let person: any Cluster
    private let principal: Principal
    private let before: [PermissionState]
    private let touched = Mutex<Set<Resource>>([.library, .export, .location])

    /// Notes what is decided now; `person` is an operator's connection.
    init(of principal: Principal, person: any Cluster) async throws {
        self.person = person
        self.principal = principal
        var kept: [PermissionState] = []
        for state in try await Self.decisions(about: principal, person) {
            if try await Self.isToBeKept(state, person) { kept.append(state) }
        }
        before = kept
    }

    /// The demo is about to have something decided about this.
    func touch(_ resource: Resource) { touched.withLock { _ = $0.insert(resource) } }

    /// Brings back what was decided, and forgets what was decided since; a task that is cancelled does so too.
    ///
    /// - Throws: `ErrorReply` when the coordinator stays away.
    func restore() async throws {
        // A task of its own, because Ctrl-C has cancelled the one that calls; it is awaited at once.
        try await Task { [self] in
            let end = BootInstant.now() + Self.patience
            while true {
                do {
                    return try await restoreOnce()
                } catch let error as ErrorReply {
                    guard BootInstant.now() < end else { throw error }
                    try await Task.sleep(for: .milliseconds(250), clock: BootClock())
                }
            }
        }.value
    }

    // MARK: Inside

    /// Decisions about the same resource and label, which are forgotten and made again together.
    private struct Place: Hashable {
        var resource: Resource
        /// Nil means every label.
        var label: String?
    }

    private func restoreOnce() async throws {
        let now = try await Self.decisions(about: principal, person)
        let touched = touched.withLock { $0 }
        let changed = Set(now).symmetricDifference(before).filter { touched.contains($0.resource) }
        var places = Set(changed.map { Place(resource: $0.resource, label: $0.label) })
        for place in places where place.label == nil {
            places = places.filter { $0.resource != place.resource || $0.label == nil }
        }
        for place in places {
            var change = PermissionChange(principal: principal, resource: place.resource)
            change.label = place.label
            _ = try await person.call(ResetPermission(change: change))
            for state in before
            where state.resource == place.resource && (place.label == nil || place.label == state.label) {
                try await decide(state)
            }
        }
    }

    private func decide(_ state: PermissionState) async throws {
        var change = PermissionChange(
            principal: principal,
            resource: state.resource,
            access: state.access,
            lifespan: state.lifespan
        )
        change.label = state.label
        do {
            if state.status == .denied {
                _ = try await person.call(DenyPermission(change: change))
            } else {
                _ = try await person.call(GrantPermission(change: change))
            }
        } catch let error as ErrorReply where error.code == .invalidArgument && state.until != nil {
            // Its time has come meanwhile: it is over, as it would be without the demo.
        }
    }

    /// The decisions in their order, without what changes with every step.
    private static func decisions(about principal: Principal, _ person: any Cluster) async throws -> [PermissionState] {
        try await person.call(ListPermissions(principal: principal)).permissions.compactMap { state in
            // What the policy allows was not decided, and can not be.
            guard state.cause != "policy" else { return nil }
            var state = state
            state.generation = nil
            return state
        }
    }

    /// Whether a decision can be brought back: a `once` grant that is used up already can not.
    private static func isToBeKept(_ state: PermissionState, _ person: any Cluster) async throws -> Bool {
        guard state.lifespan == .once else { return true }
        guard !state.resource.isPattern else { return false }
        let question = PermissionStatus(
            needs: [Need(state.resource, state.access)],
            principal: state.principal,
            label: state.label
        )
        return try await person.call(question).permissions.first?.grant == state.grant
    }
}
