import ExporterService
import Media
import MessageSchema
import TestSupport
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct `A request's key` {
    @Test func `keeps how a job's files are named`() async throws {
        try await withTemporaryDirectory { path in
            let store = try ExportStore(in: path)
            for (id, names) in [("1", nil), ("2", try NameTemplate("{date:%Y|undated}/{name}"))] {
                let record = ExportRecord(
                    principal: World.program,
                    label: nil,
                    purpose: nil,
                    selection: ExportSelection(),
                    names: names,
                    job: ExportJob(job: id, state: .running, destination: "/trip")
                )
                #expect(try await store.add(record, key: nil, at: Timestamp(microseconds: 1)) == .kept)
                #expect(try await store.record(id) == record)
            }
            await store.close()
        }
    }

    @Test func `stands for its job a day, to the microsecond, and a new job can have it then`() async throws {
        try await withTemporaryDirectory { path in
            let store = try ExportStore(in: path)
            let day: Int64 = 86_400_000_000
            let begin = Timestamp(microseconds: 1_000_000_000_000_000)
            let request = StartExport(selection: ExportSelection(), destination: "trip")
            let key = try #require(try ExportKey("k", of: request))
            func record(_ id: String) -> ExportRecord {
                ExportRecord(
                    principal: World.program,
                    label: nil,
                    purpose: nil,
                    selection: request.selection,
                    job: ExportJob(job: id, state: .done, destination: "/trip")
                )
            }
            #expect(try await store.add(record("1"), key: key, at: begin) == .kept)
            let last = Timestamp(microseconds: begin.microseconds + day)
            #expect(try await store.record(of: key, World.program, at: last)?.job.job == "1")
            #expect(try await store.add(record("2"), key: key, at: last) == .repeated(record("1")))
            let after = Timestamp(microseconds: last.microseconds + 1)
            #expect(try await store.record(of: key, World.program, at: after) == nil)
            #expect(try await store.add(record("2"), key: key, at: after) == .kept)
            #expect(try await store.record(of: key, World.program, at: after)?.job.job == "2")
            await store.close()
        }
    }
}
