import CommandLineService
import Consent
import Media
import MessageSchema
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Permission commands` {
    private static func cluster(_ changes: @escaping @Sendable (PermissionChange) -> Void) -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: []) }
        cluster.on(ShowCamera.self) { request in
            .init(
                camera: ["front", "pattern-front"].contains(request.camera)
                    ? Samples.camera("pattern-front", .front) : nil
            )
        }
        cluster.on(DenyPermission.self) { request in
            changes(request.change)
            return PermissionState(
                principal: request.change.principal,
                resource: request.change.resource,
                access: .use,
                status: .denied
            )
        }
        return cluster
    }

    @Test func `a withdrawal prints what is denied now, each by its own name`() async {
        let cluster = Self.cluster { _ in }
        @Sendable func state(_ resource: Resource, _ access: Access, _ status: Status) -> PermissionState {
            PermissionState(principal: .user(1000), resource: resource, access: access, status: status)
        }
        let held = [
            state(.camera("back"), .use, .denied), state(.camera("front"), .use, .denied),
            state(.library, .addOnly, .denied),
        ]
        cluster.on(RevokePermission.self) { _ in state(.camera("*"), .use, .notDetermined) }
        cluster.on(ListPermissions.self) { _ in .init(permissions: held) }
        let outcome = await obscura("permissions", "revoke", "--resource", "camera/*", on: cluster)
        #expect(outcome.status == .success && outcome.lines.count == 3)
        #expect(outcome.errors.contains("had filmed is kept (--discard discards it)"))
        #expect(outcome.text.contains("camera/back") && outcome.text.contains("camera/front"))
        #expect(!outcome.text.contains("notDetermined") && !outcome.text.contains("library"))
    }

    @Test func `what becomes of unfinished films is said to the cluster, and to the person`() async {
        let changed = Mutex<[Unfinished?]>([])
        let cluster = Self.cluster { change in changed.withLock { $0.append(change.unfinished) } }
        let words = ["permissions", "deny", "--resource", "camera/*"]
        let kept = await obscura(words, on: cluster)
        #expect(kept.status == .success && kept.errors.isEmpty)
        let discarded = await obscura(words + ["--discard"], on: cluster)
        #expect(discarded.errors.contains("had filmed is discarded"))
        let json = await obscura(words + ["--discard", "--json"], on: cluster)
        #expect(json.errors.isEmpty)
        #expect(changed.withLock { $0 } == [nil, .discarded, .discarded])
        let grant = await obscura("permissions", "grant", "--resource", "camera/*", "--discard", on: cluster)
        #expect(grant.status == .usage)
        let export = await obscura("permissions", "deny", "--resource", "export", on: cluster)
        #expect(export.status == .success && export.errors.isEmpty)
    }

    @Test func `a position is the camera that looks there`() async {
        let changed = Mutex<[Resource]>([])
        let cluster = Self.cluster { change in changed.withLock { $0.append(change.resource) } }
        let outcome = await obscura("permissions", "deny", "--resource", "camera/front", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.text.contains("camera/pattern-front"), "it is said what was decided about")
        _ = await obscura("permissions", "deny", "--resource", "camera/*", on: cluster)
        _ = await obscura("permissions", "deny", "--resource", "camera/usb-1", on: cluster)
        #expect(changed.withLock { $0 } == [.camera("pattern-front"), .camera("*"), .camera("usb-1")])
    }

    @Test func `a decision about a camera that is not there is stored, and it is said`() async {
        let changed = Mutex<[Resource]>([])
        let cluster = Self.cluster { change in changed.withLock { $0.append(change.resource) } }
        let absent = await obscura("permissions", "deny", "--resource", "camera/usb-1", "--json", on: cluster)
        #expect(absent.status == .success && absent.lines.count == 1)
        #expect(absent.errors.contains("there is no camera 'usb-1' now") && absent.errors.contains("stored"))
        for resource in ["camera/front", "camera/*", "library"] {
            #expect(await obscura("permissions", "deny", "--resource", resource, on: cluster).errors.isEmpty)
        }
        #expect(changed.withLock { $0.count } == 4)
    }

    @Test func `a position where no camera looks is an error, and nothing is decided`() async {
        let changed = Mutex(0)
        let cluster = Self.cluster { _ in changed.withLock { $0 += 1 } }
        let outcome = await obscura("permissions", "deny", "--resource", "camera/back", on: cluster)
        #expect(outcome.status == .unavailable)
        #expect(outcome.errors.contains("'back'"))
        #expect(changed.withLock { $0 } == 0)
    }

    @Test func `an operator asks how another program stands`() async throws {
        let cluster = FakeCluster()
        let asked = Mutex<[PermissionStatus]>([])
        cluster.on(PermissionStatus.self) { request in
            asked.withLock { $0.append(request) }
            return .init(
                permissions: request.needs.map {
                    .init(principal: .user(7), resource: $0.resource, access: $0.access, status: .denied)
                }
            )
        }
        let words = ["permissions", "status", "--resource", "library", "--principal", "uid:7"]
        let all = await obscura(words[0], words[1], words[2], words[3], words[4], words[5], on: cluster)
        #expect(all.status == .success && all.text.contains("uid:7"))
        _ = await obscura(
            words[0],
            words[1],
            words[2],
            words[3],
            words[4],
            words[5],
            "--label",
            "booth",
            on: cluster
        )
        let requests = asked.withLock { $0 }
        #expect(requests.map(\.principal) == [.user(7), .user(7)])
        #expect(requests.map(\.label) == [nil, "booth"])
        let alone = await obscura("permissions", "status", "--resource", "library", "--label", "booth", on: cluster)
        #expect(alone.status == .usage)
    }
}
