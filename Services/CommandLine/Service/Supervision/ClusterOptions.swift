package import Consent
package import MessageSchema
private import ServiceRuntime

/// What `obscura up` was asked to run.
package struct ClusterOptions: Sendable {
    package var data: String
    package var runtime: String
    package var policy: String?
    /// A JSON file with settings of the services.
    package var config: String?
    package var deployment: Deployment
    /// Services that somebody else runs, for instance in a debugger; their keys are put beside the sockets.
    package var except: Set<ServiceName>
    /// Further flags for a service, such as `--built-in-cameras never`.
    package var extra: [ServiceName: [String]]
    /// Whether the services' log lines go to standard error instead of files.
    package var isVerbose: Bool
    /// After how long without a sign of life a service is killed and started again; zero never.
    ///
    /// Longer than a lease (5 s): who only waits for a service that stands still is served by the end of its lease.
    package var watchdog: Duration

    package init(data: String, runtime: String, deployment: Deployment = .personal) {
        self.data = data
        self.runtime = runtime
        self.deployment = deployment
        except = []
        extra = [:]
        isVerbose = false
        watchdog = .seconds(10)
    }
}
