import Consent
import Glibc
import Testing

@testable import Messaging

@Suite("What is read about a process", .timeLimit(.minutes(1)))
struct EvidenceTests {
    @Test(arguments: [
        ("0::/system.slice/booth.service", "unit:booth.service"),
        ("0::/system.slice/booth@1.service", "unit:booth@1.service"),
        ("0::/system.slice/booth.service/child", nil), ("0::/system.slice/booth.scope", nil),
        ("0::/system.slice/.service", nil), ("0::/system.slice", nil), ("0::/", nil), ("0::/init.scope", nil),
        ("0::/user.slice/user-1000.slice/user@1000.service", nil),
        ("0::/user.slice/system.slice/booth.service", nil), ("0::/../system.slice/booth.service", nil),
        ("0::/machine.slice/kiosk.scope", "container:kiosk"),
        ("0::/machine.slice/kiosk.scope/inner", "container:kiosk"),
        ("0::/machine.slice/", nil), ("0::/machine.slicex/kiosk", nil),
        ("2:cpu:/x\n1:name=systemd:/system.slice/a.service\n0::/elsewhere", "unit:a.service"),
        ("0::/system.slice/b.service\n1:name=systemd:/user.slice", nil),
    ])
    func `a control group proves a unit, a container, or nothing`(file: String, expected: String?) throws {
        let group = try #require(ControlGroup(file: file))
        #expect(group.principal(containerPrefixes: ["/machine.slice/"])?.description == expected)
    }

    @Test func `without a prefix no container is believed`() throws {
        #expect(ControlGroup(path: "/machine.slice/kiosk.scope").principal(containerPrefixes: []) == nil)
    }

    @Test(arguments: [
        ("/machine.slice/kiosk.scope", "container:kiosk"), ("/lxc/booth", "container:booth"),
        ("/lxc/inner/booth", "container:booth"), ("/other/booth", nil),
    ])
    func `every prefix counts, and the longest that fits names the container`(path: String, expected: String?) {
        let prefixes = ["/machine.slice/", "/lxc/", "/lxc/inner/"]
        #expect(ControlGroup(path: path).principal(containerPrefixes: prefixes)?.description == expected)
    }

    @Test(arguments: ["0::relative", "nonsense", "0:/", "2:cpu:/x\nnonsense"])
    func `a file that is none of a control group's is refused`(file: String) {
        #expect(ControlGroup(file: file) == nil)
    }

    @Test(arguments: ["", "2:cpu:/x", "3:name=openrc:/booth\n2:cpu:/system.slice/booth.service"])
    func `without a hierarchy that proves something, a process has no unit and no container`(file: String) throws {
        let group = try #require(ControlGroup(file: file))
        #expect(group.path == nil)
        let credentials = PeerCredentials(userID: 1_000, groupID: 0, processID: 5)
        let record = ProcessRecord(startTime: 1, userID: 1_000, controlGroup: group, label: "x")
        for deployment in Deployment.allCases {
            var rules = Cluster.rules(deployment)
            let identity = try rules.identity(of: credentials, record: record)
            #expect(identity.principal == .user(1_000))
            #expect(identity.provenBy == .peerCredentials)
            // A container that can not be told from its user must not count as that.
            rules.containerPrefixes = ["/machine.slice/"]
            #expect(throws: IdentityRefusal.noControlGroups) { try rules.identity(of: credentials, record: record) }
        }
    }

    @Test func `a service that can prove nobody says why`() async throws {
        // The user of this process stands for all of another namespace.
        let cluster = try Cluster { $0.identity.overflowUser = geteuid() }
        let error = await #expect(throws: MessagingError.self) { try await cluster.server.start() }
        #expect(error?.code == .authenticationUnavailable)
        #expect(error?.description.contains("namespace") == true, "\(String(describing: error))")
    }

    @Test(
        arguments: [
            ("localhost:1000:100:42", 1_000, 100, 42), ("localhost:0:0:1", 0, 0, 1),
            ("localhost:4294967294:1:2", 4_294_967_294, 1, 2),
        ] as [(String, UInt32, UInt32, Int32)]
    )
    func `the address of a local peer holds its credentials`(address: String, uid: UInt32, gid: UInt32, pid: Int32) {
        #expect(PeerCredentials(address: address) == PeerCredentials(userID: uid, groupID: gid, processID: pid))
    }

    @Test(arguments: [
        "", "localhost", "127.0.0.1", "localhost:1:2", "localhost:a:b:c", "localhost:1:2:3:4", "evil:1:2:3",
    ])
    func `any other address is no proof`(address: String) {
        #expect(PeerCredentials(address: address) == nil)
    }

    @Test(
        arguments: [
            ("/usr/bin/booth", ["booth"], "/usr/bin/booth"),
            ("/usr/bin/python3.11", ["python3", "/opt/kiosk.py", "--loud"], "python3.11 /opt/kiosk.py"),
            ("/usr/bin/python3.11", ["python3", "-u", "-m", "kiosk"], "python3.11 kiosk"),
            ("/usr/bin/python3.11", ["python3", "-c", "import os"], "/usr/bin/python3.11"),
            ("/usr/bin/bash", ["bash", "/srv/run.sh"], "bash /srv/run.sh"),
            ("/usr/bin/shred", ["shred", "x"], "/usr/bin/shred"),
            (nil, ["/usr/bin/node", "app.js"], "node app.js"), (nil, [], "comm"),
            ("/tmp/\u{1B}[31mred", ["x"], "/tmp/\\u{1b}[31mred"),
        ] as [(String?, [String], String)]
    )
    func `a label is what a person would recognise`(executable: String?, arguments: [String], label: String) {
        #expect(ProgramLabel.make(executable: executable, arguments: arguments, name: "comm") == label)
    }

    @Test func `the record of this process is right`() throws {
        let record = try #require(ProcessRecord.read(getpid()))
        #expect(record.userID == geteuid())
        #expect(record.startTime > 0)
        #expect(ProcessRecord.startTime(of: getpid()) == record.startTime)
        #expect(ProcessRecord.read(-1) == nil)
        #expect(ProcessRecord.read(Int32.max) == nil)
    }

    @Test func `the groups of a process are read, and count while it is the user that connected`() throws {
        let record = try #require(ProcessRecord.read(getpid()))
        var own = [gid_t](repeating: 0, count: 1_024)
        let count = unsafe getgroups(CInt(own.count), &own)
        #expect(Set(record.groups) == Set(own.prefix(Int(max(count, 0)))))
        #expect(
            ProcessRecord.groups(inStatus: "Uid:\t1\t1\t1\t1\nGroups:\t27 44 4294967294 \n") == [27, 44, 4_294_967_294]
        )
        #expect(ProcessRecord.groups(inStatus: "Groups:\t \n").isEmpty)

        var other = self.record(user: 1_000, group: "/")
        other.groups = [44]
        let rules = Cluster.rules(.system)
        let same = PeerCredentials(userID: 1_000, groupID: 0, processID: 5)
        #expect(try rules.identity(of: same, record: other).groups == [44])
        let changed = PeerCredentials(userID: 1_001, groupID: 0, processID: 5)
        #expect(try rules.identity(of: changed, record: other).groups.isEmpty)
    }

    @Test func `a process that ended is known, and one that lives without its first thread is not taken for it`() throws
    {
        let own = try #require(ProcessRecord.read(getpid())).startTime
        #expect(!ProcessRecord.isGone(getpid(), startedAt: own))
        #expect(ProcessRecord.isGone(getpid(), startedAt: own + 1), "the number is another process's")
        #expect(ProcessRecord.isGone(Int32.max, startedAt: own))
        #expect(!ProcessRecord.isGone(0, startedAt: 0), "no process was proven")
        func stat(_ state: String, threads: Int) -> String {
            "12 (a) b) \(state) " + (4...30).map { $0 == 20 ? "\(threads)" : "\($0)" }.joined(separator: " ")
        }
        #expect(ProcessRecord.isGone(inStat: stat("Z", threads: 1), startedAt: 22))
        #expect(!ProcessRecord.isGone(inStat: stat("Z", threads: 2), startedAt: 22))
        #expect(!ProcessRecord.isGone(inStat: stat("S", threads: 1), startedAt: 22))
        #expect(ProcessRecord.isGone(inStat: stat("S", threads: 1), startedAt: 21))
    }

    @Test func `a process name can not shift the fields of stat`() {
        let tail = (3...30).map { $0 == 22 ? "777" : "\($0)" }.joined(separator: " ")
        #expect(ProcessRecord.startTime(inStat: "12 (a) 1 2 3) \(tail)") == 777)
        #expect(ProcessRecord.startTime(inStat: "12 (short) S 1") == nil)
        #expect(ProcessRecord.startTime(inStat: "") == nil)
    }

    @Test(arguments: [(Int32(0), UInt32(1_000)), (-1, 1_000), (5, 65_534)])
    func `a process of another namespace is refused`(pid: Int32, uid: UInt32) {
        let credentials = PeerCredentials(userID: uid, groupID: 0, processID: pid)
        #expect(throws: IdentityRefusal.otherNamespace) {
            try Cluster.rules(.system).identity(of: credentials, record: record(user: uid, group: "/"))
        }
    }

    @Test func `what can not be read is refused`() {
        let credentials = PeerCredentials(userID: 1_000, groupID: 0, processID: 5)
        let rules = Cluster.rules(.system)
        #expect(throws: IdentityRefusal.noSuchProcess) { try rules.identity(of: credentials, record: nil) }
        #expect(throws: IdentityRefusal.unreadableControlGroup) {
            try rules.identity(of: credentials, record: record(user: 1_000, group: nil))
        }
    }

    @Test func `a unit counts only while the process is the user that connected`() throws {
        let credentials = PeerCredentials(userID: 1_000, groupID: 0, processID: 5)
        let rules = Cluster.rules(.system)
        let unit = try rules.identity(of: credentials, record: record(user: 1_000, group: "/system.slice/a.service"))
        #expect(unit.principal == .unit("a.service"))
        #expect(unit.provenBy == .systemUnit)
        let other = try rules.identity(of: credentials, record: record(user: 0, group: "/system.slice/a.service"))
        #expect(other.principal == .user(1_000))
        #expect(other.provenBy == .peerCredentials)
    }

    private func record(user: UInt32, group: String?) -> ProcessRecord {
        ProcessRecord(startTime: 1, userID: user, controlGroup: group.map(ControlGroup.init(path:)), label: "x")
    }

    @Test func `a process that renames itself keeps its place, and is known by its last name`() throws {
        var table = PeerTable()
        func identity(_ label: String, _ role: Role? = nil) -> PeerIdentity {
            PeerIdentity(
                principal: .user(7),
                userID: 7,
                groupID: 0,
                processID: 1,
                startTime: 1,
                label: label,
                role: role
            )
        }
        let first = try table.token(for: identity("name 0"), isAlive: { _ in true })
        for number in 1...2_000 {
            #expect(try table.token(for: identity("name \(number)"), isAlive: { _ in true }) == first)
        }
        #expect(table.count == 1)
        #expect(table[first]?.label == "name 2000")
        #expect(try table.token(for: identity("name 0", .capture), isAlive: { _ in true }) != first)
    }

    @Test func `the table of identities is bounded, and the dead make room`() throws {
        var table = PeerTable(capacity: 4, capacityPerUser: 3)
        func identity(_ user: UInt32, _ pid: Int32) -> PeerIdentity {
            PeerIdentity(principal: .user(user), userID: user, groupID: 0, processID: pid, startTime: 1, label: "")
        }
        var alive: Set<Int32> = [1, 2, 3, 4, 5]
        let first = try table.token(for: identity(7, 1), isAlive: { alive.contains($0.processID) })
        #expect(try table.token(for: identity(7, 1), isAlive: { _ in true }) == first)
        for pid in 2...3 { _ = try table.token(for: identity(7, Int32(pid)), isAlive: { _ in true }) }
        #expect(throws: PeerTable.Refusal.tooManyOfUser) {
            try table.token(for: identity(7, 4), isAlive: { _ in true })
        }
        _ = try table.token(for: identity(8, 5), isAlive: { _ in true })
        #expect(throws: PeerTable.Refusal.full) { try table.token(for: identity(9, 6), isAlive: { _ in true }) }
        alive.remove(1)
        let next = try table.token(for: identity(7, 4), isAlive: { alive.contains($0.processID) })
        #expect(next != first)
        #expect(table[first] == nil)
        #expect(table.count == 4)
        #expect(PeerToken(next.text) == next)
        for text in ["", "p", "q1", "p-1", "p1x"] { #expect(PeerToken(text) == nil) }
    }
}
