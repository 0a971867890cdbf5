private import Media
import MessageSchema

extension AssetsLibrary {
    /// Takes an asset out of an album; it stays in the library.
    ///
    /// - Returns: Whether it was in there; false also for a group that can not be edited.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library.
    @discardableResult
    public func remove(_ asset: Asset, from group: AssetsGroup) async throws -> Bool {
        let request = ChangeAlbum(.remove, group: group.message.url, assets: [asset.name])
        return try await cluster.call(request).changed > 0
    }

    /// Deletes an album; its assets stay in the library.
    ///
    /// - Returns: Whether it was there, and no group that always is.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library.
    @discardableResult
    public func deleteAlbum(_ group: AssetsGroup) async throws -> Bool {
        try await cluster.call(DeleteAlbum(group: group.message.url)).deleted
    }

    /// Puts assets into the trash, where they are kept for 30 days.
    ///
    /// - Returns: How many were not there already.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library and did not save them itself.
    @discardableResult
    public func trash(_ assets: [Asset]) async throws -> Int {
        try await cluster.call(TrashAssets(assets.map(\.name))).changed
    }

    /// Takes assets out of the trash, into the albums in which they were.
    ///
    /// - Returns: How many were in it.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library and did not save them itself.
    @discardableResult
    public func restore(_ assets: [Asset]) async throws -> Int {
        try await cluster.call(RestoreAssets(assets.map(\.name))).changed
    }

    /// Deletes assets for good, whether they are in the trash or not.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library and did not save them itself.
    @discardableResult
    public func delete(_ assets: [Asset]) async throws -> Int {
        try await cluster.call(DeleteAssets(assets.map(\.name))).changed
    }

    /// Marks assets as favourites, or takes the mark away.
    ///
    /// - Returns: How many were marked otherwise before.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library and did not save them itself.
    @discardableResult
    public func setFavourite(_ isFavourite: Bool, _ assets: [Asset]) async throws -> Int {
        try await cluster.call(MarkAssets(assets.map(\.name), favourite: isFavourite)).changed
    }

    /// Gives an asset a caption; an empty one takes it away.
    ///
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library and did not save it itself,
    ///   `invalidArgument` for more than 2,000 bytes.
    public func setCaption(_ caption: String, of asset: Asset) async throws {
        _ = try await cluster.call(MarkAssets([asset.name], caption: caption))
    }

    /// How many assets there are, without enumerating them.
    ///
    /// - Parameters:
    ///   - group: Only those of this group; of the whole library when nil.
    ///   - filter: Only photos, or only videos.
    /// - Returns: How many there are now.
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
    public func numberOfAssets(in group: AssetsGroup? = nil, _ filter: AssetsFilter = .allAssets) async throws -> Int {
        let query = Query(group: group, filter: filter, isReversed: false, limit: nil).request.query
        return try await cluster.call(CountAssets(query: query)).count
    }

    /// The picture of a group: a square one of its last asset that has any.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - side: Pixels of a side.
    /// - Returns: A JPEG's bytes; nil when none of the last twenty assets has a picture.
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
    public func posterImage(of group: AssetsGroup, side: Int = 150) async throws -> [UInt8]? {
        for try await asset in assets(in: group, isReversed: true, limit: 20) {
            do {
                return try await asset.squareThumbnail(side: side)
            } catch let error as ObscuraError where error.code == ErrorCode.imageUnavailable.rawValue {
                continue
            }
        }
        return nil
    }
}
