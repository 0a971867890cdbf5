import Consent
import Files
import FoundationEssentials
import Hashing
import Media
import MessageSchema
import Messaging
import ObscuraClient
import Synchronization
import Testing

private let url = AssetURL(id: "0A1B2C3D-0000-4000-8000-000000000001", fileExtension: "JPG")
private let content: [UInt8] = (0..<3_000).map { UInt8(truncatingIfNeeded: $0) }

private func message(_ kind: AssetKind = .photo, _ number: Int = 1) -> MessageSchema.Asset {
    MessageSchema.Asset(
        url: AssetURL(id: "0A1B2C3D-0000-4000-8000-00000000000\(number)", fileExtension: "JPG"),
        kind: kind,
        uti: "public.jpeg",
        filename: "IMG_000\(number).JPG",
        bytes: Int64(content.count),
        sha256: nil,
        width: 40,
        height: 30,
        orientation: .right,
        state: .ok,
        representations: [],
        added: "2026-11-30T03:45:00Z"
    )
}

@Suite(.timeLimit(.minutes(1)))
struct `The assets library` {
    private func library(
        _ options: ObscuraCluster.Options = .init(),
        _ prepare: (Services) async -> Void
    ) async throws -> (AssetsLibrary, Services) {
        let services = try Services()
        await prepare(services)
        try await services.start()
        return (AssetsLibrary(of: try ObscuraCluster(runtimeDirectory: services.directory, options: options)), services)
    }

    private func serveBytes(_ services: Services, sha256: String? = nil) async {
        await services.library.registerStream(ReadAsset.self) { request, _, sink in
            let rest = content.dropFirst(Int(request.offset ?? 0)).prefix(Int(request.length ?? .max))
            for start in stride(from: rest.startIndex, to: rest.endIndex, by: 1_000) {
                let chunk = Array(rest[start..<min(start + 1_000, rest.endIndex)])
                try await sink.send(Empty(), attachments: [Attachment(chunk)])
            }
            return .init(
                count: 0,
                bytes: Int64(rest.count),
                sha256: sha256 ?? SHA256Digest(hashing: Array(rest)).description,
                size: Int64(content.count)
            )
        }
        await services.library.register(FindAsset.self) { request, _ in
            .init(asset: request.url == url ? message() : nil)
        }
    }

    @Test func `trap 9: the status is asked for without a prompt, and has the book's numbers`()
        async throws
    {
        let (library, services) = try await library { services in
            await services.coordinator.register(PermissionStatus.self) { request, call in
                let status: Status = request.needs[0].access == .read ? .denied : .authorized
                return .init(
                    permissions: request.needs.map {
                        .init(principal: call.principal, resource: $0.resource, access: $0.access, status: status)
                    }
                )
            }
        }
        #expect(try await library.authorizationStatus() == .denied)
        #expect(try await library.authorizationStatus(for: .add) == .authorized)
        #expect(AuthorizationStatus.denied.rawValue == 2)
        withExtendedLifetime(services) {}
    }

    @Test(arguments: ["noPrompter", "closed", "timedOut", "backingOff"])
    func `what nobody decides stays not determined, and is no error`(cause: String) async throws {
        let (library, services) = try await library { services in
            await services.coordinator.register(RequestPermissions.self) { _, _ in
                throw ErrorReply(.dismissed, "Nobody has decided", cause: cause)
            }
        }
        #expect(try await library.requestAuthorization(for: .add) == .notDetermined)
        withExtendedLifetime(services) {}
    }

    @Test func `a cluster that keeps the program waiting is given up, and its work ends`() async throws {
        let ended = AsyncStream<String>.makeStream()
        let (library, services) = try await library(.init(timeout: .milliseconds(200))) { services in
            await services.library.registerStream(ListAssets.self) { _, _, sink in
                try await sink.send(.init(assets: [message()]))
                do {
                    try await Task.sleep(for: .seconds(3_600))
                } catch {
                    ended.continuation.yield("stream")
                }
                return .init(count: 1)
            }
            await services.library.registerUpload(SaveAsset.self) { _, _, source in
                while try await source.next() != nil {}
                do {
                    try await Task.sleep(for: .seconds(3_600))
                } catch {
                    ended.continuation.yield("upload")
                }
                return message()
            }
        }
        var count = 0
        let late = await #expect(throws: ObscuraError.self) { for try await _ in library.assets() { count += 1 } }
        #expect(late?.code == "deadlineExceeded")
        #expect(count == 1, "what came in time was given")
        let unsaved = await #expect(throws: ObscuraError.self) { try await library.savePhoto([1, 2, 3]) }
        #expect(unsaved?.code == "deadlineExceeded")
        var ends: [String] = []
        for await end in ended.stream {
            ends.append(end)
            if ends.count == 2 { break }
        }
        #expect(ends == ["stream", "upload"])
        withExtendedLifetime(services) {}
    }

    @Test func `assets come in pages, in order, and only as many as are taken`() async throws {
        let sent = Mutex(0)
        let (library, services) = try await library { services in
            await services.library.registerStream(ListAssets.self) { request, _, sink in
                #expect(request.query.kind == .photo)
                #expect(request.query.reverse == true)
                for _ in 0..<1_000 {
                    try await sink.send(.init(assets: [message(.photo, 1), message(.photo, 2)]))
                    sent.withLock { $0 += 1 }
                }
                return .init(count: 2_000)
            }
        }
        var names: [String] = []
        for try await asset in library.assets(.allPhotos, isReversed: true) {
            names.append(asset.defaultRepresentation.filename)
            if names.count == 3 { break }
        }
        #expect(names == ["IMG_0001.JPG", "IMG_0002.JPG", "IMG_0001.JPG"])
        #expect(sent.withLock { $0 } < 100)
        withExtendedLifetime(services) {}
    }

    @Test func `a denied enumeration is an error with the book's number, not an empty list`() async throws {
        let (library, services) = try await library { services in
            await services.library.register(ListGroups.self) { _, _ in
                throw ErrorReply.accessDenied(recoverySuggestion: "obscura permissions reset --resource library")
            }
            await services.library.registerStream(ListAssets.self) { _, _, _ in
                throw ErrorReply.accessDenied(recoverySuggestion: "obscura permissions reset --resource library")
            }
        }
        let error = await #expect(throws: ObscuraError.self) { try await library.groups() }
        #expect(error?.domain == "ALAssetsLibraryErrorDomain")
        #expect(error?.number == -3311)
        #expect(error?.code == "accessDenied")
        #expect(error?.isDenial == true)
        #expect(
            error?.description
                == "Error Domain=ALAssetsLibraryErrorDomain Code=-3311 \"User denied access\" The user has "
                + "denied the application access to their media.; obscura permissions reset --resource library"
        )
        await #expect(throws: ObscuraError.self) { for try await _ in library.assets() {} }
        withExtendedLifetime(services) {}
    }

    @Test func `what is not there is nil and no error`() async throws {
        let (library, services) = try await library { services in
            await serveBytes(services)
            await services.library.register(CreateAlbum.self) { _, _ in .init(group: nil) }
        }
        #expect(try await library.asset(for: url.description) != nil)
        #expect(
            try await library.asset(
                for: "assets-library://asset/asset.JPG?id=0A1B2C3D-0000-4000-8000-00000000000F&ext=JPG"
            )
                == nil
        )
        #expect(try await library.asset(for: "nonsense") == nil)
        #expect(try await library.addAlbum(named: "taken") == nil)
        withExtendedLifetime(services) {}
    }

    @Test func `bytes come by range, fewer at the end, none past it`() async throws {
        let (library, services) = try await library { await serveBytes($0) }
        let asset = try #require(try await library.asset(for: url.description))
        #expect(asset.orientation == .right)
        #expect(asset.duration == nil)
        let representation = asset.defaultRepresentation
        #expect(try await representation.readBytes(from: 0, count: 1_024) == Array(content[..<1_024]))
        #expect(try await representation.readBytes(from: 2_990, count: 1_024) == Array(content[2_990...]))
        #expect(try await representation.readBytes(from: 3_000, count: 1_024).isEmpty)
        #expect(try await representation.readBytes(from: 9_000, count: 1).isEmpty)
        var all: [UInt8] = []
        try await representation.read { all += $0 }
        #expect(all == content)
        withExtendedLifetime(services) {}
    }

    @Test func `bytes with another hash than stated are an error`() async throws {
        let (library, services) = try await library {
            await serveBytes($0, sha256: String(repeating: "0", count: 64))
        }
        let asset = try #require(try await library.asset(for: url.description))
        let error = await #expect(throws: ObscuraError.self) {
            try await asset.defaultRepresentation.readBytes(from: 0, count: 10)
        }
        #expect(error?.code == "damaged")
        withExtendedLifetime(services) {}
    }

    @Test func `saving sends bytes or a file, and gives the asset`() async throws {
        let received = Mutex<[(SaveAsset, Int)]>([])
        let (library, services) = try await library(.init(purpose: "a portrait", mayPrompt: false)) { services in
            await services.library.registerUpload(SaveAsset.self) { request, call, source in
                #expect(call.purpose == "a portrait")
                #expect(!call.mayPrompt)
                var bytes = 0
                while let chunk = try await source.next() { bytes += chunk.count }
                received.withLock { $0.append((request, bytes)) }
                return message()
            }
        }
        var metadata = PhotoMetadata()
        metadata.orientation = .left
        metadata.place = (0, 13.4, nil)
        let photo = try await library.savePhoto(
            Array(repeating: 7, count: 3 << 20),
            filename: "a.jpg",
            metadata: metadata
        )
        #expect(photo.url == url.description)
        let folder = try TemporaryDirectory()
        try folder.open().writeAtomically(content, to: "film.mov")
        _ = try await library.saveVideo(at: URL(filePath: folder.path + "/film.mov"))
        let all = received.withLock { $0 }
        #expect(all.map(\.1) == [3 << 20, content.count])
        #expect(all.map(\.0.mediaType) == [.image, .movie])
        #expect(all.map(\.0.filename) == ["a.jpg", "film.mov"])
        #expect(all[0].0.metadata?.orientation == .left)
        #expect(all[0].0.metadata?.location?.latitude == 0)
        withExtendedLifetime(services) {}
    }

    @Test(arguments: ["/no/such/film.mov", "/", "/dev/null"])
    func `a file out of reach is the book's invalid data`(path: String) async throws {
        let library = AssetsLibrary(of: try ObscuraCluster(runtimeDirectory: "/no/such/cluster"))
        let error = await #expect(throws: ObscuraError.self) { try await library.saveVideo(at: URL(filePath: path)) }
        #expect(error?.number == -3302)
        #expect(error?.localizedDescription == "Invalid data")
        #expect(error?.recoverySuggestion == "Try with different data")
    }

    @Test func `group types have the bits of the Assets Library, and all leaves out the library`() {
        #expect(AssetsGroupTypes.savedPhotos.rawValue == 16)
        #expect(!AssetsGroupTypes.all.contains(.library))
        #expect(AssetsGroupTypes.all.isSuperset(of: [.album, .event, .faces, .savedPhotos, .photoStream]))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `The camera` {
    @Test func `questions are answered and never fail`() async throws {
        let services = try Services()
        await services.probe.register(AskCameras.self) { request, _ in
            switch request.question {
            case .mediaType where request.mediaType?.rawValue == "": .init(answer: false, reason: "mediaTypeEmpty")
            case .mediaType: .init(answer: request.mediaType == .image)
            case .source: .init(answer: request.source == .camera)
            case .position: .init(answer: request.position == .back)
            case .flash: .init(answer: false, reason: "cameraAbsent")
            }
        }
        try await services.start()
        let camera = Camera(of: try ObscuraCluster(runtimeDirectory: services.directory))
        #expect(await camera.isAvailable())
        #expect(await camera.isAvailable(.rear))
        #expect(await !camera.isAvailable(CameraDevice.front))
        #expect(await camera.answer(hasFlash: .front) == CameraAnswer(isTrue: false, reason: "cameraAbsent"))
        #expect(await camera.supports(.image, from: .camera))
        #expect(await !camera.supports(.movie, from: .camera))
        let empty = await camera.answer(supports: ObscuraClient.MediaType(rawValue: ""), from: .camera)
        #expect(empty == CameraAnswer(isTrue: false, reason: "mediaTypeEmpty"))
        withExtendedLifetime(services) {}
    }

    @Test func `without a cluster the answer is no, with the reason`() async throws {
        let options = ObscuraCluster.Options(timeout: .milliseconds(50))
        let camera = Camera(of: try ObscuraCluster(runtimeDirectory: "/no/such/cluster", options: options))
        #expect(await camera.answer(hasFlash: .rear) == CameraAnswer(isTrue: false, reason: "serviceUnavailable"))
    }

    @Test func `a photo is the asset and how it was taken`() async throws {
        let services = try Services()
        await services.capture.register(TakePhoto.self) { request, _ in
            #expect(request.settings.camera == "back")
            #expect(request.settings.flash == .on)
            var granted = CaptureSettings(camera: "pattern-back")
            granted.flashFired = true
            return CaptureResult(asset: message(), camera: "pattern-back", asked: request.settings, granted: granted)
        }
        try await services.start()
        let camera = Camera(of: try ObscuraCluster(runtimeDirectory: services.directory))
        let photo = try await camera.takePhoto(with: .rear, flash: .on)
        #expect(photo.asset.url == url.description)
        #expect(photo.camera == "pattern-back")
        #expect(photo.flashFired == true)
        withExtendedLifetime(services) {}
    }
}
