//! The type of the numbers that stand for names of kinds and paths in rows. See `names`.

/// The number of a kind or path.
pub(super) type Number = u32;
