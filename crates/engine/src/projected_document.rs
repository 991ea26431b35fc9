//! Presents documents in responses: one side (projection) of them, with values added for the caller. Start at
//! [`Shop::render_stored`].
//!
//! A kind with `@projection` shows one of two sides, current or staged, of the stored documents of another kind. Its
//! fields are copied from the stored bytes unchanged; if values are added, the bytes are parsed.

use crate::access_scope::AccessScope;
use crate::document::{self, Document};
use crate::shop::Shop;
use crate::side_parser::parse_side;
use crate::view_options::ViewOptions;
use bytes::{BufMut, Bytes, BytesMut};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::{KindId, KindView, Location, Projection, ProjectionPlace};
use kontor_query::{Condition, ConditionValue, Path, QuerySort, RawJson, ValueCheck};

/// Capacity for the values that are added to most documents.
const SPLICED_BYTES_USUAL: usize = 2_048;

impl Shop {
    /// Checks the parameters for the form of a response, before the request does anything. Fails with 400 for invalid
    /// parameters.
    pub fn validate_view_options(&self, kind: KindId, view_options: &ViewOptions) -> ApiResult<()> {
        match self.behaviours.get(kind) {
            Some(behaviour) if !view_options.parameters.is_empty() => {
                behaviour.validate_view_options(view_options)
            }
            _ => Ok(()),
        }
    }

    /// Returns a stored document in the form of the response; `None` if it lacks the requested side. Fails with the
    /// errors of the values that the kind's rules add.
    pub fn render_stored(
        &self,
        kind: KindId,
        body: Bytes,
        view_options: &ViewOptions,
        access_scope: &AccessScope,
    ) -> ApiResult<Option<Bytes>> {
        let projection = self.model.kind(kind).projection.as_ref();
        let is_plain = view_options.parameters.is_empty() && view_options.store.is_none();
        let spliced = self.behaviours.get(kind).filter(|behaviour| {
            let is_alone = !view_options.listed && behaviour.splices_one();
            !is_plain || is_alone || behaviour.always_splices()
        });
        let Some(behaviour) = spliced else {
            return Ok(match projection {
                None => Some(body),
                Some(projection) => copy_side(&body, projection, view_options.staged),
            });
        };
        let Some(mut document) = parse_projected(&body, projection, view_options)? else { return Ok(None) };
        let project = self.project();
        let project = view_options.overrides.apply(&project);
        self.with_rules_in_scope(access_scope, &project, |rules| {
            behaviour.splice(&mut document, view_options, rules)
        })?;
        let mut shown = Vec::with_capacity(body.len() + SPLICED_BYTES_USUAL);
        kontor_json::write(&Value::Object(document), &mut shown);
        Ok(Some(shown.into()))
    }

    /// Returns the requested side of a stored document, without added values; `None` if it does not exist.
    pub(crate) fn requested_side(
        &self,
        kind: KindId,
        body: &[u8],
        view_options: &ViewOptions,
    ) -> ApiResult<Option<Document>> {
        match &self.model.kind(kind).projection {
            None => document::read_borrowed(body).map(Some),
            Some(projection) => {
                copy_side(body, projection, view_options.staged).map(|side| document::read(&side)).transpose()
            }
        }
    }

    /// Returns the object that a view shows instead of the document; `None` if it lacks the requested side. Fails with
    /// the errors of the kind's rules.
    pub fn render_view(
        &self,
        kind: KindId,
        view: &KindView,
        body: Bytes,
        view_options: &ViewOptions,
    ) -> ApiResult<Option<Document>> {
        let behaviour = self
            .behaviours
            .get(kind)
            .ok_or_else(|| ApiError::bug("a kind that the model shows as another one has no Rust"))?;
        let projection = self.model.kind(kind).projection.as_ref();
        let Some(document) = parse_projected(&body, projection, view_options)? else { return Ok(None) };
        let project = self.project();
        let show =
            |rules: &crate::Rules<'_>| behaviour.render_view(&view.name, &document, view_options, rules);
        self.with_rules_in_scope(&AccessScope::default(), &project, show).map(Some)
    }

    /// Returns a document with values added for the caller, which shows a part of it. Fails with 400 for invalid
    /// parameters, and with the errors of the kind's rules.
    pub fn splice_document(
        &self,
        kind: KindId,
        mut document: Document,
        view_options: &ViewOptions,
    ) -> ApiResult<Document> {
        self.validate_view_options(kind, view_options)?;
        if let Some(behaviour) = self.behaviours.get(kind) {
            let project = self.project();
            let project = view_options.overrides.apply(&project);
            let put = |rules: &crate::Rules<'_>| behaviour.splice(&mut document, view_options, rules);
            self.with_rules_in_scope(&AccessScope::default(), &project, put)?;
        }
        Ok(document)
    }

    /// Returns the result of a completion of the model (`@complete`) for a sent value; unchanged, if it does
    /// not fit.
    pub fn complete_value(&self, completion: &str, value: Value) -> Value {
        let Value::Object(mut stored) = value.clone() else { return value };
        let Some(completion) = self.behaviours.completion(completion) else { return value };
        let project = self.project();
        let complete = |rules: &crate::Rules<'_>| completion(&mut stored, &Location::Text(""), rules);
        match self.with_rules_in_scope(&AccessScope::default(), &project, complete) {
            Ok(()) => Value::Object(stored),
            Err(_) => value,
        }
    }

    /// Returns a stored document with each of its sides in the form of a kind with `@projection`. A side that
    /// the caller cannot see is left out; 404 ResourceNotFound without any side.
    pub fn render_sides(
        &self,
        kind: KindId,
        mut document: Document,
        view_options: &ViewOptions,
    ) -> ApiResult<Document> {
        let Some(projection) = &self.model.kind(kind).projection else { return Ok(document) };
        let Some(Value::Object(mut within)) = document.shift_remove(&projection.within) else {
            return Ok(document);
        };
        let mut refusal = None;
        let mut is_there = false;
        for staged in [false, true] {
            let name = projection.side(staged);
            let Some(Value::Object(mut shown)) = within.shift_remove(name) else { continue };
            // Fields outside of the side may influence its presentation.
            let beside = || projection.fields.iter().filter(|(_, place)| *place != ProjectionPlace::Side);
            for (name, _) in beside() {
                let value = document.get(name).or_else(|| within.get(name));
                shown.extend(value.map(|value| (name.clone(), value.clone())));
            }
            match self.splice_document(kind, shown, &ViewOptions { staged, ..view_options.clone() }) {
                Ok(mut shown) => {
                    for (name, _) in beside() {
                        shown.shift_remove(name);
                    }
                    within.insert(name, Value::Object(shown));
                    is_there = true;
                }
                Err(error) if error.code() == Code::ResourceNotFound => refusal = Some(error),
                Err(error) => return Err(error),
            }
        }
        match refusal {
            Some(refusal) if !is_there => Err(refusal),
            _ => {
                document.insert(&projection.within, Value::Object(within));
                Ok(document)
            }
        }
    }

    /// True if a query of the kind omits documents even without a predicate.
    pub(crate) fn hides_some(&self, kind: KindId, view_options: &ViewOptions) -> bool {
        !view_options.staged && self.model.kind(kind).projection.is_some()
    }

    /// Converts a condition about the form in responses to one about the stored form.
    pub(crate) fn condition_of_stored(
        &self,
        kind: KindId,
        condition: Condition,
        view_options: &ViewOptions,
    ) -> Condition {
        let Some(projection) = &self.model.kind(kind).projection else { return condition };
        let at_side =
            |condition: Condition, staged| condition.relocated(&|field| path(projection, field, staged));
        if !view_options.staged || !projection.else_current {
            return at_side(condition, view_options.staged);
        }
        // Applied to the staged side if it exists, otherwise to the current one.
        let side = [&projection.within, &projection.staged].into_iter().filter(|name| !name.is_empty());
        let path = side.map(|name| name.as_str().into()).collect();
        let is_there = Condition::Check { path, check: ValueCheck::Defined };
        Condition::any(vec![
            Condition::all(vec![is_there.clone(), at_side(condition.clone(), true)]),
            Condition::all(vec![Condition::not(is_there), at_side(condition, false)]),
        ])
    }

    /// Returns the condition that the requested side of a document exists.
    pub(crate) fn side_condition(&self, kind: KindId, view_options: &ViewOptions) -> Option<Condition> {
        let projection = self.model.kind(kind).projection.as_ref().filter(|_| !view_options.staged)?;
        let steps = [&projection.within, &projection.shown_while].into_iter().filter(|name| !name.is_empty());
        let path = steps.map(|name| name.as_str().into()).collect();
        Some(Condition::Check { path, check: ValueCheck::Equals(ConditionValue::Boolean(true)) })
    }

    /// Converts an order of the form in responses to one of the stored form.
    pub(crate) fn sort_of_stored(
        &self,
        kind: KindId,
        sort: QuerySort,
        view_options: &ViewOptions,
    ) -> QuerySort {
        match &self.model.kind(kind).projection {
            None => sort,
            Some(projection) => sort.relocated(&|field| path(projection, field, view_options.staged)),
        }
    }
}

/// Parses a stored document, or the requested side of it; `None` if there is no such side.
pub(crate) fn parse_projected(
    body: &Bytes,
    projection: Option<&Projection>,
    view_options: &ViewOptions,
) -> ApiResult<Option<Document>> {
    match projection {
        None => document::read(body).map(Some),
        Some(projection) => parse_side(body, projection, view_options.staged),
    }
}

fn path(projection: &Projection, field: &str, staged: bool) -> Path {
    projection.path(field, staged).into_iter().map(Into::into).collect()
}

/// Returns one side of a stored document: its members unchanged, in the order of the model. `None` if there
/// is no such side.
pub(crate) fn copy_side(body: &[u8], projection: &Projection, staged: bool) -> Option<Bytes> {
    let names = |place: ProjectionPlace, more: &[&'_ str]| -> Vec<String> {
        let fields = projection.fields.iter().filter(|(_, found)| *found == place);
        fields.map(|(name, _)| name.clone()).chain(more.iter().map(|name| (*name).to_owned())).collect()
    };
    let of_document = names(ProjectionPlace::Document, &[&projection.within]);
    let of_within = match staged {
        true => names(
            ProjectionPlace::Within,
            &[&projection.shown_while, &projection.current, &projection.staged],
        ),
        false => names(ProjectionPlace::Within, &[&projection.shown_while, &projection.current]),
    };
    let of_side = names(ProjectionPlace::Side, &[]);
    let document = members(body, &of_document)?;
    let within = match projection.within.is_empty() {
        true => members(body, &of_within)?,
        false => members(document.last().copied()??.as_bytes(), &of_within)?,
    };
    let is_shown = of_within
        .iter()
        .zip(&within)
        .any(|(name, value)| *name == projection.shown_while && *value == Some("true"));
    if !staged && !is_shown {
        return None;
    }
    let current = || within.iter().rev().nth(1).copied().flatten().filter(|_| projection.else_current);
    let side = members(within.last().copied().flatten().or_else(current)?.as_bytes(), &of_side)?;
    let mut shown = BytesMut::with_capacity(body.len());
    shown.put_u8(b'{');
    for (name, place) in &projection.fields {
        let (known, values) = match place {
            ProjectionPlace::Document => (&of_document, &document),
            ProjectionPlace::Within => (&of_within, &within),
            ProjectionPlace::Side => (&of_side, &side),
        };
        let value = known.iter().zip(values).find(|(known, _)| *known == name).and_then(|(_, value)| *value);
        let Some(value) = value else { continue };
        if shown.len() > 1 {
            shown.put_u8(b',');
        }
        // Names of fields come from the model and need no escapes.
        shown.put_u8(b'"');
        shown.put_slice(name.as_bytes());
        shown.put_slice(b"\":");
        shown.put_slice(value.as_bytes());
    }
    shown.put_u8(b'}');
    Some(shown.freeze())
}

/// Returns the text of each member of an object, in the order of the names.
fn members<'a>(object: &'a [u8], names: &[String]) -> Option<Vec<Option<&'a str>>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(RawJson::new(object)?.members(&names).into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn projection() -> Projection {
        let field = |name: &str, place| (name.to_owned(), place);
        Projection {
            of: kontor_model::Model::embedded().unwrap().kinds().next().unwrap().0,
            within: "sides".into(),
            current: "shown".into(),
            staged: "worked".into(),
            else_current: false,
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

    fn side(document: &Value, staged: bool) -> Option<String> {
        let side = copy_side(document.to_string().as_bytes(), &projection(), staged)?;
        Some(String::from_utf8(side.to_vec()).unwrap())
    }

    #[test]
    fn copies_the_members_of_a_side_unchanged() {
        let document = json!({"id": "a", "state": {"x": [1, "\u{fc}\"\\"]}, "hidden": 1, "sides": {
            "shown": {"name": "old", "hidden": 1}, "worked": {"note": null, "name": "new"}, "open": true}});
        let shown = r#"{"id":"a","name":"old","open":true,"state":{"x":[1,"ü\"\\"]}}"#;
        assert_eq!(side(&document, false).unwrap(), shown);
        let worked = r#"{"id":"a","name":"new","note":null,"open":true,"state":{"x":[1,"ü\"\\"]}}"#;
        assert_eq!(side(&document, true).unwrap(), worked);
    }

    #[test]
    fn hides_the_current_side_of_unpublished_documents() {
        let document =
            json!({"id": "a", "sides": {"shown": {"name": "old"}, "worked": {"name": "new"}, "open": false}});
        assert_eq!(side(&document, false), None);
        assert_eq!(side(&document, true).unwrap(), r#"{"id":"a","name":"new","open":false}"#);
        assert_eq!(side(&json!({"id": "a"}), true), None);
    }
}
