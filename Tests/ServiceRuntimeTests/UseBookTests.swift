import Consent
import FoundationEssentials
import MessageSchema
import ServiceRuntime
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `The book of uses` {
    private static let front = Need(.camera("front"))
    private static let since = Timestamp.now()

    private func book() -> UseBook { UseBook(of: .capture, process: 7) { Self.since } }

    private func asker(_ user: UInt32 = 1_000, _ label: String? = nil, purpose: String? = nil) -> Asker {
        Asker(principal: .user(user), label: label, purpose: purpose)
    }

    private func grant(_ number: UInt64 = 1, _ lifespan: Lifespan = .forever, _ need: Need = front) -> Grant {
        Grant(id: DecisionID(generation: number), need: need, lifespan: lifespan)
    }

    private func uses(_ book: UseBook) -> [Use] { book.report().flatMap(\.uses) }

    @Test func `work that looks the same is one use, and over with its last piece`() {
        let book = book()
        let first = book.begin(asker(), [grant()])
        let second = book.begin(asker(), [grant()])
        let other = book.begin(asker(purpose: "a film"), [grant()])
        #expect(first.id == second.id && first.id != other.id)
        #expect(uses(book).map(\.count) == [2, 1])
        book.end(first.number)
        #expect(uses(book).map(\.count) == [1, 1] && uses(book).first?.use == first.id)
        book.end(second.number)
        #expect(uses(book).map(\.use) == [other.id])
        book.end(other.number)
        book.end(other.number)
        #expect(uses(book).isEmpty)
        #expect(book.begin(asker(), [grant()]).id != first.id, "a name is never used again")
    }

    @Test func `whoever differs in anything that the person sees, or in the grant, is told apart`() {
        let book = book()
        _ = book.begin(asker(), [grant()])
        _ = book.begin(asker(1_001), [grant()])
        _ = book.begin(asker(1_000, "/usr/bin/booth"), [grant()])
        _ = book.begin(asker(purpose: "a portrait"), [grant()])
        _ = book.begin(asker(), [grant(2)])
        _ = book.begin(asker(), [grant(), grant(3, .forever, Need(.library, .addOnly))])
        #expect(uses(book).map(\.count) == Array(repeating: 1, count: 6))
    }

    @Test func `new work does not join what an operator has stopped`() {
        let book = book()
        let stopped = book.begin(asker(), [grant()])
        let new = book.begin(asker(), [grant()], isStopped: { $0 == stopped.id })
        #expect(new.id != stopped.id)
        #expect(book.begin(asker(), [grant()], isStopped: { $0 == stopped.id }).id == new.id)
        book.end(stopped.number)
        #expect(uses(book).map(\.use) == [new.id] && uses(book).map(\.count) == [2])
    }

    @Test func `one principal hides nobody, and nothing of its own`() throws {
        let book = book()
        var numbers: [UInt64] = []
        for index in 0..<5_000 {
            let need = Need(.camera("camera-\(index % 100)"))
            let grant = grant(UInt64(index), .session, need)
            numbers.append(book.begin(asker(6, purpose: "\(index) \"\\\u{1F600}"), [grant]).number)
        }
        let quiet = book.begin(asker(7), [grant()])
        let told = uses(book)
        #expect(told.count == UseBook.toldApart + 2 && told.contains { $0.use == quiet.id })
        #expect(told.reduce(0) { $0 + $1.count } == 5_001, "all of it is counted")
        let rest = try #require(told.first { $0.count > 1 })
        #expect(rest.needs.count == UseBook.restNeeds && rest.grants.count == rest.needs.count)
        for number in numbers { book.end(number) }
        #expect(uses(book).map(\.use) == [quiet.id])
        #expect(book.begin(asker(6), [grant()]).id != rest.use, "it is told apart again")
    }

    @Test func `what is told fits into messages, however many programs there are`() throws {
        let book = book()
        let text = String(repeating: "\u{1F600}\"\\\u{1b}", count: 50)
        for user in 0..<300 {
            for number in 0..<10 {
                _ = book.begin(asker(UInt32(user), text, purpose: "\(number)" + text), [grant()])
            }
        }
        let report = book.report()
        #expect(report.count > 1 && report.count <= ReportUses.partLimit && report.flatMap(\.uses).count == 3_000)
        #expect(report.map(\.part) == (1...report.count).map { Optional($0) })
        for part in report {
            #expect(part.parts == report.count)
            #expect(try JSONEncoder().encode(part).count < Limits.bodyBytes)
        }
    }

    @Test(arguments: [Lifespan.session, .unusedFor(days: 1)])
    func `a grant that is kept by use is told once more than its work, until it was told`(lifespan: Lifespan) {
        let book = book()
        let use = book.begin(asker(), [grant(3, lifespan), grant(4)])
        book.end(use.number)
        let report = book.report()
        #expect(report.map(\.past) == [[DecisionID(generation: 3)]] && report.map(\.uses) == [[]])
        #expect(book.report().map(\.past) == [nil])
        book.returned(report)
        #expect(book.report().map(\.past) == [[DecisionID(generation: 3)]])
    }

    @Test func `changes are counted, so that they are told`() {
        let book = book()
        var seen = [book.changes]
        let first = book.begin(asker(), [grant()])
        seen.append(book.changes)
        let second = book.begin(asker(), [grant()])
        seen.append(book.changes)
        for number in [first.number, second.number] {
            book.end(number)
            seen.append(book.changes)
        }
        #expect(seen == seen.sorted() && Set(seen).count == seen.count)
    }
}
