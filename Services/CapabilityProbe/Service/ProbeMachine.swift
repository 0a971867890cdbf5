package import Cameras
package import Media
package import MessageSchema

/// What the machine can capture and keep right now, and the answers that follow from it.
///
/// A value: no device, no clock. Predicates answer, they never fail.
package struct ProbeMachine: Sendable {
    /// What the library says of itself.
    package enum Library: Hashable, Sendable {
        /// The media types that are in all groups, and in the saved photos.
        case contents(all: [MediaType], saved: [MediaType])
        /// It does not answer.
        case unavailable
    }

    /// The cameras, as they were found last.
    package private(set) var catalogue: CameraCatalogue
    /// The library, as it answered last.
    package var library: Library

    package init(catalogue: CameraCatalogue, library: Library) {
        self.catalogue = catalogue
        self.library = library
    }

    /// The cameras, those of hardware first.
    package var cameras: [Camera] { catalogue.cameras }

    /// The events that lead a watcher from what it knows to what is.
    ///
    /// - Parameter known: The cameras that the watcher knows, by identity.
    /// - Returns: What went, what came and what changed, in that order.
    package func events(since known: [String: Camera]) -> [CameraEvent] {
        let now = Dictionary(cameras.map { ($0.id, $0) }) { first, _ in first }
        let removed = known.values.filter { now[$0.id] == nil }.sorted { $0.id < $1.id }
        let added = cameras.filter { known[$0.id] == nil }
        let changed = cameras.filter { known[$0.id] != nil && known[$0.id] != $0 }
        return removed.map { CameraEvent(kind: .removed, camera: $0) }
            + added.map { CameraEvent(kind: .added, camera: $0) }
            + changed.map { CameraEvent(kind: .changed, camera: $0) }
    }

    // MARK: Sources

    /// The three sources, in their order.
    package var sources: [SourceStatus] { Source.allCases.map { status(of: $0) } }

    /// One source, with what it can give now.
    package func status(of source: Source) -> SourceStatus {
        switch source {
        case .camera: cameraSource
        case .photoLibrary: librarySource(source) { all, _ in all }
        case .savedPhotosAlbum: librarySource(source) { _, saved in saved }
        }
    }

    private var cameraSource: SourceStatus {
        let usable = cameras.filter { $0.availability.state == .available }
        let offered = [MediaType.image, .movie].filter { type in usable.contains { $0.mediaTypes.contains(type) } }
        guard offered.isEmpty else {
            return SourceStatus(source: .camera, available: true, reason: nil, mediaTypes: offered)
        }
        let first = cameras.first?.availability
        // What could not be looked for is not absent.
        let state = first?.state ?? (catalogue.isComplete ? .absent : .unknown)
        return SourceStatus(
            source: .camera,
            available: false,
            reason: (state == .available ? Availability.State.unknown : state).rawValue,
            mediaTypes: [],
            detail: first?.reason ?? catalogue.problem
        )
    }

    private func librarySource(
        _ source: Source,
        _ choose: ([MediaType], [MediaType]) -> [MediaType]
    ) -> SourceStatus {
        guard case .contents(let all, let saved) = library else {
            return SourceStatus(source: source, available: false, reason: "libraryUnavailable", mediaTypes: [])
        }
        let types = choose(all, saved)
        return SourceStatus(
            source: source,
            available: !types.isEmpty,
            reason: types.isEmpty ? "empty" : nil,
            mediaTypes: types
        )
    }

    // MARK: Predicates

    /// Answers a question about the cameras; an answer of no has a reason.
    package func answer(_ question: AskCameras) -> AskCameras.Reply {
        switch question.question {
        case .source:
            answer(isTrue: status(of: question.source ?? .camera).available, otherwise: "sourceUnavailable")
        case .mediaType:
            gives(question.mediaType ?? MediaType(rawValue: ""), question.source ?? .camera)
        case .position:
            answer(isTrue: camera(at: question.position) != nil, otherwise: whyNone(at: question.position))
        case .flash:
            flash(at: question.position)
        }
    }

    private func gives(_ type: MediaType, _ source: Source) -> AskCameras.Reply {
        guard !type.rawValue.isEmpty else { return AskCameras.Reply(answer: false, reason: "mediaTypeEmpty") }
        let status = status(of: source)
        guard status.available else { return AskCameras.Reply(answer: false, reason: "sourceUnavailable") }
        return answer(isTrue: status.mediaTypes.contains(type), otherwise: "mediaTypeUnavailable")
    }

    /// Looks for the camera first, so that it is safe on a machine without one.
    private func flash(at position: CameraPosition?) -> AskCameras.Reply {
        guard let camera = camera(at: position) else {
            return AskCameras.Reply(answer: false, reason: whyNone(at: position))
        }
        return answer(isTrue: camera.flash, otherwise: "noFlash")
    }

    /// Why there is no camera at a position that can be used: `cameraAbsent` only where that is known.
    private func whyNone(at position: CameraPosition?) -> String {
        guard let position else { return "cameraAbsent" }
        // Where a camera looks is often not known before it is opened: one that can not be may be the one that is meant.
        let unseen = cameras.first {
            $0.position == .external && [.denied, .unknown].contains($0.availability.state) && $0.mediaTypes.isEmpty
        }
        let found = (catalogue.camera(at: position) ?? unseen)?.availability.state
        let word = (found ?? (catalogue.isComplete ? .absent : .unknown)).rawValue
        return "camera" + word.prefix(1).uppercased() + word.dropFirst()
    }

    private func answer(isTrue: Bool, otherwise reason: String) -> AskCameras.Reply {
        AskCameras.Reply(answer: isTrue, reason: isTrue ? nil : reason)
    }

    private func camera(at position: CameraPosition?) -> Camera? {
        position.flatMap { catalogue.camera(at: $0) }.flatMap { $0.availability.state == .available ? $0 : nil }
    }
}
