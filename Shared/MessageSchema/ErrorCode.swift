/// The stable word of an error.
package enum ErrorCode: String, Hashable, Sendable, Codable, CaseIterable {
    // The wire.
    case badMessage, unknownRequest, tooLarge, tooManyRequests, deadlineExceeded, cancelled, holderSilent, eventsLost
    case idempotencyConflict, roleRequired, operatorRequired, unprovenIdentity, shuttingDown, internalFault
    case serviceUnavailable, serverSilent, notYetAvailable, invalidArgument
    // Consent.
    case accessDenied, accessRestricted, dismissed, revoked, noLease
    // Cameras.
    case cameraAbsent, cameraBusy, cameraDenied, inUse, removed, disabled, noBandwidth, noSignal, stalled, cameraFault
    case unknownRecording, notHeld
    // Microphones.
    case microphoneAbsent, microphoneDenied, microphoneFault
    // The library.
    case unknown, writeFailed, writeBusy, invalidData, incompatibleData, invalidEncoding, diskFull, dataUnavailable
    case noSuchAsset, noSuchGroup, invalidURL, imageUnavailable, changeTokenExpired, damaged
    // Export.
    case noSuchJob, destinationRefused, destinationExists, exportFailed
    // Files and configuration.
    case noSuchFile, notAFile, unreadable, cannotCreate, inputOutput, databaseTooNew, alreadyRunning, usage
}
