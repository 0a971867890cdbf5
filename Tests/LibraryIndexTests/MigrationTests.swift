import LibraryIndexService
import Media
import MessageSchema
import SQLite
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(1)))
struct MigrationTests {
    private static let first = DatabaseSchema(
        applicationID: LibrarySchema.applicationID,
        migrations: Array(LibrarySchema.schema.migrations.prefix(1))
    )

    /// Everything that is in the schema, with its definition, and what SQLite understands of the columns.
    private func schema(_ database: Database) async throws -> [String] {
        try await database.perform { connection in
            let definitions = try connection.all(
                "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"
            ) { try $0.text(0) }
            let columns = try connection.all(
                """
                SELECT t.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk || ' '
                    || coalesce(c.dflt_value, '-')
                FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1
                """
            ) { try $0.text(0) }
            return definitions + columns
        }
    }

    @Test func `every step leads to what a fresh index has`() async throws {
        try await withTemporaryDirectory { path in
            try await Database(named: "old", in: path, schema: Self.first).close()
            let old = try await schema(try Database(named: "old", in: path, schema: LibrarySchema.schema))
            let fresh = try await schema(try Database(named: "new", in: path, schema: LibrarySchema.schema))
            #expect(old == fresh)
            #expect(fresh.count > 60)
        }
    }

    @Test func `an asset of the first version is kept, may hold a place, is found by words, and has texts that fit`()
        async throws
    {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let record = try await library.save(bytes, named: "At the sea.jpg", key: "k")
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
            var query = AssetQuery()
            query.text = "sea"
            let page = try await again.page(of: try Enumeration(query), after: nil, count: 10)
            #expect(page.records.map(\.url) == [record.url])
            // What was answered still is, and stays so when the asset is gone.
            #expect(try await again.save(bytes, named: "At the sea.jpg", key: "k").url == record.url)
            _ = try await again.delete([record.url])
            let gone = await refusal { _ = try await again.save(bytes, named: "At the sea.jpg", key: "k") }
            #expect(gone == .noSuchAsset)
        }
    }

    @Test func `what the fourth version took for harmless may hold a place, and so does what has the same bytes`()
        async throws
    {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let record = try await library.save(bytes)
            #expect(!record.mayHoldPlace)
            await library.close()
            try Connection(opening: "\(path)/library/library.sqlite").execute("PRAGMA user_version = 4")
            let again = try await TestLibrary.open(path)
            #expect(try await again.asset(record.url)?.mayHoldPlace == true)
            #expect(try await again.save(bytes).mayHoldPlace)
        }
    }
}
