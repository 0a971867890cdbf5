package import Media

/// What an export does with what tells where and who.
package enum PrivacyProfile: String, Hashable, Sendable, Codable, CaseIterable {
    case none, location, all
}

/// What is exported.
package struct ExportSelection: Hashable, Sendable, Codable {
    /// These assets; those that `query` means when absent.
    package var assets: [AssetURL]?
    package var query: AssetQuery?

    package init(assets: [AssetURL]? = nil, query: AssetQuery? = nil) {
        self.assets = assets
        self.query = query
    }

    func check(_ path: String) throws(ErrorReply) { try query?.check(path + ".query") }
}

/// Where a job is.
package enum ExportState: String, Hashable, Sendable, Codable, CaseIterable {
    case running, paused, done, failed, cancelled
}

/// A file that was not exported, and why.
package struct ExportFailure: Hashable, Sendable, Codable {
    package var url: AssetURL
    package var reason: String

    package init(url: AssetURL, reason: String) {
        self.url = url
        self.reason = reason
    }
}

/// A file of the bag whose bytes had been changed, and that was exported anew in its place.
package struct ExportRepair: Hashable, Sendable, Codable {
    /// The path in the bag.
    package var path: String
    /// Where in the bag the changed bytes are now; no manifest lists them.
    package var kept: String

    package init(path: String, kept: String) {
        self.path = path
        self.kept = kept
    }
}

/// An export job as it stands; at the end, its result.
package struct ExportJob: Hashable, Sendable, Codable {
    package var job: String
    package var state: ExportState
    /// The bag's root.
    package var destination: String
    /// Files and bytes of the plan.
    package var files: Int
    package var bytes: Int64
    package var copied: Int
    package var copiedBytes: Int64
    /// Files that were there already, with the right hash.
    package var skipped: Int
    package var failed: [ExportFailure]
    /// Files whose hash was compared.
    package var verified: Int
    /// Files that had been changed and were renewed.
    package var repaired: [ExportRepair]?
    /// Paths in the bag of changed files that could not be renewed.
    package var damaged: [String]?
    /// Paths in the bag of files of earlier exports that are gone.
    package var missing: [String]?
    /// Paths in the bag of files that no export put there; no manifest lists them.
    package var unlisted: [String]?
    /// Files of the plan that go out without some of their metadata, because of the profile or because the program may not
    /// know their place; absent for none.
    package var redacted: Int?
    /// Why the job failed.
    package var reason: String?
    /// What the job failed with; `reason` is its text.
    package var error: ErrorReply?

    package init(job: String, state: ExportState, destination: String) {
        self.job = job
        self.state = state
        self.destination = destination
        files = 0
        bytes = 0
        copied = 0
        copiedBytes = 0
        skipped = 0
        failed = []
        verified = 0
    }
}

/// Starts a job that the service does below its configured roots; needs `export` use and `library` read.
package struct StartExport: Request {
    package typealias Reply = ExportJob
    package static let name = "export.start"
    package var selection: ExportSelection
    /// A path below a configured root, relative to it.
    package var destination: String
    package var privacy: PrivacyProfile?
    /// A name template, such as `{date:%Y/%m}/{name}`; without one the files have their own names, in one folder.
    package var names: String?

    package init(
        selection: ExportSelection,
        destination: String,
        privacy: PrivacyProfile? = nil,
        names: String? = nil
    ) {
        self.selection = selection
        self.destination = destination
        self.privacy = privacy
        self.names = names
    }

    package func checkParameters() throws(ErrorReply) {
        try selection.check("selection")
        _ = try nameTemplate()
    }

    /// How the files are to be named; nil for their own names.
    ///
    /// - Throws: `invalidArgument`, with the wrong place in the template.
    package func nameTemplate() throws(ErrorReply) -> NameTemplate? {
        guard let names else { return nil }
        do throws(NameTemplate.Fault) {
            return try NameTemplate(names)
        } catch {
            throw .invalidParameter("names", "a name template (\(error))")
        }
    }
}

/// Follows a job to its end.
package struct FollowExport: StreamRequest {
    package typealias Item = ExportJob
    package typealias Summary = ExportJob
    package static let name = "export.follow"
    package var job: String

    package init(job: String) { self.job = job }
}

/// Lists the jobs of the caller; an operator sees all.
package struct ListExports: Request {
    package static let name = "export.status"
    package var job: String?

    package init(job: String? = nil) { self.job = job }

    package struct Reply: Hashable, Sendable, Codable {
        package var jobs: [ExportJob]

        package init(jobs: [ExportJob]) { self.jobs = jobs }
    }
}

/// Pauses, resumes or cancels a job of the caller.
package struct ControlExport: Request {
    package typealias Reply = ExportJob
    package static let name = "export.control"

    package enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        case pause, resume, cancel
    }

    package var action: Action
    package var job: String

    package init(_ action: Action, job: String) {
        self.action = action
        self.job = job
    }
}

/// Gives the bytes of an export to a caller who writes them as its own user; needs `export` use and `library` read.
///
/// Each file begins with an item that has `file`; the attachments of the items after it are its chunks, and the last
/// of them says `last`. The request's attachments are the SHA-256 hashes of what the caller has already, 32 bytes each,
/// one after the other: those files come without chunks. Where `planOnly` is said none has chunks.
package struct StreamExport: StreamRequest {
    package static let name = "export.stream"
    package var selection: ExportSelection
    package var privacy: PrivacyProfile?
    /// Whether the files are only named as they would be sent, and no bytes come.
    package var planOnly: Bool?

    package init(selection: ExportSelection, privacy: PrivacyProfile? = nil, planOnly: Bool? = nil) {
        self.selection = selection
        self.privacy = privacy
        self.planOnly = planOnly
    }

    package func checkParameters() throws(ErrorReply) { try selection.check("selection") }

    package struct File: Hashable, Sendable, Codable {
        package var asset: Asset
        package var sha256: String
        package var bytes: Int64
        /// Whether the caller has it already, so that no chunks follow.
        package var isPresent: Bool

        package init(asset: Asset, sha256: String, bytes: Int64, isPresent: Bool) {
            self.asset = asset
            self.sha256 = sha256
            self.bytes = bytes
            self.isPresent = isPresent
        }
    }

    package struct Item: Hashable, Sendable, Codable {
        package var file: File?
        package var last: Bool?
        /// The file that just began could not be read.
        package var failed: ExportFailure?
        /// In the first item with a `file`: bytes of all the files that the caller does not have.
        package var bytesToCome: Int64?

        package init(file: File? = nil, last: Bool? = nil, failed: ExportFailure? = nil) {
            self.file = file
            self.last = last
            self.failed = failed
        }
    }

    package struct Summary: Hashable, Sendable, Codable {
        package var job: String
        package var files: Int
        package var bytes: Int64

        package init(job: String, files: Int, bytes: Int64) {
            self.job = job
            self.files = files
            self.bytes = bytes
        }
    }
}
