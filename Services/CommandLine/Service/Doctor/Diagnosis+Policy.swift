private import Files
private import MessageSchema
private import ServiceRuntime

extension Diagnosis {
    /// Reads a policy file as a service would, and says what is wrong with it; needs no cluster.
    mutating func check(policy path: String) {
        add(Self.policy(path))
    }

    private static func policy(_ path: String) -> Finding {
        let bytes: [UInt8]
        do throws(FilesError) {
            bytes = try FileDescriptor(opening: path, [.read]).readAll(limit: 1 << 20)
        } catch {
            return Finding("policy", .problem, "\(path): \(error)", advice: "name a file that can be read")
        }
        do throws(PolicyError) {
            let policy = try Policy(decoding: bytes)
            let counts = [
                ("operators", policy.operators.count), ("restricted", policy.restrictions.count),
                ("granted", policy.granted.count),
                ("containers", policy.containers.count),
            ].map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            return Finding("policy", .ok, "\(path): \(counts)")
        } catch {
            return Finding(
                "policy",
                .problem,
                "\(path): \(error)",
                advice: "'obscura schema --policy' says what it may say"
            )
        }
    }
}
