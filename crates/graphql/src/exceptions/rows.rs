//! The row types of the tables of exceptions.

use super::{NamePair, NameTriple, StaticName};

/// The GraphQL names of a kind. `None` means: by the conventions.
#[derive(Debug)]
pub(crate) struct KindNames {
    /// The name in the model, of a kind or of its `My…` form.
    pub(crate) kind: &'static str,
    /// The type of its documents; by default the kind's name.
    pub(crate) object: Option<&'static str>,
    /// The response type of its creation; by default `object`.
    pub(crate) created: Option<&'static str>,
    /// The mutation that creates; by default `create` (or `createOrUpdate`) and `mutation`.
    pub(crate) create: Option<&'static str>,
    /// The query of one document; by default the kind's name in camel case.
    pub(crate) one: Option<&'static str>,
    /// The query of many documents; by default the kind's path in camel case.
    pub(crate) many: Option<&'static str>,
    /// The text after `create`, `update` and `delete`; by default the kind's name.
    pub(crate) mutation: Option<&'static str>,
    /// The part of the names of update actions; by default the kind's name.
    pub(crate) actions: Option<&'static str>,
    /// The input of a creation; by default the kind's name and `Draft`.
    pub(crate) draft: Option<&'static str>,
    /// The response type of a deletion, and its field with the document; by default the document itself.
    pub(crate) deleted: Option<(&'static str, &'static str)>,
}

pub(super) const NO_EXCEPTION: KindNames = KindNames {
    kind: "",
    object: None,
    created: None,
    create: None,
    one: None,
    many: None,
    mutation: None,
    actions: None,
    draft: None,
    deleted: None,
};

/// An update action that has another name in REST.
#[derive(Debug)]
pub(crate) struct ActionAlias {
    pub(crate) kind: &'static str,
    /// Its name in GraphQL.
    pub(crate) name: &'static str,
    /// Its name in the model.
    pub(crate) action: &'static str,
    /// Its only field in GraphQL, and the field's type.
    pub(crate) field: (&'static str, &'static str),
    /// The path of the field in the action of the model.
    pub(crate) to: &'static [&'static str],
}

/// An update action that is several actions in REST and has the fields of all of them.
#[derive(Debug)]
pub(crate) struct ActionSplit {
    pub(crate) kind: &'static str,
    /// Its name in GraphQL.
    pub(crate) name: &'static str,
    pub(crate) input: &'static str,
    /// Their names in the model, in the order in which they are applied.
    pub(crate) actions: &'static [&'static str],
}

/// A field of an input that only GraphQL has.
#[derive(Debug)]
pub(crate) struct ExtraInput {
    pub(crate) input: &'static str,
    pub(crate) field: &'static str,
    pub(crate) ty: &'static str,
    /// The path of its value in the REST form. Lists with the same path are joined.
    pub(crate) to: &'static [&'static str],
    /// The forwarded part of the value.
    pub(crate) what: ForwardedPart,
}

/// The part of a value that is forwarded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ForwardedPart {
    /// All of it.
    Whole,
    /// The field of an object.
    Field(&'static str),
    /// A list with the value as its only element.
    Listed,
}

/// An argument of a query that replaces a predicate.
#[derive(Debug)]
pub(crate) struct Selector {
    pub(crate) kind: &'static str,
    pub(crate) argument: (&'static str, &'static str),
    /// True for queries of many documents, false for queries of one.
    pub(crate) many: bool,
    /// The predicate; `{}` is replaced by the text, or by the texts joined with commas.
    pub(crate) predicate: &'static str,
}

/// An object with free names that is sent as a list of entries.
#[derive(Debug)]
pub(crate) struct MapInput {
    /// The field, in any input.
    pub(crate) field: &'static str,
    /// The input for one entry.
    pub(crate) input: &'static str,
    /// Its field for the name of the entry, and that field's type.
    pub(crate) name: (&'static str, &'static str),
    /// Its field for the value.
    pub(crate) value: &'static str,
}

/// An endpoint of the model whose mutation is not named after the kind and the endpoint.
#[derive(Debug)]
pub(crate) struct EndpointNames {
    pub(crate) kind: &'static str,
    /// Its name in the model.
    pub(crate) endpoint: &'static str,
    pub(crate) mutation: &'static str,
    /// The type of the response, if the endpoint has a response object of its own.
    pub(crate) response: Option<&'static str>,
    /// The field of the draft that names the document which REST names in the path by key, and the name of that path
    /// value.
    pub(crate) parent_field: Option<(&'static str, &'static str)>,
}

/// Documents whose sides a kind with `@projection` shows, to callers with limited rights.
#[derive(Debug, PartialEq)]
pub(crate) struct SideView {
    /// The kind of the documents, and the kind that shows their sides.
    pub(crate) kind: StaticName,
    pub(crate) by: StaticName,
    /// An argument, its type, and the parameter of the other kind that it sets.
    pub(crate) parameter: NameTriple,
    /// The argument that applies the same to documents which attributes refer to.
    pub(crate) reference_argument: StaticName,
    /// The same arguments for documents in search results.
    pub(crate) search_arguments: &'static [NameTriple],
}

/// A query that maps to endpoints of a kind with a response object of their own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EndpointQuery {
    pub(crate) kind: StaticName,
    pub(crate) field: StaticName,
    pub(crate) arguments: &'static [NamePair],
    /// The endpoints, and for each the arguments that must be given, with the path values that they set.
    pub(crate) endpoints: &'static [(StaticName, &'static [NamePair])],
}

/// A query for an operation of a service, named like the operation, for callers that may view a kind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServiceQuery {
    pub(crate) kind: StaticName,
    /// The name of the operation in the model.
    pub(crate) call: StaticName,
    /// Arguments, their types, and the parameters that they set; an empty parameter is the value in the path.
    pub(crate) arguments: &'static [NameTriple],
}

/// A kind with `@projection` whose documents have queries of their own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SideQuery {
    pub(crate) kind: StaticName,
    /// Arguments, their types, and the parameters of the kind that they set.
    pub(crate) parameters: &'static [NameTriple],
    /// The list in documents whose elements `includeNames` and `excludeNames` choose by name in a query of many
    /// documents.
    pub(crate) named: StaticName,
}

/// A query that shows documents of a kind as another object (`@shownAs` in the model).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownQuery {
    pub(crate) kind: StaticName,
    /// The object of the model.
    pub(crate) object: StaticName,
    pub(crate) field: StaticName,
    /// Arguments, their types, and the parameters that they set.
    pub(crate) parameters: &'static [NameTriple],
}

/// The queries of a search with parameters, and of its suggestions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ParameterSearchQueries {
    /// The kind of the found documents.
    pub(crate) kind: StaticName,
    pub(crate) search: StaticName,
    /// The type of the search's response.
    pub(crate) response_type: StaticName,
    pub(crate) suggest: StaticName,
    /// The type of the suggestions' response.
    pub(crate) suggested: StaticName,
    /// Fields of the argument that selects prices, and the parameters that they set.
    pub(crate) prices: &'static [NamePair],
}
