//! The stored JSON form of an entry, which the reference evaluator reads.

use kontor_json::{Value as Json, json};
use kontor_search::{Entry, Field, Kind, Level, Node, NodeValue, Value};
use std::sync::Arc;

/// The kinds of fields and their letters.
const KINDS: [(Kind, &str); 7] = [
    (Kind::Boolean, "b"),
    (Kind::Long, "l"),
    (Kind::Double, "d"),
    (Kind::Time, "t"),
    (Kind::Keyword, "k"),
    (Kind::Id, "i"),
    (Kind::Text, "x"),
];

/// Returns the nodes of an entry as `{label, values: [[name, language, kind, value]], children}`.
pub(crate) fn write(node: &Node) -> Json {
    let values: Vec<Json> = node
        .values
        .iter()
        .map(|value| {
            let field = &value.field;
            let kind = KINDS.iter().find(|(kind, _)| *kind == field.kind).map_or("", |(_, letter)| letter);
            json!([&*field.name, field.language.as_deref(), kind, plain(&value.value)])
        })
        .collect();
    let children: Vec<Json> = node.children.iter().map(write).collect();
    json!({"label": node.label, "values": values, "children": children})
}

/// Parses the entry of an id; `None` for invalid JSON.
pub(crate) fn read(id: &str, written: &Json) -> Option<Entry> {
    Some(Entry { id: id.to_owned(), root: node(written, Level::Root)? })
}

fn node(written: &Json, level: Level) -> Option<Node> {
    let below = match level {
        Level::Root => Level::Child,
        Level::Child | Level::Grandchild => Level::Grandchild,
    };
    let values = written.get("values")?.as_array()?.iter().map(|value| value_of(value, level));
    let children = written.get("children")?.as_array()?.iter().map(|child| node(child, below));
    Some(Node {
        label: written.get("label")?.as_str()?.to_owned(),
        values: values.collect::<Option<_>>()?,
        children: children.collect::<Option<_>>()?,
    })
}

fn value_of(written: &Json, level: Level) -> Option<NodeValue> {
    let [name, language, kind, value] = written.as_array()?.as_slice() else { return None };
    let letter = kind.as_str()?;
    let (kind, _) = KINDS.into_iter().find(|(_, other)| *other == letter)?;
    let value = match kind {
        Kind::Boolean => Value::Boolean(value.as_bool()?),
        Kind::Long => Value::Long(value.as_i64()?),
        Kind::Time => Value::Time(value.as_i64()?),
        Kind::Double => Value::Double(value.as_f64()?),
        Kind::Keyword | Kind::Id | Kind::Text => Value::Text(value.as_str()?.to_owned()),
    };
    let field =
        Field { name: name.as_str()?.into(), language: language.as_str().map(Arc::from), level, kind };
    Some(NodeValue { field, value })
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Boolean(value) => Json::from(*value),
        Value::Long(value) | Value::Time(value) => Json::from(*value),
        Value::Double(value) => Json::from(*value),
        Value::Text(text) => Json::from(text.as_str()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let value = |level, kind, value| NodeValue {
            field: Field { name: "a.b".into(), language: Some("en".into()), level, kind },
            value,
        };
        let grandchild = Node {
            values: vec![
                value(Level::Grandchild, Kind::Double, Value::Double(1.0)),
                value(Level::Grandchild, Kind::Long, Value::Long(i64::MIN)),
            ],
            ..Node::default()
        };
        let child = Node {
            label: r#"{"id":1}"#.to_owned(),
            values: vec![value(Level::Child, Kind::Boolean, Value::Boolean(false))],
            children: vec![grandchild],
        };
        let values = vec![
            value(Level::Root, Kind::Text, Value::Text("ä".into())),
            value(Level::Root, Kind::Time, Value::Time(-1)),
        ];
        let root = Node { values, children: vec![child.clone(), Node::default()], ..Node::default() };
        let written = kontor_json::from_str(&write(&root).to_string()).unwrap();
        assert_eq!(read("x", &written).unwrap(), Entry { id: "x".into(), root });
    }
}
