import ObscuraClient

/// 13.1: what the cameras of this machine can do.
struct MachineReport {
    let camera: Camera

    func run() async {
        Main.say(await camera.isAvailable() ? "Camera is available." : "Camera is not available.")
        for (device, name) in [(CameraDevice.front, "front"), (.rear, "rear")] {
            guard await camera.isAvailable(device) else {
                Main.say("The \(name) camera is not available.")
                continue
            }
            Main.say("The \(name) camera is available.")
            let hasFlash = await camera.hasFlash(device)
            Main.say("The \(name) camera is \(hasFlash ? "equipped" : "not equipped") with a flash")
        }
        let takesPhotos = await cameraSupports(.image)
        Main.say(takesPhotos ? "The camera supports taking photos." : "The camera does not support taking photos")
        let films = await cameraSupports(.movie)
        Main.say(films ? "The camera supports shooting videos." : "The camera does not support shooting videos.")
    }

    /// One question of the report, about any type.
    func run(about mediaType: String) async {
        Main.say(await cameraSupports(MediaType(rawValue: mediaType)) ? "yes" : "no")
    }

    /// The book's helper: no, and a line, for an empty type.
    private func cameraSupports(_ mediaType: MediaType) async -> Bool {
        let answer = await camera.answer(supports: mediaType, from: .camera)
        if answer.reason == "mediaTypeEmpty" { Main.say("Media type is empty.") }
        return answer.isTrue
    }
}
