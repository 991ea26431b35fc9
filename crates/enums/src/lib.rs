//! The enums of the model that Rust code distinguishes, e.g. [`TaxMode`], and the tags of its unions, e.g.
//! [`CartDiscountValueTag`].
//!
//! `cargo xtask codegen` writes one file in `generated/` for each file of `model/` from the enums and unions there. A value
//! that is added to the model is therefore an error of the compiler in each `match` that does not handle it. `unread.txt`
//! lists the enums and unions whose values no Rust code distinguishes: they are validated and stored, and have no Rust.
//!
//! A text is parsed by `TryFrom<&str>`. A text that is no value of the enum is an [`UnknownValue`]. Requests are validated
//! against the model before any rule sees them, so it is a defect of the server: the functions of `kontor_engine::document`
//! that read enums report it as `ApiError::bug`, with the place of their caller.
//!
//! **Invariant:** no rules, and no dependency on another crate of the project.

mod deserialize;
mod generated;

pub use deserialize::EnumVisitor;
pub use generated::*;

use std::fmt;

/// An enum whose values are texts of the API.
pub trait ModelEnum: Copy + Eq + for<'t> TryFrom<&'t str, Error = UnknownValue> + 'static {
    /// The name in the model.
    const NAME: &'static str;
    /// All values, in the order of the model.
    const ALL: &'static [Self];

    /// Returns the text in JSON.
    fn as_str(self) -> &'static str;
}

/// An enum in the list of all ([`ENUMS`]), for the test that compares them with the model.
#[derive(Debug, Clone, Copy)]
pub struct EnumEntry {
    /// The name in Rust.
    pub name: &'static str,
    /// Returns the texts of all values, or `None` if one of them is parsed as another value.
    pub texts: fn() -> Option<Vec<&'static str>>,
}

impl EnumEntry {
    const fn for_enum<E: ModelEnum>() -> Self {
        Self { name: E::NAME, texts: texts_of::<E> }
    }
}

fn texts_of<E: ModelEnum>() -> Option<Vec<&'static str>> {
    let text = |value: &E| (E::try_from(value.as_str()).ok() == Some(*value)).then(|| value.as_str());
    E::ALL.iter().map(text).collect()
}

/// A text that is no value of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownValue {
    /// The name of the enum.
    name: &'static str,
    text: String,
}

impl UnknownValue {
    /// Returns the error for a text and the name of an enum.
    pub fn new(name: &'static str, text: &str) -> Self {
        Self { name, text: text.to_owned() }
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "'{}' is no {}", self.text, self.name)
    }
}

impl std::error::Error for UnknownValue {}

/// Declares enums: each value has a name in Rust and a text in JSON.
macro_rules! model_enums {
    ($(
        $(#[$about:meta])*
        $name:ident { $($(#[$about_value:meta])* $value:ident = $text:literal,)+ }
    )+) => {$(
        $(#[$about])*
        #[allow(missing_docs)] // Where the model has no description, the name has to suffice.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$about_value])* $value,)+ }

        impl $name {
            /// All values, in the order of the model.
            pub const ALL: &'static [Self] = &[$(Self::$value,)+];

            /// Returns the text in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text,)+ }
            }
        }

        impl $crate::ModelEnum for $name {
            const NAME: &'static str = stringify!($name);
            const ALL: &'static [Self] = Self::ALL;

            fn as_str(self) -> &'static str {
                self.as_str()
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::UnknownValue;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                match text {
                    $($text => Ok(Self::$value),)+
                    _ => Err($crate::UnknownValue::new(stringify!($name), text)),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::EnumVisitor::default())
            }
        }
    )+};
}
pub(crate) use model_enums;
