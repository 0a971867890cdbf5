package import MessageSchema

/// A microphone that can be opened: the seam between capture and everything that gives sound.
///
/// Conformers: `AlsaMicrophone`, `PatternMicrophone`, and the scripted ones of the tests. A device is used by one recording
/// at a time, which never has two blocks in flight; `close` may be asked for meanwhile.
package protocol SoundDevice: Actor {
    /// What the microphone is; known before it is opened.
    nonisolated var microphone: Microphone { get }

    /// Opens the microphone and starts it.
    ///
    /// - Returns: What it really gives.
    func open(_ wanted: WantedSound) async throws(SoundError) -> SoundFormat

    /// Waits for the next block.
    ///
    /// Sound that was lost shows as a block whose time is later than the end of the one before.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled, and no sound is lost by it, and for a microphone that is not
    ///   open, because whoever closes it may do so between two blocks; `removed`, `stalled`, `fault`: then the microphone
    ///   has to be closed.
    func nextBlock() async throws(SoundError) -> SoundBlock

    /// Stops the microphone and lets go of it; does nothing when it is closed. Ends a `nextBlock` that waits.
    func close() async
}
