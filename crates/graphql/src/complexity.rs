//! Limits the depth and the complexity of a query before it is executed. Begin at [`check_complexity`].

use crate::arguments::arguments_of;
use crate::limits::{
    BULK_ITEM_COMPLEXITY, CHANGE_COMPLEXITY, INTROSPECTION_COMPLEXITY_MAX, LIMIT_DEFAULT, LIMIT_MAX,
    LIST_COMPLEXITY, PAGE_COMPLEXITY, PAGE_RESULTS_EXPECTED, QUERY_COMPLEXITY_MAX, QUERY_DEPTH_MAX,
    REFERRERS_EXPECTED, SPLICE_COMPLEXITY,
};
use crate::schema::Schema;
use crate::schema_size::TypeEstimate;
use crate::schema_types::{FieldValueSource, RootOperation};
use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Operation, Selection, SelectionSet};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value};

/// Returns an error if an operation is too deep or too complex. The complexity is the number of values that the
/// response is expected to have; the values actually read are limited during execution ([`reads`](crate::execute)).
///
/// Introspection fields count by the size of their response, up to a limit of their own. The library also limits how
/// deep introspection lists nest.
pub(crate) fn check_complexity(
    schema: &Schema,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
) -> ApiResult<()> {
    ComplexityCounter::new(schema, document, variables).selections(&operation.selection_set, 1, 1)
}

/// Returns true if all operations of a document are admitted for any variables, so that [`check_complexity`] need not
/// run for each request.
pub(crate) fn is_always_admitted(schema: &Schema, document: &ExecutableDocument) -> bool {
    let variables = Map::new();
    let mut operations = document.operations.iter();
    operations.all(|operation| {
        let mut weighing = ComplexityCounter::new(schema, document, &variables);
        weighing.selections(&operation.selection_set, 1, 1).is_ok() && !weighing.depends_on_variables
    })
}

/// The complexity of one operation, summed while its selections are visited.
struct ComplexityCounter<'a> {
    schema: &'a Schema,
    document: &'a ExecutableDocument,
    variables: &'a Map,
    complexity: usize,
    /// The complexity of its introspection fields.
    introspection: usize,
    depends_on_variables: bool,
}

impl<'a> ComplexityCounter<'a> {
    fn new(schema: &'a Schema, document: &'a ExecutableDocument, variables: &'a Map) -> Self {
        Self { schema, document, variables, complexity: 0, introspection: 0, depends_on_variables: false }
    }
}

impl ComplexityCounter<'_> {
    /// Adds selections. `times` is how often the response is expected to contain them. Returns an error as soon as the
    /// limit is exceeded, so that nested fragments cost no further time.
    fn selections(&mut self, set: &SelectionSet, times: usize, depth: usize) -> ApiResult<()> {
        if depth > QUERY_DEPTH_MAX {
            return Err(too_deep());
        }
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => self.field(&set.ty, field, times, depth)?,
                // A fragment spread counts 1; otherwise fragments that spread fragments would be free.
                Selection::InlineFragment(inline) => {
                    self.add(1)?;
                    self.selections(&inline.selection_set, times, depth)?;
                }
                Selection::FragmentSpread(spread) => {
                    self.add(1)?;
                    if let Some(fragment) = spread.fragment_def(self.document) {
                        self.selections(&fragment.selection_set, times, depth)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, parent: &str, field: &Field, times: usize, depth: usize) -> ApiResult<()> {
        if matches!(field.name.as_str(), "__schema" | "__type") {
            return self.meta_field(parent, field, times, depth, TypeEstimate::Usual);
        }
        let source = self.schema.output_field(parent, &field.name).map(|output| &output.source);
        let (own, inner) = match source {
            Some(FieldValueSource::Root(
                RootOperation::Many(_)
                | RootOperation::Search(_)
                | RootOperation::FindByParameters(..)
                | RootOperation::StoreList(..)
                | RootOperation::Matching(..),
            )) => (PAGE_COMPLEXITY, 1),
            Some(FieldValueSource::Root(RootOperation::Suggest(_))) => (PAGE_COMPLEXITY, 1),
            Some(FieldValueSource::Root(RootOperation::Bulk(_))) => {
                let items = self.items_of(field).saturating_mul(BULK_ITEM_COMPLEXITY);
                (items.saturating_add(CHANGE_COMPLEXITY), 1)
            }
            Some(FieldValueSource::Root(
                RootOperation::Create(..)
                | RootOperation::Update(..)
                | RootOperation::Delete(..)
                | RootOperation::Call(..),
            )) => (CHANGE_COMPLEXITY, 1),
            Some(FieldValueSource::Referrers(..)) => (1, REFERRERS_EXPECTED),
            Some(FieldValueSource::ListPage(..)) => (1, LIMIT_DEFAULT),
            Some(
                FieldValueSource::Spliced(..) | FieldValueSource::Counted(..) | FieldValueSource::Limit(_),
            ) => (SPLICE_COMPLEXITY, 1),
            _ if field.ty().is_list() && !field.name.starts_with("__") && source.is_some() => {
                (1, LIST_COMPLEXITY)
            }
            _ => (1, 1),
        };
        self.add(times.saturating_mul(own))?;
        let mut inner = times.saturating_mul(inner);
        if let Some(FieldValueSource::Root(
            RootOperation::Many(_)
            | RootOperation::Search(_)
            | RootOperation::FindByParameters(..)
            | RootOperation::StoreList(..),
        )) = source
        {
            inner = inner.saturating_mul(self.limit_of(field).clamp(1, PAGE_RESULTS_EXPECTED));
            // The fields of the page count once; its results count `limit` times.
            let once = field.selection_set.selections.len();
            self.add(once)?;
            return self.page(&field.selection_set, times, inner, depth + 1);
        }
        self.selections(&field.selection_set, inner, depth + 1)
    }

    fn page(&mut self, set: &SelectionSet, times: usize, inner: usize, depth: usize) -> ApiResult<()> {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) if field.selection_set.selections.is_empty() => self.add(times)?,
                Selection::Field(field) => self.selections(&field.selection_set, inner, depth + 1)?,
                Selection::InlineFragment(inline) => self.page(&inline.selection_set, times, inner, depth)?,
                Selection::FragmentSpread(spread) => {
                    self.add(1)?;
                    if let Some(fragment) = spread.fragment_def(self.document) {
                        self.page(&fragment.selection_set, times, inner, depth)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds an introspection field.
    fn meta_field(
        &mut self,
        parent: &str,
        field: &Field,
        times: usize,
        depth: usize,
        which: TypeEstimate,
    ) -> ApiResult<()> {
        let (values, below) = self.schema.size.values(parent, &field.name, which);
        let times = times.saturating_mul(values);
        self.introspection = self.introspection.saturating_add(times.max(1));
        if self.introspection > INTROSPECTION_COMPLEXITY_MAX {
            return Err(too_complex(format!(
                "What is asked about the schema is more complex than {INTROSPECTION_COMPLEXITY_MAX}: ask for it once."
            )));
        }
        self.meta_selections(&field.selection_set, times, depth + 1, below)
    }

    fn meta_selections(
        &mut self,
        set: &SelectionSet,
        times: usize,
        depth: usize,
        which: TypeEstimate,
    ) -> ApiResult<()> {
        if depth > QUERY_DEPTH_MAX {
            return Err(too_deep());
        }
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => self.meta_field(&set.ty, field, times, depth, which)?,
                Selection::InlineFragment(inline) => {
                    self.add(1)?;
                    self.meta_selections(&inline.selection_set, times, depth, which)?;
                }
                Selection::FragmentSpread(spread) => {
                    self.add(1)?;
                    if let Some(fragment) = spread.fragment_def(self.document) {
                        self.meta_selections(&fragment.selection_set, times, depth, which)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn limit_of(&mut self, field: &Field) -> usize {
        self.depends_on_variables |= field
            .arguments
            .iter()
            .any(|argument| argument.name == "limit" && argument.value.as_variable().is_some());
        let arguments = arguments_of(field, self.variables, &self.schema.compiled);
        let limit = arguments.get("limit").and_then(Value::as_u64);
        limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT_DEFAULT).min(LIMIT_MAX)
    }

    /// Returns the number of documents that a bulk update names.
    fn items_of(&mut self, field: &Field) -> usize {
        self.depends_on_variables = true;
        let arguments = arguments_of(field, self.variables, &self.schema.compiled);
        let items = arguments.get("input").and_then(|input| input.get("items")).and_then(Value::as_array);
        items.map_or(1, Vec::len)
    }

    fn add(&mut self, complexity: usize) -> ApiResult<()> {
        self.complexity = self.complexity.saturating_add(complexity);
        if self.complexity > QUERY_COMPLEXITY_MAX {
            return Err(too_complex(format!(
                "The query is more complex than {QUERY_COMPLEXITY_MAX}: ask for fewer fields, smaller pages or less \
                 depth at once."
            )));
        }
        Ok(())
    }
}

fn too_deep() -> ApiError {
    too_complex(format!("The query is nested deeper than {QUERY_DEPTH_MAX} levels."))
}

/// Returns a 400 `QueryComplexityLimitExceeded`.
pub(crate) fn too_complex(message: String) -> ApiError {
    ApiError::new(Code::QueryComplexityLimitExceeded, message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use apollo_compiler::parser::Parser;
    use kontor_model::Model;
    use std::sync::LazyLock;

    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::derive(&Model::embedded().unwrap()).unwrap());

    fn admitted(query: &str) -> ApiResult<()> {
        let parsed = Parser::new().parse_executable(&SCHEMA.compiled, query, "query").unwrap();
        let document = parsed.validate(&SCHEMA.compiled).unwrap();
        let operation = document.operations.get(None).unwrap();
        check_complexity(&SCHEMA, &document, operation, &Map::new())
    }

    /// Returns the query of a shop menu: levels of Categories, each with its parent.
    fn menu(page: &str, levels: usize) -> String {
        let fields = "id key name(locale: \"en\") slug(locale: \"en\") childCount orderHint";
        let level =
            |below: String| format!("{fields} ancestors {{ {fields} }} parent {{ {fields} }} {below}");
        let menu = (0..levels).fold(format!("{fields} parent {{ {fields} }}"), |below, _| {
            level(format!("children {{ {below} }}"))
        });
        format!("{{ {page} {menu} {} }}", if page.starts_with("categories") { "} }" } else { "}" })
    }

    #[test]
    fn menus_of_several_levels_are_admitted() {
        for page in [
            "categories(limit: 500) { total results {",
            "categories(where: \"slug(en = \\\"new\\\")\") { total results {",
            "category(id: \"new\") {",
            "category(key: \"new\") {",
        ] {
            admitted(&menu(page, 3)).unwrap_or_else(|error| panic!("{page}: {error}"));
        }
        let many: String = (0..50).map(|at| format!("a{at}: categories {{ results {{ id }} }} ")).collect();
        admitted(&format!("{{ {many} }}")).unwrap();
    }

    #[test]
    fn rejects_multiplying_selections() {
        assert!(admitted(&menu("categories(limit: 500) { total results {", 9)).is_err());
        let pages: String =
            (0..200).map(|at| format!("a{at}: products(limit: 500) {{ results {{ id }} }} ")).collect();
        assert!(admitted(&format!("{{ {pages} }}")).is_err());
    }

    /// The introspection query that GraphQL tools send.
    const WHOLE_SCHEMA: &str = "query {
        __schema {
            description queryType { name } mutationType { name } subscriptionType { name }
            types { ...OfType }
            directives { name description isRepeatable locations args(includeDeprecated: true) { ...OfInput } }
        }
    }
    fragment OfType on __Type {
        kind name description specifiedByURL
        fields(includeDeprecated: true) {
            name description args(includeDeprecated: true) { ...OfInput } type { ...Named } isDeprecated deprecationReason
        }
        inputFields(includeDeprecated: true) { ...OfInput }
        interfaces { ...Named }
        enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
        possibleTypes { ...Named }
    }
    fragment OfInput on __InputValue { name description type { ...Named } defaultValue isDeprecated deprecationReason }
    fragment Named on __Type {
        kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
            ofType { kind name ofType { kind name } } } } } } }
    }";

    #[test]
    fn admits_one_full_introspection_but_not_several() {
        admitted(WHOLE_SCHEMA).unwrap();
        let again: String =
            (0..5).map(|index| format!("a{index}: __schema {{ types {{ ...OfType }} }} ")).collect();
        assert!(admitted(&WHOLE_SCHEMA.replace("query {", &format!("query {{ {again}"))).is_err());
    }

    #[test]
    fn introspection_counts_by_the_size_of_its_response() {
        let aliases = |what: &str, times: usize| {
            let fields: String = (0..times).map(|index| format!("a{index}: {what} ")).collect();
            format!("{{ {fields} }}")
        };
        for (what, times) in [
            ("__schema { types { name fields { name } } }", 1_000),
            ("__type(name: \"Query\") { fields { name args { name } } }", 2_000),
            ("__schema { types { possibleTypes { name description } enumValues { name } } }", 500),
        ] {
            assert!(admitted(&aliases(what, times)).is_err(), "{times} times {what}");
        }
        admitted(&aliases("__type(name: \"State\") { fields { name } }", 10)).unwrap();
        let inside = aliases("fields { name }", 500);
        assert!(admitted(&format!("{{ __schema {{ types {inside} }} }}")).is_err());
    }
}
