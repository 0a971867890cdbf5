private import Foundation

/// How much of a heavy load a run takes.
package enum TestExtent {
    /// Whether it is the whole load: `OBSCURA_TEST_EXTENT` is `full`, as `deploy/test full` has it.
    package static let isFull = ProcessInfo.processInfo.environment["OBSCURA_TEST_EXTENT"] == "full"

    /// All indices of a whole load; otherwise every so many, and the last one.
    package static func indices(_ range: ClosedRange<Int>, every step: Int) -> [Int] {
        guard !isFull else { return Array(range) }
        return stride(from: range.lowerBound, to: range.upperBound, by: step) + [range.upperBound]
    }
}
