//! The API, described once.
//!
//! Reads `model/*.graphql` (the language is described in `model/README.md`) into a [`Model`]: kinds,
//! objects, actions, messages, with every name resolved to an index. The engine, the faces and the
//! query planner are derived from it. Start reading at [`Model`].
//!
//! **Invariant:** no I/O, no HTTP, no name of a resource in this crate.

mod action;
mod belonging;
mod embedded;
mod endpoint;
mod id;
mod ignored;
mod import;
mod kind;
pub mod limits;
mod location;
mod operation;
mod permissions;
mod problem;
mod projection;
mod read;
mod search;
mod service;
mod shape;
mod staged;
mod validate;

pub use action::{Action, Element, Upload, Verb};
pub use belonging::{ForAssociates, InStore, Mine};
pub use endpoint::{Account, Endpoint, Segment};
pub use id::{EnumId, KindId, MessageId, ObjectId, UnionId};
pub use ignored::Ignored;
pub use import::Import;
pub use kind::{Addressing, Kind, Listing, Message, PairIndex, Referrer, Unique, View, lower_first};
pub use location::Location;
pub use operation::{
    Answered, Doing, Fixed, Importing, Method, RESERVED_SEGMENTS, Recalling, SentBody, ServedOperation, Side,
    Target, TestControl,
};
pub use permissions::{Operation, Permissions};
pub use problem::{Problem, Problems};
pub use projection::{Place, Projection};
pub use read::Source;
pub use search::{ParameterSearch, Search, SearchedParts};
pub use service::ServiceCall;
pub use shape::{Constant, Elsewhere, Enum, Field, Limits, Object, OnDelete, Shape, Targets, Union};
pub use staged::Staged;
pub use validate::{JSON_DEPTH_MAX, Validator, canonical_locale, is_country, parse_date_time};

use std::collections::HashMap;

/// The whole description, with indexes for the names that requests carry.
#[derive(Debug, Default)]
pub struct Model {
    kinds: Vec<Kind>,
    objects: Vec<Object>,
    unions: Vec<Union>,
    enums: Vec<Enum>,
    messages: Vec<Message>,
    object_by_name: HashMap<String, ObjectId>,
    kind_by_name: HashMap<String, KindId>,
    kind_by_type_id: HashMap<String, KindId>,
    kind_by_path: HashMap<String, KindId>,
    /// By path below `/me`, and by the path of a creation.
    kind_by_my_path: HashMap<String, KindId>,
    /// Actions of everybody that are also those of [`Kind::mine`]; empty once the model is read.
    my_actions: Vec<(KindId, Vec<String>)>,
    /// What can be imported, in the sequence of the files.
    imports: Vec<Import>,
    /// What is served beside documents, in the sequence of the files.
    services: Vec<ServiceCall>,
    /// Sets of actions whose actions are not known yet; empty once the model is read.
    unread_staged: Vec<Staged>,
    staged: Vec<Staged>,
    /// What is served; made when everything else is read.
    operations: Vec<ServedOperation>,
    referrers: Vec<Vec<Referrer>>,
}

impl Model {
    /// Reads sources; every mistake in them is reported with file, line and column.
    pub fn read(sources: &[Source<'_>]) -> Result<Self, Problems> {
        read::read(sources)
    }

    /// The model that is built into the binary.
    pub fn embedded() -> Result<Self, Problems> {
        Self::read(&embedded::sources())
    }

    /// The same with further files, as if they stood beside the others.
    pub fn embedded_with(further: Vec<Source<'_>>) -> Result<Self, Problems> {
        let mut sources: Vec<Source<'_>> = embedded::sources();
        sources.extend(further);
        Self::read(&sources)
    }

    /// All kinds, those that are only referred to ([`Kind::is_served`]) included.
    pub fn kinds(&self) -> impl Iterator<Item = (KindId, &Kind)> {
        self.kinds.iter().enumerate().map(|(index, kind)| (KindId::new(index), kind))
    }

    /// Lets a project have so many documents of a kind, instead of as many as the sources say.
    pub fn limit(&mut self, kind: KindId, most: u64) {
        self.kinds[kind.index()].limit = Some(most);
    }

    /// The table of operations: every method of every path that a server answers.
    pub fn operations(&self) -> &[ServedOperation] {
        &self.operations
    }

    /// What can be imported.
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// What is served beside documents.
    pub fn services(&self) -> &[ServiceCall] {
        &self.services
    }

    /// The kind with an id of this model.
    pub fn kind(&self, id: KindId) -> &Kind {
        &self.kinds[id.index()]
    }

    /// The kind under which documents of a kind are stored: itself, or for a projection the kind that it is of.
    pub fn stored(&self, id: KindId) -> KindId {
        self.kind(id).projection.as_ref().map_or(id, |projection| projection.of)
    }

    /// The kind with a name in the model, `TaxCategory`.
    pub fn kind_by_name(&self, name: &str) -> Option<KindId> {
        self.kind_by_name.get(name).copied()
    }

    /// The kind whose references carry `type_id`.
    pub fn kind_by_type_id(&self, type_id: &str) -> Option<KindId> {
        self.kind_by_type_id.get(type_id).copied()
    }

    /// The kind that is served below `/{projectKey}/{path}`; the empty path is the project itself.
    pub fn kind_by_path(&self, path: &str) -> Option<KindId> {
        self.kind_by_path.get(path).copied()
    }

    /// The kind that is served below `/{projectKey}/me/{path}`, by its path or by that of its creation; the empty
    /// path is `/me` itself.
    pub fn kind_by_my_path(&self, path: &str) -> Option<KindId> {
        self.kind_by_my_path.get(path).copied()
    }

    /// The kind whose documents are the Stores that `/in-store/key={storeKey}` names.
    pub fn store_kind(&self) -> Option<KindId> {
        self.kinds().find(|(_, kind)| kind.is_store && kind.is_served).map(|(id, _)| id)
    }

    /// The kind whose documents are the units that associates act for.
    pub fn unit_kind(&self) -> Option<KindId> {
        self.kinds().find(|(_, kind)| kind.is_unit() && kind.is_served).map(|(id, _)| id)
    }

    /// Whether updates take `dryRun`, by which a caller asks to see what would come of them: where drafts do.
    pub fn takes_dry_run(&self, kind: KindId) -> bool {
        self.kind(kind).draft.is_some_and(|draft| self.object(draft).field("dryRun").is_some())
    }

    /// The endpoint that proves who a customer is, and its kind.
    pub fn sign_in(&self) -> Option<(KindId, &Endpoint)> {
        self.kinds().find_map(|(id, kind)| {
            let endpoint = kind.endpoints.iter().find(|endpoint| endpoint.signs_in && !endpoint.mine)?;
            Some((id, endpoint))
        })
    }

    /// The object with an id of this model.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// All objects: stored ones, drafts, and the arguments of actions.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.iter().enumerate().map(|(index, object)| (ObjectId::new(index), object))
    }

    /// The union with an id of this model.
    pub fn union(&self, id: UnionId) -> &Union {
        &self.unions[id.index()]
    }

    /// All unions.
    pub fn unions(&self) -> impl Iterator<Item = (UnionId, &Union)> {
        self.unions.iter().enumerate().map(|(index, union)| (UnionId::new(index), union))
    }

    /// The enum with an id of this model.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.index()]
    }

    /// The sets of update actions that documents keep to be done later.
    pub fn staged(&self) -> &[Staged] {
        &self.staged
    }

    /// The set of staged actions with a name.
    pub fn staged_by_name(&self, name: &str) -> Option<&Staged> {
        self.staged.iter().find(|staged| staged.name == name)
    }

    /// All enums.
    pub fn enums(&self) -> impl Iterator<Item = (EnumId, &Enum)> {
        self.enums.iter().enumerate().map(|(index, values)| (EnumId::new(index), values))
    }

    /// The message with an id of this model.
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }

    /// All messages.
    pub fn messages(&self) -> impl Iterator<Item = (MessageId, &Message)> {
        self.messages.iter().enumerate().map(|(index, message)| (MessageId::new(index), message))
    }

    /// The message whose `type` is `name`.
    pub fn message_by_name(&self, name: &str) -> Option<MessageId> {
        self.messages.iter().position(|message| message.name == name).map(MessageId::new)
    }

    /// Who refers to documents of `target`, and what deleting one does to them.
    pub fn referrers(&self, target: KindId) -> &[Referrer] {
        &self.referrers[target.index()]
    }

    /// Adds an object while the model is read. Where two have a name, the first is meant by it.
    pub(crate) fn add_object(&mut self, object: Object) -> ObjectId {
        let id = ObjectId::new(self.objects.len());
        self.object_by_name.entry(object.name.clone()).or_insert(id);
        self.objects.push(object);
        id
    }

    /// The object of a name, for behaviours that convert a part by hand.
    pub fn object_by_name(&self, name: &str) -> Option<ObjectId> {
        self.object_by_name.get(name).copied()
    }
}
