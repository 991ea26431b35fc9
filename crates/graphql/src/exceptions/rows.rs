//! The row types of the tables of exceptions.

use super::{Name, Pair, Triple};

/// GraphQL names of a kind. `None` follows the conventions.
#[derive(Debug)]
pub(crate) struct KindNames {
    /// Name in the model, of a kind or of its `My…` form.
    pub(crate) kind: &'static str,
    /// The type of its documents; without an exception the kind's name.
    pub(crate) object: Option<&'static str>,
    /// The response type of its creation; by default `object`.
    pub(crate) created: Option<&'static str>,
    /// The mutation that creates; without an exception `create` (or `createOrUpdate`) and `mutation`.
    pub(crate) create: Option<&'static str>,
    /// The query of one document; without an exception the kind's name in camel case.
    pub(crate) one: Option<&'static str>,
    /// The query of many documents; without an exception the kind's path in camel case.
    pub(crate) many: Option<&'static str>,
    /// The text after `create`, `update` and `delete`; by default the kind's name.
    pub(crate) mutation: Option<&'static str>,
    /// The part of the names of update actions; by default the kind's name.
    pub(crate) actions: Option<&'static str>,
    /// The input of a creation; without an exception the kind's name and `Draft`.
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

/// An update action of this face that the other one knows under another name.
#[derive(Debug)]
pub(crate) struct ActionAlias {
    pub(crate) kind: &'static str,
    /// As it is called here.
    pub(crate) name: &'static str,
    /// As the model calls it.
    pub(crate) action: &'static str,
    /// Its only field here, with its type.
    pub(crate) field: (&'static str, &'static str),
    /// Where the field goes in the action of the model.
    pub(crate) to: &'static [&'static str],
}

/// An update action of this face that is several of the other one, with the fields of all.
#[derive(Debug)]
pub(crate) struct ActionSplit {
    pub(crate) kind: &'static str,
    /// As it is called here.
    pub(crate) name: &'static str,
    pub(crate) input: &'static str,
    /// As the model calls them, in the sequence in which they are done.
    pub(crate) actions: &'static [&'static str],
}

/// A field of an input that only this face has.
#[derive(Debug)]
pub(crate) struct ExtraInput {
    pub(crate) input: &'static str,
    pub(crate) field: &'static str,
    pub(crate) ty: &'static str,
    /// Its place in what the other face takes. Lists that meet at one place become one.
    pub(crate) to: &'static [&'static str],
    /// The forwarded part of the value.
    pub(crate) what: SentPart,
}

/// The part of a value that is forwarded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SentPart {
    /// All of it.
    Whole,
    /// The field of an object.
    Field(&'static str),
    /// A list with nothing else in it.
    Listed,
}

/// An argument of a query that replaces a predicate.
#[derive(Debug)]
pub(crate) struct Selector {
    pub(crate) kind: &'static str,
    pub(crate) argument: (&'static str, &'static str),
    /// It chooses among many documents; else it means one.
    pub(crate) many: bool,
    /// The predicate; `{}` is the text, or the texts with commas between them.
    pub(crate) predicate: &'static str,
}

/// An object with free names that is sent as a list.
#[derive(Debug)]
pub(crate) struct MapInput {
    /// The field, wherever it stands.
    pub(crate) field: &'static str,
    /// The input for one entry.
    pub(crate) input: &'static str,
    /// Its field for the name of the entry, and the type of that.
    pub(crate) name: (&'static str, &'static str),
    /// Its field for the value.
    pub(crate) value: &'static str,
}

/// An endpoint of the model that is called otherwise than the kind and the endpoint are.
#[derive(Debug)]
pub(crate) struct EndpointNames {
    pub(crate) kind: &'static str,
    /// As the model calls it.
    pub(crate) endpoint: &'static str,
    pub(crate) mutation: &'static str,
    /// The type of the answer, where the model has one of its own.
    pub(crate) answer: Option<&'static str>,
    /// The field of the draft that names the document which the path names there by a key, under this name.
    pub(crate) within: Option<(&'static str, &'static str)>,
}

/// Documents whose sides are shown by a kind with `@projection`, to callers with partial rights.
#[derive(Debug, PartialEq)]
pub(crate) struct ShownBy {
    /// The kind of the documents, and the kind that shows their sides.
    pub(crate) kind: Name,
    pub(crate) by: Name,
    /// An argument, its type, and the parameter of the other kind that it is.
    pub(crate) parameter: Triple,
    /// The argument that lets documents which attributes of these refer to be shown likewise.
    pub(crate) below: Name,
    /// Likewise arguments, where a search has found the documents.
    pub(crate) found: &'static [Triple],
}

/// A query that maps to endpoints of a kind with a response object of their own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reader {
    pub(crate) kind: Name,
    pub(crate) field: Name,
    pub(crate) arguments: &'static [Pair],
    /// The endpoints, and for each the arguments that must be given, with the values in its path that they are.
    pub(crate) endpoints: &'static [(Name, &'static [Pair])],
}

/// A query that an operation of a service answers, under its name, to who may see a kind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServiceQuery {
    pub(crate) kind: Name,
    /// As the model calls it.
    pub(crate) call: Name,
    /// Arguments, their types, and what they are there: the value in the path where this is empty, or a parameter.
    pub(crate) arguments: &'static [Triple],
}

/// A kind with `@projection` whose documents have queries of their own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) kind: Name,
    /// Arguments, their types, and the parameters of the kind that they are.
    pub(crate) parameters: &'static [Triple],
    /// The list of documents whose elements `includeNames` and `excludeNames` of a query of many choose by their name.
    pub(crate) named: Name,
}

/// A query that answers another object that documents of a kind are shown as (`@shownAs` in the model).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) kind: Name,
    /// The object of the model.
    pub(crate) object: Name,
    pub(crate) field: Name,
    /// Arguments, their types, and the parameters that they are.
    pub(crate) parameters: &'static [Triple],
}

/// The queries of a search with parameters, and of its suggestions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ParameterRoot {
    /// The kind of the found documents.
    pub(crate) kind: Name,
    pub(crate) search: Name,
    /// The type of its answer.
    pub(crate) found: Name,
    pub(crate) suggest: Name,
    /// The type of its answer.
    pub(crate) suggested: Name,
    /// Fields of the argument that selects prices, and the parameters that they are.
    pub(crate) prices: &'static [Pair],
}
