import CommandLineService
import Consent
import FoundationEssentials
import Media
import MessageSchema
import ServiceRuntime
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The doctor` {
    private func diagnose(
        _ cluster: FakeCluster,
        userID: UInt32 = 1000,
        nodes: [MachineFacts.Node] = [],
        dataIsOpen: Bool? = nil,
        hasControlGroups: Bool = true,
        hasCallFilters: Bool = true
    ) async -> Diagnosis {
        let record = OutputRecord()
        let context = CommandContext(
            terminal: Terminal(output: record.sink, errors: record.sink, environment: [:]),
            user: UserSituation(environment: [:], userID: userID, account: nil),
            interruption: Interruption(),
            executable: "/bin/obscura",
            connect: { _ in cluster }
        )
        let machine = MachineFacts(nodes: nodes, hasControlGroups: hasControlGroups, hasCallFilters: hasCallFilters) {
            $0 == "/var/lib/obscura" ? dataIsOpen : true
        }
        return await Diagnosis(cluster, context, runtime: "/r", machine: machine)
    }

    private func cluster(_ deployment: String, isOperator: Bool) -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in
            let services = ServiceName.allCases.map { name in
                ServiceStatus(
                    name: name,
                    instance: "1",
                    pid: 1,
                    version: "0.1",
                    state: .ready,
                    since: "2026-11-30T03:45:00Z",
                    endpoints: []
                )
            }
            return .init(deployment: deployment, ready: true, services: services)
        }
        cluster.on(PermissionStatus.self) { _ in
            .init(permissions: [.init(principal: .user(1000), resource: .library, access: .addOnly, status: .denied)])
        }
        cluster.on(ListPrompts.self) { _ in
            if !isOperator { throw ErrorReply(.operatorRequired, "Not an operator") }
            return .init(prompts: [])
        }
        cluster.on(ListCameras.self) { _ in .init(cameras: [Samples.camera("b", .back)]) }
        cluster.on(ListMicrophones.self) { _ in
            .init(microphones: [], problem: "there is no sound card with a microphone")
        }
        return cluster
    }

    @Test func `says that consent is advice between the programs of one user`() async {
        let diagnosis = await diagnose(cluster("personal", isOperator: true))
        #expect(diagnosis.isWell)
        #expect(diagnosis.deployment == "personal")
        #expect(diagnosis.worth?.hasPrefix("Personal: programs of one user are not kept apart by Linux.") == true)
        #expect(diagnosis.findings.contains { $0.about == "operator" && $0.state == .warning })
        #expect(diagnosis.findings.contains { $0.about == "you" && $0.detail == "uid:1000" })
    }

    @Test func `finds what makes a system deployment's promise untrue`() async {
        let open = [MachineFacts.Node(path: "/dev/video0", isOpenToUser: true)]
        let diagnosis = await diagnose(cluster("system", isOperator: false), nodes: open, dataIsOpen: true)
        #expect(!diagnosis.isWell)
        #expect(diagnosis.worth?.hasSuffix("against every other user's programs.") == true)
        #expect(diagnosis.findings.contains { $0.about == "/dev/video0" && $0.state == .warning })
        #expect(diagnosis.findings.contains { $0.about == "data directory" && $0.state == .problem })
        #expect(diagnosis.findings.contains { $0.about == "operator" && $0.state == .ok })
        let closed = [MachineFacts.Node(path: "/dev/video0", isOpenToUser: false)]
        let well = await diagnose(cluster("system", isOperator: false), nodes: closed, dataIsOpen: false)
        #expect(well.isWell)
        #expect(!well.findings.contains { $0.state != .ok })
    }

    @Test func `a microphone's node is looked at as a camera's is, with the group that is its own`() async {
        let open = [MachineFacts.Node(path: "/dev/snd/pcmC0D0c", isOpenToUser: true)]
        let past = await diagnose(cluster("system", isOperator: false), nodes: open, dataIsOpen: false)
        let warning = past.findings.first { $0.about == "/dev/snd/pcmC0D0c" }
        #expect(warning?.state == .warning)
        #expect(warning?.advice?.contains("leave the group 'audio'") == true)
        let closed = [MachineFacts.Node(path: "/dev/snd/pcmC0D0c", isOpenToUser: false)]
        let personal = await diagnose(cluster("personal", isOperator: true), nodes: closed)
        #expect(personal.findings.contains { $0.about == "/dev/snd/pcmC0D0c" && $0.advice == "join the group 'audio'" })
        // A machine that has a card has a microphone that can not be used, and one without has none.
        let machines: [(nodes: [MachineFacts.Node], state: Finding.State)] = [(closed, .warning), ([], .ok)]
        for (nodes, state) in machines {
            let found = await diagnose(cluster("personal", isOperator: true), nodes: nodes).findings
            #expect(found.first { $0.about == "microphones of hardware" }?.state == state)
        }
    }

    @Test func `a microphone says what keeps it from being used`() async {
        let cluster = cluster("personal", isOperator: true)
        cluster.on(ListMicrophones.self) { _ in
            let states = [
                Availability(.available), Availability(.disabled, reason: "the policy forbids it to everybody"),
            ]
            return .init(
                microphones: states.enumerated().map {
                    .init(id: "m-\($0.offset)", name: "M", driver: "d", builtIn: false, availability: $0.element)
                }
            )
        }
        let found = await diagnose(cluster).findings
        #expect(found.contains { $0.about == "microphone m-0" && $0.state == .ok })
        #expect(found.contains { $0.about == "microphone m-1" && $0.state == .warning && $0.detail.contains("policy") })
    }

    @Test func `nodes that give pictures and sound are told from all others by their names`() {
        #expect(["video0", "video12"].allSatisfy(MachineFacts.isCamera))
        #expect(!["video", "videox", "vbi0", "video1a"].contains(where: MachineFacts.isCamera))
        #expect(["pcmC0D0c", "pcmC12D34c"].allSatisfy(MachineFacts.isMicrophone))
        #expect(
            !["pcmC0D0p", "controlC0", "pcmCD0c", "pcmC0c", "pcmC0D0D1c", "seq", "timer"].contains(
                where: MachineFacts.isMicrophone
            )
        )
    }

    @Test func `warns of a service that is ready and says that something is not as it should be`() async {
        let cluster = cluster("personal", isOperator: true)
        let old = try? await cluster.call(ListServices())
        var services = old?.services ?? []
        services[0].detail = "the policy of 2026-11-30T03:45:00Z stays in force: the policy is no JSON"
        let (name, chosen) = (services[0].name.executable, services)
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: chosen) }
        let diagnosis = await diagnose(cluster)
        #expect(diagnosis.isWell)
        let finding = diagnosis.findings.first { $0.about == name }
        #expect(finding?.state == .warning && finding?.detail.contains("stays in force") == true)
    }

    @Test func `names a service that has not registered, and a cluster that does not answer`() async {
        let partial = cluster("personal", isOperator: true)
        partial.on(ListServices.self) { _ in .init(deployment: "personal", ready: false, services: []) }
        let diagnosis = await diagnose(partial)
        #expect(!diagnosis.isWell)
        #expect(
            diagnosis.findings.filter { $0.state == .problem }.map(\.about).sorted() == [
                "obscura-capture", "obscura-coordinator", "obscura-exporter", "obscura-library", "obscura-probe",
            ]
        )
        let absent = await diagnose(FakeCluster())
        #expect(!absent.isWell)
        #expect(absent.deployment == nil)
        #expect(absent.findings.contains { $0.about == "cluster" && $0.state == .problem })
    }

    @Test func `a machine without control groups is told what that takes away`() async {
        for cluster in [cluster("system", isOperator: true), FakeCluster()] {
            let finding = await diagnose(cluster, hasControlGroups: false).findings.first {
                $0.about == "control groups"
            }
            #expect(finding?.state == .warning)
            #expect(finding?.advice?.contains("cgroup2") == true)
            #expect(await !diagnose(cluster).findings.contains { $0.about == "control groups" })
        }
    }

    @Test func `a machine on which decoders can not be confined is told so`() async {
        for cluster in [cluster("personal", isOperator: true), FakeCluster()] {
            let finding = await diagnose(cluster, hasCallFilters: false).findings.first { $0.about == "decoders" }
            #expect(finding?.state == .warning)
            #expect(await !diagnose(cluster).findings.contains { $0.about == "decoders" })
        }
    }

    @Test func `schema needs no cluster and knows one message from another`() async throws {
        let all = await obscura("schema", "--json")
        #expect(all.status == .success)
        #expect(all.lines.count == 1)
        #expect(all.text.contains(#""$schema":"https://json-schema.org/draft/2020-12/schema""#))
        let one = await obscura("schema", "library.read", "--json")
        #expect(one.text.contains(#""messages":{"library.read":{"form":"stream""#))
        let document = try JSONDecoder().decode(PrintedSchema.self, from: Data(one.output))
        let types = Set(document.definitions.keys)
        #expect(types.contains("ErrorReply") && !types.contains("Camera") && !types.contains("PermissionState"))
        // All that is referred to is there, and nothing else.
        let referred = one.text.split(separator: "#/$defs/").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(types == Set(referred.map(String.init)))
        let typo = await obscura("schema", "library.raed")
        #expect(typo.status == .usage)
        #expect(typo.errors.contains("did you mean 'library.read'?"))
    }
}

/// The types that a printed schema has.
private struct PrintedSchema: Decodable {
    struct AnyType: Decodable {}

    let definitions: [String: AnyType]

    private enum CodingKeys: String, CodingKey { case definitions = "$defs" }
}
