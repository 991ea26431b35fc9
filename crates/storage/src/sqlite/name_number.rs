//! The type of the numbers of kinds and paths. See `name_table`.

/// The number of a kind or path.
pub(super) type NameNumber = u32;
