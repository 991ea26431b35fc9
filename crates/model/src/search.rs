//! That documents of a kind are found by a search.

use crate::Model;
use crate::kind::KindId;
use crate::shape::{ObjectId, Shape, UnionId};

/// `POST /{kind}/search`, and what stands beside it. `@search` in the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// What the search is called by the rules that make its entries.
    pub name: String,
    /// Any one of these scopes allows searching.
    pub scopes: Vec<String>,
    /// Any one of these scopes allows `GET /{kind}/search/indexing-status`. None: there is neither that nor `HEAD`.
    pub status_scopes: Vec<String>,
    /// For storefronts: facets, a filter after them, marks on the parts that match, projections, and pages without results.
    pub storefront: bool,
    /// The kind of the projections that are answered beside ids where they are asked for.
    pub projection: Option<KindId>,
}

/// `GET` and `POST /{kind}/search` with parameters, and `GET /{kind}/suggest`. `@searchByParameters` in the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParameterSearch {
    /// What the search of the published side is called by the rules that make its entries.
    pub current: String,
    /// The same, of the side that is being worked on.
    pub staged: String,
    /// Parameters of the search, beside those that say how documents are shown. A field of localized texts is a parameter for
    /// each language, with a point before it.
    pub parameters: Option<ObjectId>,
    /// Parameters of the suggestions.
    pub suggest_parameters: Option<ObjectId>,
    /// What is suggested for each parameter that is completed.
    pub suggestion: Option<ObjectId>,
    /// What a facet answers.
    pub facets: Option<UnionId>,
    /// The field of parts of documents that says whether they match.
    pub marks: String,
}

impl Model {
    /// The fields of documents of a kind that hold a part, or a list of them, which has a field of this name.
    pub fn parts_with(&self, kind: KindId, field: &str) -> impl Iterator<Item = &str> {
        let fields = self.object(self.kind(kind).object).fields.iter();
        let has_it = move |shape: &Shape| match shape.element() {
            Shape::Object(part) => self.object(*part).field(field).is_some(),
            _ => false,
        };
        fields.filter(move |part| has_it(&part.shape)).map(|part| part.name.as_str())
    }
}
