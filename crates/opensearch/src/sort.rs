//! Converts sort criteria into those of OpenSearch.

use crate::cases::cases;
use crate::column::{self, ColumnSet, FieldColumn};
use crate::formula::{LevelSet, always, never, nodes_query, simplify};
use kontor_json::{Value as Json, json};
use kontor_search::{FieldKind, FieldLevel, HitSort, IndexError, SearchField, SearchQuery, SortBy, SortMode};

/// The OpenSearch form of a sort criterion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SortCriterion {
    /// A JSON criterion.
    Json(Json),
    /// None is needed: no entry has a value.
    Idle,
    /// OpenSearch cannot express it.
    Unsupported,
}

/// Returns all criteria, with the id as the last one; `None` if OpenSearch cannot express one of them.
pub(crate) fn criteria(sorts: &[HitSort], columns: &ColumnSet) -> Result<Option<Vec<Json>>, IndexError> {
    let mut all = Vec::new();
    for sort in sorts {
        match criterion(sort, columns)? {
            SortCriterion::Json(criterion) => all.push(criterion),
            SortCriterion::Idle => {}
            SortCriterion::Unsupported => return Ok(None),
        }
    }
    if sorts.is_empty() {
        all.push(json!({"_score": {"order": "desc"}}));
    }
    all.push(json!({"id": {"order": "asc"}}));
    Ok(Some(all))
}

fn criterion(sort: &HitSort, columns: &ColumnSet) -> Result<SortCriterion, IndexError> {
    let order = if sort.descending { "desc" } else { "asc" };
    let SortBy::Field(field) = &sort.by else {
        return Ok(SortCriterion::Json(json!({"_score": {"order": order}})));
    };
    let adds_up = matches!(sort.mode, Some(SortMode::Avg | SortMode::Sum));
    if adds_up && !matches!(field.kind, FieldKind::Long | FieldKind::Double) {
        return Ok(SortCriterion::Idle);
    }
    let path = match columns.find(field) {
        FieldColumn::At(path) => path,
        FieldColumn::Empty => return Ok(SortCriterion::Idle),
        FieldColumn::Missing => return Ok(SortCriterion::Unsupported),
    };
    let filter = sort.filter.as_ref().map_or_else(always, simplify);
    if filter == never() {
        return Ok(SortCriterion::Idle);
    }
    let Some(nested) = nodes(field, &filter)? else { return Ok(SortCriterion::Unsupported) };
    let mode = match sort.mode {
        Some(SortMode::Min) => "min",
        Some(SortMode::Avg) => "avg",
        Some(SortMode::Sum) => "sum",
        Some(SortMode::Max) => "max",
        None if sort.descending => "max",
        None => "min",
    };
    let mut message_fields =
        json!({"order": order, "mode": mode, "missing": "_last", "unmapped_type": "long"});
    if adds_up {
        // Otherwise the mean of integers would be rounded.
        message_fields["numeric_type"] = "double".into();
    }
    if nested != Json::Null {
        message_fields["nested"] = nested;
    }
    Ok(SortCriterion::Json(json!({path: message_fields})))
}

/// Returns the chain down to the nodes whose values count, empty for the root; `None` if OpenSearch cannot
/// express it.
fn nodes(field: &SearchField, filter: &SearchQuery) -> Result<Option<Json>, IndexError> {
    if field.level == FieldLevel::Root {
        return Ok((*filter == always()).then_some(Json::Null));
    }
    if LevelSet::of_query(filter).contains(FieldLevel::Root) {
        return Ok(None);
    }
    if field.level == FieldLevel::Child {
        return Ok(Some(level_filter(FieldLevel::Child, &nodes_query(filter, FieldLevel::Child)?)));
    }
    Ok(match cases(filter, FieldLevel::Child)?.as_deref() {
        Some([case]) => {
            let mut nested = level_filter(FieldLevel::Child, &case.nodes);
            nested["nested"] =
                level_filter(FieldLevel::Grandchild, &nodes_query(&case.rest, FieldLevel::Grandchild)?);
            Some(nested)
        }
        _ => None,
    })
}

/// Returns the nodes of a level that match a filter. In sorts, OpenSearch does not restrict the level itself.
fn level_filter(level: FieldLevel, filter: &Json) -> Json {
    let is_one = json!({"term": {column::field_path(level, "level"): {"value": column::level(level)}}});
    json!({"path": column::path(level), "filter": {"bool": {"filter": [is_one, filter]}}})
}
