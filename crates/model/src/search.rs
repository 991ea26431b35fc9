//! Searches of a kind: by a body, and by parameters.

use crate::Model;
use crate::id::{KindId, ObjectId, UnionId};
use crate::shape::Shape;

/// A search by a body: `POST /{kind}/search`, and its status operations. `@search` in the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The name of the search in the rules that build its entries: the path of the kind.
    pub name: String,
    /// Any one of these scopes allows searching.
    pub scopes: Vec<String>,
    /// Any one of these scopes allows `GET /{kind}/search/indexing-status`. Empty: there is neither that nor `HEAD`.
    pub status_scopes: Vec<String>,
    /// For storefronts, with facets, a post-filter and pages without results: the parts of documents that facets can
    /// count and responses can mark. `None`: a search for a back office.
    pub parts: Option<SearchedParts>,
    /// Responses have `hits` with versions, custom fields are named by `customType`, and without an index
    /// there is 404.
    pub hits: bool,
    /// The kind of the projections that are returned with ids on request.
    pub projection: Option<KindId>,
}

/// The names of document parts in a storefront search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedParts {
    /// The parts, e.g. `variants`.
    pub name: String,
    /// The parameter that requests the matching parts, e.g. `markMatchingVariants`.
    pub mark: String,
    /// The field about matching parts, e.g. `matchingVariants`.
    pub matching: String,
    /// The list of the matching parts, e.g. `matchedVariants`.
    pub matched: String,
}

impl SearchedParts {
    /// Derives the names from the name of the parts.
    pub(crate) fn from_name(name: String) -> Self {
        let mut letters = name.chars();
        let upper: String =
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
        Self {
            mark: format!("markMatching{upper}"),
            matching: format!("matching{upper}"),
            matched: format!("matched{upper}"),
            name,
        }
    }
}

/// A search by parameters: `GET` and `POST /{kind}/search`, and `GET /{kind}/suggest`. `@searchByParameters` in the
/// model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParameterSearchModel {
    /// The name of the search of the published projection in the rules that build its entries: the path of the kind.
    pub current: String,
    /// The name of the search of the staged projection: the path of the kind with `-staged`.
    pub staged: String,
    /// Parameters of the search, apart from those for the presentation of documents. A field of localized
    /// texts is a parameter for each language, separated by a dot.
    pub parameters: Option<ObjectId>,
    /// Parameters of the suggestions.
    pub suggest_parameters: Option<ObjectId>,
    /// The shape of the suggestions for each completed parameter.
    pub suggestion: Option<ObjectId>,
    /// The shape of a facet result.
    pub facets: Option<UnionId>,
    /// The field of document parts with the information whether they match.
    pub marks: String,
    /// The time since which the search is deprecated, in seconds since 1970.
    pub deprecated_since: Option<i64>,
}

impl Model {
    /// Returns the fields of documents of a kind that contain a part, or a list of parts, with a field of this name.
    pub fn parts_with(&self, kind: KindId, field: &str) -> impl Iterator<Item = &str> {
        let fields = self.object(self.kind(kind).object).fields.iter();
        let has_it = move |shape: &Shape| match shape.element() {
            Shape::Object(part) => self.object(*part).field(field).is_some(),
            _ => false,
        };
        fields.filter(move |part| has_it(&part.shape)).map(|part| part.name.as_str())
    }
}
