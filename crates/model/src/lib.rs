//! The model: the description of the API, from which the engine, REST, GraphQL and the query planner are derived.
//!
//! Reads `model/*.graphql` (the language is described in `model/README.md`) into a [`Model`]: kinds, objects,
//! actions, messages, with every name resolved to an index. Start at [`Model`].
//!
//! **Invariant:** no I/O, no HTTP, no name of a resource type in this crate.

mod action;
mod embedded;
mod endpoint;
mod id;
mod ignored_fields;
mod import_type;
mod kind;
pub mod limits;
mod location;
mod operation;
mod ownership;
mod permissions;
mod problem;
mod projection;
mod read;
mod search;
mod service;
mod shape;
mod staged_actions;
mod validate;

pub use action::{Action, ElementSelector, Upload, Verb};
pub use endpoint::{Endpoint, EndpointAccount, PathSegment};
pub use id::{EnumId, KindId, MessageId, ObjectId, UnionId};
pub use ignored_fields::IgnoredFields;
pub use import_type::ImportType;
pub use kind::{
    Addressing, Kind, KindView, Listing, Message, PairIndex, Referrer, SettingOverride, UniqueField,
    lower_first,
};
pub use location::Location;
pub use operation::{
    FixedOperation, HistoryOperation, ImportOperation, Method, OperationKind, PathPrefix, PathTarget,
    RESERVED_SEGMENTS, RequestBody, ResponseContent, ServedOperation, TestControl,
};
pub use ownership::{AssociateAccess, MeAccess, StoreAccess};
pub use permissions::{Operation, Permissions};
pub use problem::{Problem, Problems};
pub use projection::{Projection, ProjectionPlace};
pub use read::ModelFile;
pub use search::{ParameterSearchModel, Search, SearchedParts};
pub use service::ServiceCall;
pub use shape::{
    Enum, EnumValue, Field, FieldOrigin, Object, OnDelete, ReferenceKinds, Shape, ShownInPart, Union,
    ValueLimits,
};
pub use staged_actions::StagedActionSet;
pub use validate::{
    JSON_DEPTH_MAX, Validator, canonical_date_time, canonical_locale, is_country, parse_date_time,
};

use std::collections::HashMap;

/// The whole description of the API, with indexes for the names in requests.
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
    /// Kinds by their path below `/me`, and by the path of their creation.
    kind_by_my_path: HashMap<String, KindId>,
    /// Actions of a kind that also are actions of [`Kind::mine`]; empty once the model is read.
    my_actions: Vec<(KindId, Vec<String>)>,
    /// The resource types of the Import API, in the order of the files.
    imports: Vec<ImportType>,
    /// The calls of services, in the order of the files.
    services: Vec<ServiceCall>,
    /// Staged sets that are not complete; empty once the model is read.
    unread_staged: Vec<StagedActionSet>,
    staged: Vec<StagedActionSet>,
    /// The table of operations, built after everything else.
    operations: Vec<ServedOperation>,
    referrers: Vec<Vec<Referrer>>,
    /// The overrides of all kinds, each once.
    setting_overrides: Vec<SettingOverride>,
}

impl Model {
    /// Parses sources.
    ///
    /// # Errors
    /// Every mistake in them, with file, line and column.
    pub fn read(sources: &[ModelFile<'_>]) -> Result<Self, Problems> {
        read::read(sources)
    }

    /// Returns the headers that replace settings of the Project for one request, of all kinds, each once.
    pub fn setting_overrides(&self) -> &[SettingOverride] {
        &self.setting_overrides
    }

    /// Returns the model that is built into the binary. Fails with all mistakes of its files.
    pub fn embedded() -> Result<Self, Problems> {
        Self::read(&embedded::sources())
    }

    /// Returns the model of the binary together with additional files. Fails with all mistakes of the files.
    pub fn embedded_with(further: Vec<ModelFile<'_>>) -> Result<Self, Problems> {
        let mut sources: Vec<ModelFile<'_>> = embedded::sources();
        sources.extend(further);
        Self::read(&sources)
    }

    /// Returns all kinds, including those that are only referred to (see [`Kind::is_served`]).
    pub fn kinds(&self) -> impl Iterator<Item = (KindId, &Kind)> {
        self.kinds.iter().enumerate().map(|(index, kind)| (KindId::new(index), kind))
    }

    /// Sets the maximum number of documents of a kind in a project, in place of the one in the sources.
    pub fn set_limit(&mut self, kind: KindId, most: u64) {
        self.kinds[kind.index()].limit = Some(most);
    }

    /// Returns the table of operations: every method of every path that a server handles.
    pub fn operations(&self) -> &[ServedOperation] {
        &self.operations
    }

    /// Returns the resource types of the Import API.
    pub fn imports(&self) -> &[ImportType] {
        &self.imports
    }

    /// Returns the calls of all services.
    pub fn services(&self) -> &[ServiceCall] {
        &self.services
    }

    /// Returns the kind with an id of this model.
    pub fn kind(&self, id: KindId) -> &Kind {
        &self.kinds[id.index()]
    }

    /// Returns the kind under which documents of a kind are stored: the kind itself, or for a projection its stored
    /// kind.
    pub fn stored_kind(&self, id: KindId) -> KindId {
        self.kind(id).projection.as_ref().map_or(id, |projection| projection.of)
    }

    /// Returns the kind with a name in the model, e.g. `TaxCategory`.
    pub fn kind_by_name(&self, name: &str) -> Option<KindId> {
        self.kind_by_name.get(name).copied()
    }

    /// Returns the kind whose references have this `typeId`.
    pub fn kind_by_type_id(&self, type_id: &str) -> Option<KindId> {
        self.kind_by_type_id.get(type_id).copied()
    }

    /// Returns the kind that is served below `/{projectKey}/{path}`; the empty path is the project itself.
    pub fn kind_by_path(&self, path: &str) -> Option<KindId> {
        self.kind_by_path.get(path).copied()
    }

    /// Returns the kind that is served below `/{projectKey}/me/{path}`, by its path or by the path of its creation; the
    /// empty path is `/me` itself.
    pub fn kind_by_my_path(&self, path: &str) -> Option<KindId> {
        self.kind_by_my_path.get(path).copied()
    }

    /// Returns the kind of the Stores in `/in-store/key={storeKey}`.
    pub fn store_kind(&self) -> Option<KindId> {
        self.kinds().find(|(_, kind)| kind.is_store && kind.is_served).map(|(id, _)| id)
    }

    /// Returns the kind of the units that Associates act for.
    pub fn unit_kind(&self) -> Option<KindId> {
        self.kinds().find(|(_, kind)| kind.is_unit() && kind.is_served).map(|(id, _)| id)
    }

    /// Returns whether updates have the field `dryRun`, which requests a preview: true if drafts have it.
    pub fn takes_dry_run(&self, kind: KindId) -> bool {
        self.kind(kind).draft.is_some_and(|draft| self.object(draft).field("dryRun").is_some())
    }

    /// Returns the endpoint that verifies a customer's name and password, and its kind.
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

    /// Returns all objects: stored ones, drafts, and the arguments of actions.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.iter().enumerate().map(|(index, object)| (ObjectId::new(index), object))
    }

    /// Returns the union with an id of this model.
    pub fn union(&self, id: UnionId) -> &Union {
        &self.unions[id.index()]
    }

    /// Returns all unions.
    pub fn unions(&self) -> impl Iterator<Item = (UnionId, &Union)> {
        self.unions.iter().enumerate().map(|(index, union)| (UnionId::new(index), union))
    }

    /// Returns the enum with an id of this model.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.index()]
    }

    /// The sets of update actions that documents store to apply them later.
    pub fn staged(&self) -> &[StagedActionSet] {
        &self.staged
    }

    /// Returns the set of staged actions with a name.
    pub fn staged_by_name(&self, name: &str) -> Option<&StagedActionSet> {
        self.staged.iter().find(|staged| staged.name == name)
    }

    /// Returns all enums.
    pub fn enums(&self) -> impl Iterator<Item = (EnumId, &Enum)> {
        self.enums.iter().enumerate().map(|(index, values)| (EnumId::new(index), values))
    }

    /// Returns the message with an id of this model.
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }

    /// All messages.
    pub fn messages(&self) -> impl Iterator<Item = (MessageId, &Message)> {
        self.messages.iter().enumerate().map(|(index, message)| (MessageId::new(index), message))
    }

    /// Returns the message whose `type` is `name`.
    pub fn message_by_name(&self, name: &str) -> Option<MessageId> {
        self.messages.iter().position(|message| message.name == name).map(MessageId::new)
    }

    /// Returns the references to documents of `target`, and the effect of deleting one on them.
    pub fn referrers(&self, target: KindId) -> &[Referrer] {
        &self.referrers[target.index()]
    }

    /// Adds an object while the model is read. If several have the same name, it refers to the first one.
    pub(crate) fn add_object(&mut self, object: Object) -> ObjectId {
        let id = ObjectId::new(self.objects.len());
        self.object_by_name.entry(object.name.clone()).or_insert(id);
        self.objects.push(object);
        id
    }

    /// Returns the object with a name, for behaviours that convert a part of a document themselves.
    pub fn object_by_name(&self, name: &str) -> Option<ObjectId> {
        self.object_by_name.get(name).copied()
    }
}
