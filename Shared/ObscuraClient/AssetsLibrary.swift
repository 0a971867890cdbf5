private import Consent
import Media
import MessageSchema

/// The photo library of a cluster, as far as a person allows this program to use it.
///
/// What needs a permission that is not decided asks the person, waits for the answer and goes on with it. The program can
/// not change a decision; the error names the command that does.
public final class AssetsLibrary: Sendable {
    /// The cluster it belongs to.
    public let cluster: ObscuraCluster

    /// The library of a cluster.
    public init(of cluster: ObscuraCluster) { self.cluster = cluster }

    /// The library of this machine's cluster.
    ///
    /// - Throws: ``ObscuraError`` when it can not be said where the cluster is.
    public convenience init() throws { self.init(of: try ObscuraCluster()) }

    /// How the program stands; the person is not asked.
    ///
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func authorizationStatus(for access: LibraryAccess = .read) async throws -> AuthorizationStatus {
        try await AuthorizationStatus(cluster.call(PermissionStatus(needs: [access.need])).permissions)
    }

    /// Asks the person, unless there is a decision already.
    ///
    /// - Returns: How the program stands now; `notDetermined` if nobody decided: nobody is there to ask, the person closed the
    ///   question or did not answer in time, or the program asked too often.
    /// - Throws: ``ObscuraError`` when the cluster can not be reached.
    public func requestAuthorization(for access: LibraryAccess = .read) async throws -> AuthorizationStatus {
        do {
            return try await AuthorizationStatus(cluster.call(RequestPermissions(needs: [access.need])).permissions)
        } catch let error as ObscuraError where error.code == ErrorCode.dismissed.rawValue {
            return .notDetermined
        }
    }

    /// The groups of these kinds.
    ///
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
    public func groups(of types: AssetsGroupTypes = .all) async throws -> [AssetsGroup] {
        try await cluster.call(ListGroups(types: types.words)).groups.map(AssetsGroup.init)
    }

    /// The group of a URL; nil when there is none, which is no error.
    ///
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library.
    public func group(for url: String) async throws -> AssetsGroup? {
        guard let name = GroupURL(url) else { return nil }
        return try await cluster.call(ListGroups()).groups.first { $0.url == name }.map(AssetsGroup.init)
    }

    /// The asset of a URL; nil when there is none, which is no error.
    ///
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library and did not save the asset itself.
    public func asset(for url: String) async throws -> Asset? {
        guard let name = AssetURL(url) else { return nil }
        return try await cluster.call(FindAsset(url: name)).asset.map { Asset($0, cluster) }
    }

    /// Assets, in the order in which people see them.
    ///
    /// - Parameters:
    ///   - group: Only those of this group; of the whole library when nil.
    ///   - filter: Only photos, or only videos.
    ///   - isReversed: The last first.
    ///   - limit: At most so many.
    /// - Returns: A sequence that asks the library while it is iterated over.
    public func assets(
        in group: AssetsGroup? = nil,
        _ filter: AssetsFilter = .allAssets,
        isReversed: Bool = false,
        limit: Int? = nil
    ) -> Assets {
        Assets(cluster, Query(group: group, filter: filter, isReversed: isReversed, limit: limit))
    }

    /// Assets at some indices of a group, 0 being the first.
    ///
    /// - Parameters:
    ///   - indices: Not negative; where the group ends before them, fewer come or none.
    ///   - group: The group; the whole library when nil.
    ///   - filter: Only photos, or only videos; then they alone are counted.
    ///   - isReversed: The last of them first.
    /// - Returns: A sequence that asks the library while it is iterated over.
    /// - Throws: ``ObscuraError``, backwards, where they are counted first.
    public func assets(
        at indices: Range<Int>,
        in group: AssetsGroup? = nil,
        _ filter: AssetsFilter = .allAssets,
        isReversed: Bool = false
    ) async throws -> Assets {
        precondition(indices.lowerBound >= 0, "an index is not negative")
        var offset = indices.lowerBound
        var limit = indices.count
        if isReversed {
            let count = try await numberOfAssets(in: group, filter)
            offset = max(0, count - indices.upperBound)
            limit = max(0, min(indices.upperBound, count) - indices.lowerBound)
        }
        return Assets(
            cluster,
            Query(group: group, filter: filter, isReversed: isReversed, limit: limit, offset: offset)
        )
    }

    /// The assets that people like.
    public func favourites(_ filter: AssetsFilter = .allAssets) -> Assets {
        Assets(cluster, Query(group: nil, filter: filter, isReversed: false, limit: nil, onlyFavourites: true))
    }

    /// The assets in the trash; enumerating them needs the permission to change the library.
    public func trashedAssets() -> Assets {
        Assets(cluster, Query(group: nil, filter: .allAssets, isReversed: false, limit: nil, isTrash: true))
    }

    /// The asset of which another one is a modified version; nil when it is none, or the original is gone.
    ///
    /// - Throws: ``ObscuraError``; -3311 for a program that may not read the library and did not save the original itself.
    public func originalAsset(of asset: Asset) async throws -> Asset? {
        guard let url = asset.originalURL else { return nil }
        return try await self.asset(for: url)
    }

    /// Makes an album; nil when the name is taken, which is no error.
    ///
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library.
    public func addAlbum(named name: String) async throws -> AssetsGroup? {
        try await cluster.call(CreateAlbum(album: name)).group.map(AssetsGroup.init)
    }

    /// Puts an asset into an album.
    ///
    /// - Returns: Whether it is in there now and was not before; false also for a group that can not be edited.
    /// - Throws: ``ObscuraError``; -3310 for a program that may not change the library.
    public func add(_ asset: Asset, to group: AssetsGroup) async throws -> Bool {
        guard let url = AssetURL(asset.url) else { preconditionFailure("an asset has an asset URL") }
        return try await cluster.call(ChangeAlbum(.add, group: group.message.url, assets: [url])).changed > 0
    }
}

extension LibraryAccess {
    fileprivate var need: Need {
        switch self {
        case .add: Need(.library, .addOnly)
        case .read: Need(.library, .read)
        case .readAndWrite: Need(.library, .readWrite)
        }
    }
}

extension AuthorizationStatus {
    fileprivate init(_ permissions: [PermissionState]) {
        self =
            switch permissions.first?.status {
            case .restricted: .restricted
            case .denied: .denied
            case .authorized: .authorized
            case .limited: .limited
            case .notDetermined, nil: .notDetermined
            }
    }
}
