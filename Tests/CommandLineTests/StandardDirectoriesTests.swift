import ServiceRuntime
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Standard directories` {
    private func user(
        _ userID: UInt32 = 1000,
        _ environment: [String: String] = [:],
        account: (String, String)? = ("anna", "/home/anna"),
        directories: [String: UserSituation.Directory] = [:],
        files: Set<String> = []
    ) -> UserSituation {
        UserSituation(
            environment: environment,
            userID: userID,
            account: account.map { (name: $0.0, home: $0.1) },
            directories: directories,
            files: files
        )
    }

    @Test func `data that must last goes where the environment, the user and the XDG specification say`() {
        #expect(StandardDirectories.data(user(1000, ["OBSCURA_DATA": "/srv/o", "XDG_DATA_HOME": "/x"])) == "/srv/o")
        #expect(StandardDirectories.data(user(1000, ["OBSCURA_DATA": ""])) == "/home/anna/.local/share/obscura")
        #expect(StandardDirectories.data(user(0, ["XDG_DATA_HOME": "/x"])) == "/var/lib/obscura")
        #expect(StandardDirectories.data(user(998, account: ("obscura", "/"))) == "/var/lib/obscura")
        #expect(StandardDirectories.data(user(1000, ["XDG_DATA_HOME": "/x/"])) == "/x/obscura")
        #expect(StandardDirectories.data(user(1000, ["XDG_DATA_HOME": "x"])) == "/home/anna/.local/share/obscura")
        #expect(StandardDirectories.data(user(1000, ["HOME": "/h"])) == "/h/.local/share/obscura")
        #expect(StandardDirectories.data(user(1000, account: nil)) == nil)
    }

    @Test func `services run where their user may write`() {
        let all: [String: UserSituation.Directory] = [
            "/run/obscura": .init(owner: 0, canBeEntered: true),
            "/run/user/1000": .init(owner: 1000, canBeEntered: true),
            "/tmp/x": .init(owner: 1000, canBeEntered: true),
        ]
        #expect(StandardDirectories.runtime(user(0), for: .serving) == "/run/obscura")
        #expect(StandardDirectories.runtime(user(1000, directories: all), for: .serving) == "/run/user/1000/obscura")
        let chosen = user(1000, ["XDG_RUNTIME_DIR": "/tmp/x"], directories: all)
        #expect(StandardDirectories.runtime(chosen, for: .serving) == "/tmp/x/obscura")
        #expect(StandardDirectories.runtime(user(1000), for: .serving) == "/home/anna/.local/state/obscura/run")
        let said = user(0, ["OBSCURA_RUNTIME": "/r"], directories: all)
        #expect(StandardDirectories.runtime(said, for: .serving) == "/r")
        #expect(StandardDirectories.runtime(user(1000, account: nil), for: .serving) == nil)
    }

    @Test func `a runtime directory of somebody else is not taken`() {
        let theirs: [String: UserSituation.Directory] = [
            "/run/user/1000": .init(owner: 1000, canBeEntered: true),
            "/run/user/5": .init(owner: 6, canBeEntered: true),
        ]
        let sudo = user(5, ["XDG_RUNTIME_DIR": "/run/user/1000"], account: ("eve", "/e"), directories: theirs)
        #expect(StandardDirectories.runtime(sudo, for: .serving) == "/e/.local/state/obscura/run")
    }

    @Test func `callers look at the machine's cluster first and skip one that is not there or closed to them`() {
        let own = UserSituation.Directory(owner: 1000, canBeEntered: true)
        let open = UserSituation.Directory(owner: 0, canBeEntered: true)
        let closed = UserSituation.Directory(owner: 0, canBeEntered: false)
        let socket: Set = ["/run/obscura/coordinator.sock", "/run/user/1000/obscura/coordinator.sock"]
        func calling(_ shared: UserSituation.Directory?, _ files: Set<String>) -> String? {
            var directories = ["/run/user/1000": own]
            directories["/run/obscura"] = shared
            return StandardDirectories.runtime(user(directories: directories, files: files), for: .calling)
        }
        #expect(calling(open, socket) == "/run/obscura")
        #expect(calling(open, []) == "/run/obscura")
        #expect(calling(open, ["/run/user/1000/obscura/coordinator.sock"]) == "/run/user/1000/obscura")
        #expect(calling(closed, socket) == "/run/user/1000/obscura")
        #expect(calling(nil, []) == "/run/user/1000/obscura")
    }

    @Test func `this process has a user, a home and a root directory`() {
        let here = UserSituation(ofThisProcess: ["HOME": "/somewhere"])
        #expect(here.home == "/somewhere")
        #expect(here.directory("/")?.owner == 0)
        #expect(here.exists("/proc/self"))
        #expect(!here.exists("/no/such/file"))
        #expect(here.directory("/proc/self/status") == nil)
    }
}
