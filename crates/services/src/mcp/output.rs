//! The output of tools: fields that are removed or redacted, and tables instead of JSON (reference types
//! `McpServerJsonOutputFiltering`, `McpServerToolOutputFormatting`).

use kontor_json::{Map, Value, json};

/// The default replacement of redacted values (reference).
const REDACTED: &str = "[REDACTED]";
/// The field of a page with its results: paths may also begin inside of it.
const RESULTS: &str = "results";

/// Returns the text of a response, as the configuration of the server wants it.
pub(super) fn text(response: Value, config: Option<&Value>) -> String {
    let filtered = filtered(response, config.and_then(|config| config.get("jsonOutputFiltering")));
    let is_tabular = config.is_some_and(|config| config["toolOutputFormatting"] == "JsonToTabular");
    if is_tabular { tabular(&filtered) } else { filtered.to_string() }
}

/// Returns a response without the fields hidden from agents.
fn filtered(mut reply: Value, filtering: Option<&Value>) -> Value {
    if let Some(filtering) = filtering.filter(|filtering| filtering.is_object()) {
        filter(&mut reply, "", filtering);
    }
    reply
}

fn filter(value: &mut Value, path: &str, filtering: &Value) {
    match value {
        // Paths do not contain the indexes of lists.
        Value::Array(items) => items.iter_mut().for_each(|item| filter(item, path, filtering)),
        Value::Object(fields) => {
            let mut dropped = Vec::new();
            for (name, value) in fields.iter_mut() {
                let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                if names_path(&filtering["fieldPathsToKeep"], &path) {
                    continue;
                }
                if matches(&filtering["drop"], name, &path) {
                    dropped.push(name.clone());
                } else if matches(&filtering["redact"], name, &path) {
                    *value = json!(filtering["redactedWith"].as_str().unwrap_or(REDACTED));
                } else {
                    filter(value, &path, filtering);
                }
            }
            dropped.iter().for_each(|name| drop(fields.shift_remove(name)));
        }
        _ => {}
    }
}

fn matches(matcher: &Value, name: &str, path: &str) -> bool {
    let texts = |field: &str| matcher[field].as_array().into_iter().flatten().filter_map(Value::as_str);
    let lower = name.to_lowercase();
    names_path(&matcher["fieldPaths"], path)
        || texts("fieldNames").any(|known| known == name)
        || texts("fieldNameContains").any(|part| !part.is_empty() && lower.contains(&part.to_lowercase()))
}

/// Returns whether a list of paths contains one: literally, or inside of a page's results.
fn names_path(paths: &Value, path: &str) -> bool {
    let inside = path.strip_prefix(RESULTS).and_then(|rest| rest.strip_prefix('.'));
    let mut paths = paths.as_array().into_iter().flatten().filter_map(Value::as_str);
    paths.any(|known| known == path || Some(known) == inside)
}

/// Returns a response as a table: a line of names, then a line for each object, separated by tabs. Other
/// fields of a page precede its results.
fn tabular(response: &Value) -> String {
    match response {
        Value::Object(page) if page.get(RESULTS).is_some_and(Value::is_array) => {
            let beside: Vec<String> = page
                .iter()
                .filter(|(name, _)| *name != RESULTS)
                .map(|(name, value)| format!("{name}\t{}", cell(value)))
                .collect();
            format!("{}\n{}", beside.join("\n"), tabular(&page[RESULTS]))
        }
        Value::Array(items) => table(items),
        Value::Object(_) => table(std::slice::from_ref(response)),
        other => cell(other),
    }
}

fn table(items: &[Value]) -> String {
    let rows: Vec<Map> = items.iter().map(flatten).collect();
    let mut columns: Vec<&str> = Vec::new();
    for name in rows.iter().flat_map(Map::keys) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let line = |row: &Map| -> String {
        let cells: Vec<String> =
            columns.iter().map(|name| row.get(*name).map_or_else(String::new, cell)).collect();
        cells.join("\t")
    };
    let lines: Vec<String> = std::iter::once(columns.join("\t")).chain(rows.iter().map(line)).collect();
    lines.join("\n")
}

/// Flattens an object into columns, e.g. `price.value.centAmount`.
fn flatten(item: &Value) -> Map {
    fn flatten_into(value: &Value, path: &str, row: &mut Map) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                    flatten_into(value, &path, row);
                }
            }
            value => drop(
                row.insert(if path.is_empty() { "value".to_owned() } else { path.to_owned() }, value.clone()),
            ),
        }
    }
    let mut row = Map::new();
    flatten_into(item, "", &mut row);
    row
}

/// Returns a value on one line, without tabs. Lists stay JSON.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace(['\t', '\n', '\r'], " "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_dropped_redacted_and_kept() {
        let filtering = json!({
            "drop": {"fieldNames": ["createdBy"], "fieldPaths": ["billingAddress.email"]},
            "redact": {"fieldNameContains": ["Secret", "email"]}, "fieldPathsToKeep": ["customer.email"],
        });
        let one = json!({"id": "1", "createdBy": {"a": 1}, "clientSecret": {"x": 1}, "customer": {"email": "a@b"},
            "billingAddress": {"email": "c@d", "city": "X"}, "items": [{"email": "e@f", "createdBy": 1}]});
        let expected = json!({"id": "1", "clientSecret": "[REDACTED]", "customer": {"email": "a@b"},
            "billingAddress": {"city": "X"}, "items": [{"email": "[REDACTED]"}]});
        assert_eq!(filtered(one.clone(), Some(&filtering)), expected);
        let page = filtered(json!({"count": 1, "results": [one.clone()]}), Some(&filtering));
        assert_eq!(page, json!({"count": 1, "results": [expected]}));
        assert_eq!(filtered(one.clone(), None), one);
        assert_eq!(filtered(one.clone(), Some(&json!({}))), one);
        let other = filtered(
            json!({"email": "x"}),
            Some(&json!({"redact": {"fieldNames": ["email"]}, "redactedWith": "-"})),
        );
        assert_eq!(other, json!({"email": "-"}));
    }

    #[test]
    fn converts_responses_to_tables() {
        let page =
            json!({"count": 2, "results": [{"id": "1", "name": {"en": "A\tB"}}, {"id": "2", "tags": ["x"]}]});
        assert_eq!(tabular(&page), "count\t2\nid\tname.en\ttags\n1\tA B\t\n2\t\t[\"x\"]");
        assert_eq!(tabular(&json!({"id": "1", "ok": true})), "id\tok\n1\ttrue");
        assert_eq!(tabular(&json!("a")), "a");
    }
}
