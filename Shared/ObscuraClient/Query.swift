import MessageSchema

/// Which assets an enumeration gives.
struct Query: Sendable {
    let request: ListAssets

    init(group: AssetsGroup?, filter: AssetsFilter, isReversed: Bool, limit: Int?) {
        var query = AssetQuery()
        query.group = group?.message.url
        query.kind = filter.kind
        query.reverse = isReversed ? true : nil
        query.limit = limit
        request = ListAssets(query: query)
    }
}
