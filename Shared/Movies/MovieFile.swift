/// The file a movie is written to, as far as the writer needs one.
///
/// Calls block until the disk has answered. Conformers: `DescriptorMovieFile`, and files in memory that fail on demand.
package protocol MovieFile: ~Copyable {
    /// Writes the parts one after the other at `offset`, all of them or throws; what was written then is unknown.
    mutating func write(_ parts: [[UInt8]], at offset: Int64) throws(MovieError)

    /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(MovieError) -> [UInt8]

    /// Makes the data durable, as fdatasync(2) does.
    mutating func synchroniseData() throws(MovieError)

    /// Makes data and metadata durable, as fsync(2) does.
    mutating func synchronise() throws(MovieError)

    /// Cuts or extends the file to this many bytes.
    mutating func truncate(to byteCount: Int64) throws(MovieError)

    /// How many bytes the file has.
    func byteCount() throws(MovieError) -> Int64

    /// Tells, before more is written, how many bytes the movie's end will have at most: they have to find room, too.
    mutating func keepRoom(forEnd byteCount: Int64)

    /// The movie ends: what was kept free for that may be used.
    mutating func useReserve()
}

extension MovieFile where Self: ~Copyable {
    /// Nothing is kept free.
    package mutating func keepRoom(forEnd byteCount: Int64) {}

    /// Nothing was kept free.
    package mutating func useReserve() {}
}
