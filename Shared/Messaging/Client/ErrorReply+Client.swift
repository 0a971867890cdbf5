import MessageSchema

extension ErrorReply {
    static func serviceUnavailable(_ service: String) -> ErrorReply {
        ErrorReply(
            .serviceUnavailable,
            "\(service) can not be reached.",
            reason: "Nobody answered at its socket in time.",
            recoverySuggestion: "Start the cluster with `obscura up`, or look at `obscura status`.",
            retryAfter: 1_000,
            cause: "notConnected",
            parameters: ["service": service]
        )
    }

    static func connectionLost(_ service: String) -> ErrorReply {
        ErrorReply(
            .serviceUnavailable,
            "The connection to \(service) was lost.",
            reason: "The service ended; whether the request had its effect is not known.",
            recoverySuggestion: ErrorWords.repeating,
            retryAfter: 1_000,
            cause: "connectionLost",
            parameters: ["service": service]
        )
    }

    static func connectionRefused(_ service: String) -> ErrorReply {
        ErrorReply(
            .unprovenIdentity,
            "\(service) refused the connection.",
            reason: "The identity of this process could not be proven, or the role's key is wrong.",
            recoverySuggestion: "The service's log says why; programs of other namespaces need an enrolled key.",
            cause: "refused",
            parameters: ["service": service]
        )
    }

    static func serverSilent(_ service: String) -> ErrorReply {
        ErrorReply(
            .serverSilent,
            "\(service) showed no life.",
            recoverySuggestion: "Try again; `obscura status` says how the service is.",
            retryAfter: 1_000,
            parameters: ["service": service]
        )
    }

    /// The error in the body of an `error`; a code that this version does not know is kept as the cause.
    init(received body: Attachment?) {
        do {
            self = try BodyCodec.decode(Lenient.self, from: body).error
        } catch {
            self.init(.badMessage, "An error of the service can not be understood.", reason: error.detail)
        }
    }

    private struct Lenient: Decodable {
        let error: ErrorReply

        private enum Keys: String, CodingKey {
            case domain, code, number, description, reason, recoverySuggestion, retryAfter, cause, parameters
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Keys.self)
            let code = try fields.decode(String.self, forKey: .code)
            let known = ErrorCode(rawValue: code)
            var error = ErrorReply(
                known ?? .internalFault,
                try fields.decodeIfPresent(String.self, forKey: .description) ?? code,
                reason: try fields.decodeIfPresent(String.self, forKey: .reason),
                recoverySuggestion: try fields.decodeIfPresent(String.self, forKey: .recoverySuggestion),
                retryAfter: try fields.decodeIfPresent(Int.self, forKey: .retryAfter),
                cause: known == nil ? code : try fields.decodeIfPresent(String.self, forKey: .cause),
                parameters: try fields.decodeIfPresent([String: String].self, forKey: .parameters)
            )
            error.domain = try fields.decodeIfPresent(String.self, forKey: .domain) ?? ErrorReply.domain
            error.number = try fields.decodeIfPresent(Int.self, forKey: .number)
            self.error = error
        }
    }
}
