//! How much a system holds at most.

/// How many tokens are kept in memory. One takes some 300 bytes; a million live tokens take no more than these.
pub const TOKENS_CACHED_MAX: usize = 50_000;
/// How many refresh tokens a project may have. From there on each new one ends the least recently used (document A,
/// "Authentication", rule 3).
pub const REFRESH_TOKENS_MAX: u64 = 10_000_000;
