//! JSON documents in memory: cheap to read, to clone, to compare and to write.
//!
//! Nearly all that a write costs is spent on its document: it is read, cloned, changed in a few places, compared with what it
//! was, and written. [`Value`] and [`Map`] have the names and the behaviour of those of `serde_json`, whose parser and
//! errors this crate hands on, so that whoever knows that crate knows this one. Six things are different:
//!
//! - An object is a list of members, not a hash table: few objects have more than a dozen. A large one has an index beside
//!   its list.
//! - The [`Name`] of a member is no `String`: up to 23 bytes stand in its place, and nothing is allocated for them.
//! - A clone shares the members of its original until one of both is changed, and only what leads to a change is copied.
//! - [`read`] passes over objects in objects: each is read when somebody looks into it, and of one that is asked for a few members
//!   only these.
//! - An object that [`read`] has read keeps its text for as long as nothing in it changes: [`write`] copies that text. As
//!   long as any such part is in memory, so is the whole text that was read. Large objects that stand beside their equal, such
//!   as two sides of a document, are read and written once.
//! - Taking a member away leaves the others in their sequence, by whatever name it is done.
//!
//! What was weighed: `docs/decisions/0040-documents-share.md`.

#![forbid(unsafe_code)]

mod braces;
mod de;
mod entry;
mod from;
mod glance;
mod index;
mod iter;
mod macros;
mod map;
mod members;
mod names;
mod number;
mod plain;
mod read;
mod ser;
#[doc(hidden)]
pub mod standing;
mod unread;
mod value;
mod write;

pub use de::from_value;
pub use entry::Entry;
pub use iter::{IntoIter, Iter, IterMut, Keys};
pub use map::Map;
pub use read::{parse, read, read_without};
pub use ser::to_value;
pub use serde_json::{
    Deserializer, Error, Number, Result, from_slice, from_str, to_string, to_string_pretty, to_vec,
    to_vec_pretty, to_writer,
};
/// The name of a member of an object.
pub use smol_str::SmolStr as Name;
pub use value::Value;
pub use write::{ObjectWriter, write};
