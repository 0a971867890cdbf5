import MessageSchema

/// Which assets an enumeration gives.
struct Query: Sendable {
    let request: ListAssets

    init(_ query: AssetQuery) { request = ListAssets(query: query) }

    init(
        group: AssetsGroup?,
        filter: AssetsFilter,
        isReversed: Bool,
        limit: Int?,
        offset: Int? = nil,
        onlyFavourites: Bool = false,
        isTrash: Bool = false
    ) {
        var query = AssetQuery()
        query.group = group?.message.url
        query.kind = filter.kind
        query.reverse = isReversed ? true : nil
        query.limit = limit
        query.offset = offset
        query.favourite = onlyFavourites ? true : nil
        query.trashed = isTrash ? true : nil
        request = ListAssets(query: query)
    }
}
