//! Resolves the references of a request, within the access of the caller.

use super::{FoundDocument, ResolvedReference, Rules};
use crate::access_scope::AccessScope;
use crate::document::{Document, text};
use crate::reference_scope::{ReferenceExtent, ReferenceScope, has_no_owner, is_owned_by, is_within, owners};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::KindId;
use kontor_storage::Precondition;
use std::sync::Arc;

impl<'a> Rules<'a> {
    /// Sets the documents that references of the request may lead to; `None`: all.
    #[must_use]
    pub fn with_references(self, references: Option<&'a ReferenceScope>) -> Self {
        Self { references, ..self }
    }

    /// Returns the target of an identifier `{typeId, id | key}` that was validated against the model. It must exist
    /// for the caller. The commit requires that it still exists, but not that it is unchanged.
    pub fn resolve(&self, identifier: &Document) -> ApiResult<ResolvedReference> {
        self.resolve_if(identifier, &|kind, found| {
            Ok(self.may_name(kind, found)? || self.has_owner_of_changed(kind, found))
        })
    }

    /// Like [`resolve`](Self::resolve), for the document from which a new one is created. For an Associate it may
    /// also belong to another unit; the operation then fails with an error of its own: a Quote Request of a Cart of
    /// another Business Unit is `InvalidOperation` (reference, "Create QuoteRequest in BusinessUnit as Associate").
    pub fn resolve_source(&self, identifier: &Document) -> ApiResult<ResolvedReference> {
        match self.bounds.associate {
            Some(_) => self.resolve_of_anyone(identifier),
            None => self.resolve(identifier),
        }
    }

    /// Like [`resolve`](Self::resolve), for an identifier that the server itself has created.
    pub(crate) fn resolve_of_anyone(&self, identifier: &Document) -> ApiResult<ResolvedReference> {
        self.resolve_if(identifier, &|_, _| Ok(true))
    }

    /// Like [`resolve`](Self::resolve), for an argument of an action on `document`, which may also name what the document
    /// refers to already, e.g. to remove a Payment that a client of the project added.
    pub(crate) fn resolve_argument(&self, identifier: &Document, document: &Document) -> ApiResult<Value> {
        let target = self.resolve_if(identifier, &|target, found| {
            let reference = json!({"typeId": self.model.kind(target).type_id, "id": found.id});
            Ok(document.values().any(|value| has_reference(value, &reference)))
        })?;
        Ok(json!({"typeId": self.model.kind(target.kind).type_id, "id": target.id}))
    }

    /// Runs an action that changes `document`. In a request to a Store, the action may also name what has the same owner.
    pub(crate) fn with_changed<T>(
        &self,
        kind: KindId,
        document: &mut Document,
        act: impl FnOnce(&mut Document) -> T,
    ) -> T {
        let is_for_store =
            self.bounds.store.is_some() && self.bounds.mine.is_none() && self.bounds.associate.is_none();
        if self.references.is_none() || !is_for_store {
            return act(document);
        }
        let owner = owners(self.model.kind(kind), document);
        let outer = self.owner_of_changed.replace(owner);
        let done = act(document);
        self.owner_of_changed.replace(outer);
        done
    }

    /// Whether a document has the owner of the document that an action is changing.
    fn has_owner_of_changed(&self, kind: KindId, found_document: &FoundDocument) -> bool {
        let owner = self.owner_of_changed.borrow();
        !owner.is_empty() && owners(self.model.kind(kind), &found_document.document) == *owner
    }

    fn resolve_if(
        &self,
        identifier: &Document,
        is_there: &dyn Fn(KindId, &FoundDocument) -> ApiResult<bool>,
    ) -> ApiResult<ResolvedReference> {
        let type_id = text(identifier, &["typeId"]).unwrap_or_default();
        let (id, key) = (text(identifier, &["id"]), text(identifier, &["key"]));
        let usual = || ApiError::referenced_resource_not_found(type_id, id, key);
        let kind = self.model.kind_by_type_id(type_id).ok_or_else(usual)?;
        let found = match (id, key) {
            (Some(id), _) => self.find_cached(kind, id)?,
            (None, Some(key)) => self.look_up_key(kind, key)?,
            (None, None) => None,
        };
        let found = match found {
            Some(found) if is_there(kind, &found)? => Some(found),
            _ => None,
        };
        let FoundDocument { id, document, .. } = found.ok_or_else(usual)?;
        self.require(Precondition::Exists { kind: type_id.to_owned(), id: id.clone() });
        Ok(ResolvedReference { kind, id, document })
    }

    /// Returns the document whose id is a text in a draft or an action, like [`peek_type`](Self::peek_type); `None`
    /// also for a document that does not exist for the caller. Fails if the storage fails.
    pub fn peek_named(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        let Some(kind) = self.model.kind_by_type_id(type_id) else { return Ok(None) };
        match self.find_cached(kind, id)? {
            Some(found) if self.may_name(kind, &found)? => Ok(Some(found.document)),
            _ => Ok(None),
        }
    }

    /// Whether a draft or an action of the caller may name a document.
    pub(crate) fn may_name(&self, kind: KindId, found_document: &FoundDocument) -> ApiResult<bool> {
        let Some(references) = self.references else { return Ok(true) };
        match references.named_extent(self.model, kind) {
            ReferenceExtent::All => Ok(true),
            ReferenceExtent::Within { any_of, of_nobody } => {
                let is_there = self.is_within(kind, &found_document.document, &any_of);
                Ok(is_there || (of_nobody && has_no_owner(self.model.kind(kind), &found_document.document)))
            }
            ReferenceExtent::OwnedBy(owners) => {
                Ok(is_owned_by(self.model.kind(kind), &found_document.document, &owners))
            }
            ReferenceExtent::AssociatesOf(unit) => {
                let units = self.model.unit_kind();
                let units = units.ok_or_else(|| ApiError::bug("the model has no kind of units"))?;
                match self.find_key(units, &unit)? {
                    Some(unit) => Ok(self.permissions_in(&unit, &found_document.id)?.is_some()),
                    None => Ok(false),
                }
            }
        }
    }

    /// Returns whether a document is within the access scope of the request.
    pub fn is_in_scope(&self, kind: KindId, document: &Document) -> bool {
        self.is_within(kind, document, std::slice::from_ref(self.bounds))
    }

    fn is_within(&self, kind: KindId, document: &Document, any_of: &[AccessScope]) -> bool {
        let value = Value::Object(document.clone());
        // A kind may show a document in each Store, e.g. a Customer without Stores.
        let is_in_each_store = || {
            any_of.iter().any(|bounds| bounds.store.is_some())
                && self.behaviours.get(kind).is_some_and(|behaviour| behaviour.is_in_each_store(document))
        };
        is_within(self.model, kind, &value, any_of) || is_in_each_store()
    }
}

/// Whether a value contains a reference at any depth. Expanded references do not count: documents are stored without.
fn has_reference(value: &Value, reference: &Value) -> bool {
    value == reference
        || match value {
            Value::Array(items) => items.iter().any(|item| has_reference(item, reference)),
            Value::Object(fields) => fields.values().any(|field| has_reference(field, reference)),
            _ => false,
        }
}
