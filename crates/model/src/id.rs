//! Ids of the parts of a model: positions in its lists.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// Returns the position in the model's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// The id of a [`crate::Kind`] of a model.
    KindId
    /// The id of a [`crate::Message`] of a model.
    MessageId
    /// The id of an [`crate::Object`] of a model.
    ObjectId
    /// The id of a [`crate::Union`] of a model.
    UnionId
    /// The id of an [`crate::Enum`] of a model.
    EnumId
}

impl KindId {
    /// Returns the id of the kind at a position in the list of the embedded model, for generated constants.
    pub const fn from_position(position: u32) -> Self {
        Self(position)
    }
}
