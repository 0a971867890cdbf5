/// An error that may say that a disk, or somebody's share of it, is full.
package protocol DiskFault: Error {
    /// Whether room on the disk would help.
    var isDiskFull: Bool { get }
}

extension FilesError: DiskFault {
    package var isDiskFull: Bool { code == .noSpace }
}
