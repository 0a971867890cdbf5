package import Consent
package import MessageSchema
package import Messaging

/// Follows the decisions in force: a snapshot, then every step; a role alone may.
package struct FollowDecisions: StreamRequest {
    package typealias Item = StateItem<DecisionChange>
    package typealias Summary = Empty
    package static let name = Replica.name

    package init() {}
}
