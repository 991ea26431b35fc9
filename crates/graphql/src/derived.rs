//! The schema as data: types with what their fields mean, before and beside the library's schema. What clients are told of them
//! (descriptions, types, arguments) is moved there ([`compile`](crate::compile)).

use crate::exceptions::{
    EntryDefinition, MapPage, PagedList, ParameterRoot, Reader, ServiceQuery, Shown, Splice,
};
use crate::takes::Takes;
use apollo_compiler::collections::IndexMap;
use kontor_json::Value;
use kontor_model::KindId;

/// All types by name, in the sequence in which they are printed.
pub(crate) type Types = IndexMap<String, Type>;

/// A type of the schema.
#[derive(Debug)]
pub(crate) struct Type {
    /// For people.
    pub(crate) doc: String,
    pub(crate) body: Body,
}

/// What a type consists of.
#[derive(Debug)]
pub(crate) enum Body {
    /// With the values that it takes.
    Scalar(Takes),
    /// Names with words for people.
    Enum(Vec<(String, String)>),
    Output(Output),
    Input(Input),
}

/// An object or interface that is answered.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Set for interfaces: how the type of a value is found.
    pub(crate) interface: Option<Concrete>,
    /// Interfaces.
    pub(crate) implements: Vec<String>,
    /// Stored fields that fields further down depend on.
    pub(crate) told: &'static [&'static str],
    pub(crate) fields: IndexMap<String, OutputField>,
}

/// How the type of a value of an interface is found.
#[derive(Debug)]
pub(crate) enum Concrete {
    /// By the kind of the document, which is known where one is looked up.
    Kind,
    /// By the value of a field.
    Tag {
        /// The field.
        by: String,
        /// Its values and their types.
        types: IndexMap<String, String>,
    },
    /// By the field that a value has: fields and their types, the first that is there counts.
    Having(IndexMap<String, String>),
}

/// A field that is answered.
#[derive(Debug)]
pub(crate) struct OutputField {
    pub(crate) doc: String,
    pub(crate) arguments: Vec<Argument>,
    /// In SDL.
    pub(crate) ty: String,
    pub(crate) source: Source,
    pub(crate) deprecated: bool,
}

/// An argument of a field.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: String,
    /// In SDL, with the default where there is one.
    pub(crate) ty: String,
    pub(crate) doc: &'static str,
}

/// Where the value of a field comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    /// The stored field of this name; where it is absent, the other value.
    Stored(String, Option<Value>),
    /// The value at a path of stored objects.
    At(Vec<String>),
    /// One text of a stored localized text, by the arguments `locale` and `acceptLanguage`.
    Text(String),
    /// All texts of a stored localized text; where it is absent, the other value.
    Texts(String, Option<Value>),
    /// The reference (or references) at a path.
    Reference(Vec<String>),
    /// The document (or documents) that the reference at a path points to.
    Target(Vec<String>),
    /// The document of a kind whose id a stored text is.
    TargetById(KindId, String),
    /// The stored field of this name, as it was sent, with its amounts as they will be stored; where it is absent, the
    /// other value.
    Kept(String, Option<Value>),
    /// The elements of a stored list, or the one that the argument `id` names.
    Identified(String),
    /// The value itself.
    Itself,
    /// Always the same.
    Constant(Value),
    /// The entries of a stored object, by `includeNames` and `excludeNames`.
    Entries(String),
    /// The name of an entry.
    EntryName,
    /// The value of an entry.
    EntryValue,
    /// The document that an entry's value points to, where it is a reference.
    EntryTarget,
    /// The documents that an entry's value points to, where it is a list of references.
    EntryTargets,
    /// The elements of a stored list whose `name` the arguments include.
    Named(String),
    /// The elements of a stored list whose `id` another stored field has: one, or a list of them.
    Elements { list: String, by: String },
    /// A part of a stored list, by `limit` and `offset`, and where it is one of the table also by `sort` and by
    /// the arguments that choose elements.
    Window(String, Option<&'static PagedList>),
    /// Each text at paths once.
    Scalars(Vec<Vec<String>>),
    /// The elements of a stored list that the arguments choose, behind one that is stored apart.
    Chosen(Option<String>, String),
    /// The first of those.
    ChosenOne(Option<String>, String),
    /// The entries of a stored object as objects: names of the fields for an entry's name and its value.
    MapEntries(String, String, String),
    /// The value in a stored object that the argument of this name names.
    MapEntry(String, String),
    /// A stored list of `{name, value}` as entries, by `includeNames` and `excludeNames`.
    NamedValues(String),
    /// The value of an entry, where it is such a list.
    EntryNamedValues,
    /// The locale of one text.
    TextLocale,
    /// One text.
    TextValue,
    /// The documents up a chain of references; the last one first.
    Ancestors(String),
    /// Documents of a kind that refer to this one.
    Referrers(KindId, String),
    /// How many those are. `None`: the kind is not served, so there are none.
    CountOfReferrers(Option<KindId>, String),
    /// How much the rules of a kind have counted beside a document of it.
    Counted(KindId, String),
    /// Documents that a free JSON value refers to.
    ReferencedResources,
    /// The path of such documents.
    ReferencedPath,
    /// Such documents.
    ReferencedTargets,
    /// A page of a list of the model: the kind of its documents, and the name of the list.
    Below(KindId, String),
    /// The value itself, where it has this field.
    Having(String),
    /// A part of the entries of a stored object whose names are ids.
    MapPage(&'static MapPage),
    /// All of them.
    MapReferences(&'static MapPage),
    /// The document of a kind that a search found, by its id.
    Found(KindId),
    /// What a kind puts into documents that it shows to who asks.
    Spliced(KindId, &'static Splice),
    /// The element with the name of an entry, in a list of the document that a reference above points to.
    EntryDefinition(&'static EntryDefinition),
    /// A limit, and how much of it is used.
    Limit(LimitSource),
    /// Part of a page.
    Page(PageField),
    /// A field of `Query`, `Mutation`, or of an object that narrows what is below it.
    Root(Root),
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

/// What a root field does. `Mine` says that it speaks of the documents of who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// One document by its address.
    One(KindId),
    /// The one document of the kind that is the asker's.
    Own(KindId),
    /// A page of documents.
    Many(KindId),
    /// A page of what a search finds.
    Search(KindId),
    Create(KindId, Mine),
    Update(KindId, Mine),
    Delete(KindId, Mine),
    /// An endpoint of the kind, by its position.
    Call(KindId, usize),
    /// A page of a list of the kind, by its position, that stands below a Store by itself.
    Inside(KindId, usize),
    /// An object below which everything belongs to the Stores with these keys.
    Stores,
    /// An object below which everything belongs to who asks.
    Me,
    /// The limits of the project.
    Limits,
    /// An object below which everything is what an associate works with.
    Associate,
    /// Update actions of many documents, each for itself.
    Bulk(KindId),
    /// Another object that a document of the kind is shown as.
    Shown(KindId, &'static Shown),
    /// A page of what a search with parameters finds.
    FindByParameters(KindId, &'static ParameterRoot),
    /// How search keywords of the kind go on.
    Suggest(KindId),
    /// What an endpoint answers.
    Read(KindId, &'static Reader),
    /// What an operation of a service answers to who may see the kind.
    Service(KindId, &'static ServiceQuery),
    /// The documents that an endpoint of the kind finds, by its position.
    Matching(KindId, usize),
    /// The document that an endpoint of the kind finds, by its position.
    Found(KindId, usize),
}

/// Where a limit is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitSource {
    /// How many documents of the kind there may be and are.
    Documents(KindId),
    /// What the Rust of the kind tells by a name.
    Told(KindId, &'static str),
    /// How many refresh tokens there may be and are.
    RefreshTokens,
    /// Always this.
    Fixed(Option<u64>),
}

/// True for the documents of who asks.
pub(crate) type Mine = bool;

/// An object that is sent.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) meaning: Meaning,
    pub(crate) fields: IndexMap<String, InputField>,
}

/// What an input object becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An object with a field for each of its own.
    Object,
    /// Exactly one field is given: an update action.
    Action,
    /// Exactly one field is given: a member of a union, told apart by this field.
    Member(String),
}

/// A field that is sent.
#[derive(Debug)]
pub(crate) struct InputField {
    pub(crate) doc: String,
    /// In SDL, with the default where there is one.
    pub(crate) ty: String,
    /// Its place in what the other face takes.
    pub(crate) to: Vec<String>,
    pub(crate) conversion: Conversion,
}

/// How a sent value (or each element of a list) becomes what the other face takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// As it is.
    Same,
    /// The value of this one field of an object.
    Only(String),
    /// A field of what an input object of a type becomes.
    Field { of: String, field: String },
    /// A list of the value alone.
    Listed,
    /// A list of `{locale, value}` becomes an object.
    Texts,
    /// A text that holds JSON.
    Json,
    /// A list of objects of a type becomes an object: one field of each is a name, another the value.
    Map { of: String, name: String, value: String },
    /// A list of `{name, value}`, the values texts that hold JSON, becomes an object.
    Entries,
    /// An input object.
    Object(String),
    /// As it is, in the default member of a union.
    OfDefaultMember,
    /// The id of a Type of custom fields, outside of an identifier.
    CustomTypeId,
    /// The key of a Type of custom fields, outside of an identifier.
    CustomTypeKey,
    /// Nothing.
    Ignored,
}
