import Consent
import MessageSchema
import ServiceRuntime
import Synchronization
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `Unfinished work that is ended` {
    private static let microphone = Need(.microphone("m"), .use)
    private static let needs = [FakeCoordinator.front, FakeCoordinator.add, microphone]

    private func film() async throws -> (coordinator: FakeCoordinator, film: Authorization) {
        let coordinator = FakeCoordinator()
        coordinator.state.withLock { $0.answer = .allow(.forever) }
        let film = try await coordinator.consent.authorize(Self.needs, for: FakeCoordinator.asker)
        try film.check()
        try film.checkUnfinished()
        return (coordinator, film)
    }

    private func ending(_ check: () throws(ErrorReply) -> Void) -> ErrorReply? {
        do throws(ErrorReply) {
            try check()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: needs.map(\.resource))
    func `of which nothing is to be left ends as a whole, whatever of it was taken back`(resource: Resource)
        async throws
    {
        let (coordinator, film) = try await film()
        let (pictures, sound) = (film.part { $0 != Self.microphone }, film.part { $0 == Self.microphone })
        async let told = pictures.revoked()
        async let toldOfSound = sound.revoked()
        try coordinator.revoke(resource, unfinished: .discarded)
        for error in [await told, await toldOfSound, ending(pictures.check), ending(sound.check), ending(film.check)] {
            #expect(error?.discardsUnfinished == true && error?.parameters?["resource"] == resource.description)
        }
        #expect(ending(film.checkUnfinished)?.discardsUnfinished == true)
    }

    @Test func `is kept where nothing else was said, and the picture goes on without its sound`() async throws {
        let (coordinator, film) = try await film()
        let pictures = film.part { $0 != Self.microphone }
        try coordinator.revoke(Self.microphone.resource)
        try pictures.check()
        try film.checkUnfinished()
        try coordinator.revoke(.camera("front"))
        let error = ending(pictures.check)
        #expect(error?.code == .revoked && error?.discardsUnfinished == false)
        #expect(error?.parameters?["unfinished"] == nil)
        try film.checkUnfinished()
    }

    @Test func `is discarded when one of two who ended it said so`() async throws {
        let (coordinator, film) = try await film()
        try coordinator.revoke(.camera("front"))
        try coordinator.revoke(.library, unfinished: .discarded)
        let error = ending(film.check)
        #expect(error?.discardsUnfinished == true && error?.parameters?["resource"] == "camera/front")
    }

    @Test(arguments: [nil, Unfinished.kept, .discarded])
    func `is what was said when a use was stopped`(said: Unfinished?) async throws {
        let (coordinator, film) = try await film()
        let other = try await coordinator.consent.authorize([FakeCoordinator.front], for: FakeCoordinator.asker)
        let use = try #require(film.use)
        coordinator.take { $0.stop(use, by: .user(7), unfinished: said, at: FakeCoordinator.clock) }
        let error = ending(film.check)
        #expect(error?.code == .revoked && error?.discardsUnfinished == (said == .discarded))
        try other.check()
    }

    @Test func `is kept when the coordinator is not heard any more`() async throws {
        let (coordinator, film) = try await film()
        coordinator.gate.renewLease(until: BootInstant(nanoseconds: -1))
        #expect(ending(film.check)?.code == .noLease)
        try film.checkUnfinished()
    }
}
