private import Cameras
package import Consent
package import MessageSchema
package import Messaging
package import ServiceRuntime

/// Answers what is asked about cameras' settings.
///
/// Settings belong to whoever uses the camera: a program may look at them and change them while it has a preview, a
/// photo or a film of the camera, and nobody but it may while it films.
package struct ControlDesk: Sendable {
    private let shelf: CameraShelf
    private let gate: ConsentGate
    private let mayKnow: @Sendable (Call, Principal) -> Bool

    /// - Parameters:
    ///   - shelf: Where the cameras are.
    ///   - gate: What is asked for permission.
    ///   - mayKnow: Whether whoever asks may hear that the principal holds the camera.
    package init(
        shelf: CameraShelf,
        gate: ConsentGate,
        mayKnow: @escaping @Sendable (Call, Principal) -> Bool
    ) {
        self.shelf = shelf
        self.gate = gate
        self.mayKnow = mayKnow
    }

    /// The settings with their values.
    ///
    /// - Throws: `ErrorReply`: `notHeld`, and what a camera says.
    package func read(_ request: ReadControls, _ call: Call) async throws -> ControlsReply {
        try await withHeldCamera(request.camera, call) { _, _ in }
    }

    /// Sets values, all or none.
    ///
    /// - Throws: `ErrorReply`: `notHeld`, `invalidArgument` with the range, `inUse` while another program films.
    package func set(_ request: SetControls, _ call: Call) async throws -> ControlsReply {
        try await withHeldCamera(request.camera, call) { session, controls in
            var changes: [ControlChange] = []
            for name in request.values.keys.sorted() {
                let control = try Self.control(name, in: controls)
                guard let value = request.values[name] else { continue }
                changes.append(ControlChange(control: control, value: try control.checked(value)))
            }
            try await apply(changes, in: controls, session, call)
        }
    }

    /// Sets values to what the camera starts with.
    ///
    /// - Throws: As ``set(_:_:)``.
    package func reset(_ request: ResetControls, _ call: Call) async throws -> ControlsReply {
        try await withHeldCamera(request.camera, call) { session, controls in
            let chosen = try request.names?.map { try Self.control($0, in: controls) } ?? controls
            let changes = try chosen.compactMap { control -> ControlChange? in
                guard let initial = control.initial else {
                    guard request.names != nil else { return nil }
                    throw ErrorReply.invalidParameter("names", "settings with a first value; \(control.name) has none")
                }
                return control.value == initial ? nil : ControlChange(control: control, value: initial)
            }
            try await apply(changes, in: controls, session, call)
        }
    }

    // MARK: Inside

    /// Lends the session of a camera that the program holds, and keeps it open meanwhile.
    private func withHeldCamera(
        _ name: String,
        _ call: Call,
        _ body: (CameraSession, [CameraControl]) async throws -> Void
    ) async throws -> ControlsReply {
        let named = try await shelf.camera(name)
        let authorization = try await gate.authorize([Need(.camera(named.id), .use)], for: call)
        defer { authorization.end() }
        let camera = try await shelf.camera(again: named)
        let session = await shelf.session(of: camera)
        guard await session.holds.contains(where: { $0.use != .controls && $0.owners.contains(call.principal) }) else {
            throw ErrorReply.notHeld(camera)
        }
        do {
            let feed = try await session.acquire(CameraHold(.controls))
            do {
                try authorization.check()
                try await body(session, await session.controls())
                let controls = await session.controls()
                await session.release(feed)
                return ControlsReply(controls: controls)
            } catch {
                await session.release(feed)
                throw error
            }
        } catch {
            throw ErrorReply(capture: error, camera: camera) { mayKnow(call, $0) }
        }
    }

    private static func control(_ name: String, in controls: [CameraControl]) throws(ErrorReply) -> CameraControl {
        if let control = controls.first(where: { $0.name == name }) { return control }
        let names = controls.map(\.name).joined(separator: ", ")
        throw .invalidParameter("values.\(name)", "a setting of this camera: \(names.isEmpty ? "it has none" : names)")
    }

    private func apply(
        _ changes: [ControlChange],
        in controls: [CameraControl],
        _ session: CameraSession,
        _ call: Call
    ) async throws {
        let films = await session.holds.filter { $0.use == .film && !$0.owners.contains(call.principal) }
        guard films.isEmpty else { throw CameraInUse(films) }
        // Switches and menus first, as they decide whether the others can be set; else in the order of the driver.
        let order = Dictionary(uniqueKeysWithValues: controls.enumerated().map { ($1.id, $0) })
        let sorted = changes.sorted { left, right in
            (left.control.comesFirst ? 0 : 1, order[left.control.id] ?? 0)
                < (right.control.comesFirst ? 0 : 1, order[right.control.id] ?? 0)
        }
        do throws(CameraError) {
            try await session.set(sorted)
        } catch {
            guard error.code == .notSupported || error.code == .inUse else { throw error }
            throw ErrorReply(
                .invalidArgument,
                "The camera refused a setting",
                reason: "\(error.description). Nothing was changed.",
                recoverySuggestion: "Turn off what decides about it automatically, or give another value.",
                parameters: ["parameter": "values", "names": sorted.map(\.control.name).joined(separator: ",")]
            )
        }
    }
}

extension ErrorReply {
    /// The program does not use the camera whose settings it asks for.
    fileprivate static func notHeld(_ camera: Camera) -> ErrorReply {
        ErrorReply(
            .notHeld,
            "The camera is not in use by this program",
            reason: "Settings are those of a camera that is used, and are as they were when its last user leaves.",
            recoverySuggestion: "Begin a preview or a film first, such as `obscura preview --camera \(camera.id)`.",
            parameters: ["camera": camera.id]
        )
    }
}
