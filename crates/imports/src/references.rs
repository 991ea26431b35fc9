//! Resolves the references by key of an import resource to ids, and validates their form.

use crate::outcome::{ImportFailure, ImportResult, MissingReference, OperationOutcome};
use crate::typed_value;
use kontor_engine::{Address, Document, Shop, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, Location, Model, Shape};
use std::collections::HashMap;

/// A sent reference: `typeId`, key, and the container of a Custom Object.
pub(crate) type SentReference<'v> = (&'v str, &'v str, Option<&'v str>);

/// The ids of a resource's reference targets.
#[derive(Debug, Default)]
pub(crate) struct References(HashMap<(String, String, Option<String>), String>);

impl References {
    /// Resolves all references in a value of a shape. The operation waits for missing targets, except for the
    /// target `coming` (`typeId` and key), which this import creates.
    pub(crate) fn resolve(
        shop: &Shop,
        shape: &Shape,
        value: &Value,
        coming: Option<(&str, &str)>,
    ) -> ImportResult<Self> {
        let mut sent = Vec::new();
        collect(shop.model(), shape, value, &mut sent);
        let mut found = Self::default();
        let mut missing = Vec::new();
        for (type_id, key, container) in sent {
            let name = (type_id.to_owned(), key.to_owned(), container.map(str::to_owned));
            if found.0.contains_key(&name) {
                continue;
            }
            match find_id_by_key(shop, type_id, key, container)? {
                Some(id) => drop(found.0.insert(name, id)),
                None if coming == Some((type_id, key)) => {}
                None => {
                    let one = MissingReference { type_id: type_id.to_owned(), key: key.to_owned() };
                    if !missing.contains(&one) {
                        missing.push(one);
                    }
                }
            }
        }
        if missing.is_empty() {
            Ok(found)
        } else {
            Err(ImportFailure::Waits(OperationOutcome::Unresolved(missing)))
        }
    }

    /// Returns the id of a target.
    pub(crate) fn id(&self, (type_id, key, container): SentReference<'_>) -> Option<&str> {
        let name = (type_id.to_owned(), key.to_owned(), container.map(str::to_owned));
        self.0.get(&name).map(String::as_str)
    }
}

/// Returns the id of a document with a key; `None` if there is none.
pub(crate) fn find_id_by_key(
    shop: &Shop,
    type_id: &str,
    key: &str,
    container: Option<&str>,
) -> ApiResult<Option<String>> {
    let Some(kind) = shop.model().kind_by_type_id(type_id) else { return Ok(None) };
    let address = match container {
        Some(container) => Address::Fields(vec![container, key]),
        None => Address::Key(key),
    };
    Ok(shop.get(kind, &address)?.map(|stored| stored.id))
}

/// Returns the path of a field below another path.
fn field_path(place: &str, name: &str) -> String {
    Location::Member(&Location::Text(place), name).to_string()
}

/// Refuses unknown fields (reference: InvalidFieldError of the Import API), and references without a type
/// (reference: KeyReference).
pub(crate) fn check_known(model: &Model, shape: &Shape, value: &Value, place: &str) -> ApiResult<()> {
    match (shape, value) {
        (Shape::List(inner), Value::Array(items)) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| check_known(model, inner, item, &format!("{place}[{index}]"))),
        (Shape::Map(inner), Value::Object(entries)) => entries
            .iter()
            .try_for_each(|(name, entry)| check_known(model, inner, entry, &field_path(place, name))),
        (Shape::KeyReference(_), Value::Object(entries)) if !entries.contains_key("typeId") => {
            Err(ApiError::invalid_json(format!("{}: a value is required", field_path(place, "typeId"))))
        }
        (Shape::Union(_), value) => match member(model, shape, value) {
            Some(inner) => check_known(model, &inner, value, place),
            None => Ok(()),
        },
        (Shape::Object(id), Value::Object(entries)) => {
            let object = model.object(*id);
            entries.iter().try_for_each(|(name, entry)| match object.field(name) {
                Some(field) => check_known(model, &field.shape, entry, &field_path(place, name)),
                None => {
                    let expected = format!("{} has no such field.", object.name);
                    Err(ApiError::invalid_field(&field_path(place, name), entry, &expected, None))
                }
            })
        }
        _ => Ok(()),
    }
}

/// Refuses references without a key, and values that do not fit their types.
pub(crate) fn check(model: &Model, shape: &Shape, value: &Value, place: &str) -> ApiResult<()> {
    match (shape, value) {
        (Shape::KeyReference(_), value) if value.get("key").is_none() => {
            Err(ApiError::invalid_json(format!("{place}: expected a reference with typeId and key")))
        }
        (Shape::List(inner), Value::Array(items)) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| check(model, inner, item, &format!("{place}[{index}]"))),
        (Shape::Map(inner), Value::Object(entries)) => {
            entries.iter().try_for_each(|(name, entry)| check(model, inner, entry, &field_path(place, name)))
        }
        (Shape::Union(_), value) => match member(model, shape, value) {
            Some(inner) => check(model, &inner, value, place),
            None => Ok(()),
        },
        (Shape::Object(id), Value::Object(entries)) => {
            if let Some((type_name, value)) = typed(value) {
                typed_value::check(type_name, value).map_err(|expected| {
                    let expected = format!("Expected {expected} for the type {type_name}.");
                    ApiError::invalid_field(&field_path(place, "value"), value, &expected, None)
                })?;
            }
            model.object(*id).fields.iter().try_for_each(|field| match entries.get(&field.name) {
                Some(entry) => check(model, &field.shape, entry, &field_path(place, &field.name)),
                None => Ok(()),
            })
        }
        _ => Ok(()),
    }
}

/// Returns the type and the value of an object that has both, e.g. a custom field or an Attribute.
pub(crate) fn typed(value: &Value) -> Option<(&str, &Value)> {
    Some((value.get("type")?.as_str()?, value.get("value")?))
}

/// Returns the member of a union that a value belongs to.
pub(crate) fn member(model: &Model, shape: &Shape, value: &Value) -> Option<Shape> {
    let Shape::Union(id) = shape else { return None };
    let union = model.union(*id);
    let tag = value.get(&union.by).and_then(Value::as_str).or(union.default.as_deref())?;
    union.member(tag).map(Shape::Object)
}

fn collect<'v>(model: &Model, shape: &Shape, value: &'v Value, found: &mut Vec<SentReference<'v>>) {
    match (shape, value) {
        (Shape::KeyReference(_) | Shape::Identifier(_), value) => found.extend(typed_value::reference(value)),
        (Shape::List(inner), Value::Array(items)) => {
            items.iter().for_each(|item| collect(model, inner, item, found));
        }
        (Shape::Map(inner), Value::Object(entries)) => {
            entries.values().for_each(|entry| collect(model, inner, entry, found));
        }
        (Shape::Union(_), value) => {
            if let Some(inner) = member(model, shape, value) {
                collect(model, &inner, value, found);
            }
        }
        (Shape::Object(id), Value::Object(entries)) => {
            if let Some((type_name, value)) = typed(value) {
                found.extend(typed_value::references(type_name, value));
            }
            for field in &model.object(*id).fields {
                if let Some(entry) = entries.get(&field.name) {
                    collect(model, &field.shape, entry, found);
                }
            }
        }
        // A map whose names are data: Attributes of patches.
        (Shape::AnyObject, Value::Object(entries)) => {
            for (type_name, value) in entries.values().filter_map(typed) {
                found.extend(typed_value::references(type_name, value));
            }
        }
        _ => {}
    }
}

/// Returns the kind of a `typeId` that must be in the model.
pub(crate) fn kind_of_type_id(shop: &Shop, type_id: &str) -> ApiResult<KindId> {
    shop.model().kind_by_type_id(type_id).ok_or_else(|| ApiError::bug(format!("the model has no {type_id}")))
}

/// Returns the document of a kind with a key, parsed.
pub(crate) fn find_by_key(shop: &Shop, type_id: &str, key: &str) -> ApiResult<Option<Document>> {
    let stored = shop.get(kind_of_type_id(shop, type_id)?, &Address::Key(key))?;
    stored.as_ref().map(document::read_stored).transpose()
}
