//! JSON documents in memory: cheap to parse, to clone, to compare and to write.
//!
//! Nearly all the cost of a write is spent on its document: it is parsed, cloned, changed in a few places,
//! compared with its earlier state, and serialized. [`Value`] and [`Map`] have the names and the behaviour of
//! those of `serde_json`, whose parser and errors this crate re-exports. There are six differences:
//!
//! - An object is a list of members, not a hash table: few objects have more than a dozen. A large one has an
//!   additional index.
//! - The [`Name`] of a member is no `String`: up to 23 bytes are stored inline, without an allocation.
//! - A clone shares the members of its original until one of both is changed, and only the path to a change
//!   is copied.
//! - [`read`] skips nested objects: each is parsed at its first access, and if only a few members are
//!   requested, only these.
//! - An object parsed by [`read`] keeps its text until something in it changes: [`write()`] copies that text.
//!   As long as any such part is in memory, so is the whole text. Large objects next to an equal one, such as
//!   two sides of a document, are parsed and written once.
//! - Removing a member keeps the order of the others, whichever method removes it.
//!
//! `docs/decisions/0040-shared-document-parts.md` has the alternatives.

#![forbid(unsafe_code)]

mod deserialize;
mod escape_scan;
mod from;
mod index;
mod iter;
mod lazy_deserializer;
mod lazy_parser;
#[doc(hidden)]
pub mod macro_support;
mod macros;
mod map;
mod map_entry;
mod member_index;
mod member_names;
mod members;
mod number;
mod serialize;
mod structural_index;
mod value;
mod write;

pub use deserialize::from_value;
pub use iter::{IntoIter, Iter, IterMut, Keys};
pub use lazy_parser::{parse, read, read_without};
pub use map::Map;
pub use map_entry::MapEntry;
pub use serde_json::{
    Deserializer, Error, Number, Result, from_slice, from_str, to_string, to_string_pretty, to_vec,
    to_vec_pretty, to_writer,
};
pub use serialize::to_value;
/// The name of a member of an object.
pub use smol_str::SmolStr as Name;
pub use value::Value;
pub use write::{ObjectWriter, write};
