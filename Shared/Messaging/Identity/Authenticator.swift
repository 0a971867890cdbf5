private import CZeroMQ
import Consent
import EventLoop
import Logging
import Timekeeping

/// Answers libzmq's question who may connect (ZAP, rfc.zeromq.org/spec/27), and remembers who was let in.
///
/// Confined to the server's loop; libzmq asks once for each connection.
final class Authenticator {
    /// Where libzmq asks; fixed by the specification.
    static let endpoint = "inproc://zeromq.zap.01"
    static let answersPerTurn = 8

    private let socket: SocketHandle
    private let rules: IdentityRules
    private let domains: Domains
    private let log: Logger
    private let readProcess: (Int32) -> ProcessRecord?
    private var table = PeerTable()
    private(set) var accepted = 0
    private(set) var refused = 0
    /// What was not said yet of refused connections, by user and reason.
    private(set) var complaints: ComplaintSieve<Refused>
    /// Called with each refusal and the process it was for.
    var onRefusal: ((IdentityRefusal, Int32?) -> Void)?

    /// Whom the log names once when it refuses him many times; a process costs nothing, so the user counts.
    struct Refused: Hashable, Sendable {
        let userID: UInt32?
        let reason: IdentityRefusal
    }

    /// The authentication domains of a server's two sockets.
    struct Domains: Sendable {
        let programs: String
        let roles: String

        init(service: String) {
            programs = "\(service).programs"
            roles = "\(service).roles"
        }
    }

    /// - Throws: ``MessagingError`` if this context has an authenticator already.
    init(
        rules: IdentityRules,
        domains: Domains,
        context: MessagingContext,
        log: Logger,
        complaintInterval: Duration = .seconds(10),
        readProcess: @escaping (Int32) -> ProcessRecord? = ProcessRecord.read
    ) throws(MessagingError) {
        self.rules = rules
        self.domains = domains
        self.log = log
        complaints = ComplaintSieve(interval: complaintInterval)
        self.readProcess = readProcess
        let socket = try SocketHandle(.reply, in: context)
        try socket.bind(Self.endpoint)
        self.socket = socket
    }

    /// What to wait for.
    var readable: WaitSource { socket.readable }

    subscript(token: PeerToken) -> PeerIdentity? { table[token] }

    /// The number of identities that are remembered.
    var count: Int { table.count }

    /// Forgets processes that are gone.
    func removeDead() { table.removeDead(Self.isAlive) }

    /// Answers the questions that wait, but not so many that nothing else gets its turn: each reads files of `/proc`, and
    /// anybody may connect as often as he likes.
    func answer() throws(MessagingError) {
        for _ in 0..<Self.answersPerTurn {
            guard let request = try socket.receiveAll() else { return }
            // version, request id, domain, address, identity, mechanism, credentials…
            guard request.count >= 6, request[0] == Array("1.0".utf8) else {
                _ = try socket.send(Self.reply(to: request, status: "500", text: "version", userID: ""))
                continue
            }
            let answer = decide(request)
            _ = try socket.send(
                Self.reply(to: request, status: answer.status, text: answer.text, userID: answer.userID)
            )
        }
    }

    private func decide(_ request: [[UInt8]]) -> (status: String, text: String, userID: String) {
        let fields = request.map { String(decoding: $0, as: UTF8.self) }
        do throws(IdentityRefusal) {
            let token = try authenticate(fields)
            accepted += 1
            return ("200", "OK", token.text)
        } catch {
            refused += 1
            let credentials = PeerCredentials(address: fields[3])
            onRefusal?(error, credentials?.processID)
            let refused = Refused(userID: credentials?.userID, reason: error)
            if complaints.admit(refused, cause: error.rawValue, at: .now()) {
                log.warning(
                    "connection refused",
                    [
                        "peer.address": .string(fields[3]), "peer.domain": .string(fields[2]),
                        "reason": .string(error.rawValue),
                    ]
                )
            }
            return ("400", error.rawValue, "")
        }
    }

    /// Logs how many more were refused, as one line for each user and reason.
    func sumUpRefusals(at now: BootInstant) {
        for sum in complaints.takeSums(at: now) {
            log.warning(
                "more connections refused",
                [
                    "peer.uid": .string(sum.peer?.userID.map { "\($0)" } ?? "several"), "count": .count(sum.count),
                    "reason": .string(sum.cause),
                ]
            )
        }
    }

    private func authenticate(_ request: [String]) throws(IdentityRefusal) -> PeerToken {
        guard let credentials = PeerCredentials(address: request[3]) else { throw .noCredentials }
        let role: Role?
        switch (request[2], request[5]) {
        case (domains.programs, "NULL"):
            role = nil
        case (domains.roles, "PLAIN") where request.count == 8:
            role = try rules.role(name: request[6], key: request[7], credentials: credentials)
        default:
            throw .wrongMechanism
        }
        var identity = try rules.identity(of: credentials, record: readProcess(credentials.processID))
        identity.role = role
        do throws(PeerTable.Refusal) {
            return try table.token(for: identity, isAlive: Self.isAlive)
        } catch {
            throw .noRoom
        }
    }

    private static func isAlive(_ identity: PeerIdentity) -> Bool {
        ProcessRecord.startTime(of: identity.processID) == identity.startTime
    }

    private static func reply(to request: [[UInt8]], status: String, text: String, userID: String) -> [[UInt8]] {
        let requestID = request.count > 1 ? request[1] : []
        return [Array("1.0".utf8), requestID, Array(status.utf8), Array(text.utf8), Array(userID.utf8), []]
    }
}
