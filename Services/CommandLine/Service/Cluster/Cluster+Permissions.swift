import Consent
private import Media
private import MessageSchema

extension Cluster {
    /// What decisions are about, where that resource is named: a position means the camera that looks there now.
    ///
    /// - Throws: `ErrorReply`, with code `cameraAbsent` when no camera looks there.
    func decided(_ resource: Resource) async throws -> Resource {
        guard case .camera(let id) = resource, CameraPosition(rawValue: id) != nil else { return resource }
        guard let camera = try await call(ShowCamera(camera: id)).camera else { throw ErrorReply.noCamera(id) }
        return .camera(camera.id)
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
