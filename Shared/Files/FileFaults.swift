private import Glibc
private import Synchronization

/// Makes the n-th file operation of a task fail: the seam with which tests prove that a store survives every step.
///
/// Bind it with `FileFaults.$current.withValue(…)`. Every call in this module that can fail at the kernel counts as one
/// operation. Outside tests nothing is bound and each call costs one look at a task-local value.
package final class FileFaults: Sendable {
    /// What happens at the chosen operation.
    package enum Effect: Sendable {
        /// That one operation fails with this error number.
        case failOnce(Int32)
        /// That one and all later ones that write or create fail, as on a full disk.
        case failFromThere(Int32)
        /// The process is killed before the operation, as by `kill -9`.
        case kill
        /// Nothing fails; operations are only counted.
        case count
    }

    /// What is bound for the running task.
    @TaskLocal package static var current: FileFaults?

    private let chosen: Int
    private let effect: Effect
    private let names: Mutex<[String]> = Mutex([])

    /// Faults at the operation with that number, counted from 1.
    package init(at operation: Int, _ effect: Effect) {
        chosen = operation
        self.effect = effect
    }

    /// Counts operations and lets all of them pass.
    package convenience init() {
        self.init(at: 0, .count)
    }

    /// The names of the operations so far, in order.
    package var operations: [String] { names.withLock { $0 } }

    /// Whether the chosen operation is reached.
    package var isReached: Bool { operations.count >= chosen }

    /// Fails or kills when it is this operation's turn.
    static func check(_ operation: String, path: String? = nil) throws(FilesError) {
        guard let current else { return }
        if let number = current.errorNumber(for: operation) {
            throw FilesError(errorNumber: number, operation: operation, path: path)
        }
    }

    private static let writers: Set<String> = [
        "write", "create", "rename", "reserve", "truncate", "createDirectory", "copy", "sync", "syncData",
    ]

    private func errorNumber(for operation: String) -> Int32? {
        let number = names.withLock { names in
            names.append(operation)
            return names.count
        }
        switch effect {
        case .failOnce(let error): return number == chosen ? error : nil
        case .failFromThere(let error):
            return number >= chosen && FileFaults.writers.contains(operation) ? error : nil
        case .kill:
            if number == chosen { raise(SIGKILL) }
            return nil
        case .count: return nil
        }
    }
}
