//! Parses one side of a stored document, for code that adds values to it.

use crate::document::{self, Document};
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::{Projection, ProjectionPlace};

/// Parses the members that [`copy_side`](crate::projected_document::copy_side) copies: the other side is skipped, and
/// untouched members keep their text. `None` if there is no such side.
///
/// # Errors [`ApiError::bug`](kontor_errors::ApiError::bug) if the text is no JSON object.
pub(crate) fn parse_side(body: &Bytes, projection: &Projection, staged: bool) -> ApiResult<Option<Document>> {
    let mut document = match staged && projection.else_current {
        true => document::read(body)?,
        false => {
            let beside = [&*projection.within, projection.side(!staged)];
            let from = usize::from(projection.within.is_empty());
            document::read_without(&beside[from..], body)?
        }
    };
    let mut within = match projection.within.as_str() {
        "" => None,
        name => match take_member(&mut document, name) {
            Some(Value::Object(within)) => Some(within),
            _ => return Ok(None),
        },
    };
    let holder = within.as_mut().unwrap_or(&mut document);
    if !staged && holder.get(&projection.shown_while) != Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let mut side = take_member(holder, projection.side(staged));
    if side.is_none() && staged && projection.else_current {
        side = take_member(holder, &projection.current);
    }
    let Some(Value::Object(mut side)) = side else { return Ok(None) };
    let mut shown = Document::with_capacity(projection.fields.len());
    for (name, place) in &projection.fields {
        let value = match (place, &mut within) {
            (ProjectionPlace::Side, _) => take_member(&mut side, name),
            (ProjectionPlace::Within, Some(within)) => take_member(within, name),
            (ProjectionPlace::Within, None) | (ProjectionPlace::Document, _) => {
                take_member(&mut document, name)
            }
        };
        if let Some(value) = value {
            shown.insert(name.clone(), value);
        }
    }
    Ok(Some(shown))
}

/// Takes a member out of an object, and leaves null in its place.
fn take_member(object: &mut Document, name: &str) -> Option<Value> {
    object.get_mut(name).map(std::mem::take)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projected_document::copy_side;
    use kontor_json::json;

    fn projection(within: &str, else_current: bool) -> Projection {
        let field = |name: &str, place| (name.to_owned(), place);
        Projection {
            of: kontor_model::Model::embedded().unwrap().kinds().next().unwrap().0,
            within: within.into(),
            current: "shown".into(),
            staged: "worked".into(),
            else_current,
            shown_while: "open".into(),
            staged_scopes: vec![],
            fields: vec![
                field("id", ProjectionPlace::Document),
                field("name", ProjectionPlace::Side),
                field("note", ProjectionPlace::Side),
                field("open", ProjectionPlace::Within),
                field("state", ProjectionPlace::Document),
            ],
        }
    }

    /// Both implementations agree on every document.
    #[test]
    fn parses_the_side_that_is_copied() {
        let long = "a text of some length, so that objects are worth their text ".repeat(4);
        for escaped in ["plain", "with \"marks\" and\nlines"] {
            let shown = json!({"name": {"en": escaped, "de": long}, "hidden": [1, {"a": escaped}]});
            let worked = json!({"note": null, "name": {"en": "new", "de": escaped}});
            let beside = json!({"x": [1, "\u{fc}\"\\"], "long": long});
            for (open, current, staged) in [
                (true, Some(&shown), Some(&worked)),
                (false, Some(&shown), Some(&worked)),
                (true, Some(&shown), None),
                (true, None, None),
            ] {
                let mut sides = json!({"open": open});
                for (name, side) in [("shown", current), ("worked", staged)] {
                    if let Some(side) = side {
                        sides[name] = side.clone();
                    }
                }
                let mut flat = sides.clone();
                flat["id"] = "a".into();
                flat["state"] = beside.clone();
                let deep = json!({"id": "a", "hidden": 1, "sides": sides, "state": beside});
                for (document, within) in [(deep, "sides"), (flat, "")] {
                    let body = Bytes::from(document.to_string());
                    for (requested, else_current) in
                        [(false, false), (true, false), (false, true), (true, true)]
                    {
                        let projection = projection(within, else_current);
                        let taken = copy_side(&body, &projection, requested);
                        let read = parse_side(&body, &projection, requested).unwrap();
                        let read = read.map(|side| Value::Object(side).to_string());
                        let taken = taken.map(|side| String::from_utf8(side.to_vec()).unwrap());
                        assert_eq!(read, taken, "{document} {within:?} {requested} {else_current}");
                    }
                }
            }
        }
        assert!(parse_side(&Bytes::from("{}"), &projection("sides", false), true).unwrap().is_none());
    }
}
