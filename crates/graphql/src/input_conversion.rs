//! Converts GraphQL inputs to their REST form: drafts and update actions in the shapes of the model. Begin at
//! [`Schema::convert_input`].
//!
//! After that, validation and execution are the same as for REST requests.

use crate::schema::Schema;
use crate::schema_types::{Conversion, InputField, InputForm, InputType};
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::{Map, Name, Value, json};
use kontor_model::Location;

impl Schema {
    /// Converts an input object of a type. `place` is its path, for error messages.
    pub(crate) fn convert_input(&self, type_name: &str, given: Value, place: &str) -> ApiResult<Value> {
        let (Some(input), Value::Object(given)) = (self.input(type_name), given) else {
            return Err(ApiError::bug("what is sent is of a type that is no input"));
        };
        match &input.meaning {
            InputForm::Object => self.object(input, given, place).map(Value::Object),
            InputForm::Action => self.convert_member(input, given, "action", place),
            InputForm::Member(by) => self.convert_member(input, given, by, place),
        }
    }

    fn object(&self, input: &InputType, given: Map, place: &str) -> ApiResult<Map> {
        let mut object = Map::new();
        for (name, value) in given {
            let Some(field) = input.fields.get(name.as_str()) else {
                return Err(ApiError::bug(format!(
                    "a checked query sends {name}, which its input does not have"
                )));
            };
            if field.conversion == Conversion::Ignored || value.is_null() {
                continue;
            }
            let value = self.value(field, value, &join(place, &name))?;
            set_at_path(&mut object, &field.to, value);
        }
        Ok(object)
    }

    /// Converts an object of which exactly one field is set: the field's name becomes the value of `by`. Only fields of
    /// the default member may be set together, without naming the member.
    fn convert_member(&self, input: &InputType, given: Map, by: &str, place: &str) -> ApiResult<Value> {
        let given: Map = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
        let is_of_default = |name: &Name| {
            input
                .fields
                .get(name.as_str())
                .is_some_and(|field| field.conversion == Conversion::OfDefaultMember)
        };
        if !given.is_empty() && given.keys().all(is_of_default) {
            return self.object(input, given, place).map(Value::Object);
        }
        let mut given = given.into_iter();
        let (Some((name, value)), None) = (given.next(), given.next()) else {
            let known: Vec<&str> = input.fields.keys().map(String::as_str).collect();
            return Err(ApiError::invalid_input(format!(
                "{place}: exactly one of these fields is expected: {}.",
                known.join(", ")
            )));
        };
        let Some(field) = input.fields.get(name.as_str()) else {
            return Err(ApiError::bug(format!(
                "a checked query sends {name}, which its input does not have"
            )));
        };
        let mut object = Map::new();
        object.insert(by, json!(field.to.first()));
        if let Value::Object(fields) = self.value(field, value, &join(place, &name))? {
            object.extend(fields);
        }
        Ok(Value::Object(object))
    }

    fn value(&self, field: &InputField, value: Value, place: &str) -> ApiResult<Value> {
        Ok(match &field.conversion {
            Conversion::Same | Conversion::OfDefaultMember | Conversion::Ignored => without_nulls(value),
            Conversion::Listed => json!([without_nulls(value)]),
            Conversion::Field { of, field } => self.convert_input(of, value, place)?[field.as_str()].take(),
            Conversion::Only(name) => json!({name: without_nulls(value)}),
            Conversion::Texts => texts(value, place)?,
            Conversion::Entries => entries(value, place)?,
            Conversion::CustomTypeId => json!({"typeId": "type", "id": value}),
            Conversion::CustomTypeKey => json!({"typeId": "type", "key": value}),
            Conversion::Json => parse_json(&value, place)?,
            Conversion::Map { of, name, value: entry } => {
                let mut map = Map::new();
                for (index, element) in elements(value).into_iter().enumerate() {
                    let place = format!("{place}[{index}]");
                    let mut element = self.convert_input(of, element, &place)?;
                    let key = element[name.as_str()].as_str().unwrap_or_default().to_owned();
                    if map.insert(key.clone(), element[entry.as_str()].take()).is_some() {
                        return Err(ApiError::invalid_input(format!(
                            "{place}: the {name} '{key}' occurs more than once."
                        )));
                    }
                }
                Value::Object(map)
            }
            Conversion::Object(type_name) => match value {
                Value::Array(elements) => Value::Array(
                    elements
                        .into_iter()
                        .enumerate()
                        .map(|(index, element)| {
                            self.convert_input(type_name, element, &format!("{place}[{index}]"))
                        })
                        .collect::<ApiResult<_>>()?,
                ),
                value => self.convert_input(type_name, value, place)?,
            },
        })
    }
}

/// Sets the value at a path; joins objects, and lists, with the same path.
fn set_at_path(object: &mut Map, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        match (object.get_mut(first), value) {
            (Some(Value::Object(there)), Value::Object(more)) => there.extend(more),
            (Some(Value::Array(there)), Value::Array(more)) => there.extend(more),
            (_, value) => _ = object.insert(first, value),
        }
        return;
    }
    let inner = object.entry(first).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        set_at_path(inner, rest, value);
    }
}

/// Returns the value without fields that are `null`: in GraphQL `null` means absent.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        Value::Array(elements) => Value::Array(elements.into_iter().map(without_nulls).collect()),
        value => value,
    }
}

fn texts(value: Value, place: &str) -> ApiResult<Value> {
    let mut texts = Map::new();
    for entry in elements(value) {
        let locale = entry.get("locale").and_then(Value::as_str).unwrap_or_default().to_owned();
        let text = entry.get("value").cloned().unwrap_or_default();
        if texts.insert(locale.clone(), text).is_some() {
            return Err(ApiError::invalid_input(format!(
                "{place}: the locale '{locale}' occurs more than once."
            )));
        }
    }
    Ok(Value::Object(texts))
}

fn entries(value: Value, place: &str) -> ApiResult<Value> {
    let mut fields = Map::new();
    for entry in elements(value) {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = parse_json(&entry["value"], &join(place, &name))?;
        if fields.insert(name.clone(), value).is_some() {
            return Err(ApiError::invalid_input(format!(
                "{place}: the name '{name}' occurs more than once."
            )));
        }
    }
    Ok(Value::Object(fields))
}

fn elements(value: Value) -> Vec<Value> {
    match value {
        Value::Array(elements) => elements,
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

/// Parses the JSON in a string.
fn parse_json(value: &Value, place: &str) -> ApiResult<Value> {
    let text = value.as_str().unwrap_or_default();
    kontor_json::from_str(text).map_err(|error| {
        ApiError::invalid_json(format!(
            "{place}: expected JSON in a text, found {}: {error}",
            shortened(value)
        ))
    })
}

fn join(place: &str, name: &str) -> String {
    Location::Member(&Location::Text(place), name).to_string()
}
