import Foundation
import Testing

/// What the README shows is what is printed.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReadmeTests {
    private struct Step {
        let command: String
        var printed: [String] = []
    }

    @Test func `every command of the README prints what stands below it`() async throws {
        let steps = try Self.steps()
        #expect(steps.count >= 4)
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        try await Cluster.with(options) { cluster in
            for step in steps where !step.command.hasPrefix("export ") {
                var environment = cluster.environment
                environment["PATH"] = "\(Executables.directory):" + (environment["PATH"] ?? "")
                let outcome = try await Cluster.run(
                    ["/bin/sh", "-c", "{ \(step.command); } 2>&1"],
                    environment: environment,
                    directory: cluster.folder
                )
                let lines = outcome.output.split(separator: "\n").map { Self.pattern(String($0)) }.filter {
                    !$0.isEmpty
                }
                if step.printed.contains("…") {
                    var rest = lines[...]
                    for wanted in step.printed where wanted != "…" {
                        let place = try #require(
                            rest.firstIndex(of: wanted),
                            "\(wanted)\n is not in\n\(outcome.output)"
                        )
                        rest = rest[(place + 1)...]
                    }
                } else {
                    #expect(lines == step.printed, "\(step.command):\n\(outcome.output)")
                }
            }
        }
    }

    /// The lines after `$`, each with those that follow it.
    private static func steps() throws -> [Step] {
        let readme = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../README.md").standardized
        var steps: [Step] = []
        var isShown = false
        for line in try String(contentsOf: readme, encoding: .utf8).split(separator: "\n").map(String.init) {
            if line.hasPrefix("```") {
                isShown = false
            } else if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                isShown = true
            } else if isShown {
                steps[steps.count - 1].printed.append(pattern(line))
            }
        }
        return steps
    }

    /// A line without what differs each time: identifiers, numbers with their units, and the widths of columns.
    private static func pattern(_ line: String) -> String {
        line.replacing(#/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/#, with: "ID")
            .replacing(#/[0-9]+(\.[0-9]+)?/#, with: "0")
            .replacing(#/ [kMG]B/#, with: " B")
            .split(separator: " ").joined(separator: " ")
    }
}
