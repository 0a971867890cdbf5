/// Why a message could not be understood, with as much of it as can be used to answer.
struct MalformedMessage: Error, Hashable, Sendable {
    enum Problem: String, Hashable, Sendable {
        case notJSON, tooDeep, tooLarge, tooManyFrames, missingField, badField, unknownKind, badMagic, notUTF8
    }

    var problem: Problem
    /// What it is about, in our own words; nothing the peer sent.
    var detail: String
    /// The exchange's identifier, if it could be read.
    var id: String?

    init(_ problem: Problem, _ detail: String, id: String? = nil) {
        self.problem = problem
        self.detail = detail
        self.id = id
    }
}
