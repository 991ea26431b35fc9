//! Converts sort criteria into those of OpenSearch.

use crate::cases::cases;
use crate::column::{self, Column, Columns};
use crate::formula::{Levels, always, below, never, simplified};
use kontor_json::{Value as Json, json};
use kontor_search::{Field, IndexError, Kind, Level, Query, Sort, SortBy, SortMode};

/// The OpenSearch form of a sort criterion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Criterion {
    /// A JSON criterion.
    Told(Json),
    /// None is needed: no entry has a value.
    Idle,
    /// OpenSearch cannot express it.
    Untold,
}

/// Returns all criteria, with the id as the last one; `None` if OpenSearch cannot express one of them.
pub(crate) fn criteria(sorts: &[Sort], columns: &Columns) -> Result<Option<Vec<Json>>, IndexError> {
    let mut all = Vec::new();
    for sort in sorts {
        match criterion(sort, columns)? {
            Criterion::Told(criterion) => all.push(criterion),
            Criterion::Idle => {}
            Criterion::Untold => return Ok(None),
        }
    }
    if sorts.is_empty() {
        all.push(json!({"_score": {"order": "desc"}}));
    }
    all.push(json!({"id": {"order": "asc"}}));
    Ok(Some(all))
}

fn criterion(sort: &Sort, columns: &Columns) -> Result<Criterion, IndexError> {
    let order = if sort.descending { "desc" } else { "asc" };
    let SortBy::Field(field) = &sort.by else {
        return Ok(Criterion::Told(json!({"_score": {"order": order}})));
    };
    let adds_up = matches!(sort.mode, Some(SortMode::Avg | SortMode::Sum));
    if adds_up && !matches!(field.kind, Kind::Long | Kind::Double) {
        return Ok(Criterion::Idle);
    }
    let path = match columns.find(field) {
        Column::At(path) => path,
        Column::Empty => return Ok(Criterion::Idle),
        Column::Missing => return Ok(Criterion::Untold),
    };
    let filter = sort.filter.as_ref().map_or_else(always, simplified);
    if filter == never() {
        return Ok(Criterion::Idle);
    }
    let Some(nested) = nodes(field, &filter)? else { return Ok(Criterion::Untold) };
    let mode = match sort.mode {
        Some(SortMode::Min) => "min",
        Some(SortMode::Avg) => "avg",
        Some(SortMode::Sum) => "sum",
        Some(SortMode::Max) => "max",
        None if sort.descending => "max",
        None => "min",
    };
    let mut told = json!({"order": order, "mode": mode, "missing": "_last", "unmapped_type": "long"});
    if adds_up {
        // Otherwise the mean of integers would be rounded.
        told["numeric_type"] = "double".into();
    }
    if nested != Json::Null {
        told["nested"] = nested;
    }
    Ok(Criterion::Told(json!({path: told})))
}

/// Returns the chain down to the nodes whose values count, empty for the root; `None` if OpenSearch cannot
/// express it.
fn nodes(field: &Field, filter: &Query) -> Result<Option<Json>, IndexError> {
    if field.level == Level::Root {
        return Ok((*filter == always()).then_some(Json::Null));
    }
    if Levels::of(filter).has(Level::Root) {
        return Ok(None);
    }
    if field.level == Level::Child {
        return Ok(Some(nodes_of(Level::Child, &below(filter, Level::Child)?)));
    }
    Ok(match cases(filter, Level::Child)?.as_deref() {
        Some([case]) => {
            let mut nested = nodes_of(Level::Child, &case.nodes);
            nested["nested"] = nodes_of(Level::Grandchild, &below(&case.rest, Level::Grandchild)?);
            Some(nested)
        }
        _ => None,
    })
}

/// Returns the nodes of a level that match a filter. In sorts, OpenSearch does not restrict the level itself.
fn nodes_of(level: Level, filter: &Json) -> Json {
    let is_one = json!({"term": {column::at(level, "level"): {"value": column::level(level)}}});
    json!({"path": column::path(level), "filter": {"bool": {"filter": [is_one, filter]}}})
}
