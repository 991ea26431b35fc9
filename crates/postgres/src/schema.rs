//! The tables, and the migration of databases of earlier releases.

use kontor_storage::{Error, Result};
use tokio_postgres::{Client, Transaction};

use crate::failure::failure;

/// An advisory lock held during a migration, so that processes that start together do not migrate twice.
const MIGRATION_LOCK: i64 = 0x4B4E_5452;

/// The migrations from an empty database to the format of this release. A released one is never changed. After a
/// migration the previous release must still work with the tables, because its processes run until they are replaced
/// (rolling upgrade).
const STEPS: &[&str] = &[FORMAT_1, FORMAT_2, FORMAT_3, FORMAT_4];

/// The first format. Kind and path of a row in `unique_keys` and `index_rows` are one number, assigned in
/// `paths` once and for all, because every row contains them. Everything else begins with the project.
const FORMAT_1: &str = r#"
CREATE TABLE kontor.paths (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    UNIQUE (kind, path)
);
COMMENT ON TABLE kontor.paths IS 'The numbers of unique and indexed paths. Never changed.';

CREATE TABLE kontor.heads (
    project text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL DEFAULT 0,
    epoch bigint NOT NULL DEFAULT 1,
    base bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE kontor.heads IS 'A row for each project. Whoever changes the project holds its row.';
COMMENT ON COLUMN kontor.heads.seq IS 'The position of the newest change.';
COMMENT ON COLUMN kontor.heads.epoch IS 'Rises when the content was replaced as a whole.';
COMMENT ON COLUMN kontor.heads.base IS 'The position of the newest change that is no longer kept.';

CREATE TABLE kontor.documents (
    project text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    revision bigint NOT NULL,
    sequence bigint NOT NULL,
    entries bytea NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (project, kind, id)
) WITH (fillfactor = 85);
COMMENT ON TABLE kontor.documents IS 'The resources of all projects.';
COMMENT ON COLUMN kontor.documents.kind IS 'The kind of the resource, as references call it.';
COMMENT ON COLUMN kontor.documents.version IS 'The version that the API shows.';
COMMENT ON COLUMN kontor.documents.revision IS 'The position of the last change of this document.';
COMMENT ON COLUMN kontor.documents.sequence IS 'The sequenceNumber of the last message about it.';
COMMENT ON COLUMN kontor.documents.entries IS 'The rows of the document in unique_keys and index_rows.';
COMMENT ON COLUMN kontor.documents.body IS 'The JSON, as the API sends it. Use body::json to look into it.';

CREATE TABLE kontor.unique_keys (
    project text COLLATE "C" NOT NULL,
    path integer NOT NULL,
    value text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, path, value)
);
COMMENT ON TABLE kontor.unique_keys IS 'Which document holds a key.';
COMMENT ON COLUMN kontor.unique_keys.path IS 'Kind and path of the key, see paths.';

CREATE TABLE kontor.index_rows (
    project text COLLATE "C" NOT NULL,
    path integer NOT NULL,
    value text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, path, value, id)
);
COMMENT ON TABLE kontor.index_rows IS 'Which documents hold a value at a path.';
COMMENT ON COLUMN kontor.index_rows.path IS 'Kind and path of the value, see paths.';
COMMENT ON COLUMN kontor.index_rows.value IS 't and the text, or n and a number in digits that sort by amount.';

CREATE TABLE kontor.counts (
    project text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,
    PRIMARY KEY (project, kind)
) WITH (fillfactor = 50);
COMMENT ON TABLE kontor.counts IS 'How many documents of a kind a project has.';

CREATE TABLE kontor.counters (
    project text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (project, name)
) WITH (fillfactor = 50);
COMMENT ON TABLE kontor.counters IS 'Numbers that are counted, for example how often a discount code was used.';

CREATE TABLE kontor.changes (
    project text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    operation smallint NOT NULL,
    PRIMARY KEY (project, seq)
);
COMMENT ON TABLE kontor.changes IS 'The change log: an entry for each write of a document, without gaps in a project.';
COMMENT ON COLUMN kontor.changes.operation IS '1 created, 2 updated, 3 deleted.';

CREATE TABLE kontor.positions (
    project text COLLATE "C" NOT NULL,
    consumer text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (project, consumer)
) WITH (fillfactor = 50);
COMMENT ON TABLE kontor.positions IS 'How far those who follow the change log have come.';

CREATE TABLE kontor.settings (
    project text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (project, name)
);
COMMENT ON TABLE kontor.settings IS 'Small facts about a project that are no resources.';

CREATE TABLE kontor.keepers (
    project text COLLATE "C" PRIMARY KEY,
    process text NOT NULL,
    until timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE kontor.keepers IS 'Which process looks after a project: does what is due, and tells others.';

CREATE TABLE kontor.system (revision bigint NOT NULL);
INSERT INTO kontor.system VALUES (1);
COMMENT ON TABLE kontor.system IS 'Rises with what processes keep in memory of the tables below.';

CREATE TABLE kontor.projects (
    key text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    created_at bigint NOT NULL
);
COMMENT ON TABLE kontor.projects IS 'The projects. Times are milliseconds since 1970, here and below.';

CREATE TABLE kontor.clients (
    serial bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    project text COLLATE "C" NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scope text NOT NULL,
    created_at bigint NOT NULL,
    delete_at bigint,
    access_token_validity_s bigint,
    refresh_token_validity_s bigint,
    last_used_day bigint
);
CREATE INDEX clients_by_project ON kontor.clients (project);
COMMENT ON TABLE kontor.clients IS 'The API Clients. A serial is never given twice.';

CREATE TABLE kontor.ended_clients (serial bigint PRIMARY KEY);
COMMENT ON TABLE kontor.ended_clients IS 'Clients that are gone and may still have rows of tokens, which nobody can use.';

CREATE TABLE kontor.tokens (
    hash bytea PRIMARY KEY,
    project text COLLATE "C" NOT NULL,
    client bigint NOT NULL,
    scope text,
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    customer_id text COLLATE "C",
    anonymous_id text,
    store_key text,
    refresh bytea
);
CREATE INDEX tokens_by_expiry ON kontor.tokens (project, expires_at);
CREATE INDEX tokens_by_client ON kontor.tokens (client);
CREATE INDEX tokens_by_refresh ON kontor.tokens (refresh) WHERE refresh IS NOT NULL;
CREATE INDEX tokens_by_customer ON kontor.tokens (project, customer_id) WHERE customer_id IS NOT NULL;
COMMENT ON TABLE kontor.tokens IS 'Access tokens, by their SHA-256.';

CREATE TABLE kontor.refresh_tokens (
    hash bytea PRIMARY KEY,
    project text COLLATE "C" NOT NULL,
    client bigint NOT NULL,
    scope text,
    issued_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    customer_id text COLLATE "C",
    anonymous_id text COLLATE "C",
    store_key text
);
CREATE INDEX refresh_tokens_by_use ON kontor.refresh_tokens (project, last_used_at);
CREATE INDEX refresh_tokens_by_expiry ON kontor.refresh_tokens (project, expires_at);
CREATE INDEX refresh_tokens_by_client ON kontor.refresh_tokens (client);
CREATE UNIQUE INDEX refresh_tokens_by_anonymous_id ON kontor.refresh_tokens (project, anonymous_id)
    WHERE anonymous_id IS NOT NULL;
CREATE INDEX refresh_tokens_by_customer ON kontor.refresh_tokens (project, customer_id)
    WHERE customer_id IS NOT NULL;
COMMENT ON TABLE kontor.refresh_tokens IS 'Refresh tokens, by their SHA-256.';
"#;

/// Records have a table of their own. Records stored as documents are moved there when a shop is opened
/// ([`records::migrate_documents`](crate::records::migrate_documents)), since processes of the previous release may
/// still write them as documents.
const FORMAT_2: &str = r#"
CREATE TABLE kontor.records (
    project text COLLATE "C" NOT NULL,
    at_ms bigint NOT NULL,
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (project, at_ms, seq)
);
CREATE INDEX records_of_document ON kontor.records (project, kind, id, at_ms, seq);
COMMENT ON TABLE kontor.records IS 'What is kept of changes: Change History.';
COMMENT ON COLUMN kontor.records.at_ms IS 'When it happened, in milliseconds since 1970.';
COMMENT ON COLUMN kontor.records.seq IS 'The position of the change in the change log.';
COMMENT ON COLUMN kontor.records.kind IS 'The kind of the resource that changed.';
COMMENT ON COLUMN kontor.records.body IS 'The JSON of the record.';
"#;

/// Projects can move to this database, and away from it.
const FORMAT_3: &str = r#"
ALTER TABLE kontor.system ADD COLUMN moved_to text, ADD COLUMN arriving text;
COMMENT ON COLUMN kontor.system.moved_to IS 'Where the projects have moved to: nothing may be written here then.';
COMMENT ON COLUMN kontor.system.arriving IS 'The move that is on its way here.';
CREATE FUNCTION kontor.refuse_what_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', (SELECT moved_to FROM kontor.system) USING ERRCODE = 'KM001';
END $$;
COMMENT ON FUNCTION kontor.refuse_what_moved IS 'Refuses what is written when the projects have moved.';
"#;

/// Operators of the console.
const FORMAT_4: &str = r#"
CREATE TABLE kontor.operator_rows (
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    owner text COLLATE "C",
    expires_at bigint,
    value text NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX operator_rows_by_owner ON kontor.operator_rows (kind, owner) WHERE owner IS NOT NULL;
CREATE INDEX operator_rows_by_expiry ON kontor.operator_rows (expires_at) WHERE expires_at IS NOT NULL;
COMMENT ON TABLE kontor.operator_rows IS 'Operators of the console with their roles, sessions, links and tokens.';
COMMENT ON COLUMN kontor.operator_rows.owner IS 'The id of the account that the row belongs to.';
"#;

/// The tables with rows of projects, except `heads`.
pub(crate) const TABLES: [&str; 10] = [
    "keepers",
    "documents",
    "unique_keys",
    "index_rows",
    "counts",
    "counters",
    "changes",
    "positions",
    "settings",
    "records",
];

/// Maximum number of attempts of a migration.
const MIGRATION_ATTEMPTS_MAX: usize = 5;

/// Migrates a database to the format of this release, in one transaction. If it has that format, changes nothing and
/// needs no privilege to.
pub(crate) async fn prepare(client: &mut Client) -> Result<()> {
    let mut tried = 0;
    while format(client).await? < STEPS.len() {
        tried += 1;
        let transaction = client.transaction().await.map_err(|error| failure(&error))?;
        let lock = transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await;
        lock.map_err(|error| failure(&error))?;
        match take_steps(&transaction).await {
            Ok(()) => transaction.commit().await.map_err(|error| failure(&error))?,
            // The migration of another process may be visible only in a new transaction.
            Err(Error::Server(error)) if tried < MIGRATION_ATTEMPTS_MAX => {
                tracing::debug!(%error, "checking the tables again");
                transaction.rollback().await.map_err(|error| failure(&error))?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn take_steps(transaction: &Transaction<'_>) -> Result<()> {
    let run = async |sql: &str| transaction.batch_execute(sql).await.map_err(|error| failure(&error));
    // Read again: another process may have migrated meanwhile.
    let found = format(transaction.client()).await?;
    if found == 0 {
        run("CREATE SCHEMA IF NOT EXISTS kontor;
             CREATE TABLE kontor.format (number integer NOT NULL);
             COMMENT ON TABLE kontor.format IS 'The format of these tables.';
             INSERT INTO kontor.format VALUES (0);")
        .await?;
    }
    for step in STEPS.iter().skip(found) {
        run(step).await?;
    }
    run(&format!("UPDATE kontor.format SET number = {}", STEPS.len())).await?;
    if (1..STEPS.len()).contains(&found) {
        tracing::info!(from = found, to = STEPS.len(), "migrated the tables of the database");
    }
    Ok(())
}

/// Returns the format of a database; 0 without our tables.
async fn format(client: &Client) -> Result<usize> {
    let sql = "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'kontor' AND tablename = 'format')";
    let is_there = client.query_one(sql, &[]).await;
    if !is_there.map_err(|error| failure(&error))?.get::<_, bool>(0) {
        return Ok(0);
    }
    let row = client.query_one("SELECT number FROM kontor.format", &[]).await;
    let found: i32 = row.map_err(|error| failure(&error))?.get(0);
    let found = usize::try_from(found).unwrap_or(0);
    if found > STEPS.len() {
        let what = format!(
            "the tables have format {found}, this release knows formats up to {}: start a newer release",
            STEPS.len()
        );
        return Err(Error::Invalid(what));
    }
    Ok(found)
}
