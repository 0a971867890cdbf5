package import Media

/// Why the library could not do what it was asked.
package struct LibraryError: Error, Hashable, Sendable {
    /// What happened; one wire error for each (`LibraryError+Wire`).
    package enum Code: Hashable, Sendable {
        /// On save: nothing in it.
        case empty
        /// On save: it can not be viewed or played.
        case unusable(reason: String?)
        /// On save: a picture was announced and a film came, or the other way round.
        case otherMediaType(found: AssetKind)
        /// The bytes that came are not those that were announced.
        case otherContent
        /// The disk or the quota is full.
        case diskFull(needed: Int64, available: Int64)
        /// The index was busy for longer than a write waits.
        case writeBusy
        /// The media store could not write.
        case writeFailed(reason: String)
        /// There is no such asset, where one is needed.
        case noSuchAsset
        /// There is no such group, where one is needed.
        case noSuchGroup
        /// Replacing: it is not the caller's, or is not there.
        case notEditable
        /// The changes since a token can not be told.
        case changesExpired(ExpiryReason)
        /// The media store has lost the asset's bytes, or they are not what they were.
        case contentLost(state: AssetState)
        /// The picture can not be rendered.
        case noPicture(reason: String)
        /// It can not be handed out without metadata.
        case notRedacted(reason: String)
        /// An argument can not be understood.
        case invalidArgument(parameter: String, rule: String)
        /// The same idempotency key came with another request.
        case idempotencyConflict
        /// Another library has this media store.
        case alreadyRunning(processID: Int32?)
        /// The marker of the media store is gone or another one: the disk is probably not mounted.
        case storeLost
        /// The library is closing.
        case closing
        /// No worker could be started.
        case noDecoder(reason: String)
    }

    /// Why changes can not be told.
    package enum ExpiryReason: String, Hashable, Sendable {
        /// The token is of another library, or of one that was restored.
        case otherEpoch
        /// Some of the changes are forgotten.
        case tooOld
        /// The library has not come so far: it is an older copy of itself.
        case ahead
    }

    /// What happened.
    package var code: Code

    package init(_ code: Code) {
        self.code = code
    }
}

extension LibraryError: CustomStringConvertible {
    package var description: String {
        switch code {
        case .empty: "there is nothing in it"
        case .unusable(let reason): "it can not be viewed or played" + (reason.map { ": \($0)" } ?? "")
        case .otherMediaType(let found): "it is a \(found.rawValue)"
        case .otherContent: "the bytes are not those that were announced"
        case .diskFull(let needed, let available): "\(needed) bytes are needed and \(available) are free"
        case .writeBusy: "the index is busy"
        case .writeFailed(let reason): "the media store could not write: \(reason)"
        case .noSuchAsset: "there is no such asset"
        case .noSuchGroup: "there is no such group"
        case .notEditable: "it can not be edited by this program"
        case .changesExpired(let reason): "the changes can not be told: \(reason.rawValue)"
        case .contentLost(let state): "the asset's bytes are \(state.rawValue)"
        case .noPicture(let reason): "no picture can be made of it: \(reason)"
        case .notRedacted(let reason): "its metadata can not be taken out: \(reason)"
        case .invalidArgument(let parameter, let rule): "\(parameter) has to be \(rule)"
        case .idempotencyConflict: "the idempotency key was used for another request"
        case .alreadyRunning(let processID):
            "the media store is in use" + (processID.map { " by process \($0)" } ?? "")
        case .storeLost: "the media store's marker is missing; is its disk mounted?"
        case .closing: "the library is closing"
        case .noDecoder(let reason): "no decoder could be started: \(reason)"
        }
    }
}
