package import SQLite

/// The tables of the library index.
package enum LibrarySchema {
    /// "OBLI": marks the file as a library index.
    package static let applicationID: Int32 = 0x4F42_4C49

    /// All versions so far.
    package static let schema = DatabaseSchema(
        applicationID: applicationID,
        migrations: [version1, version2, version3, version4, version5],
        copyMark: "INSERT OR REPLACE INTO facts (name, value) VALUES ('copied', 'yes')"
    )

    /// Contents are bytes, assets are rows over them: several assets may share one content, never a row or an owner.
    private static let version1 = Migration(
        1,
        """
        CREATE TABLE facts (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT;

        CREATE TABLE contents (
            id INTEGER PRIMARY KEY,
            sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
            bytes INTEGER NOT NULL CHECK (bytes > 0),
            state TEXT NOT NULL DEFAULT 'ok' CHECK (state IN ('ok', 'damaged', 'missing')),
            report TEXT,
            rendering_failures INTEGER NOT NULL DEFAULT 0,
            rendering_failure TEXT
        ) STRICT;

        CREATE TABLE assets (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
            content INTEGER NOT NULL REFERENCES contents (id),
            owner TEXT NOT NULL,
            owner_label TEXT,
            origin TEXT NOT NULL CHECK (origin IN ('saved', 'imported')),
            is_saved INTEGER NOT NULL CHECK (is_saved IN (0, 1)),
            kind TEXT NOT NULL CHECK (kind IN ('photo', 'video', 'unknown')),
            uti TEXT NOT NULL,
            extension TEXT NOT NULL,
            filename TEXT NOT NULL,
            filename_key TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            stored_width INTEGER NOT NULL,
            stored_height INTEGER NOT NULL,
            orientation INTEGER NOT NULL CHECK (orientation BETWEEN 1 AND 8),
            date_raw TEXT,
            date_local TEXT,
            date_offset_minutes INTEGER,
            date_offset_source TEXT CHECK (date_offset_source IN ('tag', 'gps', 'container', 'unknown')),
            date_utc TEXT,
            sort_local TEXT NOT NULL,
            duration_seconds REAL,
            latitude REAL CHECK (latitude BETWEEN -90 AND 90),
            longitude REAL CHECK (longitude BETWEEN -180 AND 180),
            altitude_metres REAL,
            camera_make TEXT,
            camera_model TEXT,
            state TEXT NOT NULL CHECK (state IN ('ok', 'damaged', 'unplayable', 'quarantined')),
            reason TEXT,
            original INTEGER REFERENCES assets (id) ON DELETE SET NULL,
            added_us INTEGER NOT NULL,
            modified_us INTEGER,
            CHECK ((latitude IS NULL) = (longitude IS NULL)),
            CHECK ((date_raw IS NULL) = (date_offset_source IS NULL))
        ) STRICT;
        CREATE INDEX assets_sort ON assets (sort_local, id);
        CREATE INDEX assets_kind ON assets (kind, sort_local, id);
        CREATE INDEX assets_saved ON assets (sort_local, id) WHERE is_saved = 1;
        CREATE INDEX assets_content ON assets (content, owner);

        CREATE TABLE groups (
            id INTEGER PRIMARY KEY,
            uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
            name TEXT NOT NULL,
            type TEXT NOT NULL CHECK (type IN ('library', 'savedPhotos', 'album')),
            added_us INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX groups_album ON groups (name) WHERE type = 'album';
        CREATE UNIQUE INDEX groups_builtin ON groups (type) WHERE type <> 'album';

        CREATE TABLE memberships (
            "group" INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            asset INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
            PRIMARY KEY ("group", position)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX memberships_asset ON memberships (asset, "group");

        CREATE TABLE changes (
            generation INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('inserted', 'updated', 'deleted')),
            subject TEXT NOT NULL CHECK (subject IN ('asset', 'group')),
            uuid BLOB NOT NULL CHECK (length(uuid) = 16),
            extension TEXT,
            at_us INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE answered (
            principal TEXT NOT NULL,
            name TEXT NOT NULL,
            key TEXT NOT NULL,
            request BLOB NOT NULL,
            outcome TEXT NOT NULL,
            asset INTEGER REFERENCES assets (id) ON DELETE CASCADE,
            at_us INTEGER NOT NULL,
            PRIMARY KEY (principal, name, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX answered_age ON answered (at_us);
        CREATE INDEX answered_asset ON answered (asset);
        """
    )

    /// What is not known about older rows is taken for the worse: their originals may say where they were taken.
    private static let version2 = Migration(
        2,
        """
        ALTER TABLE assets ADD COLUMN may_hold_place INTEGER NOT NULL DEFAULT 1 CHECK (may_hold_place IN (0, 1));

        CREATE TABLE quarantined (
            sha256 BLOB PRIMARY KEY CHECK (length(sha256) = 32),
            reason TEXT NOT NULL,
            at_us INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX quarantined_age ON quarantined (at_us);

        UPDATE assets SET
            date_raw = substr(date_raw, 1, 64),
            date_local = substr(date_local, 1, 64),
            date_utc = substr(date_utc, 1, 64),
            camera_make = substr(camera_make, 1, 64),
            camera_model = substr(camera_model, 1, 64),
            reason = substr(reason, 1, 128)
        WHERE max(length(date_raw), length(coalesce(date_local, '')), length(coalesce(date_utc, ''))) > 64
            OR max(length(coalesce(camera_make, '')), length(coalesce(camera_model, ''))) > 64
            OR length(reason) > 128;
        """
    )

    /// What was answered is remembered also when its asset is gone, so that repeating a request never makes another one.
    private static let version3 = Migration(
        3,
        """
        ALTER TABLE assets ADD COLUMN is_favourite INTEGER NOT NULL DEFAULT 0 CHECK (is_favourite IN (0, 1));
        ALTER TABLE assets ADD COLUMN caption TEXT;
        ALTER TABLE assets ADD COLUMN trashed_us INTEGER;
        CREATE INDEX assets_favourite ON assets (sort_local, id) WHERE is_favourite = 1;
        CREATE INDEX assets_trashed ON assets (trashed_us) WHERE trashed_us IS NOT NULL;
        CREATE INDEX assets_original ON assets (original) WHERE original IS NOT NULL;
        CREATE INDEX changes_age ON changes (at_us);

        CREATE TABLE answers (
            principal TEXT NOT NULL,
            name TEXT NOT NULL,
            key TEXT NOT NULL,
            request BLOB NOT NULL,
            outcome TEXT NOT NULL,
            asset INTEGER REFERENCES assets (id) ON DELETE SET NULL,
            at_us INTEGER NOT NULL,
            PRIMARY KEY (principal, name, key)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO answers SELECT principal, name, key, request, outcome, asset, at_us FROM answered;
        DROP TABLE answered;
        ALTER TABLE answers RENAME TO answered;
        CREATE INDEX answered_age ON answered (at_us);
        CREATE INDEX answered_asset ON answered (asset);
        """
    )

    /// Words of names and captions (sqlite.org/fts5.html).
    private static let version4 = Migration(
        4,
        """
        CREATE VIRTUAL TABLE words USING fts5(filename, caption, tokenize = 'unicode61 remove_diacritics 2');
        INSERT INTO words (rowid, filename, caption) SELECT id, filename, caption FROM assets;
        CREATE INDEX assets_place ON assets (latitude, longitude) WHERE latitude IS NOT NULL;
        """
    )

    /// Originals were let pass that say only in texts where they were taken: what was found then is not known any more.
    private static let version5 = Migration(
        5,
        """
        UPDATE assets SET may_hold_place = 1;
        UPDATE contents SET report = json_set(report, '$.mayHoldPlace', json('true')) WHERE json_valid(report);
        """
    )
}
