//! The documents that a request may access: those of one Store, those of a customer or visitor, those of a
//! Business Unit.
//!
//! REST and GraphQL set the [`AccessScope`] of a request; the model defines its meaning for a kind (`@inStore`,
//! `@me`, `@asAssociate`). It is evaluated here, for single documents ([`AccessScope::contains`]) and for queries
//! ([`AccessScope::condition`]) alike. A document outside of the scope does not exist for the request: 404, or no result.

use kontor_model::{Action, Kind, KindId, Model, ObjectId};
use kontor_query::{Condition, ConditionValue, ValueCheck, evaluate};

/// The bounds of a request: the part of the project that its caller may reach. The default is the whole project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessScope {
    /// The key of the Store of `/in-store/key={storeKey}`.
    pub store: Option<String>,
    /// Further Stores whose documents may be read too.
    pub further_stores: Vec<String>,
    /// The caller of a request below `/me`, where drafts, actions and responses are those of `@me`.
    pub mine: Option<Principal>,
    /// The Associate of a request below `/as-associate`, and the Business Unit. `associate` checks the
    /// permissions.
    pub associate: Option<ActingAssociate>,
}

/// An Associate who acts for a Business Unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingAssociate {
    /// The id of the customer; `None`: the operator, who needs no permission.
    pub id: Option<String>,
    /// The key of the unit of `/in-business-unit/key={key}`; `None` where documents are units themselves.
    pub unit: Option<String>,
}

/// The caller of a request below `/me`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    /// The customer with this id.
    Customer(String),
    /// A visitor without an account, by the id of the session.
    Session(String),
    /// A client without a customer or session. It owns no documents.
    Nobody,
}

impl Principal {
    /// Returns the id of the customer, if the caller is one.
    pub fn customer(&self) -> Option<&str> {
        match self {
            Principal::Customer(id) => Some(id),
            _ => None,
        }
    }

    /// The id of the anonymous session, if the caller is one.
    pub fn session(&self) -> Option<&str> {
        match self {
            Principal::Session(id) => Some(id),
            _ => None,
        }
    }
}

/// The access scope without limits.
pub(crate) static EVERYTHING: AccessScope =
    AccessScope { store: None, further_stores: Vec::new(), mine: None, associate: None };

impl AccessScope {
    /// True if all documents of the project are within the scope.
    pub fn is_everything(&self) -> bool {
        *self == EVERYTHING
    }

    /// Returns the same Store and unit, for documents of any owner.
    pub fn for_any_owner(&self) -> AccessScope {
        AccessScope { mine: None, ..self.clone() }
    }

    /// Returns the id of the customer who acts as an Associate of units: below `/as-associate`, and below `/me`
    /// if the documents are units.
    pub fn acting_associate(&self, entry: &Kind) -> Option<&str> {
        match (&self.associate, &self.mine) {
            (Some(associate), _) => associate.id.as_deref(),
            (None, Some(asker)) if entry.is_unit() => asker.customer(),
            _ => None,
        }
    }

    /// Returns the condition for documents of the kind: an indexed field has the Store's key, another the
    /// caller's id.
    pub fn condition(&self, model: &Model, kind: KindId) -> Condition {
        let entry = model.kind(kind);
        let mut all = Vec::new();
        if let Some(store) = &self.store {
            // The kind declares where its documents hold their Store.
            let paths = entry.in_store.as_ref().map_or([&[][..], &[]], |own| [&own.at, &own.also]);
            // A projection belongs to no Store; the kind's behaviour decides how a Store shows it.
            if !paths[0].is_empty() || entry.projection.is_none() {
                let stores = std::iter::once(store).chain(&self.further_stores);
                let held = stores.flat_map(|store| paths.map(|at| equals_at(model, entry, at, store)));
                // The documents of all Stores.
                let global = entry.in_store.as_ref().filter(|own| own.global).and_then(|own| own.at.first());
                let global = global.map(|field| Condition::not(Condition::check(field, ValueCheck::Defined)));
                all.push(Condition::any(held.chain(global).collect()));
            }
        }
        if let Some(asker) = &self.mine {
            let mine = entry.mine.as_ref();
            all.push(match (mine, asker) {
                (Some(mine), Principal::Customer(id)) => equals_at_any(model, entry, &mine.customer, id),
                (Some(mine), Principal::Session(id)) => {
                    // A visitor is no Associate, so it owns only documents outside of units.
                    let unit = entry.associates.as_ref().map(|own| &own.unit).filter(|unit| !unit.is_empty());
                    let outside = unit.map(|unit| Condition::not(check_at(unit, ValueCheck::Defined)));
                    let own = equals_at(model, entry, &mine.session, id);
                    Condition::all(std::iter::once(own).chain(outside).collect())
                }
                _ => Condition::Constant(false),
            });
        }
        if let (Some(associate), Some(own)) = (&self.associate, &entry.associates) {
            all.push(match &associate.unit {
                Some(unit) => equals_at(model, entry, &own.unit, unit),
                None => match &associate.id {
                    Some(id) => equals_at_any(model, entry, &own.owner, id),
                    None => Condition::Constant(true),
                },
            });
        }
        Condition::all(all)
    }

    /// Whether a stored document of the kind is within the scope.
    pub fn contains(&self, model: &Model, kind: KindId, body: &[u8]) -> bool {
        self.is_everything() || evaluate(&self.condition(model, kind), body)
    }

    /// Returns the shape of drafts that create documents of the kind; `None` if the caller cannot create any.
    pub fn draft(&self, entry: &Kind) -> Option<ObjectId> {
        match &self.mine {
            None => entry.draft,
            Some(_) => entry.mine.as_ref()?.draft,
        }
    }

    /// Returns the update actions of the kind that the caller may use.
    pub fn actions<'k>(&self, entry: &'k Kind) -> &'k [Action] {
        match &self.mine {
            None => &entry.actions,
            Some(_) => entry.mine.as_ref().map_or(&[], |mine| &mine.actions),
        }
    }

    /// Returns the update action with a name, if the caller may use it.
    pub fn action<'k>(&self, entry: &'k Kind, name: &str) -> Option<&'k Action> {
        self.actions(entry).iter().find(|action| action.name == name)
    }
}

/// Returns a condition on the value at a path of objects.
pub(crate) fn check_at(path: &[String], check: ValueCheck) -> Condition {
    Condition::Check { path: path.iter().map(|name| name.as_str().into()).collect(), check }
}

/// Returns the condition that `value` is at one of several paths.
pub(crate) fn equals_at_any(model: &Model, entry: &Kind, paths: &[Vec<String>], value: &str) -> Condition {
    Condition::any(paths.iter().map(|path| equals_at(model, entry, path, value)).collect())
}

/// Returns the condition that `value` is at a path, also through lists. It is false for an empty path.
fn equals_at(model: &Model, entry: &Kind, path: &[String], value: &str) -> Condition {
    fn path_condition(model: &Model, object: Option<ObjectId>, path: &[String], value: &str) -> Condition {
        let check = || ValueCheck::Equals(ConditionValue::text(value));
        let Some((first, rest)) = path.split_first() else { return Condition::Constant(false) };
        let field = object.and_then(|object| model.object(object).field(first));
        if rest.is_empty() {
            return Condition::check(first, check());
        }
        let is_list = field.is_some_and(|field| field.shape.is_list());
        let inner = match field.map(|field| field.shape.element()) {
            Some(kontor_model::Shape::Object(inner)) => Some(*inner),
            _ => None,
        };
        let condition = path_condition(model, inner, rest, value);
        if is_list { Condition::element(first, condition) } else { Condition::nested(first, condition) }
    }
    path_condition(model, Some(entry.object), path, value)
}
