import MessageSchema

extension Camera {
    /// The settings of the camera of that identity, while the program uses it: a preview or a film of it runs.
    ///
    /// - Throws: ``ObscuraError``: `notHeld` while it does not, `accessDenied`, `cameraAbsent` …
    public func settings(of id: String) async throws -> [CameraSetting] {
        try await cluster.call(ReadControls(camera: id)).controls.map(CameraSetting.init)
    }

    /// Sets values, all of them or none; they are put back when nobody uses the camera any more.
    ///
    /// - Returns: All settings as they are now.
    /// - Throws: ``ObscuraError``: `invalidArgument` with the range, `notHeld`, `inUse` while another program films …
    public func set(_ values: [String: CameraSettingValue], of id: String) async throws -> [CameraSetting] {
        let request = SetControls(camera: id, values: values.mapValues(\.message))
        return try await cluster.call(request).controls.map(CameraSetting.init)
    }

    /// Sets values to what the camera starts with.
    ///
    /// - Parameters:
    ///   - names: Which ones; all when nil.
    ///   - id: The camera's identity.
    /// - Returns: All settings as they are now.
    /// - Throws: ``ObscuraError``: as ``set(_:of:)``.
    public func resetSettings(_ names: [String]? = nil, of id: String) async throws -> [CameraSetting] {
        try await cluster.call(ResetControls(camera: id, names: names)).controls.map(CameraSetting.init)
    }
}

extension CameraSettingValue {
    var message: ControlValue {
        switch self {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        }
    }
}
