/// Every command, in the order of the overview.
package enum CommandCatalogue {
    /// All commands of `obscura`.
    package static let all: [any Command] = []
}
