import Consent
private import Media
import MessageSchema

extension ErrorReply {
    /// A name that several things have.
    fileprivate static func severalCalled(_ name: ResourceName, _ resources: [String]) -> ErrorReply {
        .usage("Which one?", "several are called '\(name.word)'", "say which: \(resources.joined(separator: ", "))")
    }
}

extension NamedResource {
    /// `camera 'usb-1'`, in the middle of a sentence.
    private var spoken: String {
        switch resource {
        case .camera(let id): "camera '\(EscapedText.shown(id))'"
        case .microphone(let id): "microphone '\(EscapedText.shown(id))'"
        case .library, .location, .export: resource.description
        }
    }

    private var list: String { resource.isMicrophone ? "obscura microphones list" : "obscura cameras list" }

    /// Says on standard error that there is no such camera or microphone now, where there is none.
    ///
    /// - Parameters:
    ///   - effect: What is done all the same, because cameras come and go.
    ///   - terminal: Where it is said.
    func warn(_ effect: String, _ terminal: Terminal) {
        guard !isKnown else { return }
        terminal.writeError(
            "Warning: there is no \(spoken) now; \(effect) ('\(list)' shows those that are there)."
        )
    }

    /// Refuses to ask anybody about something that is not there.
    func requireKnown() throws(ErrorReply) {
        guard !isKnown else { return }
        throw ErrorReply(
            .invalidArgument,
            "There is no such \(resource.isMicrophone ? "microphone" : "camera")",
            reason: "There is no \(spoken) now, and nobody is asked about what is not there",
            recoverySuggestion: "see '\(list)'; an operator may decide beforehand with 'obscura permissions grant'",
            cause: resource.isMicrophone ? "noSuchMicrophone" : "noSuchCamera",
            parameters: ["resource": resource.description]
        )
    }
}

extension Cluster {
    /// What decisions are about, where that resource is named: a position means the camera that looks there now.
    ///
    /// - Throws: `ErrorReply`, with code `cameraAbsent` when no camera looks there.
    func decided(_ resource: Resource) async throws -> Resource {
        guard case .camera(let id) = resource, CameraPosition(rawValue: id) != nil else { return resource }
        guard let camera = try await call(ShowCamera(camera: id)).camera else { throw ErrorReply.noCamera(id) }
        return .camera(camera.id)
    }

    /// What is meant by a name that was typed.
    ///
    /// A name that can be decided about is one, also where no probe answers: who switches a camera off need not wait for it.
    ///
    /// - Throws: `ErrorReply`: `cameraAbsent` when no camera looks where the name says, `usage` for the name of nothing.
    func resource(_ name: ResourceName) async throws -> NamedResource {
        let resource = Resource(name.description)
        switch resource {
        case .library, .location, .export: if let resource { return NamedResource(resource) }
        default: break
        }
        if let resource, resource.isPattern { return NamedResource(resource) }
        if CameraPosition(rawValue: name.word) != nil, name.kind != .microphone {
            return NamedResource(try await decided(.camera(name.word)))
        }
        let brief = CallRules(timeout: .seconds(2))
        var isAnswered = false
        if name.kind != .microphone {
            // Without an answer the name stays what it is.
            if let reply = try? await call(ShowCamera(camera: name.word), brief) {
                isAnswered = true
                if let camera = reply.camera { return NamedResource(.camera(camera.id)) }
                let all = (try? await call(ListCameras(), brief).cameras) ?? []
                let called = all.filter { $0.name.lowercased() == name.word.lowercased() }
                if called.count == 1 { return NamedResource(.camera(called[0].id)) }
                if called.count > 1 { throw ErrorReply.severalCalled(name, called.map { "camera/\($0.id)" }) }
            }
        }
        if name.kind != .camera, let all = try? await call(ListMicrophones(), brief).microphones {
            isAnswered = true
            if let own = all.first(where: { $0.id == name.word }) { return NamedResource(.microphone(own.id)) }
            let called = all.filter { $0.name.lowercased() == name.word.lowercased() }
            if called.count == 1 { return NamedResource(.microphone(called[0].id)) }
            if called.count > 1 { throw ErrorReply.severalCalled(name, called.map { "microphone/\($0.id)" }) }
        }
        if let resource { return NamedResource(resource, isKnown: !isAnswered) }
        throw ErrorReply.usage(
            "No such resource",
            "'\(name)' is neither a resource nor the name of a camera or a microphone that is there",
            "expected camera/ID, camera/front, 'camera/*', microphone/ID, library, location or export"
        )
    }

    /// Those needs about which nobody has decided; asks nobody.
    ///
    /// - Throws: `ErrorReply`.
    func undecided(among needs: [Need]) async throws -> [Need] {
        var named: [Need] = []
        for need in needs { named.append(Need(try await decided(need.resource), need.access)) }
        return try await call(PermissionStatus(needs: named)).permissions.filter { $0.status == .notDetermined }
            .map { Need($0.resource, $0.access) }
    }
}
