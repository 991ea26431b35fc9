//! Sorting: `sort=name.en asc&sort=createdAt desc`. Start at [`QuerySort::parse`].
//!
//! Documents without a value come first in ascending order and last in descending order. Of a list, the smallest
//! element counts in ascending order and the largest in descending order. The sort is stable.
//!
//! Source: reference type `QuerySort`; <https://docs.commercetools.com/api/general-concepts#sorting>.

use crate::condition::{Path, relocate};
use crate::json::{EvaluableJson, RawJson};
use crate::limits::SORT_EXPRESSIONS_MAX;
use crate::literal::ComparisonForm;
use crate::path::{DottedSegment, read_path};
use crate::scope::{NameScope, ScopePlace};
use crate::source::ParameterText;
use crate::value::{ConditionValue, Scalar};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Shape;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The sort expressions of a query, the most important first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuerySort {
    expressions: Vec<SortExpression>,
}

/// One `sort` parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortExpression {
    /// The path from the root of the document.
    pub path: Path,
    /// `desc`
    pub descending: bool,
    /// Whether texts are compared in lower case.
    pub lowercase: bool,
}

/// The sort key of a document: its values, extracted once. Smaller keys come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortKey(Box<[SortKeyPart]>);

/// One value of a sort key. The order of the variants puts missing values where they belong: all keys have the same
/// direction at one position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SortKeyPart {
    MissingAscending,
    Ascending(ConditionValue),
    Descending(Reverse<ConditionValue>),
    MissingDescending,
}

impl QuerySort {
    /// Parses all `sort` parameters of a request.
    ///
    /// # Errors
    /// 400 `InvalidInput` for a text other than `path`, `path asc` or `path desc`, and with similar names for an
    /// unknown field or one without a value to sort by.
    pub fn parse<'t>(
        texts: impl IntoIterator<Item = &'t str>,
        scope: &NameScope<'_>,
    ) -> ApiResult<QuerySort> {
        let expressions: ApiResult<Vec<_>> = texts.into_iter().map(|text| read(text, scope)).collect();
        let expressions = expressions?;
        if expressions.len() > SORT_EXPRESSIONS_MAX {
            return Err(ApiError::invalid_input(format!(
                "Malformed parameter: sort: {} sort expressions are given; at most {SORT_EXPRESSIONS_MAX} are \
                 allowed.",
                expressions.len()
            )));
        }
        Ok(QuerySort { expressions })
    }

    /// Adapts the expressions to documents with another layout: `path` returns where a top-level field is stored.
    #[must_use]
    pub fn relocated(mut self, path: &dyn Fn(&str) -> Path) -> QuerySort {
        for expression in &mut self.expressions {
            expression.path = relocate(std::mem::take(&mut expression.path), path);
        }
        self
    }

    /// True if the request has no `sort`: the caller's default order applies.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty()
    }

    /// Returns the expressions, for a caller that can use an index.
    pub fn expressions(&self) -> &[SortExpression] {
        &self.expressions
    }

    /// Returns the key of the document in `json`. Invalid values count as missing.
    pub fn key(&self, json: &[u8]) -> SortKey {
        let document = RawJson::new(json);
        self.parts(|path, descending| document.and_then(|document| extreme(&document, path, descending)))
    }

    /// Returns the key of a parsed document.
    pub fn key_of_value(&self, document: &kontor_json::Value) -> SortKey {
        self.parts(|path, descending| extreme(&document, path, descending))
    }

    fn parts(&self, value: impl Fn(&[Box<str>], bool) -> Option<ConditionValue>) -> SortKey {
        let found = |expression: &SortExpression| match value(&expression.path, expression.descending)? {
            ConditionValue::Text(text) if expression.lowercase => {
                Some(ConditionValue::text(&text.to_lowercase()))
            }
            value => Some(value),
        };
        let part = |expression: &SortExpression| match found(expression) {
            None if expression.descending => SortKeyPart::MissingDescending,
            None => SortKeyPart::MissingAscending,
            Some(value) if expression.descending => SortKeyPart::Descending(Reverse(value)),
            Some(value) => SortKeyPart::Ascending(value),
        };
        SortKey(self.expressions.iter().map(part).collect())
    }
}

fn read(text: &str, scope: &NameScope<'_>) -> ApiResult<SortExpression> {
    let source = ParameterText { text, parameter: "sort" };
    let (segments, end) = read_path(&source, false)?;
    let direction = text[end..].trim();
    let descending = match direction.to_ascii_lowercase().as_str() {
        "" | "asc" => false,
        "desc" => true,
        _ => {
            let at = end + text[end..].len() - text[end..].trim_start().len();
            return Err(source.syntax_error(at, &["'.'", "asc", "desc", "end of input"]));
        }
    };
    let (path, lowercase) = check(&source, &segments, scope)?;
    Ok(SortExpression { path, descending, lowercase })
}

/// Checks that every name exists and that the last has comparable values. Returns the path in documents, and whether
/// texts there are compared in lower case.
fn check(
    source: &ParameterText<'_>,
    segments: &[DottedSegment],
    scope: &NameScope<'_>,
) -> ApiResult<(Path, bool)> {
    let mut place = scope.root();
    let mut path = Path::with_capacity(segments.len());
    let mut lowercase = false;
    for (index, segment) in segments.iter().enumerate() {
        let refuse = |place: &ScopePlace<'_>, sentence: String| {
            let names = place.known_names().into_iter().filter(|name| scope.is_stored(place, name));
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let known = if names.is_empty() {
                String::new()
            } else {
                format!(" Sortable fields are: {}.", names.join(", "))
            };
            source.refuse(segment.at, &(sentence + &known))
        };
        let field = scope.field(&place, &segment.name).filter(|_| scope.is_stored(&place, &segment.name));
        let Some(field) = field else {
            return Err(refuse(&place, format!("Invalid query field '{}' in sort path.", segment.name)));
        };
        path.push(field.stored_name(&segment.name).into());
        lowercase = field.lowercase;
        let below = scope.nested_place(&field);
        if index + 1 < segments.len() {
            let Some(below) = below else {
                let sentence = format!("The field '{}' has no fields to sort by.", segment.name);
                return Err(source.refuse(segments[index + 1].at, &sentence));
            };
            place = below;
        } else if ComparisonForm::from_shape(&field.shape).is_none() || *field.shape == Shape::AnyObject {
            let sentence =
                format!("The field '{}' has no single value: sort by one of its fields.", segment.name);
            return Err(match below {
                Some(below) => refuse(&below, sentence),
                None => source.refuse(segment.at, &sentence),
            });
        }
    }
    Ok((path, lowercase))
}

/// Returns the value at `path`; of several values in lists the smallest or the largest.
fn extreme<J: EvaluableJson>(value: &J, path: &[Box<str>], largest: bool) -> Option<ConditionValue> {
    // The usual path has no list.
    if let Some(found) = value.value_at(path) {
        match found.scalar() {
            Scalar::Other => {}
            scalar => return owned(scalar),
        }
    }
    let mut best: Option<ConditionValue> = None;
    gather(value, path, &mut |scalar| {
        if let Some(value) = owned(scalar)
            && best.as_ref().is_none_or(|best| (value > *best) == largest)
        {
            best = Some(value);
        }
    });
    best
}

fn gather<J: EvaluableJson>(value: &J, path: &[Box<str>], found: &mut dyn FnMut(Scalar<'_>)) {
    let in_list = value.any_element(|element| {
        gather(element, path, found);
        false
    });
    if in_list.is_some() {
        return;
    }
    match path {
        [] => found(value.scalar()),
        [name, rest @ ..] => {
            if let Some(member) = value.value_at(std::slice::from_ref(name)) {
                gather(&member, rest, found);
            }
        }
    }
}

fn owned(scalar: Scalar<'_>) -> Option<ConditionValue> {
    match scalar {
        Scalar::Boolean(boolean) => Some(ConditionValue::Boolean(boolean)),
        Scalar::Number(number) => Some(ConditionValue::Number(number)),
        Scalar::Text(text) => Some(ConditionValue::Text(text.into())),
        Scalar::Amount(amount) => Some(ConditionValue::Amount(amount)),
        Scalar::Other => None,
    }
}

/// Collects the first `limit` of many items by their keys, in memory for `limit` items.
#[derive(Debug)]
pub struct TopItems<T> {
    limit: usize,
    heap: BinaryHeap<Ranked<T>>,
    arrived: u64,
}

#[derive(Debug)]
struct Ranked<T> {
    key: SortKey,
    /// Orders items with equal keys by their arrival.
    arrival: u64,
    item: T,
}

impl<T> TopItems<T> {
    /// Collects `limit` items: offset and limit of a page together.
    pub fn new(limit: usize) -> Self {
        TopItems { limit, heap: BinaryHeap::new(), arrived: 0 }
    }

    /// Adds an item. Returns the item that drops out of the first `limit`: this one or an earlier one.
    pub fn push(&mut self, key: SortKey, item: T) -> Option<T> {
        let arrival = self.arrived;
        self.arrived += 1;
        if self.heap.len() < self.limit {
            self.heap.push(Ranked { key, arrival, item });
            return None;
        }
        match self.heap.peek_mut() {
            Some(mut last) if key < last.key => {
                Some(std::mem::replace(&mut *last, Ranked { key, arrival, item }).item)
            }
            _ => Some(item),
        }
    }

    /// Returns the items in ascending order of their keys.
    pub fn into_sorted(self) -> Vec<T> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.item).collect()
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key).then(self.arrival.cmp(&other.arrival))
    }
}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Ranked<T> {}
