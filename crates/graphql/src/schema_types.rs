//! The derived schema as data: each type with its fields, and for each field where its value comes from ([`FieldValueSource`]).
//!
//! The library's schema holds what clients read of it (descriptions, types, arguments):
//! [`compile`](crate::schema_compiler::compile) moves that there.

use crate::exceptions::{
    EndpointQuery, EntryDefinition, MapPage, PagedList, ParameterSearchQueries, ServiceQuery, ShownQuery,
    Splice,
};
use crate::scalar_values::ScalarValues;
use apollo_compiler::collections::IndexMap;
use kontor_json::Value;
use kontor_model::KindId;

/// All types by name, in the order in which the schema prints them.
pub(crate) type SchemaTypes = IndexMap<String, SchemaType>;

/// A type of the schema.
#[derive(Debug)]
pub(crate) struct SchemaType {
    /// The description that clients read.
    pub(crate) doc: String,
    pub(crate) body: TypeBody,
}

/// The definition of a type, by its sort.
#[derive(Debug)]
pub(crate) enum TypeBody {
    /// The values that it accepts.
    Scalar(ScalarValues),
    /// Names and descriptions of the constants.
    Enum(Vec<(String, String)>),
    Output(OutputType),
    Input(InputType),
}

/// An object or interface that responses contain.
#[derive(Debug, Default)]
pub(crate) struct OutputType {
    /// Set for interfaces: how the type of a value is found.
    pub(crate) interface: Option<TypeResolution>,
    /// Names of interfaces.
    pub(crate) implements: Vec<String>,
    /// Stored fields that are passed down, because fields further down depend on them.
    pub(crate) passed_fields: &'static [&'static str],
    pub(crate) fields: IndexMap<String, OutputField>,
}

/// How the concrete type of an interface's value is determined.
#[derive(Debug)]
pub(crate) enum TypeResolution {
    /// By the kind of the document, which is known when the document is looked up.
    Kind,
    /// By the value of a field, the discriminator.
    Tag {
        /// The field.
        by: String,
        /// Its values and their types.
        types: IndexMap<String, String>,
    },
    /// By the fields that the value has: field names and types; the first field that is present decides.
    PresentField(IndexMap<String, String>),
}

/// A field of an object or interface in responses.
#[derive(Debug)]
pub(crate) struct OutputField {
    pub(crate) doc: String,
    pub(crate) arguments: Vec<FieldArgument>,
    /// The type in SDL.
    pub(crate) ty: String,
    pub(crate) source: FieldValueSource,
    pub(crate) deprecated: bool,
}

/// An argument of a field.
#[derive(Debug)]
pub(crate) struct FieldArgument {
    pub(crate) name: String,
    /// The type in SDL, with its default if there is one.
    pub(crate) ty: String,
    pub(crate) doc: &'static str,
}

/// Where the value of a field comes from. [`ExtraSource`](crate::exceptions::ExtraSource) has examples for most of
/// them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldValueSource {
    /// The stored field of this name; the second value if it is absent.
    Stored(String, Option<Value>),
    /// The value at a path of stored objects.
    At(Vec<String>),
    /// One text of a localized string, chosen by the arguments `locale` and `acceptLanguage`.
    Text(String),
    /// All texts of a localized string; the second value if it is absent.
    Texts(String, Option<Value>),
    /// The reference (or references) at a path.
    Reference(Vec<String>),
    /// The document (or documents) that the reference at a path points to.
    Target(Vec<String>),
    /// The document of a kind whose id is stored as a plain string.
    TargetById(KindId, String),
    /// The stored field of this name in the form in which it was sent, with its amounts as they will be stored; the
    /// second value if it is absent.
    SentForm(String, Option<Value>),
    /// The elements of a stored list, or the one that the argument `id` names.
    Identified(String),
    /// The object itself.
    Itself,
    /// Always this value.
    Constant(Value),
    /// The entries of a stored object, by `includeNames` and `excludeNames`.
    Entries(String),
    /// The name of an entry.
    EntryName,
    /// The value of an entry.
    EntryValue,
    /// The document that an entry's value points to, if it is a reference.
    EntryTarget,
    /// The documents that an entry's value points to, if it is a list of references.
    EntryTargets,
    /// The elements of a stored list whose `name` the arguments include.
    Named(String),
    /// The elements of a stored list whose `id` is the value of another stored field, or is in the list there.
    Elements { list: String, by: String },
    /// A part of a stored list, by `limit` and `offset`; if a table describes the list, also by `sort` and by the
    /// arguments that choose elements.
    Window(String, Option<&'static PagedList>),
    /// The distinct texts at some paths.
    Scalars(Vec<Vec<String>>),
    /// The elements of a stored list that the arguments choose, after an element stored in another field (e.g. all
    /// variants of a Product: `masterVariant`, then `variants`).
    Chosen(Option<String>, String),
    /// The first element of [`FieldValueSource::Chosen`].
    ChosenOne(Option<String>, String),
    /// The entries of a stored object as objects: names of the fields for an entry's name and its value.
    MapEntries(String, String, String),
    /// The value of a stored object's field that the argument of this name gives.
    MapEntry(String, String),
    /// A stored list of `{name, value}` as entries, by `includeNames` and `excludeNames`.
    NamedValues(String),
    /// The value of an entry that is a list of `{name, value}`.
    EntryNamedValues,
    /// The locale of one text of a localized string.
    TextLocale,
    /// The text itself.
    TextValue,
    /// The documents up a chain of references, the topmost first.
    Ancestors(String),
    /// Documents of a kind that refer to this one.
    Referrers(KindId, String),
    /// The number of documents that refer to this one. `None`: the kind is not served, so it is 0.
    CountOfReferrers(Option<KindId>, String),
    /// A number that the Rust of a kind counts for each of its documents, by its name.
    Counted(KindId, String),
    /// Documents that a free JSON value refers to.
    ReferencedResources,
    /// The path of such a reference in the JSON value.
    ReferencedPath,
    /// The documents that such a reference leads to.
    ReferencedTargets,
    /// A page of a list of the model: the kind of its documents, and the name of the list.
    ListPage(KindId, String),
    /// The object itself if it has this field, `null` otherwise.
    IfPresent(String),
    /// A part of the entries of a stored object whose names are ids.
    MapPage(&'static MapPage),
    /// All entries of such an object.
    MapReferences(&'static MapPage),
    /// A document of the kind that a search found, by its id.
    Found(KindId),
    /// A field that the kind calculates for each request, e.g. the price that fits the request's currency and country.
    Spliced(KindId, &'static Splice),
    /// The element with the name of an entry, in a list of the document that a reference above points to.
    EntryDefinition(&'static EntryDefinition),
    /// A limit, and how much of it is used.
    Limit(LimitSource),
    /// Part of a page.
    Page(PageField),
    /// A field of `Query` or `Mutation`, or an object that narrows the documents below it, e.g. `inStore`.
    Root(RootOperation),
}

/// Fields of a page of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageField {
    Limit,
    Offset,
    Count,
    Total,
    Exists,
    Results,
}

/// The operation of a root field. `IsOwn` is true for operations on the caller's own documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootOperation {
    /// One document by its address.
    One(KindId),
    /// The caller's only document of the kind.
    Own(KindId),
    /// A page of documents.
    Many(KindId),
    /// A page of search results.
    Search(KindId),
    Create(KindId, IsOwn),
    Update(KindId, IsOwn),
    Delete(KindId, IsOwn),
    /// An endpoint of the kind, by its position.
    Call(KindId, usize),
    /// A page of a list of the kind, by its position, that is a field of a Store's object.
    StoreList(KindId, usize),
    /// An object that narrows everything below it to the Stores with the given keys.
    Stores,
    /// An object that narrows everything below it to the caller's own documents.
    Me,
    /// The limits of the project.
    Limits,
    /// An object that narrows everything below it to the documents that an associate may see.
    Associate,
    /// Update actions for many documents, each of which succeeds or fails on its own.
    Bulk(KindId),
    /// A document of the kind, shown as another object.
    Shown(KindId, &'static ShownQuery),
    /// A page of results of a search with parameters.
    FindByParameters(KindId, &'static ParameterSearchQueries),
    /// Suggestions that complete search keywords of the kind.
    Suggest(KindId),
    /// The object that an endpoint returns.
    Read(KindId, &'static EndpointQuery),
    /// The response of a service's operation, for callers that may view the kind.
    Service(KindId, &'static ServiceQuery),
    /// The documents that an endpoint of the kind finds, by its position.
    Matching(KindId, usize),
    /// The document that an endpoint of the kind finds, by its position.
    MatchingDocument(KindId, usize),
}

/// Where a limit and its current use come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitSource {
    /// The number of documents of the kind: the maximum and the current number.
    Documents(KindId),
    /// A limit of this name that the Rust of the kind enforces.
    KindLimit(KindId, &'static str),
    /// The number of refresh tokens: the maximum and the current number.
    RefreshTokens,
    /// Always this.
    Fixed(Option<u64>),
}

/// True for operations on the caller's own documents.
pub(crate) type IsOwn = bool;

/// An input object.
#[derive(Debug)]
pub(crate) struct InputType {
    pub(crate) meaning: InputForm,
    pub(crate) fields: IndexMap<String, InputField>,
}

/// The REST form of an input object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputForm {
    /// An object with a field for each field of the input.
    Object,
    /// Exactly one field is given: an update action.
    Action,
    /// Exactly one field is given: a member of a union with this discriminator.
    Member(String),
}

/// A field of an input object.
#[derive(Debug)]
pub(crate) struct InputField {
    pub(crate) doc: String,
    /// The type in SDL, with its default if there is one.
    pub(crate) ty: String,
    /// The path of its value in the REST form.
    pub(crate) to: Vec<String>,
    pub(crate) conversion: Conversion,
}

/// How a sent value (or each element of a list) is converted to the REST form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// Unchanged.
    Same,
    /// The value of the only field of an object.
    Only(String),
    /// One field of the converted input object of type `of`.
    Field { of: String, field: String },
    /// A list with the value as its only element.
    Listed,
    /// A list of `{locale, value}` is converted to a localized string.
    Texts,
    /// A string is parsed as JSON.
    Json,
    /// A list of objects of a type is converted to an object: one field of each gives the name, another the value.
    Map { of: String, name: String, value: String },
    /// A list of `{name, value}` is converted to an object; the values are JSON in strings.
    Entries,
    /// An input object of this type.
    Object(String),
    /// Unchanged, as a field of the default member of a union.
    OfDefaultMember,
    /// The id of a Type of custom fields, sent without an identifier object.
    CustomTypeId,
    /// The key of a Type of custom fields, sent without an identifier object.
    CustomTypeKey,
    /// The value is dropped.
    Ignored,
}
