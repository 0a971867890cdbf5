/// What the sound of a movie is like.
package struct MovieSound: Hashable, Sendable {
    /// How it is compressed.
    package enum Coding: Hashable, Sendable {
        /// 16-bit little-endian samples as they are.
        case pcm
        /// AAC, in packets of 1024 frames.
        ///
        /// `configuration` is the AudioSpecificConfig of ISO/IEC 14496-3, 1.6.2.1; `priming` is how many frames a decoder
        /// gives before the first one that was recorded.
        case aac(configuration: [UInt8], priming: Int)
    }

    /// The rates that a sample description can name: 16 bits before the point.
    package static let rates = 1_000...65_535
    /// More channels need a layout, which is not written.
    package static let channelCounts = 1...2

    /// Samples a second of each channel.
    package let rate: Int
    package let channels: Int
    package let coding: Coding

    /// Sound of this kind; nil for a rate, or so many channels, that can not be described.
    package init?(rate: Int, channels: Int, coding: Coding) {
        guard Self.rates.contains(rate), Self.channelCounts.contains(channels) else { return nil }
        self.rate = rate
        self.channels = channels
        self.coding = coding
    }

    /// Frames of one sample of the movie: one of PCM, a packet of AAC.
    var framesInSample: UInt32 {
        switch coding {
        case .pcm: 1
        case .aac: 1024
        }
    }

    /// Bytes that every sample has; 0 where they differ.
    var sampleByteCount: UInt32 {
        switch coding {
        case .pcm: UInt32(channels * 2)
        case .aac: 0
        }
    }
}

/// Sound that waits for the fragment it will be in.
struct PendingSound {
    private(set) var bytes: [UInt8] = []
    /// The packets' sizes, where they differ.
    private(set) var sizes: [UInt32] = []
    private let sampleByteCount: UInt32

    init(sampleByteCount: UInt32 = 0) { self.sampleByteCount = sampleByteCount }

    /// How many samples of the movie it is.
    var count: Int { sampleByteCount > 0 ? bytes.count / Int(sampleByteCount) : sizes.count }

    /// Adds a packet, or any number of whole frames of PCM; false for what is neither.
    mutating func add(_ packet: [UInt8]) -> Bool {
        guard !packet.isEmpty, packet.count < 1 << 24 else { return false }
        if sampleByteCount > 0 {
            guard packet.count.isMultiple(of: Int(sampleByteCount)) else { return false }
        } else {
            sizes.append(UInt32(packet.count))
        }
        bytes += packet
        return true
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        sizes.removeAll(keepingCapacity: true)
    }
}
