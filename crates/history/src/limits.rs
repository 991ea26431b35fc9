//! Limits of Change History.

/// How far back queries look that do not say so (reference: `date.from`).
pub(crate) const LOOKED_BACK_HOURS: i64 = 24;
/// How long records stay (public documentation, "Audit Log": at most a year).
pub(crate) const KEPT_DAYS: i64 = 365;
/// Longest query of GraphQL.
pub(crate) const QUERY_BYTES_MAX: usize = 100_000;
/// Most tokens of one.
pub(crate) const QUERY_TOKENS_MAX: usize = 10_000;
/// How deep brackets of any kind may stand in each other in one.
pub(crate) const QUERY_DEPTH_MAX: usize = 120;
/// Most queries of a request by GraphQL.
pub(crate) const QUERY_FIELDS_MAX: usize = 20;
/// Records read in one go.
pub(crate) const READ_CHUNK: usize = 64;
/// Records deleted in one commit.
pub(crate) const RECORDS_DELETED_TOGETHER: usize = 256;
/// How often it is looked for records whose time is over.
pub(crate) const SWEEP_SECONDS: u64 = 3_600;
/// Records that match counted for a total. It is said to be an estimation.
pub(crate) const TOTAL_MAX: usize = 100_000;
/// How much a record takes of memory while a page is made, for each byte of its text, about: as values and as text.
pub(crate) const HELD_BYTES_PER_BYTE: usize = 3;
