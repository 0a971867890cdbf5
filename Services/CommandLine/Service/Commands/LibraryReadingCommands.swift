private import Consent
import Media
import MessageSchema

/// The options that choose assets, for `library list` and `export`.
enum AssetQueryParameters {
    static let group = Option("group", "URL", "Only assets of this group", as: ValueReader<GroupURL>.groupURL)
    static let kind = Option("kind", "photo|video|unknown", "Only this kind", as: ValueReader<AssetKind>.word)
    static let since = Option("since", "TIME", "Not before this date or RFC 3339 time", as: .text)
    static let until = Option(
        "until",
        "TIME",
        "Not after this date or RFC 3339 time: a day with all its hours",
        as: .text
    )

    static let all: [any Parameter] = [group, kind, since, until]

    static func query(_ arguments: Arguments) -> AssetQuery {
        var query = AssetQuery()
        query.group = arguments[group]
        query.kind = arguments[kind]
        query.since = arguments[since]
        query.until = arguments[until]
        return query
    }
}

extension ValueReader<GroupURL> {
    /// A group URL.
    static var groupURL: ValueReader<GroupURL> {
        ValueReader(expecting: "a group URL such as assets-library://group/?id=…") { GroupURL($0) }
    }
}

extension ValueReader<AssetURL> {
    /// An asset URL.
    static var assetURL: ValueReader<AssetURL> {
        ValueReader(expecting: "an asset URL such as assets-library://asset/asset.JPG?id=…&ext=JPG") { AssetURL($0) }
    }
}

extension ValueReader<MapArea> {
    /// Four numbers with commas between.
    static var mapArea: ValueReader<MapArea> {
        ValueReader(expecting: "SOUTH,WEST,NORTH,EAST in degrees, such as 52.3,13.0,52.7,13.8") { text in
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard numbers.count == 4, let south = numbers[0], let west = numbers[1], let north = numbers[2],
                let east = numbers[3]
            else { return nil }
            let area = MapArea(south: south, west: west, north: north, east: east)
            return area.isValid ? area : nil
        }
    }
}

/// `obscura library groups`.
struct ListGroupsCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "library groups",
            "Lists the groups of the library",
            parameters: CommonParameters.asking,
            examples: [("library groups", "saved photos, albums")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let groups = try await context.asking(arguments, cluster, about: [Need(.library, .read)]) { rules in
            try await cluster.call(ListGroups(), rules).groups
        }
        if arguments[CommonParameters.json] {
            for group in groups { context.terminal.writeJSON(group) }
            return .success
        }
        var table = TextTable("group", "type", "assets", "url")
        for group in groups { table.add(group.name, group.type.rawValue, "\(group.count)", group.url.description) }
        context.terminal.write(table, orSay: "no groups")
        return .success
    }
}

/// The options that choose further, for `library list` and `library count`.
enum LibraryViewParameters {
    private static let filter = Option("filter", "TEXT", "Only where the file name has this in it", as: .text)
    private static let text = Option("text", "WORDS", "Words of the name or the caption, or how they begin", as: .text)
    private static let camera = Option(
        "camera",
        "TEXT",
        "Only where the camera's make or model has this in it",
        as: .text
    )
    private static let area = Option(
        "area",
        "SOUTH,WEST,NORTH,EAST",
        "Only what was taken there, in degrees; needs location read",
        as: ValueReader<MapArea>.mapArea
    )
    private static let favourites = Flag("favourites", "Only favourites")
    private static let trashed = Flag("trashed", "What is in the trash, in place of what is not")

    static let all: [any Parameter] = [filter, text, camera, area, favourites, trashed]

    static func complete(_ query: inout AssetQuery, _ arguments: Arguments) {
        query.filter = arguments[filter]
        query.text = arguments[text]
        query.camera = arguments[camera]
        query.area = arguments[area]
        query.favourite = arguments[favourites] ? true : nil
        query.trashed = arguments[trashed] ? true : nil
    }
}

/// `obscura library count`.
struct CountAssetsCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "library count",
            "Counts assets",
            parameters: AssetQueryParameters.all + LibraryViewParameters.all + CommonParameters.asking,
            examples: [("library count --since 2026-01-01", "this year's photos and films")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        var query = AssetQueryParameters.query(arguments)
        LibraryViewParameters.complete(&query, arguments)
        let request = CountAssets(query: query)
        let reply = try await context.asking(arguments, cluster, about: query.needs) { rules in
            try await cluster.call(request, rules)
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine("\(reply.count): \(reply.photos) photos, \(reply.videos) videos")
        }
        return .success
    }
}

/// `obscura library list`.
struct ListAssetsCommand: Command {
    private static let reverse = Flag("reverse", "The last first")
    private static let limit = Option("limit", "N", "At most so many", as: .wholeNumber(atLeast: 0))
    private static let offset = Option(
        "offset",
        "N",
        "Leave out so many before the first",
        as: .wholeNumber(atLeast: 0)
    )

    var signature: CommandSignature {
        CommandSignature(
            "library list",
            "Lists assets",
            parameters: AssetQueryParameters.all + LibraryViewParameters.all + [Self.reverse, Self.limit, Self.offset]
                + CommonParameters.asking,
            examples: [
                ("library list", "everything, in the order of the library"),
                ("library list --kind video --since 2026-01-01", "this year's films"),
                ("library list --reverse --limit 1 --json", "the last one"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        var query = AssetQueryParameters.query(arguments)
        LibraryViewParameters.complete(&query, arguments)
        query.offset = arguments[Self.offset]
        query.reverse = arguments[Self.reverse] ? true : nil
        query.limit = arguments[Self.limit]
        let request = ListAssets(query: query)
        let asJSON = arguments[CommonParameters.json]
        let terminal = context.terminal
        let headings = HeadingsOnce()
        let summary = try await context.asking(arguments, cluster, about: query.needs) { rules, hasBegun in
            try await cluster.stream(request, rules.unhurried(unless: arguments)) { page, _ in
                hasBegun()
                if asJSON { return page.assets.forEach { terminal.writeJSON($0) } }
                if await headings.areDue(before: page.assets) { terminal.writeLine(AssetRow.headings, .dim) }
                for asset in page.assets { terminal.writeLine(AssetRow.of(asset)) }
            }
        }
        if !asJSON, summary.count == 0 { terminal.writeLine("no assets") }
        return .success
    }
}

/// `obscura library show`.
struct ShowAssetCommand: Command {
    private static let url = Positional("URL", "The asset", as: ValueReader<AssetURL>.assetURL)

    var signature: CommandSignature {
        CommandSignature(
            "library show",
            "Shows one asset, also one in the trash, and until when it stays there",
            parameters: [Self.url] + CommonParameters.asking,
            examples: [("library show 'assets-library://asset/asset.JPG?id=…&ext=JPG'", "what is known about it")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let url = arguments.one(Self.url)
        let asJSON = arguments[CommonParameters.json]
        let reply = try await context.asking(arguments, cluster, about: [Need(.library, .read)]) { rules in
            try await cluster.call(FindAsset(url: url), rules)
        }
        var found = reply.asset
        if found == nil { found = await Self.trashed(url, cluster) }
        guard let asset = found else { throw ErrorReply.noAsset(url) }
        if asJSON {
            context.terminal.writeJSON(asset)
        } else {
            for line in asset.lines { context.terminal.writeLine(line) }
        }
        return .success
    }
}

extension ShowAssetCommand {
    /// The asset in the trash; nil where it is not there, or may not be seen: nobody is asked once more.
    private static func trashed(_ url: AssetURL, _ cluster: any Cluster) async -> Asset? {
        var query = AssetQuery()
        query.trashed = true
        var rules = CallRules()
        rules.mayPrompt = false
        let found = FoundAsset()
        // Whatever keeps it from being seen, it is not found then.
        _ = try? await cluster.stream(ListAssets(query: query), rules) { page, _ in
            if let asset = page.assets.first(where: { $0.url.id == url.id }) { await found.set(asset) }
        }
        return await found.asset
    }
}

private actor FoundAsset {
    var asset: Asset?

    func set(_ asset: Asset) { self.asset = asset }
}

extension ErrorReply {
    /// No asset of that URL, or none that the caller may see.
    static func noAsset(_ url: AssetURL) -> ErrorReply {
        ErrorReply(
            .noSuchAsset,
            "No such asset",
            reason: "The library has no asset '\(url)'",
            recoverySuggestion:
                "see 'obscura library list', or 'obscura library list --trashed' for what was put into the trash",
            parameters: ["url": url.description]
        )
    }
}

/// Lines about assets: columns that hold whatever comes, so that lines can be printed as they come; the name, which is as
/// long as it likes, is the last one.
private enum AssetRow {
    private static let dateWidth = 25
    private static let kindWidth = 7
    private static let sizeWidth = 20
    private static let stateWidth = 7
    /// A URL with an extension of four characters, the longest that the library gives.
    private static let urlWidth = 82

    static var headings: String { line("date", "kind", "size", "state", "url", "name") }

    static func of(_ asset: Asset) -> String {
        var table = TextTable("x")
        table.add(asset.filename)
        let name = table.lines.last ?? ""
        let date = asset.date?.text ?? "-"
        // A date that is none is the file's own text, of which `library show` has all.
        let shown = date.count > dateWidth ? date.prefix(dateWidth - 1) + "…" : date
        return line(shown, asset.kind.rawValue, asset.size, asset.state.rawValue, asset.url.description, name)
    }

    private static func line(
        _ date: String,
        _ kind: String,
        _ size: String,
        _ state: String,
        _ url: String,
        _ name: String
    ) -> String {
        TextRow.line(
            (date, dateWidth),
            (kind, kindWidth),
            (size, sizeWidth),
            (state, stateWidth),
            (url, urlWidth),
            last: name
        )
    }
}

/// Whether the headings of a list that comes in pages were printed.
private actor HeadingsOnce {
    private var arePrinted = false

    /// Whether they belong before these assets: once, and not where there is nothing below them.
    func areDue(before assets: [Asset]) -> Bool {
        guard !arePrinted, !assets.isEmpty else { return false }
        arePrinted = true
        return true
    }
}

extension AssetQuery {
    /// What the person may be asked about it.
    fileprivate var needs: [Need] {
        [Need(.library, trashed == true ? .readWrite : .read)] + (area == nil ? [] : [Need(.location, .read)])
    }
}
