//! Index queries. They stream their matches and never collect them first. Start at [`visit_ids`].

use std::{
    collections::{HashSet, VecDeque},
    ops::{Bound, ControlFlow},
};

use rusqlite::{CachedStatement, Connection, params_from_iter, types::Value};

use super::{entries::index_value, name_number::NameNumber};
use crate::{Error, IndexPage, IndexRange, IndexSort, IndexValue, PageStart, Result};

/// Number of ids of one value that are read at once, at first and at most.
const IDS_READ_MIN: usize = 8;
const IDS_READ_MAX: usize = 256;

/// A callback for each id.
pub(super) type VisitId<'v> = &'v mut dyn FnMut(&str) -> Result<ControlFlow<()>>;

/// An indexed path of a kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberedPath {
    pub(super) kind: NameNumber,
    pub(super) path: NameNumber,
}

/// Visits the ids of the matches on a page, each once.
pub(super) fn visit_ids(
    connection: &Connection,
    path: NumberedPath,
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
        (IndexSort::Id, _, Some(PageStart::Value(..))) | (IndexSort::Value, _, Some(PageStart::Id(_))) => {
            Err(Error::Invalid("a page begins behind a place of its own sort".into()))
        }
        (IndexSort::Id, IndexRange::In(values), after) => {
            let after = after.as_ref().map(|after| match after {
                PageStart::Id(id) | PageStart::Value(_, id) => id.as_str(),
            });
            merge_by_id(connection, path, &distinct(values), page.descending, after, &mut in_page)
        }
        (IndexSort::Id, IndexRange::Between(..), _) | (IndexSort::Value, ..) => {
            IndexStatement::new(path, range, page).visit(connection, &mut in_page)
        }
    }
}

/// Counts the matches up to `cap`.
pub(super) fn count(
    connection: &Connection,
    path: NumberedPath,
    range: &IndexRange,
    cap: u64,
) -> Result<u64> {
    let mut query = IndexStatement::matching(path, range);
    // With a single value no document occurs twice.
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

/// Visits matches of several values by id: the rows of one value are sorted by id, so they only need merging.
/// All values share one statement, since preparing one often takes longer than running it; the caller ensures
/// one snapshot.
fn merge_by_id(
    connection: &Connection,
    path: NumberedPath,
    values: &[Value],
    descending: bool,
    after: Option<&str>,
    visit: VisitId<'_>,
) -> Result<()> {
    let mut read = ReadIds::prepare(connection, path, descending)?;
    let mut sources = Vec::with_capacity(values.len());
    for value in values {
        sources.extend(ValueCursor::open(&mut read, value, after)?);
    }
    loop {
        let heads = sources.iter().map(|source| &source.head);
        let next = if descending { heads.max() } else { heads.min() };
        let Some(next) = next.cloned() else { return Ok(()) };
        if visit(&next)?.is_break() {
            return Ok(());
        }
        let mut index = 0;
        while let Some(source) = sources.get_mut(index) {
            if source.head == next && !source.advance(&mut read)? {
                sources.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }
}

/// Reads ids of a value: the first ones, or those after an id.
struct ReadIds<'c> {
    place: NumberedPath,
    first: CachedStatement<'c>,
    behind: CachedStatement<'c>,
}

impl<'c> ReadIds<'c> {
    fn prepare(connection: &'c Connection, path: NumberedPath, descending: bool) -> Result<Self> {
        let (comparison, sort) = if descending { ("<", "DESC") } else { (">", "ASC") };
        let of = "SELECT id FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3";
        let first = format!("{of} ORDER BY id {sort} LIMIT ?4");
        let behind = format!("{of} AND id {comparison} ?5 ORDER BY id {sort} LIMIT ?4");
        Ok(Self {
            place: path,
            first: connection.prepare_cached(&first)?,
            behind: connection.prepare_cached(&behind)?,
        })
    }

    fn read(&mut self, value: &Value, after: Option<&str>, limit: usize) -> Result<VecDeque<String>> {
        let NumberedPath { kind, path } = self.place;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut rows = match after {
            Some(after) => self.behind.query((kind, path, value, limit, after))?,
            None => self.first.query((kind, path, value, limit))?,
        };
        let mut ids = VecDeque::new();
        while let Some(row) = rows.next()? {
            ids.push_back(row.get(0)?);
        }
        Ok(ids)
    }
}

/// The ids of one value, from the first that was not visited yet.
struct ValueCursor<'v> {
    value: &'v Value,
    head: String,
    /// The ids after it that were read already.
    read: VecDeque<String>,
    /// The number of ids read at once, doubled each time. Fewer results mean the end.
    limit: usize,
    is_at_end: bool,
}

impl<'v> ValueCursor<'v> {
    fn open(read: &mut ReadIds<'_>, value: &'v Value, after: Option<&str>) -> Result<Option<Self>> {
        let head = String::new();
        let ids = read.read(value, after, IDS_READ_MIN)?;
        let is_at_end = ids.len() < IDS_READ_MIN;
        let mut source = ValueCursor { value, head, read: ids, limit: IDS_READ_MIN, is_at_end };
        Ok(source.advance(read)?.then_some(source))
    }

    fn advance(&mut self, read: &mut ReadIds<'_>) -> Result<bool> {
        if self.read.is_empty() && !self.is_at_end {
            self.limit = (2 * self.limit).min(IDS_READ_MAX);
            self.read = read.read(self.value, Some(&self.head), self.limit)?;
            self.is_at_end = self.read.len() < self.limit;
        }
        let Some(next) = self.read.pop_front() else { return Ok(false) };
        self.head = next;
        Ok(true)
    }
}

/// A query that is one statement.
struct IndexStatement {
    condition: String,
    parameters: Vec<Value>,
    /// `DISTINCT id` if SQLite sorts by id itself.
    column: &'static str,
    sort: &'static str,
}

impl IndexStatement {
    /// Returns the query for all matches, without a page.
    fn matching(numbered_path: NumberedPath, range: &IndexRange) -> Self {
        let mut query = IndexStatement {
            condition: "kind = ?1 AND path = ?2".to_owned(),
            parameters: vec![
                Value::Integer(numbered_path.kind.into()),
                Value::Integer(numbered_path.path.into()),
            ],
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
                    // Text sorts after numbers, so the empty text separates the two.
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

    /// Returns the query for the matches of a page, in its order.
    fn new(path: NumberedPath, range: &IndexRange, page: &IndexPage) -> Self {
        let mut query = IndexStatement::matching(path, range);
        (query.column, query.sort) = match (page.sort, page.descending) {
            (IndexSort::Id, false) => ("DISTINCT id", "id ASC"),
            (IndexSort::Id, true) => ("DISTINCT id", "id DESC"),
            (IndexSort::Value, false) => ("id", "value ASC, id ASC"),
            (IndexSort::Value, true) => ("id", "value DESC, id DESC"),
        };
        let comparison = if page.descending { "<" } else { ">" };
        match &page.after {
            Some(PageStart::Id(id)) => {
                let id = query.parameter(Value::Text(id.clone()));
                query.condition += &format!(" AND id {comparison} {id}");
            }
            Some(PageStart::Value(value, id)) => {
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

    /// Adds a comparison. A bound that cannot be indexed matches nothing: comparing with NULL is never true.
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

/// Returns the distinct values that the index can contain.
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
