//! Keys of documents of several kinds that are read together ([`Storage::get_batch`](crate::Storage::get_batch)).

/// Names one document of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BatchKey<'a> {
    /// A document by its id.
    Id {
        /// The kind.
        kind: &'a str,
        /// The id.
        id: &'a str,
    },
    /// A document by one of its unique keys.
    Unique {
        /// The kind.
        kind: &'a str,
        /// The path of the key.
        path: &'a str,
        /// The whole value of the key.
        value: &'a str,
    },
}
