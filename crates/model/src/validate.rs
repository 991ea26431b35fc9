//! Validates a JSON value against a shape, and normalizes it to the form in which it is stored.
//!
//! Defaults are filled in, `null` is removed where it means "absent", dates get their normal form. References remain
//! identifiers: resolving them needs the shop, which this crate does not know.
//!
//! Errors of the JSON itself (wrong shape, missing or unknown fields) are `InvalidJsonInput`; a value of the right
//! shape outside its limits is `InvalidField` (reference types `InvalidJsonInputError`, `InvalidFieldError`).

mod scalar;

pub use scalar::{canonical_date_time, canonical_locale, is_country, parse_date_time};

use crate::Model;
use crate::id::{KindId, ObjectId, UnionId};
use crate::ignored_fields::IgnoredFields;
use crate::location::Location;
use crate::shape::{Field, Object, ReferenceKinds, Shape, ValueLimits};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value};

/// Maximum nesting of JSON: the limit of the JSON parser, repeated here because messages and tests name it.
pub const JSON_DEPTH_MAX: usize = 128;

/// Validates values against a model.
#[derive(Debug, Clone, Copy)]
pub struct Validator<'a> {
    model: &'a Model,
    /// Collects unknown fields; `None`: they are refused.
    ignored: Option<&'a IgnoredFields>,
    /// Whether the values are stored ones, not sent ones.
    is_stored: bool,
}

/// Errors of the value at a place.
impl Location<'_> {
    pub(crate) fn shape_error(&self, expected: &str, found: &Value) -> ApiError {
        let words = self.to_string();
        let place = if words.is_empty() { "the body" } else { &words };
        // A value in place of a text may be a secret, so the error only names its type.
        let found = match found {
            Value::Array(_) => "an array".into(),
            Value::Object(_) => "an object".into(),
            Value::Number(_) if expected == "a text" => "a number".into(),
            other => kontor_errors::shortened(other),
        };
        ApiError::invalid_json(format!("{place}: expected {expected}, found {found}"))
    }

    pub(crate) fn overflow_error(&self, code: Code, expected: &str, found: &Value) -> ApiError {
        let detail = format!("{self}: {found} was sent, expected {expected}.");
        match code {
            Code::InvalidJsonInput => ApiError::invalid_json(detail),
            _ => ApiError::new(code, detail),
        }
    }

    pub(crate) fn bounds_error(&self, value: &Value, expected: &str) -> ApiError {
        ApiError::invalid_field(&self.to_string(), value, expected, None)
    }

    fn missing_value_error(&self, name: &str) -> ApiError {
        ApiError::missing_value(&Location::Member(self, name).to_string())
    }

    /// The name of the field at this place, or of the field that contains it.
    pub(crate) fn name(&self) -> String {
        let words = self.to_string();
        let name = words.rsplit('.').next().unwrap_or_default();
        name.split('[').next().unwrap_or_default().to_owned()
    }
}

impl<'a> Validator<'a> {
    /// Creates a validator for shapes of `model`, which refuses unknown fields.
    pub fn new(model: &'a Model) -> Self {
        Self { model, ignored: None, is_stored: false }
    }

    /// Removes and collects unknown fields instead of refusing them; `None` refuses them.
    #[must_use]
    pub fn with_ignored_fields(self, ignored: Option<&'a IgnoredFields>) -> Self {
        Self { ignored, ..self }
    }

    /// Validates stored documents instead of sent values.
    #[must_use]
    pub fn for_stored(self) -> Self {
        Self { is_stored: true, ..self }
    }

    /// Validates a whole object at `place` of the body (empty for the body itself). Fails with 400, at the place of the
    /// first invalid value: `RequiredField`, `InvalidField` or `InvalidJsonInput`.
    pub fn object(&self, id: ObjectId, value: &mut Value, place: &str) -> ApiResult<()> {
        self.check_object(self.model.object(id), value, &Location::Text(place), &[])
    }

    /// Validates an object with one more field than in the model, e.g. an action with its `action`. Fails like
    /// [`object`](Self::object).
    pub fn object_with(&self, id: ObjectId, value: &mut Value, place: &str, also: &str) -> ApiResult<()> {
        self.check_object(self.model.object(id), value, &Location::Text(place), &[also])
    }

    /// Validates one value. Fails like [`object`](Self::object).
    pub fn value(
        &self,
        shape: &Shape,
        limits: &ValueLimits,
        value: &mut Value,
        location: &Location<'_>,
    ) -> ApiResult<()> {
        self.check(shape, limits, value, location)
    }

    /// Refuses text that the reference excludes but the platform accepts. Only a server that also refuses unknown
    /// fields is that strict.
    fn check_strict_pattern(
        &self,
        limits: &ValueLimits,
        value: &Value,
        location: &Location<'_>,
    ) -> ApiResult<()> {
        let is_strict = self.ignored.is_none() && !self.is_stored;
        match (&limits.strict_pattern, value.as_str()) {
            (Some(pattern), Some(text)) if is_strict && !pattern.is_match(text) => {
                let expected = format!("Invalid {}. Expected text that matches {pattern}.", location.name());
                Err(location.bounds_error(value, &expected))
            }
            _ => Ok(()),
        }
    }

    fn check(
        &self,
        shape: &Shape,
        limits: &ValueLimits,
        value: &mut Value,
        location: &Location<'_>,
    ) -> ApiResult<()> {
        match shape {
            Shape::List(inner) => self.check_list(inner, limits, value, location),
            Shape::Map(inner) => {
                let Value::Object(entries) = value else {
                    return Err(location.shape_error("an object", value));
                };
                entries.retain(|_, entry| !entry.is_null());
                if limits.named_by_locale {
                    scalar::check_locales(entries, location)?;
                }
                for (name, entry) in entries {
                    self.check(inner, limits, entry, &Location::Member(location, name))?;
                }
                Ok(())
            }
            Shape::Object(id) => self.check_object(self.model.object(*id), value, location, &[]),
            Shape::Union(id) => self.check_union(*id, value, location),
            Shape::Enum(id) => {
                let values = self.model.enumeration(*id);
                let Value::String(text) = &*value else {
                    return Err(location.shape_error("a text", value));
                };
                if values.contains(text) {
                    return Ok(());
                }
                let allowed = values.values.iter().map(|constant| constant.value.clone().into()).collect();
                let expected = format!("Expected {}.", kontor_errors::with_article(&values.name));
                Err(ApiError::invalid_field(
                    &location.to_string(),
                    value,
                    &expected,
                    Some(Value::Array(allowed)),
                ))
            }
            Shape::Identifier(targets) => self.check_identifier(targets, value, location),
            // A stored reference may name a part of the document itself, e.g. a Direct Discount of a Cart.
            Shape::Reference(ReferenceKinds::Any) if self.is_stored && self.is_no_kind(value) => Ok(()),
            Shape::Reference(targets) | Shape::KeyReference(targets) => {
                self.check_identifier(targets, value, location)
            }
            Shape::CustomFields | Shape::CustomFieldsDraft => self.check_custom(value, location),
            Shape::AnyObject | Shape::FieldContainer => match value {
                Value::Object(_) => Ok(()),
                other => Err(location.shape_error("an object", other)),
            },
            Shape::Json => Ok(()),
            scalar => {
                self.check_strict_pattern(limits, value, location)?;
                scalar::check(scalar, limits, value, location)
            }
        }
    }

    fn check_list(
        &self,
        inner: &Shape,
        limits: &ValueLimits,
        value: &mut Value,
        location: &Location<'_>,
    ) -> ApiResult<()> {
        let Value::Array(items) = value else {
            return Err(location.shape_error("an array", value));
        };
        let count = items.len();
        if limits.items_min.is_some_and(|min| count < min) || limits.items_max.is_some_and(|max| count > max)
        {
            let (min, max) = (limits.items_min.unwrap_or(0), limits.items_max.unwrap_or(usize::MAX));
            let expected = if max == usize::MAX {
                format!("Expected at least {min} elements, found {count}.")
            } else {
                format!("Expected {min} to {max} elements, found {count}.")
            };
            return Err(location.bounds_error(value, &expected));
        }
        for (index, item) in items.iter_mut().enumerate() {
            self.check(inner, limits, item, &Location::Element(location, index))?;
        }
        Ok(())
    }

    fn check_object(
        &self,
        object: &Object,
        value: &mut Value,
        location: &Location<'_>,
        also: &[&str],
    ) -> ApiResult<()> {
        let Value::Object(entries) = value else {
            return Err(location.shape_error("an object", value));
        };
        let is_known = |name: &str| object.field(name).is_some() || also.contains(&name);
        self.ignore_or_refuse(entries, location, is_known, || {
            let known: Vec<_> = object.fields.iter().map(|field| field.name.as_str()).collect();
            format!("{} has {}", object.name, known.join(", "))
        })?;
        for field in &object.fields {
            self.check_field(field, entries, location)?;
        }
        Ok(())
    }

    /// Removes and collects unknown fields, or refuses them; `expected` describes the known ones.
    fn ignore_or_refuse(
        &self,
        entries: &mut Map,
        location: &Location<'_>,
        is_known: impl Fn(&str) -> bool,
        expected: impl FnOnce() -> String,
    ) -> ApiResult<()> {
        let Some(unknown) = entries.keys().find(|name| !is_known(name)) else { return Ok(()) };
        let Some(ignored) = self.ignored else {
            return Err(ApiError::invalid_json(format!(
                "{}: unknown field; {}",
                Location::Member(location, unknown),
                expected()
            )));
        };
        entries.retain(|name, _| {
            let is_known = is_known(name);
            if !is_known {
                ignored.add(Location::Member(location, name).to_string());
            }
            is_known
        });
        Ok(())
    }

    fn check_field(&self, field: &Field, entries: &mut Map, location: &Location<'_>) -> ApiResult<()> {
        if field.derived {
            // Clients send back fields of responses; derived ones are calculated again.
            entries.shift_remove(&field.name);
            return Ok(());
        }
        match entries.get_mut(&field.name) {
            Some(Value::Null) if field.shape != Shape::Json || !field.required => {
                entries.shift_remove(&field.name);
            }
            // A text without any language is absent.
            Some(Value::Object(texts))
                if field.shape == Shape::Localized
                    && !field.required
                    && texts.values().all(Value::is_null) =>
            {
                entries.shift_remove(&field.name);
            }
            Some(value) => {
                let location = Location::Member(location, &field.name);
                return self.check(&field.shape, &field.limits, value, &location);
            }
            None => {}
        }
        match &field.default {
            Some(default) => {
                entries.insert(&field.name, default.clone());
                Ok(())
            }
            None if field.required && !field.generated => Err(location.missing_value_error(&field.name)),
            None => Ok(()),
        }
    }

    fn check_union(&self, id: UnionId, value: &mut Value, location: &Location<'_>) -> ApiResult<()> {
        let union = self.model.union(id);
        let Value::Object(entries) = value else {
            return Err(location.shape_error("an object", value));
        };
        let tag = match entries.get(&union.by) {
            Some(Value::String(tag)) => tag.clone(),
            Some(other) => return Err(Location::Member(location, &union.by).shape_error("a text", other)),
            None => match &union.default {
                Some(default) => default.clone(),
                None => return Err(location.missing_value_error(&union.by)),
            },
        };
        // Official clients stage the removal of a Type by an identifier with neither id nor key.
        let names_nothing = |named: &Value| named.as_object().is_some_and(Map::is_empty);
        if union.is_kept_as_sent && entries.get("type").is_some_and(names_nothing) {
            entries.shift_remove("type");
        }
        match union.member(&tag) {
            Some(member) => self.check_object(self.model.object(member), value, location, &[&union.by]),
            // The same error as for an action that is applied immediately.
            None if union.is_kept_as_sent => {
                let known: Vec<&str> = union.members.iter().map(|(tag, _)| tag.as_str()).collect();
                Err(ApiError::invalid_json(format!(
                    "{}: unknown action {}; expected one of {}",
                    Location::Member(location, &union.by),
                    kontor_errors::shortened(&Value::String(tag)),
                    known.join(", ")
                )))
            }
            None => {
                let allowed = union.members.iter().map(|(tag, _)| tag.clone().into()).collect();
                let expected = format!("Expected {}.", kontor_errors::with_article(&union.name));
                Err(ApiError::invalid_field(
                    &Location::Member(location, &union.by).to_string(),
                    &Value::String(tag),
                    &expected,
                    Some(Value::Array(allowed)),
                ))
            }
        }
    }

    /// Validates an identifier by id or key (document A, StateResourceIdentifier): exactly one of the two, and an
    /// allowed `typeId` if there is one.
    fn check_identifier(
        &self,
        targets: &ReferenceKinds,
        value: &mut Value,
        location: &Location<'_>,
    ) -> ApiResult<()> {
        let Value::Object(entries) = value else {
            return Err(location.shape_error("a resource identifier", value));
        };
        // Clients may send an expanded reference back. Its id identifies it; its copy is ignored.
        entries.shift_remove("obj");
        entries.retain(|_, entry| !entry.is_null());
        let is_known = |name: &str| matches!(name, "typeId" | "id" | "key");
        let expected = || "a resource identifier has typeId, id, key".to_owned();
        self.ignore_or_refuse(entries, location, is_known, expected)?;
        if let Some((name, other)) = entries.iter().find(|(_, entry)| !entry.is_string()) {
            return Err(Location::Member(location, name).shape_error("a text", other));
        }
        match (entries.contains_key("id"), entries.contains_key("key")) {
            (true, true) => {
                return Err(ApiError::invalid_json(format!(
                    "{}: both id and key are given; expected one of them",
                    location
                )));
            }
            (false, false) => {
                return Err(ApiError::invalid_json(format!("{}: id or key is required", location)));
            }
            _ => {}
        }
        let given = entries.get("typeId").and_then(Value::as_str);
        let kind: Option<KindId> = match given {
            Some(type_id) => {
                let kind = self.model.kind_by_type_id(type_id).filter(|kind| targets.allows(*kind));
                if kind.is_none() {
                    return Err(ApiError::invalid_json(format!(
                        "{}.typeId: '{}' is not allowed here; expected {}",
                        location,
                        type_id,
                        self.names(targets)
                    )));
                }
                kind
            }
            None => targets.single(),
        };
        let Some(kind) = kind else {
            return Err(ApiError::invalid_json(format!(
                "{}.typeId: a value is required; expected {}",
                location,
                self.names(targets)
            )));
        };
        entries.insert("typeId", self.model.kind(kind).type_id.clone().into());
        Ok(())
    }

    /// True for a reference by id to something that is no resource.
    fn is_no_kind(&self, reference: &Value) -> bool {
        let type_id = reference["typeId"].as_str();
        reference["id"].is_string() && type_id.is_some_and(|name| self.model.kind_by_type_id(name).is_none())
    }

    fn names(&self, targets: &ReferenceKinds) -> String {
        match targets {
            ReferenceKinds::Any => "the typeId of a resource".to_owned(),
            ReferenceKinds::Kinds(kinds) => {
                let names: Vec<_> =
                    kinds.iter().map(|kind| format!("'{}'", self.model.kind(*kind).type_id)).collect();
                names.join(" or ")
            }
        }
    }

    fn check_custom(&self, value: &mut Value, location: &Location<'_>) -> ApiResult<()> {
        let Value::Object(entries) = value else {
            return Err(location.shape_error("an object with type and fields", value));
        };
        let is_known = |name: &str| matches!(name, "type" | "fields");
        self.ignore_or_refuse(entries, location, is_known, || {
            "custom fields have type and fields".to_owned()
        })?;
        match entries.get_mut("type") {
            None | Some(Value::Null) => return Err(location.missing_value_error("type")),
            Some(identifier) => {
                let targets = match self.model.kind_by_type_id("type") {
                    Some(kind) => ReferenceKinds::Kinds(vec![kind]),
                    None => ReferenceKinds::Any,
                };
                self.check_identifier(&targets, identifier, &Location::Member(location, "type"))?;
            }
        }
        match entries.get("fields") {
            None | Some(Value::Object(_)) => Ok(()),
            Some(Value::Null) => {
                entries.shift_remove("fields");
                Ok(())
            }
            Some(other) => Err(Location::Member(location, "fields").shape_error("an object", other)),
        }
    }
}
