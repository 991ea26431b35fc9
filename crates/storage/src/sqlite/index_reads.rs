//! Lookups in the index: each streams, none collects its matches first.

use std::{collections::HashSet, ops::Bound, ops::ControlFlow};

use rusqlite::{CachedStatement, Connection, Rows, params_from_iter, types::Value};

use super::{entries::index_value, names::Number};
use crate::{After, Error, IndexPage, IndexRange, IndexSort, IndexValue, Result};

/// What is done with each id.
pub(super) type VisitId<'v> = &'v mut dyn FnMut(&str) -> Result<ControlFlow<()>>;

/// Where in the index is looked.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexPath {
    pub(super) kind: Number,
    pub(super) path: Number,
}

/// Visits the ids of the matches, each once, those of the page.
pub(super) fn visit_ids(
    connection: &Connection,
    place: IndexPath,
    range: &IndexRange,
    page: &IndexPage,
    visit: VisitId<'_>,
) -> Result<()> {
    let mut left_out = 0;
    let mut visited = 0;
    if page.limit == Some(0) {
        return Ok(());
    }
    let mut in_page = |id: &str| {
        if left_out < page.offset {
            left_out += 1;
            return Ok(ControlFlow::Continue(()));
        }
        visited += 1;
        let flow = visit(id)?;
        Ok(if page.limit == Some(visited) { ControlFlow::Break(()) } else { flow })
    };
    match (page.sort, range, &page.after) {
        (IndexSort::Id, _, Some(After::Value(..))) | (IndexSort::Value, _, Some(After::Id(_))) => {
            Err(Error::Invalid("a page begins behind a place of its own sort".into()))
        }
        (IndexSort::Id, IndexRange::In(values), after) => {
            let after = after.as_ref().map(|after| match after {
                After::Id(id) | After::Value(_, id) => id.as_str(),
            });
            merge_by_id(connection, place, &distinct(values), page.descending, after, &mut in_page)
        }
        (IndexSort::Id, IndexRange::Between(..), _) | (IndexSort::Value, ..) => {
            Query::new(place, range, page).visit(connection, &mut in_page)
        }
    }
}

/// Counts the matches up to `cap`.
pub(super) fn count(connection: &Connection, place: IndexPath, range: &IndexRange, cap: u64) -> Result<u64> {
    let mut query = Query::matching(place, range);
    // With one value no document comes twice.
    let column = match range {
        IndexRange::In(values) if values.len() == 1 => "id",
        _ => "DISTINCT id",
    };
    query.parameters.push(Value::Integer(i64::try_from(cap).unwrap_or(i64::MAX)));
    let limit = query.parameters.len();
    let mut statement = connection.prepare_cached(&format!(
        "SELECT count(*) FROM (SELECT {column} FROM indexed WHERE {} LIMIT ?{limit})",
        query.condition
    ))?;
    let count: i64 = statement.query_row(params_from_iter(query.parameters), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Matches of several values by id: the rows of one value are sorted by id, so they only need merging.
fn merge_by_id(
    connection: &Connection,
    place: IndexPath,
    values: &[Value],
    descending: bool,
    after: Option<&str>,
    visit: VisitId<'_>,
) -> Result<()> {
    let (comparison, sort) = if descending { ("<", "DESC") } else { (">", "ASC") };
    let from = if after.is_some() { format!("AND id {comparison} ?4") } else { String::new() };
    let sql = format!(
        "SELECT id FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3 {from} ORDER BY id {sort}"
    );
    let mut statements = Vec::with_capacity(values.len());
    for _ in values {
        statements.push(connection.prepare_cached(&sql)?);
    }
    let mut sources = Vec::with_capacity(values.len());
    for (statement, value) in statements.iter_mut().zip(values) {
        sources.extend(Source::open(statement, place, value, after)?);
    }
    loop {
        let next = if descending {
            sources.iter().map(|source| &source.head).max()
        } else {
            sources.iter().map(|source| &source.head).min()
        };
        let Some(next) = next.cloned() else { return Ok(()) };
        if visit(&next)?.is_break() {
            return Ok(());
        }
        let mut index = 0;
        while let Some(source) = sources.get_mut(index) {
            if source.head == next && !source.advance()? {
                sources.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }
}

/// The ids of one value, and the first of them that was not visited yet.
struct Source<'s> {
    rows: Rows<'s>,
    head: String,
}

impl<'s> Source<'s> {
    fn open(
        statement: &'s mut CachedStatement<'_>,
        place: IndexPath,
        value: &Value,
        after: Option<&str>,
    ) -> Result<Option<Self>> {
        let rows = match after {
            Some(after) => statement.query((place.kind, place.path, value, after))?,
            None => statement.query((place.kind, place.path, value))?,
        };
        let mut source = Source { rows, head: String::new() };
        Ok(source.advance()?.then_some(source))
    }

    fn advance(&mut self) -> Result<bool> {
        let Some(row) = self.rows.next()? else { return Ok(false) };
        self.head = row.get(0)?;
        Ok(true)
    }
}

/// A lookup that is one statement.
struct Query {
    condition: String,
    parameters: Vec<Value>,
    /// `DISTINCT id` where SQLite sorts by id itself.
    column: &'static str,
    sort: &'static str,
}

impl Query {
    /// What matches, without a page.
    fn matching(place: IndexPath, range: &IndexRange) -> Self {
        let mut query = Query {
            condition: "kind = ?1 AND path = ?2".to_owned(),
            parameters: vec![Value::Integer(place.kind.into()), Value::Integer(place.path.into())],
            column: "id",
            sort: "",
        };
        match range {
            IndexRange::In(values) => {
                let values = distinct(values);
                let places: Vec<_> = values.into_iter().map(|value| query.parameter(value)).collect();
                query.condition += &format!(" AND value IN ({})", places.join(", "));
            }
            IndexRange::Between(lower, upper) => {
                match lower {
                    Bound::Included(value) => query.compare("value >=", value),
                    Bound::Excluded(value) => query.compare("value >", value),
                    // Text sorts behind numbers, so the empty text parts the two.
                    Bound::Unbounded if is_text(upper) => query.condition += " AND value >= ''",
                    Bound::Unbounded => {}
                }
                match upper {
                    Bound::Included(value) => query.compare("value <=", value),
                    Bound::Excluded(value) => query.compare("value <", value),
                    Bound::Unbounded if is_number(lower) => query.condition += " AND value < ''",
                    Bound::Unbounded => {}
                }
            }
        }
        query
    }

    /// What matches, from where the page begins, sorted as it is.
    fn new(place: IndexPath, range: &IndexRange, page: &IndexPage) -> Self {
        let mut query = Query::matching(place, range);
        (query.column, query.sort) = match (page.sort, page.descending) {
            (IndexSort::Id, false) => ("DISTINCT id", "id ASC"),
            (IndexSort::Id, true) => ("DISTINCT id", "id DESC"),
            (IndexSort::Value, false) => ("id", "value ASC, id ASC"),
            (IndexSort::Value, true) => ("id", "value DESC, id DESC"),
        };
        let comparison = if page.descending { "<" } else { ">" };
        match &page.after {
            Some(After::Id(id)) => {
                let id = query.parameter(Value::Text(id.clone()));
                query.condition += &format!(" AND id {comparison} {id}");
            }
            Some(After::Value(value, id)) => {
                let value = index_value(value).unwrap_or(Value::Null);
                let value = query.parameter(value);
                let id = query.parameter(Value::Text(id.clone()));
                query.condition += &format!(" AND (value, id) {comparison} ({value}, {id})");
            }
            None => {}
        }
        query
    }

    fn parameter(&mut self, value: Value) -> String {
        self.parameters.push(value);
        format!("?{}", self.parameters.len())
    }

    /// A bound that is no value lets nothing through: comparing with NULL is never true.
    fn compare(&mut self, comparison: &str, value: &IndexValue) {
        let value = self.parameter(index_value(value).unwrap_or(Value::Null));
        self.condition += &format!(" AND {comparison} {value}");
    }

    fn visit(self, connection: &Connection, visit: VisitId<'_>) -> Result<()> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM indexed WHERE {} ORDER BY {}",
            self.column, self.condition, self.sort
        ))?;
        let mut rows = statement.query(params_from_iter(self.parameters))?;
        let mut seen = HashSet::new();
        while let Some(row) = rows.next()? {
            let id = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            // A document with several values in the range has several rows.
            if self.column == "id" {
                if seen.contains(id) {
                    continue;
                }
                seen.insert(Box::<str>::from(id));
            }
            if visit(id)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The values that can stand in the index, each once.
fn distinct(values: &[IndexValue]) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::with_capacity(values.len());
    for value in values.iter().filter_map(index_value) {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

fn is_text(bound: &Bound<IndexValue>) -> bool {
    matches!(bound, Bound::Included(IndexValue::Text(_)) | Bound::Excluded(IndexValue::Text(_)))
}

fn is_number(bound: &Bound<IndexValue>) -> bool {
    !is_text(bound) && !matches!(bound, Bound::Unbounded)
}
