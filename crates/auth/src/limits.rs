//! Limits of the number of tokens, in memory and in the store.

/// How many tokens are kept in memory. One takes some 300 bytes; a million live tokens take no more than these.
pub const TOKENS_CACHED_MAX: usize = 50_000;
/// Maximum number of refresh tokens of a project. At the limit each new one deletes the least recently used one
/// (document A, "Authentication", rule 3).
pub const REFRESH_TOKENS_MAX: u64 = 10_000_000;
