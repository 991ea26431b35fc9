//! Paging and sorting of containers and operations.

use kontor_engine::{Document, ResponseMeter};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::limits::LIMIT_DEFAULT;
use std::cmp::Ordering;

/// A query. The caller checks the limits of `limit` and `offset`.
#[derive(Debug, Clone)]
pub struct ImportPage {
    /// Number of results to skip.
    pub offset: usize,
    /// Maximum number of results.
    pub limit: usize,
    /// Sort expressions, the most important first.
    pub sort: Vec<String>,
    /// For operations: only those in this state.
    pub state: Option<String>,
    /// For operations: only those of the resource with this key.
    pub resource_key: Option<String>,
    /// For operations: shows the missing references that they wait for.
    pub debug: bool,
    /// Counts the memory of the page.
    pub meter: ResponseMeter,
}

impl Default for ImportPage {
    fn default() -> Self {
        let (sort, state, resource_key) = (Vec::new(), None, None);
        Self {
            offset: 0,
            limit: LIMIT_DEFAULT,
            sort,
            state,
            resource_key,
            debug: false,
            meter: ResponseMeter::default(),
        }
    }
}

impl ImportPage {
    /// Returns the body of a `…PagedResponse`.
    pub(crate) fn body(&self, total: u64, results: Vec<Value>) -> Value {
        json!({
            "limit": self.limit, "offset": self.offset, "count": results.len(), "total": total, "results": results,
        })
    }
}

/// Fields that results can be sorted by.
const SORTABLE: [&str; 9] = [
    "key",
    "id",
    "version",
    "state",
    "resourceKey",
    "resourceType",
    "createdAt",
    "lastModifiedAt",
    "expiresAt",
];

/// Sorts documents by expressions such as `createdAt desc`. The sort is stable.
pub(crate) fn sorted(documents: &mut [Document], expressions: &[String]) -> ApiResult<()> {
    for expression in expressions.iter().rev() {
        let (field, is_descending) = read(expression)?;
        documents.sort_by(|a, b| {
            let ordering = compare(a.get(field), b.get(field));
            if is_descending { ordering.reverse() } else { ordering }
        });
    }
    Ok(())
}

/// Parses a sort expression: the field, and whether the order is descending.
fn read(expression: &str) -> ApiResult<(&str, bool)> {
    let mut words = expression.split_whitespace();
    let (field, direction) = (words.next().unwrap_or_default(), words.next().unwrap_or("asc"));
    let is_known = SORTABLE.contains(&field) && matches!(direction, "asc" | "desc") && words.next().is_none();
    if !is_known {
        return Err(ApiError::invalid_input(format!(
            "sort: '{expression}' was sent, expected one of {} with asc or desc behind it.",
            SORTABLE.join(", ")
        )));
    }
    Ok((field, direction == "desc"))
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    let number = |value: Option<&Value>| value.and_then(Value::as_i64);
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    number(a).cmp(&number(b)).then_with(|| text(a).cmp(&text(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_sorted_by_several_fields() {
        let of =
            |key: &str, version: i64| json!({"key": key, "version": version}).as_object().cloned().unwrap();
        let mut all = vec![of("a", 1), of("b", 2), of("c", 1)];
        sorted(&mut all, &["version desc".to_owned(), "key desc".to_owned()]).unwrap();
        let keys: Vec<_> = all.iter().map(|one| one["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["b", "c", "a"]);
        for wrong in ["", "name", "key up", "key asc desc"] {
            assert!(sorted(&mut all, &[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
