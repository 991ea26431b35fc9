//! The Import API: resources in bulk, created or changed in the background.
//!
//! An Import Request is validated against the model (`@import`); each of its resources becomes an Import Operation,
//! which is on disk before the response ([`request`]). A worker of each running project processes the queue of
//! operations ([`operation_queue`]): it resolves references by key ([`references`]), converts the resource to a draft
//! of the API or to the update actions that bring the document to the imported state ([`resource`]), and executes these
//! like any other change. An operation with missing references waits until they exist.
//!
//! Containers and operations are stored apart from the documents of the model ([`import_store`]): they are no targets
//! of references, and have no Messages and no predicates. Start at [`Imports`].
//!
//! **Invariant:** resources are written only by [`Shop::create_preserving`](kontor_engine::Shop::create_preserving) and
//! [`Shop::update`](kontor_engine::Shop::update). A crash loses no operation: accepted ones are processed again.

mod container;
mod difference;
mod draft;
mod event;
mod import_api;
mod import_store;
mod limits;
mod operation;
mod operation_queue;
mod outcome;
mod page;
mod references;
mod request;
mod resource;
mod typed_value;

/// The kinds of stored documents that contain data of imported resources, with the indexed path of the resource's key.
/// Erasing a resource deletes the operations with its key, also those of other resource types with the same key: a
/// finished operation does not contain its type.
pub const KEPT_BY_KEY: &[(&str, &str)] = &[(import_store::OPERATION, operation::OF_KEY)];

pub use import_api::{ImportApiRequest, ImportApiResponse, Imports};
pub use page::ImportPage;
