//! The searches of the official schema: their root fields and types. Start at [`SEARCHES`].

use super::{NamePair, StaticName};
use kontor_search::{FacetScope, RequestSpelling};

/// A root field that searches.
pub(crate) struct SearchRoot {
    /// The kind of the found documents.
    pub(crate) kind: StaticName,
    pub(crate) field: StaticName,
    pub(crate) response: StaticName,
    pub(crate) arguments: &'static [NamePair],
}

pub(crate) const SEARCHES: &[SearchRoot] = &[SearchRoot {
    kind: "Product",
    field: "productsSearch",
    response: "ProductPagedSearchResponse",
    arguments: &[
        ("query", "SearchQueryInput"),
        ("postFilter", "SearchQueryInput"),
        ("sort", "[SearchSortingInput!]"),
        ("limit", "Int"),
        ("offset", "Int"),
        ("markMatchingVariants", "Boolean"),
        ("facets", "[ProductSearchFacetExpressionInput!]"),
    ],
}];

/// Objects with stored fields.
pub(crate) const SEARCH_OUTPUTS: &[(StaticName, &[NamePair])] = &[
    (
        "ProductPagedSearchResponse",
        &[
            ("total", "Long!"),
            ("offset", "Int"),
            ("limit", "Int"),
            ("results", "[ProductSearchResult!]!"),
            ("facets", "[ProductSearchFacetResult!]!"),
        ],
    ),
    ("ProductSearchResult", &[("id", "String!")]),
    ("ProductSearchFacetResultBucketEntry", &[("key", "String!"), ("count", "Int!")]),
];

/// Fields of results that show the document: object, field, field type, kind.
pub(crate) const FOUND: &[(StaticName, StaticName, StaticName, StaticName)] =
    &[("ProductSearchResult", "product", "Product!", "Product")];

/// The interface of facet results.
pub(crate) const FACET_RESULT: StaticName = "ProductSearchFacetResult";

/// A type that is recognized by a field that only it has: that field, the type, all its fields.
type OwnField = (StaticName, StaticName, &'static [NamePair]);

/// The types of facet results.
pub(crate) const FACET_RESULTS: &[OwnField] = &[
    (
        "buckets",
        "ProductSearchFacetResultBucket",
        &[("name", "String!"), ("buckets", "[ProductSearchFacetResultBucketEntry!]!")],
    ),
    ("value", "ProductSearchFacetResultCount", &[("name", "String!"), ("value", "Long!")]),
    (
        "count",
        "ProductSearchFacetResultStats",
        &[
            ("name", "String!"),
            ("min", "Json"),
            ("max", "Json"),
            ("mean", "Json"),
            ("sum", "Json"),
            ("count", "Long!"),
        ],
    ),
];

pub(crate) const SEARCH_ENUMS: &[(StaticName, &[StaticName])] = &[
    ("ProductSearchFacetScopeEnum", &["all", "query"]),
    ("ProductSearchFacetCountLevelEnum", &["products", "variants"]),
    ("ProductSearchFacetDistinctBucketSortBy", &["count", "key"]),
    ("SearchSortOrder", &["asc", "desc"]),
    ("SearchSortMode", &["min", "max", "avg", "sum"]),
    ("SearchMatchType", &["any", "all"]),
    (
        "SearchFieldType",
        &[
            "boolean",
            "text",
            "ltext",
            "enum",
            "lenum",
            "number",
            "money",
            "date",
            "datetime",
            "time",
            "reference",
            "set_boolean",
            "set_text",
            "set_ltext",
            "set_enum",
            "set_lenum",
            "set_number",
            "set_money",
            "set_date",
            "set_datetime",
            "set_time",
            "set_reference",
        ],
    ),
];

/// The fields of each simple expression.
pub(crate) const SEARCH_FIELD: [NamePair; 3] =
    [("field", "String!"), ("boost", "Float"), ("fieldType", "SearchFieldType")];

/// Inputs of simple expressions: their fields in addition to [`SEARCH_FIELD`].
pub(crate) const SEARCH_SIMPLE: &[(StaticName, &[NamePair])] = &[
    (
        "SearchAnyValueExpressionInput",
        &[
            ("gte", "Float"),
            ("value", "SearchValueType!"),
            ("language", "String"),
            ("caseInsensitive", "Boolean"),
        ],
    ),
    ("SearchExistsInput", &[("language", "String")]),
    (
        "SearchFullTextExpressionInput",
        &[("value", "String!"), ("language", "String"), ("mustMatch", "SearchMatchType")],
    ),
    (
        "SearchFullTextPrefixInput",
        &[("value", "String!"), ("language", "String"), ("mustMatch", "SearchMatchType")],
    ),
    (
        "SearchFuzzyExpressionInput",
        &[("value", "String!"), ("level", "Int!"), ("language", "String"), ("mustMatch", "SearchMatchType")],
    ),
    ("SearchDateRangeExpressionInput", &range_fields("Date")),
    ("SearchDateTimeRangeExpressionInput", &range_fields("DateTime")),
    ("SearchTimeRangeExpressionInput", &range_fields("Time")),
    ("SearchLongRangeExpressionInput", &range_fields("Long")),
    ("SearchNumberRangeExpressionInput", &range_fields("Float")),
];

const fn range_fields(ty: StaticName) -> [NamePair; 4] {
    [("gte", ty), ("gt", ty), ("lte", ty), ("lt", ty)]
}

/// The fields of an expression, one for each sort, except those for the parts of a filtering compound expression.
const EXPRESSION: [NamePair; 11] = [
    ("and", "[SearchQueryInput!]"),
    ("or", "[SearchQueryInput!]"),
    ("not", "[SearchQueryInput!]"),
    ("range", "SearchQueryRangeExpressionInput"),
    ("fullText", "SearchFullTextExpressionInput"),
    ("fullTextPrefix", "SearchFullTextPrefixInput"),
    ("exists", "SearchExistsInput"),
    ("prefix", "SearchAnyValueExpressionInput"),
    ("wildcard", "SearchAnyValueExpressionInput"),
    ("exact", "SearchAnyValueExpressionInput"),
    ("fuzzy", "SearchFuzzyExpressionInput"),
];

const fn with_filter(filter: StaticName) -> [NamePair; 12] {
    let mut all = [("filter", filter); 12];
    let mut index = 0;
    while index < EXPRESSION.len() {
        all[index] = EXPRESSION[index];
        index += 1;
    }
    all
}

const fn range(ty: StaticName) -> [NamePair; 3] {
    [("from", ty), ("to", ty), ("key", "String")]
}

/// The other input types.
pub(crate) const SEARCH_INPUTS: &[(StaticName, &[NamePair])] = &[
    ("SearchQueryInput", &with_filter("[SearchFilterExpressionInput!]")),
    ("SearchFilterExpressionInput", &with_filter("[SearchQueryInput!]")),
    (
        "SearchQueryRangeExpressionInput",
        &[
            ("date", "SearchDateRangeExpressionInput"),
            ("datetime", "SearchDateTimeRangeExpressionInput"),
            ("time", "SearchTimeRangeExpressionInput"),
            ("long", "SearchLongRangeExpressionInput"),
            ("float", "SearchNumberRangeExpressionInput"),
        ],
    ),
    (
        "SearchSortingInput",
        &[
            ("field", "String!"),
            ("language", "String"),
            ("order", "SearchSortOrder!"),
            ("mode", "SearchSortMode"),
            ("fieldType", "SearchFieldType"),
            ("filter", "SearchFilterExpressionInput"),
        ],
    ),
    (
        "ProductSearchFacetExpressionInput",
        &[
            ("count", "ProductSearchFacetCountExpressionInput"),
            ("distinct", "ProductSearchFacetDistinctExpressionInput"),
            ("ranges", "ProductSearchFacetRangesExpressionInput"),
            ("stats", "ProductSearchFacetStatsExpressionInput"),
        ],
    ),
    (
        "ProductSearchFacetCountExpressionInput",
        &[
            ("name", "String!"),
            ("scope", "ProductSearchFacetScopeEnum = all"),
            ("filter", "SearchQueryInput"),
            ("level", "ProductSearchFacetCountLevelEnum = products"),
        ],
    ),
    (
        "ProductSearchFacetDistinctExpressionInput",
        &[
            ("name", "String!"),
            ("scope", "ProductSearchFacetScopeEnum"),
            ("filter", "SearchQueryInput"),
            ("level", "ProductSearchFacetCountLevelEnum"),
            ("field", "String!"),
            ("includes", "[String!]"),
            ("sort", "ProductSearchFacetDistinctBucketSortExpressionInput"),
            ("limit", "Int"),
            ("language", "String"),
            ("fieldType", "SearchFieldType"),
            ("missing", "String"),
        ],
    ),
    (
        "ProductSearchFacetDistinctBucketSortExpressionInput",
        &[("by", "ProductSearchFacetDistinctBucketSortBy!"), ("order", "SearchSortOrder")],
    ),
    (
        "ProductSearchFacetRangesExpressionInput",
        &[
            ("name", "String!"),
            ("scope", "ProductSearchFacetScopeEnum"),
            ("filter", "SearchQueryInput"),
            ("level", "ProductSearchFacetCountLevelEnum"),
            ("field", "String!"),
            ("ranges", "ProductSearchFacetRangesFacetRangeInput!"),
            ("language", "String"),
            ("fieldType", "SearchFieldType"),
        ],
    ),
    (
        "ProductSearchFacetRangesFacetRangeInput",
        &[
            ("date", "[SearchFacetDateRangeValue!]"),
            ("datetime", "[SearchFacetDateTimeRangeValue!]"),
            ("time", "[SearchFacetTimeRangeValue!]"),
            ("long", "[SearchFacetLongRangeValue!]"),
            ("float", "[SearchFacetFloatRangeValue!]"),
        ],
    ),
    (
        "ProductSearchFacetStatsExpressionInput",
        &[
            ("name", "String!"),
            ("scope", "ProductSearchFacetScopeEnum"),
            ("filter", "SearchQueryInput"),
            ("field", "String!"),
            ("fieldType", "SearchFieldType"),
        ],
    ),
    ("SearchFacetDateRangeValue", &range("Date")),
    ("SearchFacetDateTimeRangeValue", &range("DateTime")),
    ("SearchFacetTimeRangeValue", &range("Time")),
    ("SearchFacetLongRangeValue", &range("Long")),
    ("SearchFacetFloatRangeValue", &range("Float")),
];

/// The scalar of values that can be searched for.
pub(crate) const SEARCH_VALUE: StaticName = "SearchValueType";
/// Where GraphQL searches are written differently from REST: ranges of each type have a field of their own, and a count
/// facet counts everything by default.
pub(crate) const SPELLING: RequestSpelling<'static> = RequestSpelling {
    range_kinds: &["date", "datetime", "time", "long", "float"],
    count_scope: FacetScope::All,
};
