import MessageSchema

/// A message as it came off a socket, understood as far as its header.
struct IncomingMessage {
    /// Who sent it; only on a router.
    var sender: RoutingID?
    /// What authentication called the connection.
    var token: PeerToken?
    /// The header, or what is wrong with the message.
    var header: Result<Header, MalformedMessage>
    /// The body, not yet looked at.
    var body: Attachment?
    var attachments: [Attachment] = []
}

/// How a router names a connection.
enum RoutingID: Hashable, Sendable {
    /// Made by our own socket: a zero byte and a number.
    case generated(UInt32)
    /// Chosen by the peer, which is refused.
    case chosen([UInt8])

    init(_ bytes: [UInt8]) {
        guard bytes.count == 5, bytes[0] == 0 else {
            self = .chosen(bytes)
            return
        }
        self = .generated(bytes.dropFirst().reduce(0) { $0 << 8 | UInt32($1) })
    }

    var bytes: [UInt8] {
        switch self {
        case .generated(let number):
            [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        case .chosen(let bytes): bytes
        }
    }
}

/// What every message starts with.
enum Wire {
    /// The first frame: protocol and version.
    static let magic = Array("OBS1".utf8)
}

extension SocketHandle {
    /// Receives the next message, or `nil` if none is there.
    ///
    /// A message that breaks a rule is read to its end and comes with ``MalformedMessage`` instead of a header.
    ///
    /// - Parameters:
    ///   - frame: A frame to work with, so that none has to be made for each message.
    ///   - isRouted: Whether the socket is a router, which puts the sender in front.
    /// - Returns: The message.
    /// - Throws: ``MessagingError`` if the socket itself fails.
    func receiveMessage(using frame: inout MessageFrame, isRouted: Bool) throws(MessagingError) -> IncomingMessage? {
        guard try receive(into: &frame) else { return nil }
        var message = IncomingMessage(header: .failure(MalformedMessage(.badMagic, "the first frame is not OBS1")))
        if isRouted {
            message.sender = RoutingID(frame.copiedBytes)
            guard frame.hasMore, try receive(into: &frame) else { return message }
        }
        message.token = frame.userID.flatMap(PeerToken.init)
        let isOurs = unsafe frame.withBytes { unsafe $0.elementsEqual(Wire.magic) }
        var hasMore = frame.hasMore
        var position = 1
        while hasMore, try receive(into: &frame) {
            // Asked before the content is moved away.
            hasMore = frame.hasMore
            switch position {
            case 1: if isOurs { message.header = frame.header }
            case 2: message.body = Attachment(taking: &frame)
            case 3..<Limits.frames: message.attachments.append(Attachment(taking: &frame))
            default: message.refuse(MalformedMessage(.tooManyFrames, "more than \(Limits.frames) frames"))
            }
            position += 1
        }
        return message
    }
}

extension IncomingMessage {
    /// Keeps the identifier for the answer and drops the rest.
    fileprivate mutating func refuse(_ problem: MalformedMessage) {
        var problem = problem
        switch header {
        case .success(let header): problem.id = header.id
        case .failure: return
        }
        header = .failure(problem)
        attachments = []
    }
}

extension MessageFrame {
    fileprivate var copiedBytes: [UInt8] {
        mutating get { unsafe withBytes { unsafe Array($0) } }
    }

    fileprivate var header: Result<Header, MalformedMessage> {
        mutating get {
            guard count <= Limits.headerBytes else { return .failure(MalformedMessage(.tooLarge, "the header")) }
            do throws(MalformedMessage) {
                return .success(try HeaderCodec.decode(copiedBytes))
            } catch {
                return .failure(error)
            }
        }
    }
}
