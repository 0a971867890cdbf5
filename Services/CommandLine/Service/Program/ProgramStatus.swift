package import MessageSchema

/// What the process says when it ends; the numbers are those of sysexits.h, and 130 for an interrupt.
package enum ProgramStatus: Int32, Sendable, CaseIterable {
    case success = 0
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case fault = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    case interrupted = 130

    /// The status for an error.
    package init(for error: ErrorReply) {
        // A denied write arrives as the Assets Library had it: "data unavailable", the denial beside it.
        if let cause = error.cause.flatMap(ErrorCode.init(rawValue:)), error.code == .dataUnavailable {
            self.init(for: cause)
        } else if error.code == .invalidArgument, error.cause?.hasPrefix("noSuch") == true {
            // What was named is not there, as an asset or a file that is not.
            self = .noInput
        } else if error.code == .invalidArgument, Self.endedRecords.contains(error.cause ?? "") {
            // The words are right; what they mean is in a state that allows it no more.
            self = .badData
        } else {
            self.init(for: error.code)
        }
    }

    /// Why a consent record can not be changed any more.
    private static let endedRecords: Set = ["refused", "withdrawn"]

    /// The status for the code of an error.
    package init(for code: ErrorCode) {
        self =
            switch code {
            case .usage, .invalidArgument, .invalidURL: .usage
            case .invalidData, .incompatibleData, .invalidEncoding, .imageUnavailable, .damaged, .exportFailed,
                .tooLarge, .databaseTooNew:
                .badData
            case .noSuchAsset, .noSuchGroup, .noSuchJob, .noSuchFile, .notAFile, .unreadable, .unknownRecording:
                .noInput
            case .serviceUnavailable, .serverSilent, .shuttingDown, .notYetAvailable, .unknownRequest, .noLease,
                .cameraAbsent, .microphoneAbsent, .removed, .disabled, .noSignal, .stalled:
                .unavailable
            case .badMessage, .internalFault, .idempotencyConflict, .unknown: .fault
            case .cannotCreate, .destinationRefused, .destinationExists: .cannotCreate
            case .inputOutput, .writeFailed, .diskFull, .cameraFault, .microphoneFault: .inputOutput
            case .tooManyRequests, .deadlineExceeded, .holderSilent, .eventsLost, .dismissed, .cameraBusy, .inUse,
                .notHeld, .noBandwidth, .writeBusy, .dataUnavailable, .changeTokenExpired, .alreadyRunning:
                .tryAgain
            case .accessDenied, .accessRestricted, .revoked, .roleRequired, .operatorRequired, .unprovenIdentity,
                .cameraDenied, .microphoneDenied:
                .notPermitted
            case .cancelled: .interrupted
            }
    }
}
