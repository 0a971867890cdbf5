private import Media
private import MessageSchema

/// The report of the machine, in the words and the order of the cookbook's first recipe.
package enum MachineReport {
    /// The report, a line each; the flash lines come only under a camera that is available.
    package static func lines(for machine: ProbeMachine) -> [String] {
        let isAvailable = machine.status(of: .camera).available
        return [isAvailable ? "Camera is available." : "Camera is not available."]
            + lines(for: .front, called: "front", machine)
            + lines(for: .back, called: "rear", machine)
            + [
                gives(.image, machine)
                    ? "The camera supports taking photos." : "The camera does not support taking photos",
                gives(.movie, machine)
                    ? "The camera supports shooting videos." : "The camera does not support shooting videos.",
            ]
    }

    private static func lines(for position: CameraPosition, called name: String, _ machine: ProbeMachine) -> [String] {
        guard machine.answer(AskCameras(.position, position: position)).answer else {
            return ["The \(name) camera is not available."]
        }
        let hasFlash = machine.answer(AskCameras(.flash, position: position)).answer
        return [
            "The \(name) camera is available.",
            "The \(name) camera is \(hasFlash ? "equipped" : "not equipped") with a flash",
        ]
    }

    private static func gives(_ type: MediaType, _ machine: ProbeMachine) -> Bool {
        machine.answer(AskCameras(.mediaType, source: .camera, mediaType: type)).answer
    }
}
