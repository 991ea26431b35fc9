//! The parts of a path that select documents: the prefix ([`PathPrefix`]), and the address ([`PathTarget`]).

use crate::endpoint::{Endpoint, PathSegment};
use crate::id::KindId;
use crate::kind::{Addressing, Kind};
use crate::operation::Method;
use crate::permissions::Operation;

/// The prefix of a path, before that of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathPrefix {
    /// No project: operations of the server.
    Server,
    /// All documents of the project.
    Project,
    /// `/in-store/key={storeKey}`.
    Store,
    /// `/me`.
    Mine,
    /// `/in-store/key={storeKey}/me`.
    MineInStore,
    /// `/as-associate/{associateId}/in-business-unit/key={businessUnitKey}`: documents of a unit.
    Associate,
    /// `/as-associate/{associateId}/in-business-unit/key={businessUnitKey}`: what belongs to a unit.
    InUnit,
}

/// The documents of a kind that a path addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathTarget {
    /// All documents: `/states`.
    All,
    /// Documents with a value of the first addressing field: `/custom-objects/{container}`.
    Part,
    /// A document by id: `/states/{ID}`.
    Id,
    /// A document by key: `/states/key={key}`.
    Key,
    /// A document by the fields that address it: `/custom-objects/{container}/{key}`.
    Fields,
    /// The only document of a singleton.
    Only,
    /// A document to create, if creations have a path of their own: `/me/signup`.
    New,
    /// The document of a Store that belongs to another, addressed document:
    /// `/in-store/key={storeKey}/products/{ID}/product-tailoring`.
    StoreDocument {
        /// The kind of the other document.
        parent: KindId,
        /// Whether the other document is addressed by its key.
        by_key: bool,
    },
}

impl PathPrefix {
    /// Returns the sides on which a kind is served.
    pub fn of_kind(kind: &Kind) -> Vec<PathPrefix> {
        let is_only_for_associates = kind.associates.as_ref().is_some_and(|own| own.only);
        let mut sides = if is_only_for_associates { Vec::new() } else { vec![PathPrefix::Project] };
        if let Some(own) = &kind.associates {
            sides.push(if own.unit.is_empty() { PathPrefix::Associate } else { PathPrefix::InUnit });
        }
        sides.extend(kind.in_store.is_some().then_some(PathPrefix::Store));
        if let Some(mine) = &kind.mine {
            sides.push(PathPrefix::Mine);
            sides.extend(mine.in_store.then_some(PathPrefix::MineInStore));
        }
        sides
    }

    /// Returns the sides on which an endpoint is served.
    pub fn of_endpoint(endpoint: &Endpoint) -> Vec<PathPrefix> {
        let (everywhere, in_store) = if endpoint.mine {
            (PathPrefix::Mine, PathPrefix::MineInStore)
        } else {
            (PathPrefix::Project, PathPrefix::Store)
        };
        let in_unit = endpoint.as_associate.then_some(PathPrefix::InUnit);
        std::iter::once(everywhere).chain(endpoint.in_store.then_some(in_store)).chain(in_unit).collect()
    }

    /// True for documents of one Store.
    pub fn is_in_store(self) -> bool {
        matches!(self, PathPrefix::Store | PathPrefix::MineInStore)
    }

    /// True for documents of the caller.
    pub fn is_mine(self) -> bool {
        matches!(self, PathPrefix::Mine | PathPrefix::MineInStore)
    }

    /// True for Associates of units.
    pub fn is_associate(self) -> bool {
        matches!(self, PathPrefix::Associate | PathPrefix::InUnit)
    }

    /// Returns the segments before the path of a kind, or of an endpoint (whose path contains `me` itself).
    pub(crate) fn prefix(self) -> Vec<PathSegment> {
        let fixed = |text: &str| PathSegment::Fixed(text.to_owned());
        let value = |prefix: &str, name: &str| PathSegment::Value {
            prefix: prefix.to_owned(),
            name: name.to_owned(),
        };
        let further = match self {
            PathPrefix::Server => return Vec::new(),
            PathPrefix::Project | PathPrefix::Mine => Vec::new(),
            PathPrefix::Store | PathPrefix::MineInStore => vec![fixed("in-store"), value("key=", "storeKey")],
            PathPrefix::Associate => vec![fixed("as-associate"), value("", "associateId")],
            PathPrefix::InUnit => vec![
                fixed("as-associate"),
                value("", "associateId"),
                fixed("in-business-unit"),
                value("key=", "businessUnitKey"),
            ],
        };
        std::iter::once(value("", "projectKey")).chain(further).collect()
    }

    /// Returns the number of values in a path before those that address documents: the project, and those of the
    /// prefix.
    pub fn values(self) -> usize {
        match self {
            PathPrefix::Server => 0,
            PathPrefix::Project | PathPrefix::Mine => 1,
            PathPrefix::Store | PathPrefix::MineInStore | PathPrefix::Associate => 2,
            PathPrefix::InUnit => 3,
        }
    }

    /// True if the model lists the operation for this side.
    pub fn allows(self, kind: &Kind, operation: Operation) -> bool {
        match (self, &kind.mine, &kind.in_store) {
            (PathPrefix::Mine | PathPrefix::MineInStore, Some(mine), _) => mine.allows(operation),
            (PathPrefix::Store, _, Some(in_store)) => in_store.allows(operation),
            _ if self.is_associate() => kind.associates.as_ref().is_some_and(|own| own.allows(operation)),
            _ => kind.allows(operation),
        }
    }

    /// Any one of these scopes allows reading, or writing if `writes`.
    pub fn scopes(self, kind: &Kind, writes: bool) -> &[String] {
        match (self, &kind.mine) {
            (PathPrefix::Mine | PathPrefix::MineInStore, Some(mine)) => &mine.scopes,
            _ if writes => &kind.manage_scopes,
            _ => &kind.view_scopes,
        }
    }

    /// Any one of these scopes allows an operation.
    pub(crate) fn scopes_of(self, kind: &Kind, operation: Operation) -> &[String] {
        match (self, operation) {
            (PathPrefix::Project, Operation::Query) => &kind.query_scopes,
            (_, Operation::Create | Operation::Update | Operation::Delete) => self.scopes(kind, true),
            _ => self.scopes(kind, false),
        }
    }

    /// Returns the segments of a kind's path on this side.
    pub(crate) fn base(self, kind: &Kind) -> Vec<PathSegment> {
        let mut path: Vec<PathSegment> = kind.service.iter().cloned().map(PathSegment::Fixed).collect();
        path.extend(self.prefix());
        let own = match (&kind.mine, self.is_mine()) {
            (Some(mine), true) => {
                path.push(PathSegment::Fixed(ME.to_owned()));
                &mine.path
            }
            _ => &kind.path,
        };
        let segments = own.split('/').filter(|segment| !segment.is_empty());
        path.extend(segments.map(|segment| PathSegment::Fixed(segment.to_owned())));
        path
    }

    /// Returns the targets that a kind has on this side.
    pub(crate) fn targets(self, kind: &Kind) -> Vec<PathTarget> {
        let Some(mine) = kind.mine.as_ref().filter(|_| self.is_mine()) else {
            let new =
                kind.create_path.as_ref().filter(|_| self == PathPrefix::Project).map(|_| PathTarget::New);
            return PathTarget::of_kind(kind).into_iter().chain(new).collect();
        };
        let create = mine.create.as_ref().map(|_| PathTarget::New);
        if mine.path.is_empty() {
            return std::iter::once(PathTarget::Only).chain(create).collect();
        }
        let key = mine.by_key.then_some(PathTarget::Key);
        [PathTarget::All, PathTarget::Id].into_iter().chain(key).chain(create).collect()
    }
}

/// The prefix of paths below `me`.
pub(crate) const ME: &str = "me";

impl PathTarget {
    fn of_kind(kind: &Kind) -> Vec<Self> {
        match &kind.addressing {
            Addressing::Singleton => vec![PathTarget::Only],
            Addressing::Id { by_key: false } => vec![PathTarget::All, PathTarget::Id],
            Addressing::Id { by_key: true } => vec![PathTarget::All, PathTarget::Id, PathTarget::Key],
            Addressing::Fields(_) => vec![PathTarget::All, PathTarget::Part, PathTarget::Fields],
        }
    }

    /// Returns the methods that the platform has for this target. The model decides which of them a kind has.
    pub(crate) fn methods(self) -> &'static [(Method, Operation)] {
        use Operation::{Create, Delete, Get, Head, Query, Update};
        match self {
            PathTarget::All => &[(Method::Get, Query), (Method::Head, Head), (Method::Post, Create)],
            PathTarget::Part => &[(Method::Get, Query)],
            PathTarget::Id | PathTarget::Key | PathTarget::Only => {
                &[(Method::Get, Get), (Method::Head, Head), (Method::Post, Update), (Method::Delete, Delete)]
            }
            PathTarget::Fields => &[(Method::Get, Get), (Method::Delete, Delete)],
            PathTarget::New => &[(Method::Post, Create)],
            PathTarget::StoreDocument { .. } => {
                &[(Method::Get, Get), (Method::Post, Update), (Method::Delete, Delete)]
            }
        }
    }

    /// True if the path addresses one document.
    pub fn is_one(self) -> bool {
        !matches!(self, PathTarget::All | PathTarget::Part | PathTarget::New)
    }
}
