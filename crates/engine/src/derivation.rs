//! Derivations: derived fields, which follow from other documents, and how the dependents of a changed document are
//! found.
//!
//! A [`Derivation`] is a declaration of a behaviour; [`crate::derive`] runs it. Start at [`Dependents`] for the
//! possible relations between a source and its dependents.

mod check;
mod follow_type;
mod joined_derivations;

pub(crate) use joined_derivations::{Derivations, JoinedDerivation};

use crate::document::Document;
use jiff::Timestamp;
use kontor_errors::ApiResult;
use kontor_model::Model;
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// Derived fields: when a document of `source` was written, its dependents are updated.
#[derive(Clone, Copy)]
pub struct Derivation {
    /// The name within the behaviour, e.g. `ancestors`. Work items contain it after the name of the kind, and
    /// some of them wait for months, so a released name must not change.
    pub name: &'static str,
    /// Name of the kind whose changes matter.
    pub source: &'static str,
    /// Which documents of the behaviour's kind depend on the changed one.
    pub dependents: Dependents,
    /// Updates the derived fields of one dependent, or decides that it is deleted. [`DerivationSources`] gives access to
    /// other documents.
    pub derive: fn(&mut Document, &dyn DerivationSources) -> ApiResult<DeriveOutcome>,
}

/// The outcome for a dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeriveOutcome {
    /// It stays, with its derived fields as they are now.
    Keep,
    /// It is deleted, like the document that it belongs to.
    Delete,
}

/// The relation by which dependents are found, and the fields of the source that they depend on.
#[derive(Debug, Clone, Copy)]
pub enum Dependents {
    /// Documents that refer to the changed one at an indexed path.
    ReferringAt {
        /// For example `parent.id`.
        path: &'static str,
        /// The changes that affect dependents.
        when: ChangeFilter,
    },
    /// The document that the changed one refers to, now or before the change.
    ReferredAt {
        /// For example `target`, `id`.
        path: &'static [&'static str],
        /// Fields of the changed document that matter.
        when: &'static [&'static str],
    },
    /// Documents that hold a text of the changed one at an indexed path, now or before the change.
    Sharing {
        /// The path to the text, e.g. `sku`.
        value: &'static [&'static str],
        /// The indexed paths at which dependents may have it.
        paths: &'static [&'static str],
        /// Fields of the changed document that matter.
        when: &'static [&'static str],
    },
    /// Documents that hold, at an indexed path, one of the values that the changed one has or had.
    Holding {
        /// For example `sku`.
        path: &'static str,
        /// The values of a changed document.
        values: fn(&Document) -> Vec<String>,
        /// The changes that affect dependents.
        when: ChangeFilter,
    },
    /// Documents that hold, at an indexed path, a value of documents of other kinds that lead to the changed
    /// one: those of the first hop refer to it, those of each further hop to one of the previous hop.
    Through {
        /// At least one.
        hops: &'static [Hop],
        /// The values of a document of the last hop.
        values: fn(&Document) -> Vec<String>,
        /// The indexed path at which dependents have them.
        path: &'static str,
        /// The changes that affect dependents.
        when: ChangeFilter,
    },
    /// Documents with custom fields of the changed Type, at any place where the model has custom fields.
    WithCustomFields {
        /// Fields of the changed document that matter.
        when: &'static [&'static str],
    },
    /// All documents of the kind, a chunk at a time, between other work.
    All {
        /// Fields of the changed document that matter.
        when: &'static [&'static str],
        /// Fields of the changed document with times; at each of them, all dependents are updated again.
        at: &'static [&'static str],
        /// The kind and id of a hidden document that is written when such a time has come, so that changes that
        /// relied on the earlier state are retried. It contains the time as `since`.
        epoch: Option<&'static str>,
    },
}

/// A kind between a changed document and its dependents.
#[derive(Debug, Clone, Copy)]
pub struct Hop {
    /// Name of the kind.
    pub kind: &'static str,
    /// The path of its reference to the previous document, e.g. `parent.id`.
    pub at: &'static str,
}

/// The changes of a source document that affect its dependents.
#[derive(Debug, Clone, Copy)]
pub enum ChangeFilter {
    /// Changes of one of these fields.
    Fields(&'static [&'static str]),
    /// Changes for which the function returns true, given the document before and after. Creation and
    /// deletion always matter.
    Differs(fn(&Document, &Document) -> bool),
}

/// The documents that a derivation may read.
pub trait DerivationSources {
    /// The description of all kinds.
    fn model(&self) -> &Model;
    /// The current time of the shop.
    fn now(&self) -> Timestamp;
    /// Returns the value that `make` calculates from other documents, cached under `name` for all documents of
    /// a chunk. Different values need different names.
    fn shared(
        &self,
        name: &'static str,
        make: &mut dyn FnMut() -> ApiResult<Rc<dyn Any>>,
    ) -> ApiResult<Rc<dyn Any>>;
    /// Returns one document.
    fn document(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>>;
    /// Returns the document of a kind that has a unique key.
    fn unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Document>>;
    /// Visits all documents of a kind that have `value` at an indexed path, one after the other.
    fn visit_indexed(
        &self,
        type_id: &str,
        path: &str,
        value: &str,
        visit: &mut dyn FnMut(&Document),
    ) -> ApiResult<()>;
    /// True if a document of a kind has this key.
    fn has_key(&self, type_id: &str, key: &str) -> ApiResult<bool>;
    /// Returns how many documents of a kind have `value` at an indexed path.
    fn count(&self, type_id: &str, path: &str, value: &str) -> ApiResult<u64>;
}
