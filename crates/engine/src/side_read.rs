//! Parses one side of a stored document, for code that adds values to it.

use crate::document::{self, Document};
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::{Place, Projection};

/// Parses the members that [`side_of`](crate::side::side_of) copies: the other side is skipped, and untouched
/// members keep their text. `None` if there is no such side.
///
/// # Errors [`ApiError::bug`](kontor_errors::ApiError::bug) if the text is no JSON object.
pub(crate) fn side_read(body: &Bytes, projection: &Projection, staged: bool) -> ApiResult<Option<Document>> {
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
        name => match taken(&mut document, name) {
            Some(Value::Object(within)) => Some(within),
            _ => return Ok(None),
        },
    };
    let holder = within.as_mut().unwrap_or(&mut document);
    if !staged && holder.get(&projection.shown_while) != Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let mut side = taken(holder, projection.side(staged));
    if side.is_none() && staged && projection.else_current {
        side = taken(holder, &projection.current);
    }
    let Some(Value::Object(mut side)) = side else { return Ok(None) };
    let mut shown = Document::with_capacity(projection.fields.len());
    for (name, place) in &projection.fields {
        let value = match (place, &mut within) {
            (Place::Side, _) => taken(&mut side, name),
            (Place::Within, Some(within)) => taken(within, name),
            (Place::Within, None) | (Place::Document, _) => taken(&mut document, name),
        };
        if let Some(value) = value {
            shown.insert(name.clone(), value);
        }
    }
    Ok(Some(shown))
}

/// Takes a member out of an object, and leaves null in its place.
fn taken(object: &mut Document, name: &str) -> Option<Value> {
    object.get_mut(name).map(std::mem::take)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::side_of;
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
                field("id", Place::Document),
                field("name", Place::Side),
                field("note", Place::Side),
                field("open", Place::Within),
                field("state", Place::Document),
            ],
        }
    }

    /// Both implementations agree on every document.
    #[test]
    fn the_side_that_is_read_is_the_one_that_is_taken_out_of_the_text() {
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
                    for (asked, else_current) in [(false, false), (true, false), (false, true), (true, true)]
                    {
                        let projection = projection(within, else_current);
                        let taken = side_of(&body, &projection, asked);
                        let read = side_read(&body, &projection, asked).unwrap();
                        let read = read.map(|side| Value::Object(side).to_string());
                        let taken = taken.map(|side| String::from_utf8(side.to_vec()).unwrap());
                        assert_eq!(read, taken, "{document} {within:?} {asked} {else_current}");
                    }
                }
            }
        }
        assert!(side_read(&Bytes::from("{}"), &projection("sides", false), true).unwrap().is_none());
    }
}
