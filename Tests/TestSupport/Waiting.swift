/// Lets others run; in a loop that waits for them, so that the test's time limit ends it.
///
/// - Throws: `CancellationError` when the test's time is over.
package func turn() async throws {
    try Task.checkCancellation()
    await Task.yield()
}
