//! Limits of Change History.

/// The default of `date.from`, in hours before now (reference: `date.from`).
pub(crate) const LOOKED_BACK_HOURS: i64 = 24;
/// Retention time of records, in days (public documentation, "Audit Log": at most a year).
pub(crate) const KEPT_DAYS: i64 = 365;
/// Maximum length of a GraphQL query, in bytes.
pub(crate) const QUERY_BYTES_MAX: usize = 100_000;
/// Maximum number of tokens of a GraphQL query.
pub(crate) const QUERY_TOKENS_MAX: usize = 10_000;
/// Maximum nesting of brackets of any kind in a GraphQL query.
pub(crate) const QUERY_DEPTH_MAX: usize = 120;
/// Maximum number of root fields of a GraphQL query.
pub(crate) const QUERY_FIELDS_MAX: usize = 20;
/// Number of records read at once.
pub(crate) const READ_CHUNK: usize = 64;
/// Number of records deleted in one commit.
pub(crate) const RECORDS_DELETED_TOGETHER: usize = 256;
/// How often expired records are deleted, in seconds.
pub(crate) const SWEEP_SECONDS: u64 = 3_600;
/// Maximum number of matching records counted for a total, which is documented as an estimate.
pub(crate) const TOTAL_MAX: usize = 100_000;
/// Memory that a record takes while a page is built, as values and as text: bytes for each byte of its text
/// (approximately).
pub(crate) const HELD_BYTES_PER_BYTE: usize = 3;
