//! Sorting: `sort=name.en asc&sort=createdAt desc`.
//!
//! Documents without a value come first when sorting up and last when sorting down. Of a list, the smallest element
//! counts when sorting up and the largest when sorting down. What is equal keeps the sequence in which it came.
//!
//! Source: reference type `Sort`; <https://docs.commercetools.com/api/general-concepts#sorting>.

use crate::condition::{Path, relocate};
use crate::json::{Json, Raw};
use crate::limits::SORT_EXPRESSIONS_MAX;
use crate::literal::Form;
use crate::path::{Segment, read_path};
use crate::scope::{Place, Scope};
use crate::source::Source;
use crate::value::{Scalar, Value};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Shape;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What a query's answer is sorted by, the most important first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sort {
    expressions: Vec<SortExpression>,
}

/// One `sort` parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortExpression {
    /// From the top of the document.
    pub path: Path,
    /// `desc`
    pub descending: bool,
    /// Texts count in lower case.
    pub lowercase: bool,
}

/// What a document is sorted by, taken out of it once. Smaller comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortKey(Box<[Part]>);

/// One value of a sort key. The sequence of the variants puts missing values where they belong: one key has values of
/// one direction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    MissingAscending,
    Ascending(Value),
    Descending(Reverse<Value>),
    MissingDescending,
}

impl Sort {
    /// Reads every `sort` of a request.
    ///
    /// # Errors
    /// 400 `InvalidInput` for what is not `path`, `path asc` or `path desc`; for a field that does not
    /// exist or has no value to sort by, with those that could be meant.
    pub fn parse<'t>(texts: impl IntoIterator<Item = &'t str>, scope: &Scope<'_>) -> ApiResult<Sort> {
        let expressions: ApiResult<Vec<_>> = texts.into_iter().map(|text| read(text, scope)).collect();
        let expressions = expressions?;
        if expressions.len() > SORT_EXPRESSIONS_MAX {
            return Err(ApiError::invalid_input(format!(
                "Malformed parameter: sort: {} sort expressions are given; at most {SORT_EXPRESSIONS_MAX} are \
                 allowed.",
                expressions.len()
            )));
        }
        Ok(Sort { expressions })
    }

    /// The same of documents that have each field elsewhere: `path` says where the field of a name is.
    #[must_use]
    pub fn relocated(mut self, path: &dyn Fn(&str) -> Path) -> Sort {
        for expression in &mut self.expressions {
            expression.path = relocate(std::mem::take(&mut expression.path), path);
        }
        self
    }

    /// True if nothing was asked for: the caller's own sequence stands.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty()
    }

    /// The expressions, for a caller that can use an index.
    pub fn expressions(&self) -> &[SortExpression] {
        &self.expressions
    }

    /// The key of the document in `json`. What cannot be read counts as missing.
    pub fn key(&self, json: &[u8]) -> SortKey {
        let document = Raw::new(json);
        self.parts(|path, descending| document.and_then(|document| extreme(&document, path, descending)))
    }

    /// The key of a parsed document.
    pub fn key_of_value(&self, document: &kontor_json::Value) -> SortKey {
        self.parts(|path, descending| extreme(&document, path, descending))
    }

    fn parts(&self, value: impl Fn(&[Box<str>], bool) -> Option<Value>) -> SortKey {
        let found = |expression: &SortExpression| match value(&expression.path, expression.descending)? {
            Value::Text(text) if expression.lowercase => Some(Value::text(&text.to_lowercase())),
            value => Some(value),
        };
        let part = |expression: &SortExpression| match found(expression) {
            None if expression.descending => Part::MissingDescending,
            None => Part::MissingAscending,
            Some(value) if expression.descending => Part::Descending(Reverse(value)),
            Some(value) => Part::Ascending(value),
        };
        SortKey(self.expressions.iter().map(part).collect())
    }
}

fn read(text: &str, scope: &Scope<'_>) -> ApiResult<SortExpression> {
    let source = Source { text, parameter: "sort" };
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

/// Every name must exist, and the last must have values that compare. The path as documents have it, and whether their
/// texts there are meant in lower case.
fn check(source: &Source<'_>, segments: &[Segment], scope: &Scope<'_>) -> ApiResult<(Path, bool)> {
    let mut place = scope.root();
    let mut path = Path::with_capacity(segments.len());
    let mut lowercase = false;
    for (index, segment) in segments.iter().enumerate() {
        let refuse = |place: &Place<'_>, sentence: String| {
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
        path.push(field.named(&segment.name).into());
        lowercase = field.lowercase;
        let below = scope.below(&field);
        if index + 1 < segments.len() {
            let Some(below) = below else {
                let sentence = format!("The field '{}' has no fields to sort by.", segment.name);
                return Err(source.refuse(segments[index + 1].at, &sentence));
            };
            place = below;
        } else if Form::of(&field.shape).is_none() || *field.shape == Shape::AnyObject {
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

/// The value at `path`; of several in lists the smallest or the largest.
fn extreme<J: Json>(value: &J, path: &[Box<str>], largest: bool) -> Option<Value> {
    // A path that meets no list is walked at once.
    if let Some(found) = value.at(path) {
        match found.scalar() {
            Scalar::Other => {}
            scalar => return owned(scalar),
        }
    }
    let mut best: Option<Value> = None;
    gather(value, path, &mut |scalar| {
        if let Some(value) = owned(scalar)
            && best.as_ref().is_none_or(|best| (value > *best) == largest)
        {
            best = Some(value);
        }
    });
    best
}

fn gather<J: Json>(value: &J, path: &[Box<str>], found: &mut dyn FnMut(Scalar<'_>)) {
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
            if let Some(member) = value.at(std::slice::from_ref(name)) {
                gather(&member, rest, found);
            }
        }
    }
}

fn owned(scalar: Scalar<'_>) -> Option<Value> {
    match scalar {
        Scalar::Boolean(boolean) => Some(Value::Boolean(boolean)),
        Scalar::Number(number) => Some(Value::Number(number)),
        Scalar::Text(text) => Some(Value::Text(text.into())),
        Scalar::Amount(amount) => Some(Value::Amount(amount)),
        Scalar::Other => None,
    }
}

/// Keeps the first `limit` of many items by their keys, in memory for `limit` items.
#[derive(Debug)]
pub struct Top<T> {
    limit: usize,
    heap: BinaryHeap<Ranked<T>>,
    arrived: u64,
}

#[derive(Debug)]
struct Ranked<T> {
    key: SortKey,
    /// Items of equal keys keep the sequence in which they came.
    arrival: u64,
    item: T,
}

impl<T> Top<T> {
    /// Keeps `limit` items: offset and limit of a page together.
    pub fn new(limit: usize) -> Self {
        Top { limit, heap: BinaryHeap::new(), arrived: 0 }
    }

    /// Takes an item. Returns the one that is not among the first: this one, or one that was taken before.
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

    /// The items, the first first.
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
