import MessageSchema

struct Add: Request {
    static let name = "test.add"
    var left: Int
    var right: Int

    struct Reply: Codable, Hashable, Sendable {
        var sum: Int
    }
}

struct Who: Request {
    static let name = "test.who"

    struct Reply: Codable, Hashable, Sendable {
        var principal: String
        var role: String?
        var behalf: String?
        var uid: UInt32
        var pid: Int32
        var label: String
    }
}

/// Waits until it is cancelled.
struct Hang: Request {
    typealias Reply = Empty
    static let name = "test.hang"
}

struct Fail: Request {
    typealias Reply = Empty
    static let name = "test.fail"
    var how: String
}

struct Echo: Request {
    typealias Reply = Empty
    static let name = "test.echo"
}

struct Count: StreamRequest {
    static let name = "test.count"
    var to: Int

    struct Item: Codable, Hashable, Sendable {
        var number: Int
    }

    struct Summary: Codable, Hashable, Sendable {
        var count: Int
    }
}

/// Counts as `Count` does, live.
struct LiveCount: StreamRequest {
    typealias Item = Count.Item
    typealias Summary = Count.Summary
    static let name = "test.live"
    static let creditLimit = Limits.liveCredit
    var to: Int
}

struct Store: UploadRequest {
    static let name = "test.store"
    var limit: Int?

    struct Reply: Codable, Hashable, Sendable {
        var bytes: Int
        var chunks: Int
    }
}

/// Takes no number below zero.
struct Positive: Request, StreamRequest, UploadRequest {
    typealias Reply = Empty
    typealias Item = Empty
    typealias Summary = Empty
    static let name = "test.positive"
    var number: Int

    func checkParameters() throws(ErrorReply) {
        if number < 0 { throw .invalidParameter("number", "0 or more") }
    }
}
