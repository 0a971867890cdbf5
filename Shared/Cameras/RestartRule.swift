/// When a camera that gives nothing good is started anew, and when it is given up; a value without a device.
struct RestartRule: Sendable {
    /// What is done about a camera that gives nothing good.
    enum Step: Hashable, Sendable {
        /// Streaming begins anew.
        case stream
        /// The device is opened anew.
        case open
        /// The camera is stalled.
        case giveUp
    }

    /// Pictures in a row that can not be read until the camera is started anew.
    static let mostUnreadable = 32

    /// Restarts without a good frame in between.
    let most: Int
    private var restarts = 0
    private var unreadable = 0

    /// A rule for a camera that was just opened.
    init(most: Int) { self.most = most }

    /// A picture came that can not be read.
    ///
    /// - Returns: Whether the camera has to be started anew.
    mutating func noteUnreadable() -> Bool {
        unreadable += 1
        return unreadable % Self.mostUnreadable == 0
    }

    /// The camera has to be started anew: by which step.
    mutating func restart() -> Step {
        restarts += 1
        if restarts > most { return .giveUp }
        return restarts == 1 ? .stream : .open
    }

    /// A good frame came.
    ///
    /// - Returns: How many before it could not be read.
    mutating func noteGood() -> Int {
        defer { (restarts, unreadable) = (0, 0) }
        return unreadable
    }
}
