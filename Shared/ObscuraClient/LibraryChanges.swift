private import Media
import MessageSchema

/// Which assets and groups are otherwise than they were, by their URLs.
///
/// What came and went in between is not in it. An asset in the trash counts as deleted.
public struct LibraryChanges: Hashable, Sendable {
    public internal(set) var insertedAssets: Set<String> = []
    public internal(set) var updatedAssets: Set<String> = []
    public internal(set) var deletedAssets: Set<String> = []
    public internal(set) var insertedGroups: Set<String> = []
    /// Groups with another content, too.
    public internal(set) var updatedGroups: Set<String> = []
    public internal(set) var deletedGroups: Set<String> = []

    /// Whether there is nothing to be loaded anew.
    public var isEmpty: Bool { self == LibraryChanges() }

    /// Takes events in the order in which they happened together.
    init(_ events: [LibraryEvent]) {
        var firsts: [LibraryURL: LibraryEvent.Kind] = [:]
        var lasts: [LibraryURL: LibraryEvent.Kind] = [:]
        for event in events {
            firsts[event.url] = firsts[event.url] ?? event.kind
            lasts[event.url] = event.kind
        }
        for (url, last) in lasts { add(url, wasThere: firsts[url] != .inserted, isThere: last != .deleted) }
    }

    private init() {}

    private mutating func add(_ url: LibraryURL, wasThere: Bool, isThere: Bool) {
        let text = url.description
        let isAsset = url.asset != nil
        switch (wasThere, isThere) {
        case (false, true): if isAsset { insertedAssets.insert(text) } else { insertedGroups.insert(text) }
        case (true, true): if isAsset { updatedAssets.insert(text) } else { updatedGroups.insert(text) }
        case (true, false): if isAsset { deletedAssets.insert(text) } else { deletedGroups.insert(text) }
        case (false, false): break
        }
    }
}

/// That something changed, and how much of it is known: the three values of `ALAssetsLibraryChangedNotification`.
public struct LibraryNotification: Hashable, Sendable {
    /// What has to be loaded anew.
    public enum Extent: Hashable, Sendable {
        /// Everything that was loaded may be otherwise now; the Assets Library's `userInfo` is nil.
        case everything
        /// Nothing; the Assets Library's `userInfo` is empty.
        case nothing
        /// What is listed, and nothing else.
        case only(LibraryChanges)
    }

    /// The keys of `userInfo`.
    public enum Key: String, Hashable, Sendable, CaseIterable {
        case updatedAssets = "ALAssetLibraryUpdatedAssetsKey"
        case insertedGroups = "ALAssetLibraryInsertedAssetGroupsKey"
        case updatedGroups = "ALAssetLibraryUpdatedAssetGroupsKey"
        case deletedGroups = "ALAssetLibraryDeletedAssetGroupsKey"
    }

    /// What has to be loaded anew.
    public let extent: Extent
    /// Stands for everything up to here; ``AssetsLibrary/changes(since:)`` goes on from it, also in another run.
    public let token: String

    /// As the Assets Library has it: nil, empty, or sets of URLs.
    ///
    /// Assets that were inserted or deleted are not listed; their groups are, as updated.
    public var userInfo: [Key: Set<String>]? {
        switch extent {
        case .everything: return nil
        case .nothing: return [:]
        case .only(let changes):
            let all: [Key: Set<String>] = [
                .updatedAssets: changes.updatedAssets, .insertedGroups: changes.insertedGroups,
                .updatedGroups: changes.updatedGroups, .deletedGroups: changes.deletedGroups,
            ]
            return all.filter { !$0.value.isEmpty }
        }
    }
}
