import Consent
import Hashing
import Receipts
import TestSupport
import Testing

private let key = SigningKey.random()

/// A log as a coordinator writes it: entries, and checkpoints behind some of them.
private struct Log {
    var entries: [ChainedEntry] = []
    var checkpoints: [SignedCheckpoint] = []

    /// So many entries, with a checkpoint behind each one that ends a segment.
    init(_ count: Int, segments ends: [UInt64], key: SigningKey = key) {
        var chain = AuditChain()
        for number in 1...count {
            var draft = AuditEntryDraft(
                number == 1 ? .coordinatorStarted : .decisionDenied,
                at: Moment(milliseconds: 1_796_000_000_000 + Int64(number))
            )
            draft.principal = .user(UInt32(number))
            draft.needs = [Need(.camera("a\u{2d}\(number)")), Need(.library, .read)]
            draft.by = .user(0)
            draft.decisions = [DecisionID(generation: UInt64(number))]
            entries.append(chain.append(draft))
            if ends.contains(UInt64(number)) { seal(chain, key) }
        }
    }

    private mutating func seal(_ chain: AuditChain, _ key: SigningKey) {
        let checkpoint = AuditCheckpoint(
            segment: AuditNumber(UInt64(checkpoints.count + 1)),
            sequence: chain.count,
            hash: chain.hash.description,
            time: Moment(milliseconds: 1_797_000_000_000)
        )
        checkpoints.append(SignedCheckpoint(checkpoint, signedWith: key))
    }

    func lines() throws -> [[UInt8]] {
        var lines = [AuditExport.head(key.publicKey)]
        for entry in entries {
            lines.append(try AuditExport.line(entry))
            for checkpoint in checkpoints where checkpoint.checkpoint.sequence == entry.entry.sequence {
                lines.append(try AuditExport.line(checkpoint))
            }
        }
        return lines
    }

    /// Chains everything anew, as somebody does who has changed an entry and knows how hashes are made.
    mutating func hashAnew() {
        var chain = AuditChain()
        entries = entries.map { old in
            var draft = AuditEntryDraft(old.entry.kind, at: old.entry.time)
            draft.principal = old.entry.principal
            draft.needs = old.entry.needs ?? []
            draft.by = old.entry.by
            draft.decisions = old.entry.decisions ?? []
            return chain.append(draft)
        }
    }
}

private func check(
    _ lines: [[UInt8]],
    expecting expected: VerifyingKey? = key.publicKey,
    against earlier: AuditCheckpoint? = nil
) throws(AuditFault) -> AuditProof {
    var reader = AuditExportReader(expecting: expected, against: earlier)
    for line in lines { try reader.take(line) }
    return try reader.finish()
}

private func fault(
    _ lines: [[UInt8]],
    expecting expected: VerifyingKey? = key.publicKey,
    against earlier: AuditCheckpoint? = nil
) -> AuditFault? {
    do throws(AuditFault) {
        _ = try check(lines, expecting: expected, against: earlier)
        return nil
    } catch {
        return error
    }
}

private func number(_ value: UInt64) -> AuditNumber { AuditNumber(value) }

@Suite(.timeLimit(.minutes(1)))
struct `The audit log` {
    private let log = Log(7, segments: [3, 7])

    @Test func `proves everything up to its last checkpoint`() throws {
        let proof = try check(try log.lines())
        #expect(proof.entries == number(7) && proof.key == key.publicKey && proof.earlier == nil)
        #expect(proof.checkpoint == log.checkpoints.last?.checkpoint)
        #expect(try check(try log.lines(), expecting: nil) == proof)
    }

    @Test func `has entries of texts alone, and no more than ids`() throws {
        let entry = try #require(log.entries.last?.entry)
        let form = String(decoding: AuditChain.canonicalForm(of: entry), as: UTF8.self)
        let expected = """
            {"by":"uid:0","decisions":["d7"],"kind":"decision.denied","needs":[{"access":"use","resource":"camera/a-7"},\
            {"access":"read","resource":"library"}],"principal":"uid:7","sequence":"7","time":"2026-11-30T00:53:20.007Z"}
            """
        #expect(form == expected)
        let first = AuditChain.canonicalForm(of: log.entries[0].entry)
        let hash = SHA256Digest(hashing: Array(repeating: 0, count: 32) + first)
        #expect(log.entries[0].hash == hash.description)
    }

    @Test func `no byte of an exported file can be another one`() throws {
        let lines = try log.lines()
        var file = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
        var found = 0
        for index in file.indices {
            for bit in [UInt8(1), 0x20] {
                file[index] ^= bit
                let changed = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
                    Array.init
                )
                if fault(changed) != nil {
                    found += 1
                } else {
                    Issue.record("byte \(index), bit \(bit) was changed")
                }
                file[index] ^= bit
            }
        }
        #expect(found == file.count * 2)
    }

    @Test func `names the first entry that is missing, doubled or out of order`() throws {
        let lines = try log.lines()
        // The head, three entries, a checkpoint, four entries, a checkpoint.
        var dropped = lines
        dropped.remove(at: 6)
        #expect(fault(dropped) == .notTheNext(expected: number(5), found: number(6)))
        var swapped = lines
        swapped.swapAt(6, 7)
        #expect(fault(swapped) == .notTheNext(expected: number(5), found: number(6)))
        var doubled = lines
        doubled.insert(lines[6], at: 7)
        #expect(fault(doubled) == .notTheNext(expected: number(6), found: number(5)))
        var headless = lines
        headless.removeFirst()
        #expect(fault(headless) != nil)
    }

    @Test func `is not cut off, but for what no checkpoint knows`() throws {
        let lines = try log.lines()
        for count in lines.indices {
            let left = Array(lines.prefix(count))
            let found = fault(left)
            // What ends with a checkpoint is a whole log of an earlier day.
            #expect((found == nil) == (count == 5), "\(count) lines: \(String(describing: found))")
            let known = fault(left, against: log.checkpoints.last?.checkpoint)
            #expect(known != nil, "\(count) lines")
        }
        let earlier = log.checkpoints[1].checkpoint
        let cut = fault(Array(lines.prefix(5)), against: earlier)
        #expect(cut == .cutOff(after: number(3), known: number(7)))
        // The last entry is gone, and its checkpoint is still there.
        var shortened = lines
        shortened.remove(at: 8)
        #expect(fault(shortened) == .cutOff(after: number(6), known: number(7)))
    }

    @Test func `what is added behind the last checkpoint is not proven`() throws {
        let longer = Log(9, segments: [3, 7])
        #expect(fault(try longer.lines()) == .unsealed(after: number(9)))
        var verifier = AuditVerifier(key: key.publicKey)
        for entry in longer.entries {
            try verifier.take(entry)
            for checkpoint in longer.checkpoints where checkpoint.checkpoint.sequence == entry.entry.sequence {
                try verifier.take(checkpoint)
            }
        }
        let proof = try verifier.finish(isSealed: false)
        #expect(proof.entries == number(9) && proof.checkpoint?.sequence == number(7))
    }

    @Test func `hashing anew what was changed does not help without the key`() throws {
        var forged = log
        let old = forged.entries[4].entry
        var draft = AuditEntryDraft(.decisionAllowed, at: old.time)
        draft.principal = old.principal
        draft.needs = old.needs ?? []
        forged.entries[4].entry = AuditEntry(draft, sequence: old.sequence)
        #expect(fault(try forged.lines()) == .changed(number(5)))
        forged.hashAnew()
        let rewritten = AuditFault.rewritten(from: number(4), through: number(7))
        #expect(fault(try forged.lines()) == rewritten)
        // With a key of one's own it is another log.
        let mine = SigningKey.random()
        let other = Log(7, segments: [3, 7], key: mine)
        let foreign = fault(try other.lines())
        #expect(foreign == .otherKey(segment: number(1), mine.publicKey))
    }

    @Test func `the holder of the key can write another log, and an export made before shows it`() throws {
        let exported = try check(try Log(5, segments: [5]).lines()).checkpoint
        let honest = Log(7, segments: [5, 7])
        #expect(try check(try honest.lines(), against: exported).earlier == exported)
        var other = honest
        let first = other.entries[1].entry
        var draft = AuditEntryDraft(.decisionAllowed, at: first.time)
        draft.principal = first.principal
        other.entries[1].entry = AuditEntry(draft, sequence: first.sequence)
        other.hashAnew()
        other.checkpoints = other.checkpoints.map { signed in
            var checkpoint = signed.checkpoint
            checkpoint.hash = other.entries[Int(checkpoint.sequence.value) - 1].hash
            return SignedCheckpoint(checkpoint, signedWith: key)
        }
        #expect(try check(try other.lines()).entries == number(7))
        let found = fault(try other.lines(), against: exported)
        #expect(found == .differs(through: number(5)))
    }

    @Test func `a checkpoint is where it was put, and as it was signed`() throws {
        let lines = try log.lines()
        var moved = lines
        moved.swapAt(4, 5)
        #expect(fault(moved) == .misplaced(segment: number(1)))
        var left = lines
        left.remove(at: 4)
        #expect(fault(left) == .misplaced(segment: number(2)))
        var changed = log
        changed.checkpoints[0].checkpoint.time = Moment(milliseconds: 0)
        #expect(fault(try changed.lines()) == .wrongSignature(segment: number(1)))
        let stranger = SigningKey.random().publicKey
        let other = fault(lines, expecting: stranger)
        #expect(other == .otherKey(segment: number(0), key.publicKey))
        #expect(fault([]) == .malformed("it is empty"))
    }

    @Test func `is filtered by who, what and when`() {
        let entry = log.entries[2].entry
        let time = entry.time
        let later = Moment(milliseconds: time.milliseconds + 1)
        let taken = [
            AuditFilter(), AuditFilter(since: time, until: later), AuditFilter(principal: .user(3)),
            AuditFilter(principal: .user(0)), AuditFilter(resource: .camera("a-3")),
            AuditFilter(resource: .camera("*")), AuditFilter(kind: .decisionDenied),
        ]
        for filter in taken { #expect(filter.takes(entry), "\(filter)") }
        let left = [
            AuditFilter(since: later), AuditFilter(until: time), AuditFilter(principal: .user(4)),
            AuditFilter(resource: .camera("a-4")), AuditFilter(kind: .decisionAllowed),
        ]
        for filter in left { #expect(!filter.takes(entry), "\(filter)") }
    }
}
