import Consent
import Files
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Policy and operators", .timeLimit(.minutes(1)))
struct PolicyTests {
    private func policy(_ text: String) throws(PolicyError) -> Policy { try Policy(decoding: Array(text.utf8)) }

    private func caller(_ principal: Principal, user: UInt32, group: UInt32, groups: [UInt32] = []) -> PeerIdentity {
        PeerIdentity(
            principal: principal,
            userID: user,
            groupID: group,
            groups: groups,
            processID: 1,
            startTime: 1,
            label: "x"
        )
    }

    @Test func `root and the personal user are operators`() throws {
        let personal = Operators(policy: Policy(), deployment: .personal, user: 1_000)
        #expect(personal.include(caller(.user(0), user: 0, group: 0)))
        #expect(personal.include(caller(.user(1_000), user: 1_000, group: 1_000)))
        #expect(!personal.include(caller(.user(1_001), user: 1_001, group: 1_001)))
        #expect(!personal.include(caller(.unit("a.service"), user: 1_000, group: 1_000)))
    }

    @Test func `in a system deployment the services' user is none`() {
        let system = Operators(policy: Policy(), deployment: .system, user: 998)
        #expect(!system.include(caller(.user(998), user: 998, group: 998)))
        #expect(system.include(caller(.user(0), user: 0, group: 0)))
    }

    @Test func `the policy names users, units and groups`() throws {
        let policy = try policy(#"{"operators": ["uid:7", "unit:panel.service", "group:4242"]}"#)
        let operators = Operators(policy: policy, deployment: .system, user: 998)
        #expect(operators.include(caller(.user(7), user: 7, group: 7)))
        #expect(operators.include(caller(.unit("panel.service"), user: 9, group: 9)))
        #expect(operators.include(caller(.user(9), user: 9, group: 4_242)))
        #expect(!operators.include(caller(.user(9), user: 9, group: 9)))
        #expect(operators.include(caller(.user(9), user: 9, group: 9, groups: [27, 4_242])))
    }

    @Test func `a unit or a container is no operator by the group of its process`() throws {
        let operators = Operators(
            policy: try policy(#"{"operators": ["group:4242"]}"#),
            deployment: .system,
            user: 998
        )
        for principal in ["container:booth", "unit:booth.service"] {
            let principal = try #require(Principal(principal))
            #expect(!operators.include(caller(principal, user: 9, group: 4_242)))
            #expect(!operators.include(caller(principal, user: 9, group: 9, groups: [4_242])))
        }
    }

    @Test func `a group is found by its name`() throws {
        let operators = Operators(policy: try policy(#"{"operators": ["group:root"]}"#), deployment: .system, user: 998)
        #expect(operators.include(caller(.user(9), user: 9, group: 9, groups: [0])))
        #expect(!operators.include(caller(.user(9), user: 9, group: 9)))
    }

    @Test func `the policy forbids resources, to everybody or to one principal`() throws {
        let policy = try policy(#"{"restricted": ["camera/*", "export for uid:7"]}"#)
        #expect(policy.restrictions == [Restriction(.camera("*")), Restriction(.export, for: .user(7))])
        #expect(try self.policy("{}").restrictions.isEmpty)
        let granted = try self.policy(#"{"granted": ["camera/* for unit:booth.service", "library read for uid:7"]}"#)
            .granted
        #expect(granted.map(\.description) == ["camera/* use for unit:booth.service", "library read for uid:7"])
    }

    @Test func `a policy that is read again holds from then on, and one that can not be read changes nothing`()
        async throws
    {
        let text = Mutex(#"{"operators": ["uid:7"], "restricted": ["library"]}"#)
        let live = LivePolicy(Policy(), deployment: .system, user: 998) {
            try Policy(decoding: Array(text.withLock { $0 }.utf8))
        }
        let told = Mutex<[[Restriction]]>([])
        live.onReload { policy in told.withLock { $0.append(policy.restrictions) } }
        #expect(!live.operators.include(caller(.user(7), user: 7, group: 7)) && live.restrictions.isEmpty)
        try await live.reload()
        #expect(live.operators.include(caller(.user(7), user: 7, group: 7)))
        #expect(live.restrictions == [Restriction(.library)])
        text.withLock { $0 = "{" }
        await #expect(throws: PolicyError.self) { try await live.reload() }
        #expect(live.operators.include(caller(.user(7), user: 7, group: 7)))
        #expect(told.withLock { $0 } == [[Restriction(.library)]])
    }

    @Test(arguments: [
        "", "[]", #"{"operators": ["root"]}"#, #"{"operators": ["group:"]}"#, #"{"containers": ["x"]}"#,
        #"{"containers": ["/machine.slice"]}"#,
        #"{"restrictions": []}"#, #"{"restricted": ["cameras"]}"#, #"{"restricted": ["camera/* for me"]}"#,
        #"{"granted": ["camera/*"]}"#, #"{"granted": ["camera/front for uid:7"]}"#,
        #"{"granted": ["export read for uid:7"]}"#,
        #"{"restricted": ["camera/front"]}"#, #"{"restricted": ["camera/external for uid:7"]}"#,
    ])
    func `a policy that means nothing is refused`(text: String) {
        #expect(throws: PolicyError.self) { try policy(text) }
    }

    @Test(arguments: [
        (#"{"restrictions": []}"#, "restrictions"),
        (#"{"defaults": {"camera/*": "deny"}, "restricted": []}"#, "defaults"),
        (#"{"operator": "uid:7"}"#, "operator"), (#"{"a": 1, "b": [2]}"#, #""a" and "b" are not known"#),
        (#"{"restricted": "camera/*"}"#, #""restricted" is not a list of texts"#),
        (#"{"restricted": ["camera/* by switch"]}"#, "camera/* by switch"),
    ])
    func `what is wrong in a policy is named, whatever its value`(text: String, named: String) {
        let error = #expect(throws: PolicyError.self) { try policy(text) }
        #expect(error?.description.contains(named) == true)
        #expect(error.map { StartFailure($0).code } == 65)
    }

    @Test func `the schema knows what the policy knows`() throws {
        struct Schema: Decodable { var properties: [String: Property] }
        struct Property: Decodable { var type: String }
        let schema = try JSONDecoder().decode(Schema.self, from: Data(Policy.schema.utf8))
        #expect(schema.properties.keys.sorted() == Policy.names.sorted())
    }

    @Test func `a file that is another one is noticed when it stands still, and once`() async throws {
        try await withTemporaryDirectory { path in
            func status() -> FileStatus? { try? FileDescriptor(opening: "\(path)/p", [.read]).status() }
            func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: "\(path)/p")) }
            var watch = PolicyWatch(from: status())
            func looks(_ count: Int) -> [Bool] {
                var found: [Bool] = []
                for _ in 0..<count { found.append(watch.look(status())) }
                return found
            }
            #expect(looks(1) == [false])
            try write("{")
            #expect(looks(3) == [false, true, false], "at first it may still be written")
            try write("{}")
            #expect(looks(3) == [false, true, false])
            try FileManager.default.removeItem(atPath: "\(path)/p")
            #expect(looks(3) == [false, true, false])
        }
    }

    @Test func `a policy that is written while the first one is read is not missed`() async throws {
        try await withTemporaryDirectory { path in
            let file = "\(path)/policy.json"
            try Data("{}".utf8).write(to: URL(filePath: file))
            let live = try LivePolicy(
                deployment: .system,
                user: 998,
                fileStatus: { try? FileDescriptor(opening: file, [.read]).status() },
                read: {
                    let bytes = try FileDescriptor(opening: file, [.read]).readAll(limit: 1_000)
                    // Somebody writes immediately behind the reading.
                    try Data(#"{"restricted": ["library"]}"#.utf8).write(to: URL(filePath: file))
                    return try Policy(decoding: bytes)
                }
            )
            #expect(live.restrictions.isEmpty)
            var watch = live.watch
            let looks = [watch.look(live.fileStatus()), watch.look(live.fileStatus())]
            #expect(looks == [false, true])
            try await live.reload()
            #expect(live.restrictions == [Restriction(.library)])
        }
    }

    @Test(arguments: ["front", "back", "external"])
    func `the schema refuses what the policy refuses as naming no camera`(position: String) throws {
        struct Schema: Decodable { var properties: [String: Property] }
        struct Property: Decodable { var items: Items }
        struct Items: Decodable { var pattern: String }
        let schema = try JSONDecoder().decode(Schema.self, from: Data(Policy.schema.utf8))
        let pattern = try Regex(try #require(schema.properties["restricted"]).items.pattern)
        for text in ["camera/\(position)", "camera/\(position) for uid:7"] {
            #expect(text.wholeMatch(of: pattern) == nil)
        }
        let allowing = try Regex(try #require(schema.properties["granted"]).items.pattern)
        for text in ["camera/\(position) for uid:7", "camera/* read for uid:7", "camera/*", "library write for uid:7"] {
            #expect(text.wholeMatch(of: allowing) == nil, "\(text)")
        }
        for text in [
            "camera/\(position)-0 use for uid:7", "library readWrite for key:a", "location for unit:a.service",
        ] {
            #expect(text.wholeMatch(of: allowing) != nil, "\(text)")
        }
        for text in ["camera/\(position)-0", "camera/*", "camera/\(position)-0 for uid:7", "microphone/\(position)"] {
            #expect(text.wholeMatch(of: pattern) != nil, "\(text)")
        }
    }

    @Test func `a role's keys prove it to those who hold only its verifier`() throws {
        let keyring = RoleKeyring()
        let capture = keyring.keys(for: .capture)
        #expect(try RoleKeys(decoding: capture.encoded) == capture)
        #expect(capture.verifiers.count == Role.allCases.count)
        #expect(!capture.verifiers.values.contains(capture.key))
        #expect(keyring.keys(for: .library).key != capture.key)
        #expect(RoleKeyring().keys(for: .capture).key != capture.key)
    }
}
