import LibraryIndexService
import Media
import SQLite
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(1)))
struct MigrationTests {
    private static let first = DatabaseSchema(
        applicationID: LibrarySchema.applicationID,
        migrations: Array(LibrarySchema.schema.migrations.prefix(1))
    )

    private func tables(_ database: Database) async throws -> [String] {
        try await database.perform { connection in
            let names = try connection.all("SELECT name FROM sqlite_schema ORDER BY name") { try $0.text(0) }
            let columns = try connection.all("SELECT name FROM pragma_table_info('assets') ORDER BY name") {
                try $0.text(0)
            }
            return names + columns
        }
    }

    @Test func `every step leads to what a fresh index has`() async throws {
        try await withTemporaryDirectory { path in
            try await Database(named: "old", in: path, schema: Self.first).close()
            let old = try await tables(try Database(named: "old", in: path, schema: LibrarySchema.schema))
            let fresh = try await tables(try Database(named: "new", in: path, schema: LibrarySchema.schema))
            #expect(old == fresh)
        }
    }

    @Test func `an asset of the first version is kept, may hold a place, and has texts that fit`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture())
            await library.close()
            // Back to the first version, with a text that it took.
            let connection = try Connection(opening: "\(path)/library/library.sqlite")
            try connection.execute(
                """
                DROP TABLE words; DROP INDEX assets_place;
                DROP INDEX assets_favourite; DROP INDEX assets_trashed; DROP INDEX assets_original; DROP INDEX changes_age;
                ALTER TABLE assets DROP COLUMN is_favourite; ALTER TABLE assets DROP COLUMN caption;
                ALTER TABLE assets DROP COLUMN trashed_us;
                DROP TABLE quarantined; ALTER TABLE assets DROP COLUMN may_hold_place; PRAGMA user_version = 1;
                UPDATE assets SET camera_make = hex(zeroblob(100000))
                """
            )
            let again = try await TestLibrary.open(path)
            let found = try #require(try await again.asset(record.url))
            #expect(found.mayHoldPlace)
            #expect(found.cameraMake?.count == 64)
            #expect(found.cameraModel == record.cameraModel)
            #expect(found.date == record.date)
        }
    }
}
