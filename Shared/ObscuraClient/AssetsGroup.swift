private import Media
import MessageSchema

/// An ordered set of assets: an album, or the saved photos.
public struct AssetsGroup: Sendable, Hashable {
    /// The group's URL, `assets-library://group/?id=<UUID>`; it never changes.
    public var url: String { message.url.description }
    /// The name that people see.
    public var name: String { message.name }
    /// What kind of group it is.
    public var type: AssetsGroupTypes { AssetsGroupTypes(message.type) }
    /// How many assets it had when it was asked for.
    public var numberOfAssets: Int { message.count }
    /// Whether assets can be added to it.
    public var isEditable: Bool { message.editable }

    let message: Group

    init(_ message: Group) { self.message = message }
}
