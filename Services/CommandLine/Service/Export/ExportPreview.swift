private import Bags
import Consent
private import EventLoop
import Media
import MessageSchema

/// An export that is only planned: the exporter and the bag are asked as by the export itself, and nothing is written.
struct ExportPreview: Sendable {
    let cluster: any Cluster
    let selection: ExportSelection
    let privacy: PrivacyProfile?
    let names: NameTemplate?
    /// An absolute path; below the exporter's folder also a relative one.
    let destination: String
    /// Whether the exporter would write, into a folder that may not be seen from here.
    let isBelowExporter: Bool

    /// Finds out what an export would write.
    ///
    /// - Parameters:
    ///   - rules: How the person may be asked.
    ///   - began: Told when the first item has come, and nobody is waited for any more.
    /// - Returns: The files, with their places.
    /// - Throws: `ErrorReply`, what the export itself would throw before its first file.
    func plan(_ rules: CallRules, began: @escaping @Sendable () -> Void) async throws -> PlannedExport {
        let desk = PreviewDesk(names)
        let profile = privacy ?? PrivacyProfile.none
        let present = isBelowExporter ? [] : try await desk.open(destination, profile)
        let request = StreamExport(selection: selection, privacy: privacy, planOnly: true)
        _ = try await cluster.stream(request, rules.attaching(present)) { item, _ in
            began()
            try await desk.take(item)
        }
        var plan = PlannedExport(destination: destination, isBelowExporter: isBelowExporter)
        plan.files = await desk.files
        plan.failures = await desk.failures
        plan.hidden = profile == .none ? plan.files.filter { $0.asset.privacy != nil }.count : 0
        let location = PermissionStatus(needs: [Need(.location)])
        plan.location = try await cluster.call(location).permissions.first?.status ?? .notDetermined
        return plan
    }
}

/// What an export would write.
struct PlannedExport: Sendable {
    /// A file, and the path in the bag that it would have.
    struct File: Sendable {
        let asset: Asset
        let path: String
        let bytes: Int64
        let isPresent: Bool
    }

    let destination: String
    let isBelowExporter: Bool
    var files: [File] = []
    var failures: [ExportFailure] = []
    /// Files that go out without their place, although nobody asked for that.
    var hidden = 0
    /// Whether files may go out with their location.
    var location = Status.notDetermined

    init(destination: String, isBelowExporter: Bool) {
        self.destination = destination
        self.isBelowExporter = isBelowExporter
    }

    /// As that of the export: 65 when a file can not be exported.
    var status: ProgramStatus { failures.isEmpty ? .success : .badData }

    private var bytes: Int64 { files.reduce(0) { $0 + $1.bytes } }
    private var present: Int { files.filter(\.isPresent).count }

    /// Prints it: a line for each file, then one about all.
    func write(asJSON: Bool, _ terminal: Terminal) {
        guard !asJSON else { return writeJSON(terminal) }
        for file in files {
            let there = file.isPresent ? "  is there already" : ""
            terminal.writeLine("\(file.path)  \(ByteText.of(file.bytes))\(there)")
        }
        for failure in failures { terminal.writeLine("failed  \(failure.url)  \(failure.reason)") }
        let there = present == 0 ? "" : ", of which \(present) there already"
        terminal.writeLine(
            "\(CountText.of(files.count, "file"))\(there), \(ByteText.of(bytes)) would go to \(destination)"
                + (isBelowExporter && !destination.hasPrefix("/") ? " below the exporter's folder" : "")
        )
        guard hidden > 0 else { return }
        terminal.writeLine(
            "\(CountText.of(hidden, "file")) of them would go without the place: location read is \(location.rawValue); "
                + "see 'obscura permissions status --resource location --access read'"
        )
    }

    private func writeJSON(_ terminal: Terminal) {
        for file in files { terminal.writeJSON(StreamLine(.item, Line(file: file))) }
        for failure in failures { terminal.writeJSON(StreamLine(.item, FailedLine(failed: failure))) }
        let result = Result(
            destination: destination,
            files: files.count,
            bytes: bytes,
            present: present,
            failed: failures.count,
            hidden: hidden,
            location: location
        )
        terminal.writeJSON(StreamLine(.result, result))
    }

    private struct Result: Encodable {
        let destination: String
        let files: Int
        let bytes: Int64
        let present: Int
        let failed: Int
        let hidden: Int
        let location: Status
    }

    private struct FailedLine: Encodable {
        let failed: ExportFailure
    }

    /// The fields of the asset as it would go out, flat, and its place in the bag.
    private struct Line: Encodable {
        let file: File

        private enum Key: String, CodingKey {
            case path, present
        }

        func encode(to encoder: any Encoder) throws {
            try file.asset.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(file.path, forKey: .path)
            try container.encode(file.isPresent, forKey: .present)
        }
    }
}

/// Plans a bag on a thread that may wait for the disk.
private actor PreviewDesk {
    private let loop = EventLoop(name: "bag plan")
    private let names: NameTemplate?
    private var plan: BagPlan?
    private var path = ""
    private(set) var files: [PlannedExport.File] = []
    private(set) var failures: [ExportFailure] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(_ names: NameTemplate?) { self.names = names }

    isolated deinit {}

    /// Looks at a folder; without that, files are planned as into an empty one.
    ///
    /// - Returns: The hashes of what it has, as they go along with a request.
    func open(_ path: String, _ profile: PrivacyProfile) throws -> [[UInt8]] {
        self.path = path
        do throws(BagError) {
            let plan = try BagPlan(at: path, profile: profile.rawValue)
            let present = try plan.presentDigests()
            self.plan = consume plan
            return OwnBag.parts(of: present)
        } catch {
            throw ErrorReply(error, path)
        }
    }

    func take(_ item: StreamExport.Item) throws {
        if let failed = item.failed { failures.append(failed) }
        guard let next = item.file else { return }
        let asset = try BagAsset(next, named: names)
        do throws(BagError) {
            if plan == nil { plan = BagPlan() }
            guard let placed = try plan?.place(asset).first else { return }
            files.append(
                PlannedExport.File(
                    asset: next.asset,
                    path: placed.path,
                    bytes: next.bytes,
                    isPresent: placed.isPresent
                )
            )
        } catch {
            throw ErrorReply(error, path)
        }
    }
}
