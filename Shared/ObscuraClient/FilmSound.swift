import MessageSchema

/// The sound of a film, and what became of it.
public struct FilmSound: Hashable, Sendable {
    /// Why there was no more sound before the film ended.
    public enum EndReason: String, Hashable, Sendable, CaseIterable {
        /// The person took the microphone back, and not the camera.
        case revoked
        /// It was unplugged.
        case removed
        /// It gave nothing any more.
        case stalled
        /// It, or the encoder, failed.
        case fault

        init(_ reason: RecordedSound.End.Reason) {
            self =
                switch reason {
                case .revoked: .revoked
                case .removed: .removed
                case .stalled: .stalled
                case .fault: .fault
                }
        }
    }

    /// The end of the sound before that of the film, which is silent from there.
    public struct End: Hashable, Sendable {
        /// Film before it.
        public let time: Duration
        public let reason: EndReason
    }

    /// The identity of the microphone.
    public let microphone: String
    /// Samples a second.
    public let sampleRate: Int
    public let channelCount: Int
    /// How often sound was lost; silence stands for it.
    public let gapCount: Int
    /// How long it is silent for want of sound.
    public let silence: Duration
    /// Nil when there was sound to the end.
    public let end: End?

    init(_ sound: RecordedSound) {
        microphone = sound.microphone
        sampleRate = sound.rate
        channelCount = sound.channels
        gapCount = sound.gaps
        silence = .seconds(sound.silence)
        end = sound.ended.map { End(time: .seconds($0.at), reason: EndReason($0.reason)) }
    }
}
