//! The documents that the references of one request may lead to. Start at [`ReferenceScope`].
//!
//! A reference is *named* in a draft or an update action, and *shown* by an expansion path or a field of GraphQL.
//! Both are resolved only here, within the access of the caller. A document outside of it does not exist for the
//! request: naming it is `ReferencedResourceNotFound`, an expansion leaves the reference as it is, and GraphQL
//! returns `null`. For example, a customer can add an own Payment to a Cart, but no Payment of another customer.
//!
//! | kind | a caller may name | a caller is shown |
//! |---|---|---|
//! | open (`@resource(open: true)`) | every document | every document |
//! | without owner (no `@me`, `@inStore`, `@asAssociate`, `ownedBy`) | every document | documents that the scopes of the
//! token allow |
//! | with an owner and without paths for owners (`ownedBy`) | own documents | documents that the scopes of the token allow |
//! | with an owner | own documents | own documents, with a scope to view them |
//!
//! Own documents are those of the customer or visitor of the token (`@me`), those of the Store in the path
//! (`@inStore`), and those of the Business Unit in the path (`@asAssociate`). A scope for the whole project makes
//! every document of its kind an own one, except where the path names the owner: below `/me` and as an Associate only
//! the owner's documents can be named, although the client that sends the request may hold more scopes.

use crate::access_scope::{AccessScope, ActingAssociate, Principal};
use crate::document::{Document, scalars_at};
use kontor_json::Value;
use kontor_model::{Kind, KindId, MeAccess, Model};
use kontor_query::evaluate_value;
use std::fmt;
use std::sync::Arc;

/// The documents of a kind for which a scope is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentOwner<'a> {
    /// All documents of the project.
    Anyone,
    /// The documents of the Store with this key.
    Store(&'a str),
    /// The documents of the customer or visitor of the token.
    Caller,
}

/// The rights of the token of a request.
pub trait ReferenceAccess: Send + Sync {
    /// Whether the token has a scope to view these documents of a kind.
    fn may_view(&self, kind: KindId, whose: DocumentOwner<'_>) -> bool;
}

/// The documents that the references of one request may lead to. Requests without a scope may reference every
/// document.
#[derive(Clone)]
pub struct ReferenceScope {
    access: Arc<dyn ReferenceAccess>,
    principal: Option<Principal>,
    stores: Vec<String>,
    associate: Option<ActingAssociate>,
    names_all: bool,
    /// Whether the request is below `/me`, where only own documents may be named, whatever the scopes are.
    is_mine: bool,
}

/// The documents of one kind that references may lead to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReferenceExtent {
    /// All of them.
    All,
    /// Documents within any of these access scopes; with `of_nobody` also those without a customer and visitor.
    Within { any_of: Vec<AccessScope>, of_nobody: bool },
    /// The customers who are Associates of the Business Unit with this key.
    AssociatesOf(String),
    /// Documents that refer to any of these owners (`ownedBy`), and documents without an owner.
    OwnedBy(Vec<Owner>),
}

/// A possible owner of documents of a kind with `ownedBy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The customer with this id.
    Customer(String),
    /// The Business Unit with this key.
    Unit(String),
}

impl Owner {
    /// Whether a reference of a document leads to this owner.
    fn is_at(&self, reference: &Value) -> bool {
        match self {
            Owner::Customer(id) => reference["id"] == id.as_str(),
            Owner::Unit(key) => reference["key"] == key.as_str(),
        }
    }
}

impl ReferenceScope {
    /// Returns the scope of a client that acts in no Store and for no customer: it may name every document of the
    /// project, and is shown documents that its scopes allow.
    pub fn for_client(access: Arc<dyn ReferenceAccess>) -> Self {
        Self { access, principal: None, stores: Vec::new(), associate: None, names_all: true, is_mine: false }
    }

    /// Returns the scope of the token of a customer or a visitor.
    #[must_use]
    pub fn with_principal(self, asker: Principal) -> Self {
        Self { principal: Some(asker), names_all: false, ..self }
    }

    /// Returns the scope of a request below `/me`.
    #[must_use]
    pub fn below_me(self) -> Self {
        Self { names_all: false, is_mine: true, ..self }
    }

    /// Returns the scope of a request to Stores. `is_limited`: the token allows the request only in these Stores.
    #[must_use]
    pub fn in_stores(self, stores: Vec<String>, is_limited: bool) -> Self {
        Self { stores, names_all: self.names_all && !is_limited, ..self }
    }

    /// Returns the scope of a request as an Associate.
    #[must_use]
    pub fn as_associate(self, associate: ActingAssociate) -> Self {
        Self { associate: Some(associate), names_all: false, ..self }
    }

    /// Returns the documents of a kind that a draft or an update action may name.
    pub(crate) fn named_extent(&self, model: &Model, kind: KindId) -> ReferenceExtent {
        let entry = model.kind(kind);
        if self.names_all || entry.is_open {
            return ReferenceExtent::All;
        }
        if !entry.has_owner() && entry.owned_by.is_empty() {
            return ReferenceExtent::All;
        }
        let sees_all = self.access.may_view(kind, DocumentOwner::Anyone);
        if !entry.owned_by.is_empty() {
            let is_for_somebody = self.is_mine || self.associate.is_some();
            return if sees_all && !is_for_somebody {
                ReferenceExtent::All
            } else {
                ReferenceExtent::OwnedBy(self.owners())
            };
        }
        if let Some(associate) = &self.associate {
            return named_by_associate(associate, entry, sees_all);
        }
        if sees_all && !self.is_mine {
            return ReferenceExtent::All;
        }
        let mut any_of = Vec::new();
        if entry.in_store.is_some() {
            // A client of a Store needs no scope to name documents of the Store; the token of a customer does.
            any_of.extend(self.of_stores(|store| {
                self.principal.is_none() || self.access.may_view(kind, DocumentOwner::Store(store))
            }));
        }
        any_of.extend(self.own_documents_scope(entry));
        ReferenceExtent::Within { any_of, of_nobody: false }
    }

    /// Returns the documents of a kind that references are expanded to.
    pub(crate) fn shown_extent(&self, model: &Model, kind: KindId) -> ReferenceExtent {
        let entry = model.kind(kind);
        if entry.is_open {
            return ReferenceExtent::All;
        }
        if let Some(associate) = self.associate.as_ref().filter(|_| entry.associates.is_some()) {
            return extent_within(vec![scope_of_associate(associate, entry)]);
        }
        if self.access.may_view(kind, DocumentOwner::Anyone) {
            return ReferenceExtent::All;
        }
        let mut any_of = Vec::new();
        if entry.in_store.is_some() {
            any_of.extend(self.of_stores(|store| self.access.may_view(kind, DocumentOwner::Store(store))));
        }
        // Customers see themselves, whatever their scopes are.
        let is_self = entry.mine.as_ref().is_some_and(is_customer);
        if is_self || self.access.may_view(kind, DocumentOwner::Caller) {
            any_of.extend(self.own_documents_scope(entry));
        }
        extent_within(any_of)
    }

    /// Returns the customer and the Business Unit of the request.
    fn owners(&self) -> Vec<Owner> {
        let of_associate = self.associate.iter().flat_map(|ActingAssociate { unit, id }| {
            let unit = unit.clone().map(Owner::Unit);
            unit.into_iter().chain(id.clone().map(Owner::Customer))
        });
        let asker = match (&self.principal, &self.associate) {
            (Some(Principal::Customer(id)), None) => Some(Owner::Customer(id.clone())),
            _ => None,
        };
        of_associate.chain(asker).collect()
    }

    /// Returns the access scopes of the Stores of the request for which `is_meant` is true.
    fn of_stores(&self, is_meant: impl Fn(&str) -> bool) -> Option<AccessScope> {
        let mut stores = self.stores.iter().filter(|store| is_meant(store)).cloned();
        let store = stores.next()?;
        Some(AccessScope { store: Some(store), further_stores: stores.collect(), ..AccessScope::default() })
    }

    /// Returns the access scope of the documents of the customer or visitor.
    fn own_documents_scope(&self, entry: &Kind) -> Option<AccessScope> {
        entry.mine.as_ref()?;
        Some(AccessScope { mine: Some(self.principal.clone()?), ..AccessScope::default() })
    }
}

/// Returns the documents that an Associate may name of a kind with an owner: documents of the unit, the Associates of
/// the unit, and for kinds that belong only to customers (Payments) the Associate's own, and for a client with a
/// scope those without an owner.
fn named_by_associate(associate: &ActingAssociate, entry: &Kind, sees_all: bool) -> ReferenceExtent {
    if entry.associates.is_some() {
        return extent_within(vec![scope_of_associate(associate, entry)]);
    }
    match (&entry.mine, &associate.unit, &associate.id) {
        (Some(mine), Some(unit), _) if is_customer(mine) => ReferenceExtent::AssociatesOf(unit.clone()),
        // A customer who will become an Associate is none yet.
        (Some(mine), None, _) if is_customer(mine) => ReferenceExtent::All,
        (Some(_), _, Some(id)) => {
            let own = AccessScope { mine: Some(Principal::Customer(id.clone())), ..AccessScope::default() };
            ReferenceExtent::Within { any_of: vec![own], of_nobody: sees_all }
        }
        _ if sees_all => ReferenceExtent::All,
        _ => extent_within(Vec::new()),
    }
}

/// The documents that an Associate may access: units with the Associate, or other documents of the unit.
fn scope_of_associate(associate: &ActingAssociate, entry: &Kind) -> AccessScope {
    let unit = associate.unit.clone().filter(|_| !entry.is_unit());
    AccessScope {
        associate: Some(ActingAssociate { unit, id: associate.id.clone() }),
        ..AccessScope::default()
    }
}

/// True for the kind whose only document below `/me` is the customer.
fn is_customer(mine: &MeAccess) -> bool {
    mine.path.is_empty()
}

fn extent_within(any_of: Vec<AccessScope>) -> ReferenceExtent {
    ReferenceExtent::Within { any_of, of_nobody: false }
}

/// Whether a document is within any of these access scopes.
pub(crate) fn is_within(model: &Model, kind: KindId, document: &Value, any_of: &[AccessScope]) -> bool {
    any_of.iter().any(|bounds| evaluate_value(&bounds.condition(model, kind), document))
}

/// Whether a document of a kind with `@me` has no customer and no visitor.
pub(crate) fn has_no_owner(entry: &Kind, document: &Document) -> bool {
    entry.mine.is_some() && owners(entry, document).is_empty()
}

/// Returns whether a document of a kind with `ownedBy` belongs to any of `owners`, or has no owner.
pub(crate) fn is_owned_by(entry: &Kind, document: &Document, owners: &[Owner]) -> bool {
    let mut references = entry.owned_by.iter().filter_map(|field| document.get(field)).peekable();
    references.peek().is_none()
        || references.any(|reference| owners.iter().any(|owner| owner.is_at(reference)))
}

/// Returns the ids of the customer and of the session that a document of a kind with `@me` belongs to, and of the customer that one of a
/// kind with `ownedBy` belongs to.
pub(crate) fn owners(entry: &Kind, document: &Document) -> Vec<String> {
    let Some(mine) = &entry.mine else {
        let references = entry.owned_by.iter().filter_map(|field| document.get(field));
        return references.filter_map(|reference| reference["id"].as_str()).map(str::to_owned).collect();
    };
    let document = Value::Object(document.clone());
    let mut owners = Vec::new();
    for path in mine.customer.iter().chain(std::iter::once(&mine.session)).filter(|path| !path.is_empty()) {
        scalars_at(&document, path, &mut owners);
    }
    owners.into_iter().filter_map(|owner| owner.as_str().map(str::to_owned)).collect()
}

impl PartialEq for ReferenceScope {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.access, &other.access)
            && self.principal == other.principal
            && self.stores == other.stores
            && self.associate == other.associate
            && self.names_all == other.names_all
            && self.is_mine == other.is_mine
    }
}

impl Eq for ReferenceScope {}

impl fmt::Debug for ReferenceScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceScope")
            .field("asker", &self.principal)
            .field("stores", &self.stores)
            .field("associate", &self.associate)
            .field("names_all", &self.names_all)
            .field("is_mine", &self.is_mine)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
