import Media
import MessageSchema

/// The cameras of a cluster: what there is, and photos as far as a person allows.
///
/// Questions need no permission, and never fail: what can not be found out is "no", with a reason.
public final class Camera: Sendable {
    /// The cluster it belongs to.
    public let cluster: ObscuraCluster

    /// The cameras of a cluster.
    public init(of cluster: ObscuraCluster) { self.cluster = cluster }

    /// The cameras of this machine's cluster.
    ///
    /// - Throws: ``ObscuraError`` when it can not be said where the cluster is.
    public convenience init() throws { self.init(of: try ObscuraCluster()) }

    /// Whether there is any camera that can be used now.
    public func isAvailable() async -> Bool { await isAvailable(.camera).isTrue }

    /// Whether a source is there now; the library is not when it is empty.
    public func isAvailable(_ source: SourceType) async -> CameraAnswer {
        await ask(AskCameras(.source, source: source.message))
    }

    /// Whether there is a camera that looks there and can be used now.
    public func isAvailable(_ device: CameraDevice) async -> Bool { await answer(isAvailable: device).isTrue }

    /// Whether there is a camera that looks there and can be used now, and why not.
    public func answer(isAvailable device: CameraDevice) async -> CameraAnswer {
        await ask(AskCameras(.position, position: device.position))
    }

    /// Whether the camera that looks there has a flash; "no" where there is no such camera.
    public func hasFlash(_ device: CameraDevice) async -> Bool { await answer(hasFlash: device).isTrue }

    /// Whether the camera that looks there has a flash, and why not.
    public func answer(hasFlash device: CameraDevice) async -> CameraAnswer {
        await ask(AskCameras(.flash, position: device.position))
    }

    /// Whether a source gives a kind of media now; "no" for an empty media type.
    public func supports(_ mediaType: MediaType, from source: SourceType) async -> Bool {
        await answer(supports: mediaType, from: source).isTrue
    }

    /// Whether a source gives a kind of media now, and why not.
    public func answer(supports mediaType: MediaType, from source: SourceType) async -> CameraAnswer {
        let type = Media.MediaType(rawValue: mediaType.rawValue)
        return await ask(AskCameras(.mediaType, source: source.message, mediaType: type))
    }

    /// What the camera that looks there can be used for now; empty where there is none that can be used.
    public func captureModes(of device: CameraDevice) async -> [CameraCaptureMode] {
        // Like the other questions: what can not be found out is nothing.
        guard let camera = try? await info(of: device), camera.isAvailable else { return [] }
        return camera.captureModes
    }

    // MARK: What there is

    /// All cameras.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func all() async throws -> [CameraInfo] {
        try await cluster.call(ListCameras()).cameras.map(CameraInfo.init)
    }

    /// Why this machine can have no camera of hardware, or why it could not be looked for; nil where all is well.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func problem() async throws -> String? { try await cluster.call(ListCameras()).problem }

    /// All microphones that films can be heard with.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func microphones() async throws -> [MicrophoneInfo] {
        try await cluster.call(ListMicrophones()).microphones.map(MicrophoneInfo.init)
    }

    /// The three sources, and what each can give now.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func sources() async throws -> [SourceInfo] {
        try await cluster.call(ListSources()).sources.map(SourceInfo.init)
    }

    /// The camera of an identity; nil where there is none.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func info(of id: String) async throws -> CameraInfo? {
        try await cluster.call(ShowCamera(camera: id)).camera.map(CameraInfo.init)
    }

    /// The camera that looks there, the usable ones first; nil where there is none.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func info(of device: CameraDevice) async throws -> CameraInfo? {
        try await info(of: device.position.rawValue)
    }

    /// What can be set on the camera of an identity, and is set now, whoever uses it.
    ///
    /// - Returns: All settings; none where there is no such camera, or it could not be asked.
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func allSettings(of id: String) async throws -> [CameraSetting] {
        (try await cluster.call(ShowCamera(camera: id)).controls ?? []).map(CameraSetting.init)
    }

    /// The cameras as they come, go and change; first those that are there.
    public func changes() -> CameraChanges { CameraChanges(cluster) }

    /// What the machine can do, in sentences: cameras, flashes, photos, films.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func report() async throws -> [String] { try await cluster.call(ReportCameras()).lines }

    /// Takes a photo into the library with the camera that looks there.
    ///
    /// - Returns: The photo, which the program may look at and read.
    /// - Throws: ``ObscuraError``: `accessDenied`, `cameraAbsent`, `inUse`, `dismissed` …
    public func takePhoto(with device: CameraDevice, flash: CameraFlash? = nil) async throws -> Photo {
        try await takePhoto(with: device.position.rawValue, flash: flash)
    }

    /// Takes one photo or several in a row into the library with the camera that looks there.
    ///
    /// - Returns: The photos in their order, which the program may look at and read.
    /// - Throws: ``ObscuraError``: `accessDenied`, `cameraAbsent`, `cameraBusy`, `inUse`, `dismissed` … When several end
    ///   early, those that were taken stay in the library: the error's parameter `assets` has their URLs.
    public func takePhotos(with device: CameraDevice, _ options: PhotoOptions = PhotoOptions()) async throws -> [Photo]
    {
        try await takePhotos(with: device.position.rawValue, options)
    }

    /// Takes one photo or several in a row into the library with the camera of that identity.
    ///
    /// - Returns: The photos in their order, which the program may look at and read.
    /// - Throws: ``ObscuraError`` as for the camera that looks somewhere.
    public func takePhotos(with id: String, _ options: PhotoOptions = PhotoOptions()) async throws -> [Photo] {
        var settings = CaptureSettings(camera: id)
        settings.flash = options.flash?.message
        settings.format = options.format.message
        settings.count = options.count
        settings.delay = options.delay / .seconds(1)
        settings.whenBusy = options.waitsForTurn ? .queue : .refuse
        let result = try await cluster.call(TakePhoto(settings: settings), lasting: options.delay)
        let assets = result.assets ?? [result.asset]
        return assets.enumerated().map { index, asset in
            let facts = result.pictures.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            return Photo(
                asset: Asset(asset, cluster),
                camera: result.camera,
                flashFired: result.granted.flashFired == nil ? nil : facts.map { $0.flash == .on },
                exposureSettled: facts?.converged
            )
        }
    }

    /// Takes a photo into the library with the camera of that identity.
    ///
    /// - Returns: The photo, which the program may look at and read.
    /// - Throws: ``ObscuraError``: `accessDenied`, `cameraAbsent`, `inUse`, `dismissed` …
    public func takePhoto(with id: String, flash: CameraFlash? = nil) async throws -> Photo {
        var settings = CaptureSettings(camera: id)
        settings.flash = flash?.message
        let result = try await cluster.call(TakePhoto(settings: settings))
        return Photo(
            asset: Asset(result.asset, cluster),
            camera: result.camera,
            flashFired: result.granted.flashFired,
            exposureSettled: result.granted.converged
        )
    }

    private func ask(_ question: AskCameras) async -> CameraAnswer {
        do {
            let reply = try await cluster.call(question)
            return CameraAnswer(isTrue: reply.answer, reason: reply.reason)
        } catch let error as ObscuraError {
            return CameraAnswer(isTrue: false, reason: error.code)
        } catch {
            return CameraAnswer(isTrue: false, reason: "cancelled")
        }
    }
}
