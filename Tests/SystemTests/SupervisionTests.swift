import Foundation
import Glibc
import Testing

/// What `obscura up` does when a service hangs, when one can not run any more, and when one was taken over.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SupervisionTests {
    @Test func `a service that hangs is killed, the reason is said, and it comes back`() async throws {
        var options = Cluster.Options()
        options.arguments = ["--watchdog", "4"]
        try await Cluster.with(options) { cluster in
            let hung = try #require(try await cluster.services().first { $0.name == "library" }?.pid)
            kill(hung, SIGSTOP)
            defer { kill(hung, SIGCONT) }
            try await eventually("another library") {
                let pid = try await cluster.services().first { $0.name == "library" }?.pid
                return pid != nil && pid != hung
            }
            let status = try await cluster.obscura("status", "--wait", "15", "--json")
            #expect(status.status == 0, "\(status.output) \(status.errors)")
            let lines = try String(contentsOfFile: cluster.supervisor.output, encoding: .utf8)
            #expect(lines.contains("showed no life for 4 s"), "\(lines)")
        }
    }

    @Test func `a mistake in the policy and a crash do not end the cluster`() async throws {
        try await Cluster.with { cluster in
            let before = try await cluster.services()
            let policy = Folder(path: cluster.data)
            try policy.write("policy.json", Array(#"{"operators": ["#.utf8))
            let library = try #require(before.first { $0.name == "library" }?.pid)
            kill(library, SIGKILL)
            try await eventually("the line that says why it does not run") {
                let lines = try String(contentsOfFile: cluster.supervisor.output, encoding: .utf8)
                return lines.split(separator: "\n").contains { $0.contains("restarting") && $0.contains("policy") }
            }
            #expect(cluster.supervisor.isRunning)
            kill(cluster.supervisor.pid, SIGHUP)
            try await eventually("the word that an older policy is in force") {
                let status = try await cluster.obscura("status")
                return status.output.split(separator: "\n").contains {
                    $0.hasPrefix("probe") && $0.contains("ready") && $0.contains("stays in force")
                        && $0.contains("policy.json")
                }
            }
            for service in before where service.name != "library" {
                let pid = try #require(service.pid)
                #expect(kill(pid, 0) == 0, "\(service.name) goes on")
            }
            try policy.write("policy.json", Array("{}".utf8))
            let status = try await cluster.obscura("status", "--wait", "30", "--json")
            #expect(status.status == 0, "\(status.output) \(status.errors)")
            kill(cluster.supervisor.pid, SIGHUP)
            try await eventually("every service to have the new policy") {
                !(try await cluster.obscura("status").output.contains("stays in force"))
            }
        }
    }

    @Test func `a hangup has every service read the policy again, and ends nothing`() async throws {
        try await Cluster.with { cluster in
            let before = try await cluster.services().map { [$0.name, $0.pid.map(String.init)] }
            kill(cluster.supervisor.pid, SIGHUP)
            for name in ["coordinator", "probe", "capture", "library", "exporter"] {
                try await eventually("\(name) to read the policy again") {
                    try String(contentsOfFile: "\(cluster.data)/log/\(name).log", encoding: .utf8)
                        .contains("the policy was read again")
                }
            }
            #expect(try await cluster.services().map { [$0.name, $0.pid.map(String.init)] } == before)
            #expect(cluster.supervisor.isRunning)
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can start a system deployment"))
    func `a service's user can not lead root to the files of others`() async throws {
        try await SystemDeployment.with { deployment in
            let cluster = deployment.cluster
            let user = try SystemDeployment.servicesUser.user
            let victims = cluster.folder + "/victims"
            let victim = victims + "/preload"
            try FileManager.default.createDirectory(atPath: victims, withIntermediateDirectories: false)
            try Data("untouched".utf8).write(to: URL(fileURLWithPath: victim))
            unsafe chmod(victim, 0o600)
            func isUntouched() throws -> Bool {
                let owners = try [victims, victim].map {
                    try FileManager.default.attributesOfItem(atPath: $0)[.ownerAccountID] as? UInt32
                }
                return try owners == [0, 0] && FileManager.default.contents(atPath: victim) == Data("untouched".utf8)
                    && FileManager.default.contentsOfDirectory(atPath: victims) == ["preload"]
            }
            func plant(_ script: String) async throws {
                let command = ["/bin/sh", "-c", script, cluster.data, victims, cluster.runtime]
                let planted = try await Cluster.run(command, user: user, in: cluster)
                try #require(planted.status == 0, "\(planted.errors)")
            }

            // What root keeps in the services' folders is no longer theirs to change.
            for path in [cluster.data + "/log", cluster.runtime + "/notify", cluster.runtime + "/keys"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.ownerAccountID] as? UInt32 == 0, "\(path)")
            }
            // While the cluster runs: the folder is replaced, and a service is started again.
            try await plant(#"mv "$0/log" "$0/old" && mkdir "$0/log" && ln -s "$1/preload" "$0/log/library.log""#)
            try await plant(#"mv "$2/notify" "$2/old" && ln -s "$1" "$2/notify""#)
            let library = try #require(try await cluster.services().first { $0.name == "library" }?.pid)
            kill(library, SIGKILL)
            try await eventually("another library") {
                let pid = try await cluster.services().first { $0.name == "library" }?.pid
                return pid != nil && pid != library
            }
            #expect(try isUntouched())
            await cluster.end()

            func refusal() async throws -> String {
                let up = [
                    "/usr/bin/timeout", "20", "\(cluster.options.bin)/obscura", "up", "--runtime", cluster.runtime,
                    "--data", cluster.data,
                ]
                let outcome = try await Cluster.run(up + cluster.options.arguments, in: cluster)
                #expect(outcome.status != 0 && outcome.status != 124, "\(outcome.output)")
                #expect(try isUntouched())
                return outcome.errors
            }
            // At the next start: a link in the place of a folder, and one in the place of a log file.
            #expect(try await refusal().contains("symbolic link"))
            try await plant(#"rm "$2/notify" && mv "$2/old" "$2/notify""#)
            #expect(try await refusal().contains("library.log is a link"))
            try await plant(#"mv "$0/log" "$0/older" && ln -s "$1" "$0/log""#)
            #expect(try await refusal().contains("symbolic link"))
        }
    }
}
