package import Files

/// Runs the body with the path of a new directory, and removes the directory afterwards, whatever happens.
package func withTemporaryDirectory<Result>(
    _ body: (_ path: String, _ directory: borrowing Directory) throws -> Result
) throws -> Result {
    let place = try TemporaryDirectory(prefix: "obscura-test")
    let directory = try place.open()
    return try body(place.path, directory)
}

/// Runs the body with the path of a new directory, and removes the directory afterwards, whatever happens.
package func withTemporaryDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ path: String) async throws -> Result
) async throws -> Result {
    let place = try TemporaryDirectory(prefix: "obscura-test")
    let path = place.path
    let result = try await body(path)
    _ = consume place
    return result
}
