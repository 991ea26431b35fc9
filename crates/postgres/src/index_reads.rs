//! Index queries, each one statement.

use std::{collections::HashSet, ops::Bound};

use deadpool_postgres::Object;
use kontor_storage::{Error, IndexPage, IndexRange, IndexSort, IndexValue, PageStart, StoredDocument};
use tokio_postgres::types::ToSql;

use crate::{
    reads::{COLUMNS, document_of, stored},
    text::{END, FIRST_TEXT, index_value},
};

/// An indexed path of a project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberedPath<'p> {
    pub(crate) project: &'p str,
    pub(crate) path: i32,
}

/// An index row that matches.
#[derive(Debug, Clone)]
pub(crate) struct DeferredRow {
    /// The value in its column form; empty if the order does not need it.
    pub(crate) value: String,
    pub(crate) id: String,
}

/// Fails for a page whose start belongs to another sort order.
pub(crate) fn check(page: &IndexPage) -> kontor_storage::Result<()> {
    match (page.sort, &page.after) {
        (IndexSort::Id, Some(PageStart::Value(..))) | (IndexSort::Value, Some(PageStart::Id(_))) => {
            Err(Error::Invalid("a page begins behind a place of its own sort".into()))
        }
        _ => Ok(()),
    }
}

/// Returns the ids of the matches on a page, each once.
pub(crate) async fn ids(
    client: &Object,
    path: NumberedPath<'_>,
    range: &IndexRange,
    page: &IndexPage,
) -> Result<Vec<DeferredRow>, tokio_postgres::Error> {
    let after = page.after.as_ref().and_then(page_start);
    let wanted = page.limit.map(|limit| limit.saturating_add(page.offset));
    let mut limit = wanted;
    loop {
        let rows = rows(client, path, range, page, after.as_ref(), limit).await?;
        let is_all = limit.is_none_or(|limit| rows.len() < limit);
        let mut seen = HashSet::new();
        // A document with several values in the range has several rows.
        let mut found: Vec<DeferredRow> =
            rows.into_iter().filter(|row| seen.insert(row.id.clone())).collect();
        if !is_all && wanted.is_some_and(|wanted| found.len() < wanted) {
            limit = limit.map(|limit| limit.saturating_mul(2));
            continue;
        }
        found.truncate(wanted.unwrap_or(usize::MAX));
        found.drain(..page.offset.min(found.len()));
        return Ok(found);
    }
}

/// Returns the position in the index after which a page begins. The value is empty if rows are sorted by id.
pub(crate) fn page_start(after: &PageStart) -> Option<DeferredRow> {
    match after {
        PageStart::Id(id) => Some(DeferredRow { value: String::new(), id: id.clone() }),
        // Nothing follows a value that cannot be indexed.
        PageStart::Value(value, id) => {
            let value = index_value(value).unwrap_or_else(|| END.to_owned());
            Some(DeferredRow { value, id: id.clone() })
        }
    }
}

/// Returns rows in the order of the page, after a position. Sorted by id each document occurs once, sorted by
/// value once for each value.
pub(crate) async fn rows(
    client: &Object,
    path: NumberedPath<'_>,
    range: &IndexRange,
    page: &IndexPage,
    after: Option<&DeferredRow>,
    limit: Option<usize>,
) -> Result<Vec<DeferredRow>, tokio_postgres::Error> {
    let (sql, parameters) = select_statement(path, range, page, after, limit);
    let statement = client.prepare_cached(&sql).await?;
    let rows = client.query(&statement, &as_parameters(&parameters)).await?;
    rows.iter().map(|row| Ok(DeferredRow { id: row.try_get(0)?, value: row.try_get(1)? })).collect()
}

/// Returns the first documents of a page that is sorted by id, up to a number, by one statement.
pub(crate) async fn first_documents(
    client: &Object,
    path: NumberedPath<'_>,
    kind: &str,
    (range, page): (&IndexRange, &IndexPage),
    limit: usize,
) -> Result<Vec<StoredDocument>, tokio_postgres::Error> {
    debug_assert!(page.sort == IndexSort::Id, "a document comes once");
    let after = page.after.as_ref().and_then(page_start);
    let (sql, mut parameters) = select_statement(path, range, page, after.as_ref(), Some(limit));
    parameters.push(Box::new(kind.to_owned()));
    let document = document_of(&format!("${}", parameters.len()), "f.id");
    let sort = if page.descending { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT {COLUMNS} FROM ({sql}) f (id, value) CROSS JOIN LATERAL {document} d ORDER BY f.id {sort}"
    );
    let statement = client.prepare_cached(&sql).await?;
    client.query(&statement, &as_parameters(&parameters)).await?.iter().map(stored).collect()
}

/// The values of a statement's parameters.
type OwnedParameters = Vec<Parameter>;
type Parameter = Box<dyn ToSql + Sync + Send>;

fn as_parameters(values: &[Parameter]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
}

/// Returns the statement of [`rows`], which returns id and value, and its parameters, of which the project is
/// the first.
fn select_statement(
    path: NumberedPath<'_>,
    range: &IndexRange,
    page: &IndexPage,
    after: Option<&DeferredRow>,
    limit: Option<usize>,
) -> (String, OwnedParameters) {
    let limit = limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let by_id = page.sort == IndexSort::Id;
    let (comparison, sort) = if page.descending { ("<", "DESC") } else { (">", "ASC") };
    let mut query = RangeQuery::matching(path, range);
    let limit = query.parameter(limit, "int8");
    if let Some(DeferredRow { value, id }) = after {
        let id = query.parameter(id.clone(), "text");
        if by_id {
            query.condition += &format!(" AND r.id {comparison} {id}");
        } else {
            let value = query.parameter(value.clone(), "text");
            query.condition += &format!(" AND (r.value, r.id) {comparison} ({value}, {id})");
        }
    }
    let RangeQuery { mut condition, parameters, values } = query;
    if let (false, SelectedValues::Several(values)) = (by_id, &values) {
        condition += &format!(" AND r.value = ANY ({values}::text[])");
    }
    let sql = match (by_id, values) {
        (false, _) => format!(
            "SELECT r.id, r.value FROM kontor.index_rows r WHERE {condition}
             ORDER BY r.value {sort}, r.id {sort} LIMIT {limit}"
        ),
        // The rows of each value are sorted by id already, and no more than the limit of each are needed.
        (true, SelectedValues::Several(values)) => format!(
            "SELECT DISTINCT f.id, '' FROM unnest({values}) v (value) CROSS JOIN LATERAL (
                 SELECT r.id FROM kontor.index_rows r WHERE {condition} AND r.value = v.value
                 ORDER BY r.id {sort} LIMIT {limit}) f
             ORDER BY f.id {sort} LIMIT {limit}"
        ),
        (true, SelectedValues::One) => format!(
            "SELECT r.id, '' FROM kontor.index_rows r WHERE {condition} ORDER BY r.id {sort} LIMIT {limit}"
        ),
        (true, SelectedValues::Range) => format!(
            "SELECT DISTINCT r.id, '' FROM kontor.index_rows r WHERE {condition}
             ORDER BY r.id {sort} LIMIT {limit}"
        ),
    };
    (sql, parameters)
}

/// Counts the matches up to `cap`.
pub(crate) async fn count(
    client: &Object,
    path: NumberedPath<'_>,
    range: &IndexRange,
    cap: u64,
) -> Result<u64, tokio_postgres::Error> {
    let mut query = RangeQuery::matching(path, range);
    let cap = query.parameter(i64::try_from(cap).unwrap_or(i64::MAX), "int8");
    let RangeQuery { mut condition, parameters, values } = query;
    // With a single value no document occurs twice.
    let column = if matches!(values, SelectedValues::One) { "r.id" } else { "DISTINCT r.id" };
    if let SelectedValues::Several(values) = values {
        condition += &format!(" AND r.value = ANY ({values}::text[])");
    }
    let sql = format!(
        "SELECT count(*) FROM (SELECT {column} FROM kontor.index_rows r WHERE {condition} LIMIT {cap}) f"
    );
    let statement = client.prepare_cached(&sql).await?;
    let parameters: Vec<_> = parameters.iter().map(|parameter| &**parameter as &(dyn ToSql + Sync)).collect();
    let count: i64 = client.query_one(&statement, &parameters).await?.try_get(0)?;
    Ok(count.unsigned_abs())
}

/// The values that a range selects.
enum SelectedValues {
    One,
    /// These values, which are not part of the condition.
    Several(String),
    Range,
}

/// The condition of a range over rows `r`, and its parameters.
struct RangeQuery {
    condition: String,
    parameters: OwnedParameters,
    values: SelectedValues,
}

impl RangeQuery {
    fn matching(numbered_path: NumberedPath<'_>, range: &IndexRange) -> Self {
        let condition = "r.project = $1 AND r.path = $2".to_owned();
        let parameters: OwnedParameters =
            vec![Box::new(numbered_path.project.to_owned()), Box::new(numbered_path.path)];
        let mut query = RangeQuery { condition, parameters, values: SelectedValues::Range };
        match range {
            IndexRange::In(values) => {
                let mut columns: Vec<String> = values.iter().filter_map(index_value).collect();
                columns.sort_unstable();
                columns.dedup();
                if let [_] = columns.as_slice() {
                    let value = query.parameter(columns.pop(), "text");
                    query.condition += &format!(" AND r.value = {value}");
                    query.values = SelectedValues::One;
                } else {
                    let columns = query.parameter(columns, "text[]");
                    query.values = SelectedValues::Several(columns);
                }
            }
            IndexRange::Between(lower, upper) => {
                match lower {
                    Bound::Included(value) => query.compare("r.value >=", value),
                    Bound::Excluded(value) => query.compare("r.value >", value),
                    Bound::Unbounded if is_text(upper) => {
                        query.condition += &format!(" AND r.value >= '{FIRST_TEXT}'");
                    }
                    Bound::Unbounded => {}
                }
                match upper {
                    Bound::Included(value) => query.compare("r.value <=", value),
                    Bound::Excluded(value) => query.compare("r.value <", value),
                    Bound::Unbounded if is_number(lower) => {
                        query.condition += &format!(" AND r.value < '{FIRST_TEXT}'");
                    }
                    Bound::Unbounded => {}
                }
            }
        }
        query
    }

    /// Adds a parameter, hidden in a subquery: a visible value would make the server plan the statement at
    /// each execution.
    fn parameter(&mut self, value: impl ToSql + Sync + Send + 'static, as_type: &str) -> String {
        self.parameters.push(Box::new(value));
        format!("(SELECT ${}::{as_type})", self.parameters.len())
    }

    /// Adds a comparison. A bound that cannot be indexed matches nothing: comparing with NULL is never true.
    fn compare(&mut self, comparison: &str, value: &IndexValue) {
        let value = self.parameter(index_value(value), "text");
        self.condition += &format!(" AND {comparison} {value}");
    }
}

fn is_text(bound: &Bound<IndexValue>) -> bool {
    matches!(bound, Bound::Included(IndexValue::Text(_)) | Bound::Excluded(IndexValue::Text(_)))
}

fn is_number(bound: &Bound<IndexValue>) -> bool {
    !is_text(bound) && !matches!(bound, Bound::Unbounded)
}
