import Containers
import DecoderService
import Foundation
import Imaging
import Media
import MessageSchema
import Redaction
import TestSupport
import Testing

/// Real files from many makers, against exiftool and ffmpeg.
@Suite(.enabled(if: Corpus.isThere && Tool.isInstalled("ffmpeg")), .timeLimit(.minutes(5)))
struct `Real files without metadata` {
    /// What of the corpus is worked on, by the file's name; what is not has its reason.
    private func cleaned(_ profile: PrivacyProfile) throws -> (done: [Cleaned], refused: [String: RedactionError]) {
        var done: [Cleaned] = []
        var refused: [String: RedactionError] = [:]
        for name in Corpus.names {
            let bytes = try Corpus.bytes(name)
            do {
                done.append(try Cleaned(name, bytes, profile))
            } catch let error as RedactionError {
                refused[name] = error
            }
        }
        return (done, refused)
    }

    @Test(arguments: [PrivacyProfile.location, .all])
    func `say nothing of what the profile takes out, or are refused`(profile: PrivacyProfile) throws {
        let (done, refused) = try cleaned(profile)
        let before = try Tool.tags(of: done.map { ($0.name, $0.original) })
        #expect(before.values.count { !$0.places.isEmpty } > 5)
        #expect(before.values.count { !$0.traces.isEmpty } > 30)
        let tags = try Tool.tags(of: done.map { ($0.name, $0.bytes) })
        #expect(done.count >= 49, "refused: \(refused)")
        for file in done {
            let found = try #require(tags[file.name], "\(file.name)")
            #expect(found.places.isEmpty, "\(file.name): \(found.places)")
            if profile == .all { #expect(found.traces.isEmpty, "\(file.name): \(found.traces)") }
        }
        for (name, error) in refused {
            #expect([.unsupportedType, .damaged, .unknownPart].contains(error.code), "\(name): \(error)")
        }
    }

    @Test func `hold no place that the decoder would suspect`() throws {
        for file in try cleaned(.location).done {
            let bytes = RandomAccessBytes(file.bytes)
            let type = FileType(recognising: bytes)
            // Raw pictures and GIF are suspected whatever is in them.
            if type.isRaw || type == .gif { continue }
            let report = Inspector(headersOnly: true).inspect(bytes)
            #expect(report.mayHoldPlace == false, "\(file.name)")
        }
    }

    @Test func `decode to the same pictures and sound`() throws {
        var decoded = 0
        for file in try cleaned(.all).done {
            if FileType(recognising: RandomAccessBytes(file.original)) == .jpeg {
                // What TurboJPEG refuses before it refuses after.
                let before = try? JPEGDecoder().decode(file.original)
                let after = try? JPEGDecoder().decode(file.bytes)
                #expect(before?.bytes == after?.bytes, "\(file.name)")
                if before != nil { decoded += 1 }
                continue
            }
            let name = "a." + (file.name.split(separator: ".").last ?? "")
            let before = try Tool.frames(name, file.original)
            #expect(try Tool.frames(name, file.bytes) == before, "\(file.name)")
            if before != nil { decoded += 1 }
        }
        // The others of the corpus are cut down to their metadata.
        #expect(decoded > 20)
    }

    @Test(arguments: [PrivacyProfile.location, .all])
    func `are the same when they are cleaned again`(profile: PrivacyProfile) throws {
        for file in try cleaned(profile).done {
            let again = try Cleaned(file.name, file.bytes, profile)
            #expect(again.bytes == file.bytes, "\(file.name)")
        }
    }
}
