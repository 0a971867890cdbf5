import Bags
import Consent
import Containers
import DecoderService
import Imaging
import Media
import MessageSchema
import Movies
import Redaction

import struct FoundationEssentials.Data
import class FoundationEssentials.JSONDecoder

@testable private import HotPlug
@testable private import Messaging

/// What is given hostile bytes.
enum FuzzTarget: String, CaseIterable {
    /// Type, size, dates and place of any picture.
    case pictures
    /// The boxes of a film.
    case movies
    /// The units of an H.264 stream.
    case annexB
    /// The items of HEIC, HEIF and AVIF.
    case stills
    /// Mending, decoding and re-labelling a JPEG.
    case jpeg
    /// Pictures and films without their metadata.
    case redaction
    /// The header of a message.
    case header
    /// Bodies of requests.
    case body
    /// URLs, principals, resources, lifespans.
    case words
    /// A name template, and after a line end the name of a file.
    case names
    /// What the kernel and udev say of devices, and inotify's records.
    case devices

    /// Feeds the bytes; whatever comes back is fine, as long as it comes back.
    func feed(_ bytes: [UInt8]) {
        let input = RandomAccessBytes(bytes)
        switch self {
        case .pictures:
            let type = FileType(recognising: input)
            _ = PictureReader.read(input, type: type)
            _ = EXIFReader.read(input)
        case .movies:
            _ = MovieReader.read(input)
            // What is no film that can be replayed is refused.
            _ = try? MovieSamples(input)
        case .annexB:
            feedStream(bytes)
        case .stills:
            guard let reader = HEIFReader(input) else { return }
            _ = (reader.metadata, reader.isCutShort)
        case .jpeg:
            feedJPEG(bytes)
        case .redaction:
            feedRedaction(input)
        case .header:
            guard let header = try? HeaderCodec.decode(bytes) else { return }
            precondition((try? HeaderCodec.decode(HeaderCodec.encode(header))) == header, "a header reads back")
        case .body:
            feedBody(bytes)
        case .words:
            feedWords(String(decoding: bytes, as: UTF8.self))
        case .names: feedNames(bytes)
        case .devices:
            if let event = DeviceEvent(message: bytes) {
                precondition(event.path.hasPrefix("/") && !event.subsystem.isEmpty, "an event names a device")
            }
            precondition(FolderChange.all(in: bytes).count <= bytes.count / 16, "a record has its bytes")
        }
    }

    private func feedBody(_ bytes: [UInt8]) {
        // Deeper JSON is refused before a decoder sees it.
        guard unsafe bytes.withUnsafeBytes({ unsafe JSONDepth.isWithin(Limits.jsonDepth, $0) }) else { return }
        let data = Data(bytes)
        let decoder = JSONDecoder()
        _ = try? decoder.decode(ListAssets.self, from: data)
        _ = try? decoder.decode(SaveAsset.self, from: data)
        _ = try? decoder.decode(TakePhoto.self, from: data)
        _ = try? decoder.decode(GrantPermission.self, from: data)
        _ = try? decoder.decode(StartExport.self, from: data)
    }

    private func feedRedaction(_ input: RandomAccessBytes) {
        let type = FileType(recognising: input)
        for profile: PrivacyProfile in [.location, .all] {
            // What is refused is not handed out.
            guard let made = try? Redactor.redaction(of: input, type: type, profile: profile) else { continue }
            let count = Int(made.byteCount)
            precondition(made.bytes(at: 0, count: count, from: input).count == count, "all pieces are there")
            let read = Redaction(encoded: made.encoded, ofSourceWith: input.count)
            precondition(read?.byteCount == made.byteCount, "a redaction reads back")
        }
    }

    private func feedJPEG(_ bytes: [UInt8]) {
        // What is refused is not looked at: only crashes, hangs and memory count here.
        _ = try? JPEGSegments(bytes)
        _ = try? JPEGRepair.repaired(bytes)
        guard let decoder = try? JPEGDecoder(), let header = try? decoder.header(of: bytes) else { return }
        _ = header
    }

    private func feedStream(_ bytes: [UInt8]) {
        let units = AnnexB.units(of: bytes).map { Array(bytes[$0]) }
        let again = AnnexB.stream(of: units)
        precondition(AnnexB.units(of: again).map { Array(again[$0]) } == units, "units read back")
        guard let unit = H264AccessUnit(annexB: bytes) else { return }
        if let configuration = unit.configuration {
            let read = H264Configuration.read(record: configuration.record)
            precondition(read?.configuration == configuration, "a record reads back")
        }
        guard !unit.sample.isEmpty else { return }
        let stream = H264AccessUnit.annexB(sample: unit.sample, lengthByteCount: 4, preceding: unit.configuration)
        precondition(stream.flatMap { H264AccessUnit(annexB: $0) } == unit, "a sample reads back")
    }

    private func feedNames(_ bytes: [UInt8]) {
        let halves = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let text = halves.first ?? ""
        let name = halves.last ?? ""
        let date = AssetDate(raw: name, local: name)
        // What is refused names no file.
        guard let template = try? NameTemplate(text) else { return }
        let parts = template.parts(
            of: NameTemplate.Subject(
                filename: name,
                kind: .photo,
                id: name,
                date: date,
                cameraMake: name,
                cameraModel: name
            )
        )
        precondition((1...NameTemplate.mostParts).contains(parts.count), "a file has a name, and few folders")
        for part in parts {
            let safe = SafeName(part).text(suffix: "-0a1b2c3d")
            precondition(safe.utf8.count <= SafeName.maximumByteCount && !safe.isEmpty && !safe.hasPrefix("."), safe)
            precondition(!safe.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 }, safe)
        }
    }

    private func feedWords(_ text: String) {
        if let url = AssetURL(text) { precondition(AssetURL(url.description) == url, "an asset URL reads back") }
        if let url = GroupURL(text) { precondition(GroupURL(url.description) == url, "a group URL reads back") }
        if let resource = Resource(text) {
            precondition(Resource(resource.description) == resource, "a resource reads back")
        }
        if let principal = Principal(text) {
            precondition(Principal(principal.description) == principal, "a principal reads back")
        }
        if let lifespan = Lifespan(text) {
            precondition(Lifespan(lifespan.description) == lifespan, "a lifespan reads back")
        }
        _ = WallClock.read(text)
        _ = EscapedText(text)
    }
}
