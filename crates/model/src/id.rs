//! Positions in the lists of a model: how its parts name each other.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// The position in the model's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Names a [`crate::Kind`] of a model.
    KindId
    /// Names a [`crate::Message`] of a model.
    MessageId
    /// Names an [`crate::Object`] of a model.
    ObjectId
    /// Names a [`crate::Union`] of a model.
    UnionId
    /// Names an [`crate::Enum`] of a model.
    EnumId
}
