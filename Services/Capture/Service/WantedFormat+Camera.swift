import Cameras
import MessageSchema

extension WantedFormat {
    /// The wish, with no side larger than the largest that the camera lists: what it can not give is not waited for.
    func clamped(to camera: Camera) -> WantedFormat {
        let sizes = camera.formats.flatMap(\.sizes)
        guard let widest = sizes.map(\.maximumWidth).max(), let highest = sizes.map(\.maximumHeight).max() else {
            return self
        }
        var wish = self
        if usualWidth > widest { wish.width = widest }
        if usualHeight > highest { wish.height = highest }
        return wish
    }
}
