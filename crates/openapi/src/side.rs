//! From which side documents of a kind are seen: all of a project, those of one Store, those of who asks.

use crate::operation::{Place, pascal};
use crate::platform::OAUTH;
use kontor_auth::ScopeName;
use kontor_model::{Endpoint, Kind, Operation};
use serde_json::{Value, json};

/// What stands before the path of a kind, and what that means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// All documents of the project.
    Project,
    /// `/in-store/key={storeKey}`.
    Store,
    /// `/me`.
    Mine,
    /// `/in-store/key={storeKey}/me`.
    MineInStore,
    /// `/as-associate/{associateId}`: units.
    Associate,
    /// `/as-associate/{associateId}/in-business-unit/key={businessUnitKey}`: what belongs to a unit.
    InUnit,
}

impl Side {
    /// The sides from which a kind is served.
    pub(crate) fn of(kind: &Kind) -> Vec<Side> {
        let is_only_for_associates = kind.associates.as_ref().is_some_and(|own| own.only);
        let mut sides = if is_only_for_associates { Vec::new() } else { vec![Side::Project] };
        if let Some(own) = &kind.associates {
            sides.push(if own.unit.is_empty() { Side::Associate } else { Side::InUnit });
        }
        sides.extend(kind.in_store.is_some().then_some(Side::Store));
        if let Some(mine) = &kind.mine {
            sides.push(Side::Mine);
            sides.extend(mine.in_store.then_some(Side::MineInStore));
        }
        sides
    }

    /// The sides from which an endpoint is served.
    pub(crate) fn of_endpoint(endpoint: &Endpoint) -> Vec<Side> {
        let (everywhere, in_store) =
            if endpoint.mine { (Side::Mine, Side::MineInStore) } else { (Side::Project, Side::Store) };
        std::iter::once(everywhere).chain(endpoint.in_store.then_some(in_store)).collect()
    }

    pub(crate) fn is_in_store(self) -> bool {
        matches!(self, Side::Store | Side::MineInStore)
    }

    pub(crate) fn is_mine(self) -> bool {
        matches!(self, Side::Mine | Side::MineInStore)
    }

    pub(crate) fn is_associate(self) -> bool {
        matches!(self, Side::Associate | Side::InUnit)
    }

    /// What stands before the path of an endpoint, which has `/me` itself.
    pub(crate) fn store_prefix(self) -> &'static str {
        match self {
            Side::Store | Side::MineInStore => "/in-store/key={storeKey}",
            Side::Associate => "/as-associate/{associateId}",
            Side::InUnit => "/as-associate/{associateId}/in-business-unit/key={businessUnitKey}",
            Side::Project | Side::Mine => "",
        }
    }

    /// The path of a place below the project's.
    pub(crate) fn path(self, kind: &Kind, place: &Place) -> String {
        let below = match (&kind.mine, self.is_mine()) {
            (Some(mine), true) => {
                let base = if mine.path.is_empty() { "/me".to_owned() } else { format!("/me/{}", mine.path) };
                match place {
                    Place::New(create) => format!("/me/{create}"),
                    _ => place.below(base),
                }
            }
            _ => place.path(kind),
        };
        format!("{}{below}", self.store_prefix())
    }

    /// The places of a kind on this side.
    pub(crate) fn places(self, kind: &Kind) -> Vec<Place> {
        let Some(mine) = kind.mine.as_ref().filter(|_| self.is_mine()) else { return Place::of(kind) };
        let create = mine.create.clone().map(Place::New);
        if mine.path.is_empty() {
            return std::iter::once(Place::Only).chain(create).collect();
        }
        let key = mine.by_key.then_some(Place::Key);
        [Place::All, Place::Id].into_iter().chain(key).chain(create).collect()
    }

    /// True where the model lists the operation for this side.
    pub(crate) fn allows(self, kind: &Kind, operation: Operation) -> bool {
        match (self, &kind.mine, &kind.in_store) {
            (Side::Mine | Side::MineInStore, Some(mine), _) => mine.allows(operation),
            (Side::Store, _, Some(in_store)) => in_store.allows(operation),
            _ if self.is_associate() => kind.associates.as_ref().is_some_and(|own| own.allows(operation)),
            _ => kind.allows(operation),
        }
    }

    /// The scopes of an operation.
    pub(crate) fn scopes_of(self, kind: &Kind, operation: Operation) -> &[String] {
        match (self, operation) {
            (Side::Project, Operation::Query) => &kind.query_scopes,
            (_, Operation::Create | Operation::Update | Operation::Delete) => self.scopes(kind, true),
            _ => self.scopes(kind, false),
        }
    }

    /// The scopes of reading or writing.
    pub(crate) fn scopes(self, kind: &Kind, writes: bool) -> &[String] {
        match (self, &kind.mine, &kind.in_store) {
            (Side::Mine | Side::MineInStore, Some(mine), _) => &mine.scopes,
            (Side::Store, _, Some(in_store)) if writes => &in_store.manage_scopes,
            (Side::Store, _, Some(in_store)) => &in_store.view_scopes,
            _ if writes => &kind.manage_scopes,
            _ => &kind.view_scopes,
        }
    }

    /// Any one of the scopes is enough, for the project or for the Store.
    pub(crate) fn security(self, scopes: &[String]) -> Value {
        let mut alternatives = Vec::new();
        for scope in scopes {
            alternatives.push(json!({OAUTH: [in_project(scope)]}));
            if self.is_in_store() {
                alternatives.extend(in_store(scope).map(|scope| json!({OAUTH: [scope]})));
            }
        }
        Value::Array(alternatives)
    }

    /// Whose tokens an operation below `/me` takes; `None`: everybody's who has the scope.
    pub(crate) fn tokens(self, kind: &Kind, is_open: bool) -> Option<Value> {
        let mine = kind.mine.as_ref().filter(|_| self.is_mine())?;
        Some(match (is_open, mine.session.is_empty()) {
            (true, _) => json!(["customer", "anonymous", "client"]),
            (false, false) => json!(["customer", "anonymous"]),
            (false, true) => json!(["customer"]),
        })
    }

    /// What stands before the name of an operation, by the rule of the public reference.
    pub(crate) fn id_part(self) -> &'static str {
        match self {
            Side::Project => "",
            Side::Store => "InStoreKeyByStoreKey",
            Side::Mine => "Me",
            Side::MineInStore => "InStoreKeyByStoreKeyMe",
            Side::Associate => "AsAssociateByAssociateId",
            Side::InUnit => "AsAssociateByAssociateIdInBusinessUnitKeyByBusinessUnitKey",
        }
    }

    /// The path of the kind in the name of an operation.
    pub(crate) fn kind_part(self, kind: &Kind) -> String {
        match (&kind.mine, self.is_mine()) {
            (Some(mine), true) => pascal(&mine.path),
            _ => pascal(&kind.path),
        }
    }

    /// For people, behind what an operation does.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Side::Project => "",
            Side::Store => " in a Store",
            Side::Mine => " of who asks",
            Side::MineInStore => " of who asks, in a Store",
            Side::Associate => " as an associate",
            Side::InUnit => " of a unit, as an associate",
        }
    }
}

/// A scope as it stands in tokens.
pub(crate) fn in_project(scope: &str) -> String {
    format!("{scope}:{{projectKey}}")
}

/// The same for one Store, where the scope has such a form.
pub(crate) fn in_store(scope: &str) -> Option<String> {
    let has_form = ScopeName::parse(scope).is_some_and(ScopeName::has_store_form);
    has_form.then(|| format!("{scope}:{{projectKey}}:{{storeKey}}"))
}
