//! Marks the matching parts of found documents, e.g. `isMatchingVariant` of product variants.

use bytes::Bytes;
use kontor_engine::document;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_search::MatchingChildren;

/// Returns the document with the boolean `mark` in each of its parts. If the search had no condition on parts, all
/// parts match.
pub(crate) fn mark_matching_parts(
    document: &Bytes,
    matching: &MatchingChildren,
    parts: &[&str],
    mark: &str,
) -> ApiResult<Bytes> {
    let mut document = document::read(document)?;
    let labels = matching.labels.iter().filter_map(|label| kontor_json::from_str::<Value>(label).ok());
    let matched: Vec<Value> = labels.map(|mut label| label["id"].take()).collect();
    let tell = |part: &mut Value| {
        if let Some(part) = part.as_object_mut() {
            let is_meant = matching.all || part.get("id").is_some_and(|id| matched.contains(id));
            part.insert(mark, json!(is_meant));
        }
    };
    for part in parts {
        match document.get_mut(part) {
            Some(Value::Array(parts)) => parts.iter_mut().for_each(tell),
            Some(part) => tell(part),
            None => {}
        }
    }
    Ok(Value::Object(document).to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked_as(matching: &MatchingChildren) -> Value {
        let document = json!({"first": {"id": 1}, "others": [{"id": 2}, {"id": 3}], "name": "x"}).to_string();
        let marked = mark_matching_parts(&document.into(), matching, &["first", "others"], "fits").unwrap();
        kontor_json::from_slice(&marked).unwrap()
    }

    #[test]
    fn parts_say_whether_they_match() {
        let some = MatchingChildren { all: false, labels: vec![r#"{"id":1}"#.into(), r#"{"id":3}"#.into()] };
        assert_eq!(
            marked_as(&some),
            json!({"first": {"id": 1, "fits": true}, "others": [{"id": 2, "fits": false}, {"id": 3, "fits": true}], "name": "x"})
        );
        let all = MatchingChildren { all: true, labels: Vec::new() };
        assert_eq!(marked_as(&all)["others"], json!([{"id": 2, "fits": true}, {"id": 3, "fits": true}]));
    }
}
