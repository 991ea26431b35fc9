//! The Import API: resources in bulk, created or changed in the background.
//!
//! An Import Request is checked against the model (`@import`), and each of its resources is an Import Operation, on disk
//! before it is answered ([`request`]). Work on operations goes on beside each running shop ([`work`]): what a resource
//! refers to by key is looked up ([`references`]), the resource becomes the draft of the API or the update actions that
//! make a document like it ([`resource`]), and these go the way of every other change. An operation whose references are
//! not there yet waits until they are.
//!
//! Containers and operations are stored beside the documents of the model ([`stored`]): they have no ids that others refer
//! to, no Messages and no predicates. Start at [`Imports`].
//!
//! **Invariant:** nothing is written to a resource but by [`Shop::create_kept`](kontor_engine::Shop::create_kept) and
//! [`Shop::update`](kontor_engine::Shop::update). A crash loses no operation: what was accepted is worked on again.

mod container;
mod difference;
mod draft;
mod event;
mod imports;
mod limits;
mod lookup;
mod operation;
mod outcome;
mod page;
mod references;
mod request;
mod resource;
mod stored;
mod typed_value;
mod work;

/// The kind of stored operations, which hold what was imported and what was wrong with it, and the indexed path of the key of the
/// resource. Operations of another resource with the same key go with one that is erased: no operation that is at its end tells its type.
pub const KEPT_BY_KEY: &[(&str, &str)] = &[(stored::OPERATION, operation::OF_KEY)];

pub use imports::{Answer, Asked, Imports};
pub use page::Page;
