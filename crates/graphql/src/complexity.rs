//! How deep and how costly a query is, before it is executed.

use crate::arguments::arguments_of;
use crate::derived::{Root, Source};
use crate::limits::{
    BULK_ITEM_COMPLEXITY, CHANGE_COMPLEXITY, LIMIT_DEFAULT, LIMIT_MAX, LIST_COMPLEXITY, PAGE_COMPLEXITY,
    QUERY_COMPLEXITY_MAX, QUERY_DEPTH_MAX, SPLICE_COMPLEXITY,
};
use crate::schema::Schema;
use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Operation, Selection, SelectionSet};
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::{Map, Value};

/// Refuses an operation that is too deep or too costly.
///
/// Fields of introspection count like any other; how deep its lists nest is limited by the library as well.
pub(crate) fn admit(
    schema: &Schema,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map<String, Value>,
) -> ApiResult<()> {
    let mut weighing = Weighing { schema, document, variables, complexity: 0, depends_on_variables: false };
    weighing.selections(&operation.selection_set, 1, 1)
}

/// True where all operations of a document are admitted whatever the variables are, so that [`admit`] need not be
/// asked for each request.
pub(crate) fn admits_always(schema: &Schema, document: &ExecutableDocument) -> bool {
    let variables = Map::new();
    let mut operations = document.operations.iter();
    operations.all(|operation| {
        let mut weighing =
            Weighing { schema, document, variables: &variables, complexity: 0, depends_on_variables: false };
        weighing.selections(&operation.selection_set, 1, 1).is_ok() && !weighing.depends_on_variables
    })
}

struct Weighing<'a> {
    schema: &'a Schema,
    document: &'a ExecutableDocument,
    variables: &'a Map<String, Value>,
    complexity: usize,
    depends_on_variables: bool,
}

impl Weighing<'_> {
    /// `times`: how often these selections are expected to be answered. Ends as soon as the limit is reached,
    /// so that nested fragments cost no more time than that.
    fn selections(&mut self, set: &SelectionSet, times: usize, depth: usize) -> ApiResult<()> {
        if depth > QUERY_DEPTH_MAX {
            return Err(too_complex(format!("The query is nested deeper than {QUERY_DEPTH_MAX} levels.")));
        }
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => self.field(&set.ty, field, times, depth)?,
                // A step into a fragment counts a little, or fragments of fragments would be free.
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
        let source = self.schema.output_field(parent, &field.name).map(|output| &output.source);
        let (own, inner) = match source {
            Some(Source::Root(
                Root::Many(_)
                | Root::Search(_)
                | Root::FindByParameters(..)
                | Root::Inside(..)
                | Root::Matching(..),
            )) => (PAGE_COMPLEXITY, 1),
            Some(Source::Root(Root::Suggest(_))) => (PAGE_COMPLEXITY, 1),
            Some(Source::Root(Root::Bulk(_))) => {
                let items = self.items_of(field).saturating_mul(BULK_ITEM_COMPLEXITY);
                (items.saturating_add(CHANGE_COMPLEXITY), 1)
            }
            Some(Source::Root(Root::Create(..) | Root::Update(..) | Root::Delete(..) | Root::Call(..))) => {
                (CHANGE_COMPLEXITY, 1)
            }
            Some(Source::Referrers(..) | Source::Below(..) | Source::Ancestors(_)) => (1, LIMIT_DEFAULT),
            Some(Source::Spliced(..) | Source::Limit(_)) => (SPLICE_COMPLEXITY, 1),
            _ if field.ty().is_list() && !field.name.starts_with("__") && source.is_some() => {
                (1, LIST_COMPLEXITY)
            }
            _ => (1, 1),
        };
        self.add(times.saturating_mul(own))?;
        let mut inner = times.saturating_mul(inner);
        if let Some(Source::Root(
            Root::Many(_) | Root::Search(_) | Root::FindByParameters(..) | Root::Inside(..),
        )) = source
        {
            inner = inner.saturating_mul(self.limit_of(field).max(1));
            // The page itself comes once; only its results come as often as the limit says.
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

    fn limit_of(&mut self, field: &Field) -> usize {
        self.depends_on_variables |= field
            .arguments
            .iter()
            .any(|argument| argument.name == "limit" && argument.value.as_variable().is_some());
        let arguments = arguments_of(field, self.variables, &self.schema.compiled);
        let limit = arguments.get("limit").and_then(Value::as_u64);
        limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT_DEFAULT).min(LIMIT_MAX)
    }

    /// How many documents a change in bulk is about.
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

pub(crate) fn too_complex(message: String) -> ApiError {
    ApiError::new(Code::QueryComplexityLimitExceeded, message)
}
