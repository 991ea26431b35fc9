//! Converts the sent shape of an object into the stored shape: identifiers become references, drafts become
//! elements. E.g. `{"taxCategory": {"key": "food"}}` becomes
//! `{"taxCategory": {"typeId": "tax-category", "id": "…"}}`. Start at [`convert_object`].
//!
//! Values have passed [`kontor_model::Validator`]. Fields are matched by name; a field without input is
//! generated, or the value of `@ifAbsent`, or an empty list if the document requires one, or absent.

use crate::custom;
use crate::document::{Document, must_text};
use crate::rules::{ResolvedReference, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Name, Value, json};
use kontor_model::{Field, Location, Object, ObjectId, Shape, UnionId};

/// Converts a sent object into a stored one. A path in `@to` creates the intermediate objects.
///
/// # Errors
/// 400 at `place`: `ReferencedResourceNotFound` for an identifier without a document, `InvalidField` or
/// `InvalidOperation` for invalid custom fields, and the errors of the functions that complete a value (`@complete`).
pub fn convert_object(
    input: ObjectId,
    output: ObjectId,
    given: Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    SentObject { input, given: &given, tag: None, place: &Location::Text(place) }.stored(output, rules)
}

/// A sent object. It is only read, since a retry needs it again.
struct SentObject<'a> {
    input: ObjectId,
    given: &'a Document,
    /// The discriminator field of a union with its value, whether it was sent or not.
    tag: Option<(&'a str, &'a str)>,
    place: &'a Location<'a>,
}

impl SentObject<'_> {
    /// Returns the stored form.
    fn stored(&self, output: ObjectId, rules: &Rules<'_>) -> ApiResult<Document> {
        self.filled(&mut Vec::new(), output, rules)
    }

    /// Returns the object at the path `within` of the stored form.
    fn filled<'m>(
        &self,
        within: &mut Vec<&'m str>,
        output: ObjectId,
        rules: &Rules<'m>,
    ) -> ApiResult<Document> {
        let (from, to) = (rules.model.object(self.input), rules.model.object(output));
        let mut stored = Vec::with_capacity(self.given.len() + 1);
        for field in &to.fields {
            within.push(&field.name);
            let value = match (self.field_at(from, within), &field.shape) {
                (Some((_, None)), _) => self.tag.map(|(_, tag)| json!(tag)),
                (Some((sent, Some(Value::Object(given)))), _) if sent.source => {
                    Some(reference_to(&rules.resolve_source(given)?, rules))
                }
                (Some((sent, Some(given))), _) => {
                    let place = Location::Member(self.place, &sent.name);
                    let custom_for = field.custom.as_deref();
                    Some(convert(&sent.shape, &field.shape, custom_for, given, &place, rules)?)
                }
                (None, Shape::Object(inner)) if from.moves_fields() && is_around(from, within) => {
                    Some(Value::Object(self.filled(within, *inner, rules)?))
                }
                _ if field.generated => Some(Value::String(rules.new_id())),
                _ if field.if_absent.is_some() => field.if_absent.clone(),
                _ if field.required && field.shape.is_list() => Some(json!([])),
                _ => None,
            };
            within.pop();
            stored.extend(value.map(|value| (Name::new(&field.name), value)));
        }
        let mut stored = Document::from_unique_members(stored);
        if let Some(complete) = to.complete.as_ref().and_then(|name| rules.behaviours.completion(name)) {
            complete(&mut stored, self.place, rules)?;
        }
        debug_assert!(
            stored.keys().all(|name| to.field(name).is_some()),
            "{}: {} has {:?}",
            self.place,
            to.name,
            stored.keys()
        );
        Ok(stored)
    }

    /// Returns the sent field that is stored at a path, with its value; no value for the discriminator.
    fn field_at<'s>(&'s self, from: &'s Object, path: &[&str]) -> Option<(&'s Field, Option<&'s Value>)> {
        let sent_as = |name: &str| match self.tag {
            Some((by, _)) if by == name => Some(None),
            _ => self.given.get(name).map(Some),
        };
        let (sent, value) = match path {
            // The usual case: absent fields need no lookup.
            [name] if !from.moves_fields() => {
                let value = sent_as(name)?;
                (from.field(name)?, value)
            }
            path => {
                let sent = from.fields.iter().find(|sent| is_at(sent, path))?;
                (sent, sent_as(&sent.name)?)
            }
        };
        // The behaviour stores secrets; they never get into a document by their name.
        (!sent.secret).then_some((sent, value))
    }
}

/// True for a field that is stored at this path.
fn is_at(sent: &Field, path: &[&str]) -> bool {
    match &sent.to {
        Some(to) => to == path,
        None => path == [sent.name.as_str()],
    }
}

/// True if a field is stored somewhere below this path.
fn is_around(from: &Object, path: &[&str]) -> bool {
    let is_inside = |to: &Vec<String>| to.len() > path.len() && to.iter().zip(path).all(|(a, b)| a == b);
    from.fields.iter().any(|sent| !sent.secret && sent.to.as_ref().is_some_and(is_inside))
}

/// Converts one value to the shape of the field that will hold it. Fails like [`convert_object`].
pub fn convert_value(
    input: &Shape,
    field: &Field,
    given: Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    convert(input, &field.shape, field.custom.as_deref(), &given, &Location::Text(place), rules)
}

/// Converts an element for a list field. Fails like [`convert_object`].
pub fn convert_element(
    input: &Shape,
    list: &Field,
    given: Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    convert(input, list.shape.element(), list.custom.as_deref(), &given, &Location::Text(place), rules)
}

/// Looks up the identifiers in the arguments of an action that Rust handles; nothing else changes.
pub(crate) fn resolve_identifiers(shape: &Shape, given: Value, rules: &Rules<'_>) -> ApiResult<Value> {
    match (shape, given) {
        (Shape::Identifier(_), Value::Object(identifier)) => {
            Ok(reference_to(&rules.resolve(&identifier)?, rules))
        }
        (Shape::List(inner), Value::Array(items)) => items
            .into_iter()
            .map(|item| resolve_identifiers(inner, item, rules))
            .collect::<ApiResult<_>>()
            .map(Value::Array),
        (_, given) => Ok(given),
    }
}

/// `{typeId, id}`
fn reference_to(target: &ResolvedReference, rules: &Rules<'_>) -> Value {
    json!({"typeId": rules.model.kind(target.kind).type_id, "id": target.id})
}

fn convert(
    input: &Shape,
    output: &Shape,
    custom_for: Option<&str>,
    given: &Value,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    match (input, output, given) {
        (Shape::List(input), Shape::List(output), Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                convert(input, output, custom_for, item, &Location::Element(location, index), rules)
            })
            .collect::<ApiResult<_>>()
            .map(Value::Array),
        (Shape::Map(input), Shape::Map(output), Value::Object(entries)) => entries
            .iter()
            .map(|(name, entry)| {
                let location = Location::Member(location, name);
                Ok((name.clone(), convert(input, output, custom_for, entry, &location, rules)?))
            })
            .collect::<ApiResult<_>>()
            .map(Value::Object),
        (Shape::Identifier(_) | Shape::Reference(_), Shape::Reference(_), Value::Object(identifier)) => {
            Ok(reference_to(&rules.resolve(identifier)?, rules))
        }
        (Shape::Identifier(_), Shape::KeyReference(_), Value::Object(identifier)) => {
            let target = rules.resolve(identifier)?;
            let key = must_text(&target.document, &["key"])?;
            Ok(json!({"typeId": rules.model.kind(target.kind).type_id, "key": key}))
        }
        (Shape::CustomFieldsDraft, Shape::CustomFields, Value::Object(draft)) => {
            custom::from_draft(draft.clone(), custom_for.unwrap_or_default(), location, rules)
        }
        (Shape::Object(input), Shape::Object(output), Value::Object(given)) => {
            SentObject { input: *input, given, tag: None, place: location }
                .stored(*output, rules)
                .map(Value::Object)
        }
        (Shape::Object(input), Shape::Union(union), Value::Object(given)) => {
            // An input that is only one of the members, such as Money where TypedMoney is stored.
            let union = rules.model.union(*union);
            let tag = given.get(&union.by).and_then(Value::as_str);
            let member = tag.and_then(|tag| union.member(tag));
            match member.or(union.members.first().map(|(_, id)| *id)) {
                Some(member) => {
                    let tag = rules.model.object(member).tag.as_deref().map(|tag| (union.by.as_str(), tag));
                    SentObject { input: *input, given, tag, place: location }
                        .stored(member, rules)
                        .map(Value::Object)
                }
                None => Ok(Value::Object(given.clone())),
            }
        }
        (Shape::Union(from), Shape::Union(to), given) if from == to && is_kept_as_sent(*from, rules) => {
            Ok(given.clone())
        }
        (Shape::Union(from), Shape::Union(to), Value::Object(given)) => {
            convert_union(*from, *to, given, location, rules).map(Value::Object)
        }
        (_, _, given) => Ok(given.clone()),
    }
}

/// True for unions whose values are stored as they are, without a conversion.
fn is_kept_as_sent(union: UnionId, rules: &Rules<'_>) -> bool {
    rules.model.union(union).is_kept_as_sent
}

fn convert_union(
    from: UnionId,
    to: UnionId,
    given: &Document,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let (from, to) = (rules.model.union(from), rules.model.union(to));
    let tag = given.get(&from.by).and_then(Value::as_str).or(from.default.as_deref());
    let members = tag.and_then(|tag| Some((tag, from.member(tag)?, to.member(tag)?)));
    let Some((tag, input, output)) = members else { return Ok(given.clone()) };
    let mut stored =
        SentObject { input, given, tag: Some((&to.by, tag)), place: location }.stored(output, rules)?;
    if !stored.contains_key(&to.by) {
        // Members may omit the discriminator field.
        stored.shift_insert(0, to.by.clone(), json!(tag));
    }
    Ok(stored)
}
