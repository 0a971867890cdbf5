private import EventLoop
import MessageSchema
import Messaging

/// The clients of a cluster's services, on one loop.
actor Connection {
    private let directory: String
    private let context: MessagingContext
    private let loop = EventLoop(name: "obscura-client")
    private var clients: [ServiceName: MessageClient] = [:]

    init(to directory: String, context: MessagingContext) {
        self.directory = directory
        self.context = context
    }

    /// The client of the service that answers a request.
    func client(for request: String) throws -> MessageClient {
        guard let service = ServiceName(answering: request) else {
            preconditionFailure("every request of this module has a service: \(request)")
        }
        if let client = clients[service] { return client }
        let endpoint = ServiceEndpoint(service: service.rawValue, runtimeDirectory: directory)
        do throws(MessagingError) {
            let client = try MessageClient(endpoint, context: context, loop: loop)
            clients[service] = client
            return client
        } catch {
            throw ErrorReply(.serviceUnavailable, "The cluster can not be reached", reason: String(describing: error))
        }
    }
}
