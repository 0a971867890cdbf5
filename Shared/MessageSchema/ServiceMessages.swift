/// How a service is doing.
package enum ServiceState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Started, not yet able to serve.
    case starting
    /// Serves.
    case ready
    /// Serves with a fault that `detail` tells.
    case degraded
    /// Ending its work.
    case draining
    /// Not heard of for longer than it may be silent.
    case lost
}

/// One service of the cluster, as `obscura status` shows it.
package struct ServiceStatus: Hashable, Sendable, Codable {
    package var name: ServiceName
    /// Another one for each start.
    package var instance: String
    package var pid: Int32
    package var version: String
    package var state: ServiceState
    /// RFC 3339: when the state began.
    package var since: String
    package var detail: String?
    /// Where programs reach it.
    package var endpoints: [String]
    /// Cameras with which something is wrong while the service uses them, or was when it last did.
    package var cameras: [CameraTrouble]?

    package init(
        name: ServiceName,
        instance: String,
        pid: Int32,
        version: String,
        state: ServiceState,
        since: String,
        detail: String? = nil,
        endpoints: [String]
    ) {
        self.name = name
        self.instance = instance
        self.pid = pid
        self.version = version
        self.state = state
        self.since = since
        self.detail = detail
        self.endpoints = endpoints
    }
}

/// What is wrong with a camera, as whoever uses it sees: it gives no pictures, or its bus has no room for them.
package struct CameraTrouble: Hashable, Sendable, Codable {
    package var camera: String
    package var availability: Availability

    package init(camera: String, availability: Availability) {
        self.camera = camera
        self.availability = availability
    }

    /// The same for a person.
    package var words: String {
        let reason = availability.reason.map { ": \($0)" } ?? ""
        return "camera \(camera) is \(availability.state.rawValue)\(reason)"
    }
}

/// Tells the coordinator who and how a service is, each second; a role alone may.
package struct RegisterService: Request {
    package typealias Reply = Empty
    package static let name = "services.register"
    package var service: ServiceStatus

    package init(service: ServiceStatus) { self.service = service }
}

/// Asks for every service of the cluster.
package struct ListServices: Request {
    package static let name = "services.list"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        /// `personal` or `system`.
        package var deployment: String
        /// Whether all five services are ready.
        package var ready: Bool
        package var services: [ServiceStatus]

        package init(deployment: String, ready: Bool, services: [ServiceStatus]) {
            self.deployment = deployment
            self.ready = ready
            self.services = services
        }
    }
}

/// Asks where a service is reached.
package struct ResolveService: Request {
    package static let name = "services.resolve"
    package var service: ServiceName

    package init(service: ServiceName) { self.service = service }

    package struct Reply: Hashable, Sendable, Codable {
        package var endpoints: [String]

        package init(endpoints: [String]) { self.endpoints = endpoints }
    }
}

/// Asks a service how it is; every service answers it, to everybody.
package struct ServiceHealth: Request {
    package typealias Reply = ServiceStatus
    package static let name = "service.health"

    package init() {}
}
