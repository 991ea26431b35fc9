PRAGMA application_id = 1263424594;
PRAGMA user_version = 7;
CREATE TABLE names (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO names VALUES (1, 'cart');
INSERT INTO names VALUES (2, 'key');
INSERT INTO names VALUES (3, 'total');
INSERT INTO names VALUES (4, 'n');
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    entries BLOB NOT NULL,
    body BLOB NOT NULL
, record INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO documents VALUES (1, 1, 'a', 2, 3, 2, x'0000000800000000026f6e650000000801000000026f6e650000000d020000000300000000000000030000000d02000000040000000000000007', x'7b226b6579223a226f6e65227d', 0);
CREATE UNIQUE INDEX documents_by_id ON documents (kind, id);
CREATE TABLE unique_keys (
    kind INTEGER NOT NULL,
    path INTEGER NOT NULL,
    value TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (kind, path, value)
) STRICT, WITHOUT ROWID;
INSERT INTO unique_keys VALUES (1, 2, 'one', 'a');
CREATE TABLE indexed (
    kind INTEGER NOT NULL,
    path INTEGER NOT NULL,
    value ANY NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (kind, path, value, id)
) STRICT, WITHOUT ROWID;
INSERT INTO indexed VALUES (1, 2, 'one', 'a');
INSERT INTO indexed VALUES (1, 3, 3, 'a');
INSERT INTO indexed VALUES (1, 4, 7, 'a');
CREATE TABLE counts (
    kind INTEGER PRIMARY KEY,
    documents INTEGER NOT NULL
) STRICT;
INSERT INTO counts VALUES (1, 1);
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('uses', 3);
CREATE TABLE positions (
    consumer TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO positions VALUES ('search', 3);
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO settings VALUES ('title', 'Books');
CREATE TABLE log_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL,
    base INTEGER NOT NULL
, indexed INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO log_state VALUES (1, 1, 0, 4);
CREATE TABLE changes (
             last INTEGER PRIMARY KEY,
             entries BLOB NOT NULL
         ) STRICT;
INSERT INTO changes VALUES (1, x'0101010161');
INSERT INTO changes VALUES (2, x'0101010162');
INSERT INTO changes VALUES (3, x'0201020161');
INSERT INTO changes VALUES (4, x'0301010162');
CREATE TABLE records (
             number INTEGER PRIMARY KEY,
             previous INTEGER NOT NULL,
             kind INTEGER NOT NULL,
             id TEXT NOT NULL,
             body BLOB NOT NULL
         ) STRICT;
CREATE TABLE record_ends (
             kind INTEGER NOT NULL,
             id TEXT NOT NULL,
             record INTEGER NOT NULL,
             PRIMARY KEY (kind, id)
         ) STRICT, WITHOUT ROWID;
