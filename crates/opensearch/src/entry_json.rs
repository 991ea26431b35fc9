//! The stored JSON form of an entry, which the reference evaluator reads.

use kontor_json::{Value as Json, json};
use kontor_search::{EntryNode, FieldKind, FieldLevel, NodeValue, SearchEntry, SearchField, SearchValue};
use std::sync::Arc;

/// The kinds of fields and their letters.
const KINDS: [(FieldKind, &str); 7] = [
    (FieldKind::Boolean, "b"),
    (FieldKind::Long, "l"),
    (FieldKind::Double, "d"),
    (FieldKind::Time, "t"),
    (FieldKind::Keyword, "k"),
    (FieldKind::Id, "i"),
    (FieldKind::Text, "x"),
];

/// Returns the nodes of an entry as `{label, values: [[name, language, kind, value]], children}`.
pub(crate) fn write(node: &EntryNode) -> Json {
    let values: Vec<Json> = node
        .values
        .iter()
        .map(|value| {
            let field = &value.field;
            let kind = KINDS.iter().find(|(kind, _)| *kind == field.kind).map_or("", |(_, letter)| letter);
            json!([&*field.name, field.language.as_deref(), kind, value_json(&value.value)])
        })
        .collect();
    let children: Vec<Json> = node.children.iter().map(write).collect();
    json!({"label": node.label, "values": values, "children": children})
}

/// Parses the entry of an id; `None` for invalid JSON.
pub(crate) fn read(id: &str, written: &Json) -> Option<SearchEntry> {
    Some(SearchEntry { id: id.to_owned(), root: node(written, FieldLevel::Root)? })
}

fn node(written: &Json, level: FieldLevel) -> Option<EntryNode> {
    let below = match level {
        FieldLevel::Root => FieldLevel::Child,
        FieldLevel::Child | FieldLevel::Grandchild => FieldLevel::Grandchild,
    };
    let values = written.get("values")?.as_array()?.iter().map(|value| value_of(value, level));
    let children = written.get("children")?.as_array()?.iter().map(|child| node(child, below));
    Some(EntryNode {
        label: written.get("label")?.as_str()?.to_owned(),
        values: values.collect::<Option<_>>()?,
        children: children.collect::<Option<_>>()?,
    })
}

fn value_of(written: &Json, level: FieldLevel) -> Option<NodeValue> {
    let [name, language, kind, value] = written.as_array()?.as_slice() else { return None };
    let letter = kind.as_str()?;
    let (kind, _) = KINDS.into_iter().find(|(_, other)| *other == letter)?;
    let value = match kind {
        FieldKind::Boolean => SearchValue::Boolean(value.as_bool()?),
        FieldKind::Long => SearchValue::Long(value.as_i64()?),
        FieldKind::Time => SearchValue::Time(value.as_i64()?),
        FieldKind::Double => SearchValue::Double(value.as_f64()?),
        FieldKind::Keyword | FieldKind::Id | FieldKind::Text => SearchValue::Text(value.as_str()?.to_owned()),
    };
    let field =
        SearchField { name: name.as_str()?.into(), language: language.as_str().map(Arc::from), level, kind };
    Some(NodeValue { field, value })
}

fn value_json(value: &SearchValue) -> Json {
    match value {
        SearchValue::Boolean(value) => Json::from(*value),
        SearchValue::Long(value) | SearchValue::Time(value) => Json::from(*value),
        SearchValue::Double(value) => Json::from(*value),
        SearchValue::Text(text) => Json::from(text.as_str()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let value = |level, kind, value| NodeValue {
            field: SearchField { name: "a.b".into(), language: Some("en".into()), level, kind },
            value,
        };
        let grandchild = EntryNode {
            values: vec![
                value(FieldLevel::Grandchild, FieldKind::Double, SearchValue::Double(1.0)),
                value(FieldLevel::Grandchild, FieldKind::Long, SearchValue::Long(i64::MIN)),
            ],
            ..EntryNode::default()
        };
        let child = EntryNode {
            label: r#"{"id":1}"#.to_owned(),
            values: vec![value(FieldLevel::Child, FieldKind::Boolean, SearchValue::Boolean(false))],
            children: vec![grandchild],
        };
        let values = vec![
            value(FieldLevel::Root, FieldKind::Text, SearchValue::Text("ä".into())),
            value(FieldLevel::Root, FieldKind::Time, SearchValue::Time(-1)),
        ];
        let root =
            EntryNode { values, children: vec![child.clone(), EntryNode::default()], ..EntryNode::default() };
        let written = kontor_json::from_str(&write(&root).to_string()).unwrap();
        assert_eq!(read("x", &written).unwrap(), SearchEntry { id: "x".into(), root });
    }
}
