//! The parts of a path that select documents: the prefix ([`Side`]), and the address ([`Target`]).

use crate::endpoint::{Endpoint, Segment};
use crate::id::KindId;
use crate::kind::{Addressing, Kind};
use crate::operation::Method;
use crate::permissions::Operation;

/// The prefix of a path, before that of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
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
pub enum Target {
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
    Through {
        /// The kind of the other document.
        parent: KindId,
        /// Whether the other document is addressed by its key.
        by_key: bool,
    },
}

impl Side {
    /// Returns the sides on which a kind is served.
    pub fn of(kind: &Kind) -> Vec<Side> {
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

    /// Returns the sides on which an endpoint is served.
    pub fn of_endpoint(endpoint: &Endpoint) -> Vec<Side> {
        let (everywhere, in_store) =
            if endpoint.mine { (Side::Mine, Side::MineInStore) } else { (Side::Project, Side::Store) };
        let in_unit = endpoint.as_associate.then_some(Side::InUnit);
        std::iter::once(everywhere).chain(endpoint.in_store.then_some(in_store)).chain(in_unit).collect()
    }

    /// True for documents of one Store.
    pub fn is_in_store(self) -> bool {
        matches!(self, Side::Store | Side::MineInStore)
    }

    /// True for documents of the caller.
    pub fn is_mine(self) -> bool {
        matches!(self, Side::Mine | Side::MineInStore)
    }

    /// True for Associates of units.
    pub fn is_associate(self) -> bool {
        matches!(self, Side::Associate | Side::InUnit)
    }

    /// Returns the segments before the path of a kind, or of an endpoint (whose path contains `me` itself).
    pub(crate) fn prefix(self) -> Vec<Segment> {
        let fixed = |text: &str| Segment::Fixed(text.to_owned());
        let value =
            |prefix: &str, name: &str| Segment::Value { prefix: prefix.to_owned(), name: name.to_owned() };
        let further = match self {
            Side::Server => return Vec::new(),
            Side::Project | Side::Mine => Vec::new(),
            Side::Store | Side::MineInStore => vec![fixed("in-store"), value("key=", "storeKey")],
            Side::Associate => vec![fixed("as-associate"), value("", "associateId")],
            Side::InUnit => vec![
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
            Side::Server => 0,
            Side::Project | Side::Mine => 1,
            Side::Store | Side::MineInStore | Side::Associate => 2,
            Side::InUnit => 3,
        }
    }

    /// True if the model lists the operation for this side.
    pub fn allows(self, kind: &Kind, operation: Operation) -> bool {
        match (self, &kind.mine, &kind.in_store) {
            (Side::Mine | Side::MineInStore, Some(mine), _) => mine.allows(operation),
            (Side::Store, _, Some(in_store)) => in_store.allows(operation),
            _ if self.is_associate() => kind.associates.as_ref().is_some_and(|own| own.allows(operation)),
            _ => kind.allows(operation),
        }
    }

    /// Any one of these scopes allows reading, or writing if `writes`.
    pub fn scopes(self, kind: &Kind, writes: bool) -> &[String] {
        match (self, &kind.mine) {
            (Side::Mine | Side::MineInStore, Some(mine)) => &mine.scopes,
            _ if writes => &kind.manage_scopes,
            _ => &kind.view_scopes,
        }
    }

    /// Any one of these scopes allows an operation.
    pub(crate) fn scopes_of(self, kind: &Kind, operation: Operation) -> &[String] {
        match (self, operation) {
            (Side::Project, Operation::Query) => &kind.query_scopes,
            (_, Operation::Create | Operation::Update | Operation::Delete) => self.scopes(kind, true),
            _ => self.scopes(kind, false),
        }
    }

    /// Returns the segments of a kind's path on this side.
    pub(crate) fn base(self, kind: &Kind) -> Vec<Segment> {
        let mut path: Vec<Segment> = kind.service.iter().cloned().map(Segment::Fixed).collect();
        path.extend(self.prefix());
        let own = match (&kind.mine, self.is_mine()) {
            (Some(mine), true) => {
                path.push(Segment::Fixed(ME.to_owned()));
                &mine.path
            }
            _ => &kind.path,
        };
        let segments = own.split('/').filter(|segment| !segment.is_empty());
        path.extend(segments.map(|segment| Segment::Fixed(segment.to_owned())));
        path
    }

    /// Returns the targets that a kind has on this side.
    pub(crate) fn targets(self, kind: &Kind) -> Vec<Target> {
        let Some(mine) = kind.mine.as_ref().filter(|_| self.is_mine()) else {
            let new = kind.create_path.as_ref().filter(|_| self == Side::Project).map(|_| Target::New);
            return Target::of(kind).into_iter().chain(new).collect();
        };
        let create = mine.create.as_ref().map(|_| Target::New);
        if mine.path.is_empty() {
            return std::iter::once(Target::Only).chain(create).collect();
        }
        let key = mine.by_key.then_some(Target::Key);
        [Target::All, Target::Id].into_iter().chain(key).chain(create).collect()
    }
}

/// The prefix of paths below `me`.
pub(crate) const ME: &str = "me";

impl Target {
    fn of(kind: &Kind) -> Vec<Self> {
        match &kind.addressing {
            Addressing::Singleton => vec![Target::Only],
            Addressing::Id { by_key: false } => vec![Target::All, Target::Id],
            Addressing::Id { by_key: true } => vec![Target::All, Target::Id, Target::Key],
            Addressing::Fields(_) => vec![Target::All, Target::Part, Target::Fields],
        }
    }

    /// Returns the methods that the platform has for this target. The model decides which of them a kind has.
    pub(crate) fn methods(self) -> &'static [(Method, Operation)] {
        use Operation::{Create, Delete, Get, Head, Query, Update};
        match self {
            Target::All => &[(Method::Get, Query), (Method::Head, Head), (Method::Post, Create)],
            Target::Part => &[(Method::Get, Query)],
            Target::Id | Target::Key | Target::Only => {
                &[(Method::Get, Get), (Method::Head, Head), (Method::Post, Update), (Method::Delete, Delete)]
            }
            Target::Fields => &[(Method::Get, Get), (Method::Delete, Delete)],
            Target::New => &[(Method::Post, Create)],
            Target::Through { .. } => &[(Method::Get, Get), (Method::Post, Update), (Method::Delete, Delete)],
        }
    }

    /// True if the path addresses one document.
    pub fn is_one(self) -> bool {
        !matches!(self, Target::All | Target::Part | Target::New)
    }
}
