//! Converts an entry into an OpenSearch document: tokens for conditions, columns for sorts and facets, and the entry
//! itself.

use crate::column::{self, COLUMNS, ColumnSet};
use crate::{entry_json, token};
use kontor_json::{Map, Value as Json, json};
use kontor_search::analysis::{fold_case, terms};
use kontor_search::{EntryNode, FieldKind, FieldLevel, SearchEntry, SearchField, SearchValue};
use std::collections::BTreeSet;

/// Returns the document of an entry.
pub(crate) fn entry_document(entry: &SearchEntry, columns: &ColumnSet) -> Json {
    let mut document = node(&entry.root, FieldLevel::Root, columns);
    document.insert("id", Json::from(entry.id.as_str()));
    document.insert("entry", entry_json::write(&entry.root));
    let children: Vec<Json> = entry
        .root
        .children
        .iter()
        .map(|child| {
            let grandchildren: Vec<Json> = child
                .children
                .iter()
                .map(|grandchild| Json::Object(node(grandchild, FieldLevel::Grandchild, columns)))
                .collect();
            let mut child = node(child, FieldLevel::Child, columns);
            child.insert("grandchildren", Json::Array(grandchildren));
            Json::Object(child)
        })
        .collect();
    document.insert("children", Json::Array(children));
    Json::Object(document)
}

/// Returns the fields that have values in the entries and no column in the index yet.
pub(crate) fn fields_without_column(entries: &[SearchEntry], columns: &ColumnSet) -> Vec<SearchField> {
    fn collect_new_fields<'e>(
        node: &'e EntryNode,
        columns: &ColumnSet,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<&'e SearchField>,
    ) {
        for value in &node.values {
            if !columns.contains(&value.field)
                && seen.insert(column::field_path(value.field.level, &column::name(&value.field)))
            {
                found.push(&value.field);
            }
        }
        node.children.iter().for_each(|child| collect_new_fields(child, columns, seen, found));
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    entries.iter().for_each(|entry| collect_new_fields(&entry.root, columns, &mut seen, &mut found));
    found.into_iter().cloned().collect()
}

fn node(node: &EntryNode, level: FieldLevel, columns: &ColumnSet) -> Map {
    let mut fields: BTreeSet<String> = BTreeSet::new();
    let (mut values, mut folded, mut words) = (Vec::new(), Vec::new(), Vec::new());
    let mut cells: Map = Map::new();
    for value in &node.values {
        let field = &value.field;
        fields.insert(token::name(field));
        values.push(token::value(field, &value.value));
        if let SearchValue::Text(text) = &value.value {
            folded.push(token::text(field, &fold_case(text)));
            if field.kind == FieldKind::Text {
                words.extend(
                    terms(field.language.as_deref(), text).iter().map(|term| token::text(field, &term.text)),
                );
            }
        }
        if columns.contains(field)
            && let Json::Array(cells) = cells.entry(column::name(field)).or_insert_with(|| json!([]))
        {
            cells.push(column::cell(&value.value));
        }
    }
    let mut document = Map::new();
    document.insert("level", Json::from(column::level(level)));
    for (name, words) in [
        ("values", json!(values)),
        ("folded", json!(folded)),
        ("terms", json!(words)),
        ("fields", json!(fields)),
    ] {
        document.insert(name, words);
    }
    document.insert(COLUMNS, Json::Object(cells));
    document
}
