/// What is said of an error where its maker said no more, so that none comes without a reason and something to do.
extension ErrorCode {
    /// Why such an error happens.
    package var usualReason: String { words.reason }

    /// What helps against such an error.
    package var usualRecovery: String { words.recovery }

    private var words: (reason: String, recovery: String) {
        switch self {
        case .badMessage, .unknownRequest, .tooLarge, .tooManyRequests, .deadlineExceeded, .cancelled, .holderSilent,
            .eventsLost, .idempotencyConflict, .roleRequired, .operatorRequired, .unprovenIdentity, .shuttingDown,
            .internalFault, .serviceUnavailable, .serverSilent, .notYetAvailable, .invalidArgument:
            wireWords
        case .accessDenied, .accessRestricted, .dismissed, .revoked, .noLease: consentWords
        case .cameraAbsent, .cameraBusy, .cameraDenied, .inUse, .removed, .disabled, .noBandwidth, .noSignal, .stalled,
            .cameraFault, .unknownRecording, .notHeld:
            cameraWords
        case .microphoneAbsent, .microphoneDenied, .microphoneFault: microphoneWords
        case .unknown, .writeFailed, .writeBusy, .invalidData, .incompatibleData, .invalidEncoding, .diskFull,
            .dataUnavailable, .noSuchAsset, .noSuchGroup, .invalidURL, .imageUnavailable, .changeTokenExpired, .damaged:
            libraryWords
        case .noSuchJob, .destinationRefused, .destinationExists, .exportFailed: exportWords
        case .noSuchFile, .notAFile, .unreadable, .cannotCreate, .inputOutput, .databaseTooNew, .alreadyRunning, .usage:
            fileWords
        }
    }

    private var wireWords: (reason: String, recovery: String) {
        switch self {
        case .badMessage:
            ("The message broke a rule of the wire.", "Write messages as `obscura schema` and Wire.md describe them.")
        case .unknownRequest:
            ("This service does not answer to that name.", "`obscura schema` lists every request and who answers it.")
        case .tooLarge: ("A part of the message is larger than the wire allows.", "Send less, or send it in parts.")
        case .tooManyRequests:
            ("A limit of open exchanges is reached.", "Wait for answers before asking more.")
        case .deadlineExceeded: ("The time that was given for it is over.", "Try again with more time.")
        case .cancelled: ("Whoever asked wanted it no longer, or went away.", "Ask again if it is wanted after all.")
        case .holderSilent:
            ("Nothing was heard of the client while it held this open.", "Send credit or ping at least each second.")
        case .eventsLost: ("What was missed can not be sent any more.", "Begin anew with a whole snapshot.")
        case .idempotencyConflict:
            ("A key stands for one request, and this is another.", "Use a new key for a new request.")
        case .roleRequired:
            (
                "The caller proved no role, or not the one that may do this.",
                "Use the request that programs are meant to send."
            )
        case .operatorRequired:
            (
                "The caller is not an operator of this cluster.",
                "Ask an operator, or have root name one in the policy file."
            )
        case .unprovenIdentity:
            ("Who opened the connection can not be proven.", "Connect anew; the service's log says why it was refused.")
        case .shuttingDown: ("The service was told to end.", "Try again when it has started anew.")
        case .internalFault:
            (
                "Something happened that its authors did not expect.",
                "The service's log says more; report it if it stays."
            )
        case .serviceUnavailable:
            (
                "Nobody answers at the service's socket.",
                "Start the cluster with `obscura up`, or look at `obscura status`."
            )
        case .serverSilent:
            (
                "Nothing was heard of the service for some seconds.",
                "Try again; `obscura status` says how the service is."
            )
        case .notYetAvailable: ("This release can not do it.", "Do without it, or wait for a later release.")
        default: ("An argument has a value that it can not have.", "Change it; `obscura schema` says what it can be.")
        }
    }

    private var consentWords: (reason: String, recovery: String) {
        switch self {
        case .accessDenied:
            ("The person has denied it.", "An operator can change that: `obscura permissions list`, then `… reset`.")
        case .accessRestricted:
            ("The policy of this machine forbids it.", "Ask whoever administers this machine to change its policy.")
        case .dismissed:
            (
                "Nobody has decided about it.",
                "Ask again later, or have an operator decide with `obscura permissions grant`."
            )
        case .revoked:
            (
                "The permission was taken back.",
                "An operator can change that: `obscura permissions list`, then `… reset`."
            )
        default:
            ("The coordinator has not been heard for some seconds.", "Try again; `obscura status` shows how it is.")
        }
    }

    private var cameraWords: (reason: String, recovery: String) {
        switch self {
        case .cameraAbsent, .removed:
            ("The camera is not connected.", "Connect it; `obscura cameras list` shows which are there.")
        case .cameraBusy, .inUse: ("Somebody else uses the camera.", "Try again when it is free.")
        case .cameraDenied:
            ("The services may not open the camera's node.", "`obscura doctor` says what is missing.")
        case .disabled: ("The camera is switched off.", "Switch it on.")
        case .noBandwidth:
            ("The bus has no room for the camera's pictures.", "Use another port, or a smaller picture.")
        case .noSignal: ("The camera gets no picture.", "Look at its cable and its source.")
        case .stalled: ("The camera has stopped to send pictures.", "Try again; unplug it and plug it in if it stays.")
        case .notHeld: ("The program does not use the camera.", "Begin a preview or a film with it first.")
        case .unknownRecording: ("It has ended, or there never was one of that name.", "Start another one.")
        default: ("The camera or its driver failed.", "Try again; `obscura cameras report` collects what is known.")
        }
    }

    private var microphoneWords: (reason: String, recovery: String) {
        switch self {
        case .microphoneAbsent:
            ("The microphone is not connected.", "Connect it; `obscura microphones list` shows which are there.")
        case .microphoneDenied:
            ("The services may not open the sound card.", "Let the services' user into the group audio.")
        default: ("The microphone or its driver failed.", "Try again, or film without sound.")
        }
    }

    private var libraryWords: (reason: String, recovery: String) {
        switch self {
        case .writeFailed: ("It can not be changed, or the disk failed.", "The library's log says more.")
        case .writeBusy: ("The writing resources are busy.", "Try to write again.")
        case .invalidData, .incompatibleData, .invalidEncoding:
            ("The data can not be viewed or played.", "Try with different data.")
        case .diskFull: ("The file system has no room.", "Free some space on it and try again.")
        case .dataUnavailable: ("The data can not be had now.", "Look at the error's cause.")
        case .noSuchAsset: ("It was deleted, or there never was one.", "`obscura library list` shows what is there.")
        case .noSuchGroup: ("It was deleted, or there never was one.", "`obscura library groups` shows what is there.")
        case .invalidURL:
            ("It is no URL of an asset or a group.", "Use one as the library gave it: assets-library://asset/….")
        case .imageUnavailable: ("No picture can be made of it.", "Read its original bytes instead.")
        case .changeTokenExpired:
            ("Changes are kept for a while only.", "List everything, and go on from the new token.")
        case .damaged:
            ("The bytes are not those that were stored.", "Restore them from a copy; `obscura library verify`.")
        default: ("The cause is not known.", "The service's log says more.")
        }
    }

    private var exportWords: (reason: String, recovery: String) {
        switch self {
        case .noSuchJob: ("It has ended long ago, or there never was one.", "`obscura export status` lists the jobs.")
        case .destinationRefused:
            ("The destination is not one that exports may go to.", "Choose another one, or change the policy.")
        case .destinationExists:
            ("Something else is there already.", "Choose another destination, or update it with --update.")
        default: ("Not everything could be written.", "Start the export again: it copies only what is missing.")
        }
    }

    private var fileWords: (reason: String, recovery: String) {
        switch self {
        case .noSuchFile: ("Nothing has that name.", "Look at the path.")
        case .notAFile: ("It is something else than a file.", "Name a file.")
        case .unreadable: ("This user may not read it.", "Give this user the right to read it.")
        case .cannotCreate:
            ("The file system did not allow it.", "Choose another place, or change who may write there.")
        case .inputOutput: ("The disk or the network failed.", "Look at the machine's log, and try again.")
        case .databaseTooNew: ("A newer release has written it.", "Use that release, or restore a backup.")
        case .alreadyRunning: ("Another process has its place.", "Use that one, or end it.")
        default: ("The command line is not understood.", "Try it with --help.")
        }
    }
}
