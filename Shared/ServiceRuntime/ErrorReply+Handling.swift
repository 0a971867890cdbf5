private import Files
package import MessageSchema

extension ErrorReply {
    /// What a program is told of an error that a handler did not give its words; nil for a fault of ours.
    package init?(handling error: any Error) {
        guard let fault = error as? any DiskFault, fault.isDiskFull else { return nil }
        self.init(
            .diskFull,
            "Out of disk space",
            reason: "The disk with the services' data is full.",
            recoverySuggestion: "Free some space there, and try again: `obscura doctor` says how much is left."
        )
    }
}
