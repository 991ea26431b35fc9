//! The rows of a document in the indexes of its kind. Start at [`document_rows`].

use crate::document::{self, Document};
use kontor_json::Value;
use kontor_model::{Kind, PairIndex};
use kontor_query::{
    ConditionValue, ExactNumber, INDEXED_TEXT_BYTES_MAX, PAIR_ROWS_MAX, any_value_row, pair_row,
};
use kontor_storage::IndexValue;
use std::cmp::Reverse;

/// Returns path and value of each index row of a document. Rows of name-value pairs (`pairs`) have the name of
/// their index as path. A text that is too long for an index has no row.
pub(crate) fn document_rows(
    kind: &Kind,
    pairs: &[PairIndex],
    document: &Document,
) -> Vec<(String, IndexValue)> {
    let mut rows = Vec::new();
    let mut found = Vec::new();
    for path in &kind.indexed {
        found.clear();
        if let Some((first, rest)) = path.split_first()
            && let Some(value) = document.get(first)
        {
            document::scalars_at(value, rest, &mut found);
        }
        for scalar in &found {
            let value = match scalar {
                Value::String(text) if text.len() <= INDEXED_TEXT_BYTES_MAX => IndexValue::Text(text.clone()),
                Value::Bool(flag) => IndexValue::Integer(i64::from(*flag)),
                Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                    (Some(whole), _) => IndexValue::Integer(whole),
                    (None, Some(real)) => IndexValue::Real(real),
                    (None, None) => continue,
                },
                _ => continue,
            };
            rows.push((path.join("."), value));
        }
    }
    for (path, lowercased) in &kind.lowercased {
        found.clear();
        if let Some((first, rest)) = path.split_first()
            && let Some(value) = document.get(first)
        {
            document::scalars_at(value, rest, &mut found);
        }
        let texts = found.iter().filter_map(|text| text.as_str()).map(str::to_lowercase);
        let short = texts.filter(|text| text.len() <= INDEXED_TEXT_BYTES_MAX);
        rows.extend(short.map(|text| (lowercased.join("."), IndexValue::Text(text))));
    }
    for (name, found) in pair_rows(pairs, document) {
        rows.extend(limit_rows(found).into_iter().map(|row| (name.to_owned(), IndexValue::Text(row))));
    }
    debug_assert!(
        rows.iter().all(|(path, _)| index_names(kind, pairs).any(|name| name == *path)),
        "queries of {} look at no other paths: {rows:?}",
        kind.name
    );
    rows
}

/// Returns the names under which queries look up rows; names of pairs occur once for each of their paths.
pub(crate) fn index_names(kind: &Kind, pairs: &[PairIndex]) -> impl Iterator<Item = String> {
    let paths = kind.indexed.iter().chain(kind.lowercased.iter().map(|(_, index)| index));
    paths.map(|path| path.join(".")).chain(pairs.iter().map(|pairs| pairs.rows.clone()))
}

/// Returns the rows of name-value pairs by the name of their index; each row with the name of its pair.
fn pair_rows<'d>(pairs: &'d [PairIndex], document: &'d Document) -> Vec<(&'d str, Vec<(&'d str, String)>)> {
    let mut all: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
    let mut seen: Vec<(&str, &Value, &[String])> = Vec::new();
    for pairs in pairs {
        let Some((value, rest)) = follow_objects(document, &pairs.path) else { continue };
        // The current and the staged projection of a document are often the same.
        let is_same = |(rows, other, path): &(&str, &Value, &[String])| {
            *rows == pairs.rows && *path == rest && *other == value
        };
        if seen.iter().any(is_same) {
            continue;
        }
        seen.push((&pairs.rows, value, rest));
        let place = all.iter().position(|(name, _)| *name == pairs.rows).unwrap_or_else(|| {
            all.push((&pairs.rows, Vec::new()));
            all.len() - 1
        });
        let found = &mut all[place].1;
        pairs_at(value, rest, pairs, &mut |name, value| {
            value_rows(name, None, value, &mut |row| found.push((name, row)));
        });
    }
    // A value at several places has one row.
    for (_, found) in &mut all {
        found.sort_unstable();
        found.dedup();
    }
    all
}

/// Follows a path through objects. Returns the value that it reaches, and the rest of the path.
fn follow_objects<'d, 'p>(document: &'d Document, path: &'p [String]) -> Option<(&'d Value, &'p [String])> {
    let (first, mut rest) = path.split_first()?;
    let mut value = document.get(first)?;
    while let (Value::Object(members), Some((next, further))) = (value, rest.split_first()) {
        (value, rest) = (members.get(next)?, further);
    }
    Some((value, rest))
}

/// Returns the rows of names, sorted and without duplicates, limited to about the maximum of an index: above
/// it, the names with the most values get one row each that matches any value.
fn limit_rows(found: Vec<(&str, String)>) -> Vec<String> {
    if found.len() <= PAIR_ROWS_MAX {
        return found.into_iter().map(|(_, row)| row).collect();
    }
    let mut left = found.len();
    let mut names: Vec<_> = found.chunk_by(|(one, _), (other, _)| one == other).collect();
    names.sort_by_key(|rows| Reverse(rows.len()));
    let mut thinned = Vec::new();
    for rows in names {
        match rows.first() {
            Some((name, _)) if left > PAIR_ROWS_MAX => {
                left -= rows.len() - 1;
                thinned.push(any_value_row(name));
            }
            _ => thinned.extend(rows.iter().map(|(_, row)| row.clone())),
        }
    }
    thinned
}

/// Visits each name with its value at a path, through lists.
fn pairs_at<'d>(
    value: &'d Value,
    path: &[String],
    pairs: &PairIndex,
    found: &mut dyn FnMut(&'d str, &'d Value),
) {
    match (value, path.split_first()) {
        (Value::Array(items), _) => {
            for item in items {
                pairs_at(item, path, pairs, found);
            }
        }
        (Value::Object(members), Some((first, rest))) => {
            if let Some(inner) = members.get(first) {
                pairs_at(inner, rest, pairs, found);
            }
        }
        (Value::Object(members), None) => match &pairs.fields {
            None => members.iter().for_each(|(name, value)| found(name, value)),
            Some((name, value)) => {
                if let (Some(Value::String(name)), Some(value)) = (members.get(name), members.get(value)) {
                    found(name, value);
                }
            }
        },
        _ => {}
    }
}

/// Visits the rows of one name: of its value or, if that is an object, of its members; through lists.
fn value_rows(name: &str, member: Option<&str>, value: &Value, found: &mut dyn FnMut(String)) {
    let compared = match value {
        Value::Array(items) => {
            return items.iter().for_each(|item| value_rows(name, member, item, found));
        }
        Value::Object(members) if member.is_none() => {
            return members.iter().for_each(|(member, value)| value_rows(name, Some(member), value, found));
        }
        Value::Object(_) | Value::Null => return,
        Value::Bool(flag) => ConditionValue::Boolean(*flag),
        Value::String(text) => ConditionValue::text(text),
        Value::Number(number) => match ExactNumber::parse(&number.to_string()) {
            Some(number) => ConditionValue::Number(number),
            None => return,
        },
    };
    found(pair_row(name, member, &compared));
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn rows(path: &[&str], fields: Option<(&str, &str)>, document: &Value) -> Vec<String> {
        let pairs = PairIndex {
            path: path.iter().map(|&step| step.to_owned()).collect(),
            rows: "Pair".to_owned(),
            fields: fields.map(|(name, value)| (name.to_owned(), value.to_owned())),
        };
        let mut rows = Vec::new();
        pairs_at(document, &pairs.path, &pairs, &mut |name, value| {
            value_rows(name, None, value, &mut |row| rows.push(row.replace('\u{0}', "|")));
        });
        rows
    }

    #[test]
    fn indexes_each_member_of_a_map() {
        let document = json!({"side": {"slug": {"en": "shoe", "de": "schuh"}}});
        assert_eq!(rows(&["side", "slug"], None, &document), ["en||tshoe", "de||tschuh"]);
    }

    #[test]
    fn merges_rows_of_names_with_too_many_values() {
        let rows =
            |name: &'static str, count: usize| (0..count).map(move |row| (name, format!("{name} {row}")));
        assert_eq!(limit_rows(rows("few", 3).collect()).len(), 3, "as they are");
        let mut too_many: Vec<_> = rows("few", 3).chain(rows("more", PAIR_ROWS_MAX - 1)).collect();
        let expected = [any_value_row("more"), "few 0".into(), "few 1".into(), "few 2".into()];
        assert_eq!(limit_rows(too_many.clone()), expected);
        too_many.drain(..3);
        assert_eq!(limit_rows(too_many).len(), PAIR_ROWS_MAX - 1, "as they are");
    }

    #[test]
    fn indexes_a_repeated_pair_once() {
        let at = |side: &str| PairIndex {
            path: vec![side.to_owned(), "slug".to_owned()],
            rows: "Side.slug".to_owned(),
            fields: None,
        };
        let pairs = [at("current"), at("staged"), PairIndex { rows: "Other.slug".into(), ..at("other") }];
        let (shoe, boot) = (json!({"slug": {"en": "shoe"}}), json!({"slug": {"en": "boot"}}));
        let found = |document: Value| -> Vec<(String, Vec<String>)> {
            let document = document.as_object().unwrap().clone();
            let row = |(_, row): (&str, String)| row.replace('\u{0}', "|");
            let rows = pair_rows(&pairs, &document);
            rows.into_iter()
                .map(|(name, found)| (name.to_owned(), found.into_iter().map(row).collect()))
                .collect()
        };
        let of_side = |rows: &[&str]| {
            ("Side.slug".to_owned(), rows.iter().map(|&row| row.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(found(json!({"current": shoe, "staged": shoe})), [of_side(&["en||tshoe"])]);
        assert_eq!(found(json!({"current": shoe, "staged": boot})), [of_side(&["en||tboot", "en||tshoe"])]);
        let apart = ("Other.slug".to_owned(), vec!["en||tshoe".to_owned()]);
        assert_eq!(found(json!({"staged": shoe, "other": shoe})), [of_side(&["en||tshoe"]), apart]);
    }

    #[test]
    fn indexes_values_of_each_shape() {
        let attributes = json!([
            {"name": "text", "value": "a"},
            {"name": "number", "value": 1.0},
            {"name": "flag", "value": true},
            {"name": "enum", "value": {"key": "red", "label": {"en": "Red"}}},
            {"name": "set", "value": ["a", "b"]},
            {"name": "enums", "value": [{"key": "s"}, {"key": "m"}]},
            {"name": "nothing"},
        ]);
        let document = json!({"variants": [{"attributes": attributes}]});
        assert_eq!(
            rows(&["variants", "attributes"], Some(("name", "value")), &document),
            [
                "text||ta",
                "number||n1",
                "flag||btrue",
                "enum|key|tred",
                "set||ta",
                "set||tb",
                "enums|key|ts",
                "enums|key|tm"
            ]
        );
    }
}
