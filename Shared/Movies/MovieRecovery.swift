private import Media

/// Finishes movies that a crash left unfinished.
package enum MovieRecovery {
    /// What was found and done.
    package enum Outcome: Equatable, Sendable {
        /// The movie had been finished; nothing was changed.
        case complete
        /// The movie is an ordinary one now.
        case recovered(Recovered)
    }

    /// What a recovered movie has, and what it lost.
    package struct Recovered: Equatable, Sendable {
        package let frames: Int
        /// Microseconds.
        package let durationMicroseconds: Int64
        /// Bytes at the end of the file that belonged to no whole frame.
        package let lostByteCount: Int64
        /// Frames that the last fragment still named but whose bytes are not whole.
        ///
        /// Frames that were in memory alone are not known to anybody: at most one fragment's time, a second unless the
        /// writer was told otherwise.
        package let lostFrames: Int
    }

    /// Finishes a movie that `MovieWriter` began: cuts it after the last whole frame and writes its index.
    ///
    /// Frames count as whole when their bytes are there and look like a picture (a JPEG's first and last marker; units of
    /// H.264 whose lengths add up and whose last byte is none of zeros), so that a file whose length reached the disk before
    /// its data did is cut too. Doing it again after a crash in the middle is safe.
    ///
    /// - Throws: `nothingToRecover`: not such a file, or no whole frame; `noSpace`, `inputOutput`.
    package static func recover<File: MovieFile & ~Copyable>(_ file: inout File) throws(MovieError) -> Outcome {
        let length = try file.byteCount()
        guard let type = try box(at: 0, in: file, limit: length), type.name == "ftyp", type.byteCount >= 20,
            type.end <= min(length, MovieLayout.mostTypeByteCount)
        else { throw MovieError(.nothingToRecover) }
        let start = type.end
        if let data = try box(at: start, in: file, limit: length), data.name == "mdat", data.end < length,
            let index = try box(at: data.end, in: file, limit: length), index.name == "moov", index.end == length
        {
            return .complete
        }
        // Whatever the placeholder holds: the write that changes it may have been torn.
        let movieStart = start + MovieLayout.placeholderByteCount
        guard let movie = try box(at: movieStart, in: file, limit: length), movie.name == "moov", movie.end <= length,
            movie.byteCount < 1 << 20,
            let head = MovieHead(
                parsing: try file.read(Int(movie.payloadByteCount), at: movie.payloadStart),
                container: try file.read(4, at: type.payloadStart) == Array("qt  ".utf8) ? .mov : .mp4
            )
        else { throw MovieError(.nothingToRecover) }

        let found = try scan(file, head, from: movie.end, length: length)
        guard found.samples.count > 0 else { throw MovieError(.nothingToRecover) }
        try file.truncate(to: found.end)
        _ = try MovieLayout(placeholderStart: start).finish(
            head: head,
            samples: found.samples,
            sound: found.sound,
            end: found.end,
            file: &file
        )
        return .recovered(
            Recovered(
                frames: found.samples.count,
                durationMicroseconds: Int64(found.samples.duration) * 100 / 9,
                lostByteCount: found.lostByteCount,
                lostFrames: found.lostFrames
            )
        )
    }

    /// By what a frame is known to be whole.
    private enum Wholeness {
        case picture, units
    }

    private struct Found {
        var samples = FrameIndex()
        var sound: SoundIndex?
        var end: Int64
        var lostByteCount: Int64 = 0
        var lostFrames = 0
    }

    private static func scan<File: MovieFile & ~Copyable>(
        _ file: borrowing File,
        _ head: MovieHead,
        from start: Int64,
        length: Int64
    ) throws(MovieError) -> Found {
        let wholeness: Wholeness = head.hasKeys ? .units : .picture
        var found = Found(sound: head.sound?.emptyIndex, end: start)
        var position = start
        while let moof = try box(at: position, in: file, limit: length) {
            // The index of a writer that crashed before its last write; it is written anew.
            if moof.name == "moov" { return found }
            guard moof.name == "moof", moof.end <= length, moof.byteCount < 1 << 20,
                let fragment = MovieFragment(
                    parsing: try file.read(Int(moof.payloadByteCount), at: moof.payloadStart)
                ),
                fragment.start == found.samples.duration,
                let data = try box(at: moof.end, in: file, limit: length), data.name == "mdat"
            else { break }
            var offset = data.payloadStart
            for (index, frame) in fragment.frames.enumerated() {
                let end = offset + Int64(frame.byteCount)
                guard end <= length, try isWhole(offset, end, wholeness, in: file) else {
                    found.lostFrames = fragment.frames.count - index
                    found.lostByteCount = length - found.end
                    return found
                }
                found.samples.add(
                    offset: offset,
                    byteCount: frame.byteCount,
                    duration: frame.duration,
                    isKey: frame.isKey
                )
                found.end = end
                offset = end
            }
            if let sound = fragment.sound, let track = head.sound {
                guard sound.start == found.sound?.duration ?? 0,
                    let end = try addSound(sound, track, from: offset, length: length, in: file, to: &found)
                else { break }
                offset = end
            }
            position = data.end
            guard position == offset else { break }
        }
        found.lostByteCount = length - found.end
        return found
    }

    /// Adds what is there of a fragment's sound.
    ///
    /// - Returns: Where it ends; nil where not all of it is there.
    private static func addSound<File: MovieFile & ~Copyable>(
        _ sound: MovieFragment.Sound,
        _ track: SoundTrack,
        from start: Int64,
        length: Int64,
        in file: borrowing File,
        to found: inout Found
    ) throws(MovieError) -> Int64? {
        var end = start
        var count = 0
        if track.sampleByteCount > 0 {
            guard sound.sizes.isEmpty else { return nil }
            let there = max(0, length - start) / Int64(track.sampleByteCount)
            count = Int(min(there, Int64(sound.count)))
            end += Int64(count) * Int64(track.sampleByteCount)
        } else {
            for size in sound.sizes {
                // The three bits that end a packet of AAC are set, and fewer than eight zeros follow them (ISO/IEC
                // 14496-3, 4.4.2.1, `ID_END` and `byte_alignment`).
                guard size > 0, end + Int64(size) <= length, try file.read(1, at: end + Int64(size) - 1) != [0] else {
                    break
                }
                end += Int64(size)
                count += 1
            }
        }
        found.sound?.add(offset: start, count: count, sizes: sound.sizes.prefix(count))
        found.end = end
        return count == sound.count ? end : nil
    }

    private static func isWhole<File: MovieFile & ~Copyable>(
        _ start: Int64,
        _ end: Int64,
        _ wholeness: Wholeness,
        in file: borrowing File
    ) throws(MovieError) -> Bool {
        guard end - start >= 4 else { return false }
        switch wholeness {
        case .picture:
            let first = try file.read(2, at: start)
            let last = try file.read(2, at: end - 2)
            return first == [0xFF, 0xD8] && last == [0xFF, 0xD9]
        case .units:
            var position = start
            while position < end {
                let head = try file.read(5, at: position)
                guard head.count == 5, H264UnitType.type(head[4]) != nil else { return false }
                position += 4 + head.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
                // A unit's last bit that counts is set (ITU-T H.264, 7.3.2.11).
                guard position <= end, try file.read(1, at: position - 1) != [0] else { return false }
            }
            return true
        }
    }

    private static func box<File: MovieFile & ~Copyable>(
        at offset: Int64,
        in file: borrowing File,
        limit: Int64
    ) throws(MovieError) -> BoxHeader? {
        let bytes = try file.read(BoxHeader.maximumByteCount, at: offset)
        return BoxHeader(bytes[...], start: offset, limit: limit)
    }
}
