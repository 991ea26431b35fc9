//! JSON that borrows its strings from its source bytes.
//!
//! Each document is parsed, shown in part, and dropped. Owned JSON allocates every name and every string; this type
//! allocates once for each object or list.

use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Number, Value};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Initial capacity for fields, enough for most objects.
const FIELDS_EXPECTED: usize = 8;

/// A JSON value. Fields are in the order of the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json<'d> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'d, str>),
    List(Vec<Json<'d>>),
    Object(Vec<(Cow<'d, str>, Json<'d>)>),
}

impl<'d> Json<'d> {
    /// Parses a stored document. Invalid JSON is a bug.
    pub(crate) fn of_document(body: &'d [u8]) -> ApiResult<Self> {
        kontor_json::from_slice(body)
            .map_err(|error| ApiError::bug(format!("what is shown of a document is no JSON: {error}")))
    }

    /// Returns the field of a name. Objects have few fields, so a linear search is fastest.
    pub(crate) fn get(&self, name: &str) -> Option<&Json<'d>> {
        self.as_object()?.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Json<'d>]> {
        match self {
            Json::List(elements) => Some(elements),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&[(Cow<'d, str>, Json<'d>)]> {
        match self {
            Json::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the same value as owned JSON.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(value),
            Json::Number(number) => Value::Number(number),
            Json::Text(text) => Value::String(text.into_owned()),
            Json::List(elements) => Value::Array(elements.into_iter().map(Json::into_value).collect()),
            Json::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name.into_owned(), value.into_value()));
                Value::Object(fields.collect::<Map>())
            }
        }
    }
}

impl<'d> From<&'d Value> for Json<'d> {
    fn from(value: &'d Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.clone()),
            Value::String(text) => Json::Text(Cow::Borrowed(text)),
            Value::Array(elements) => Json::List(elements.iter().map(Json::from).collect()),
            Value::Object(fields) => Json::Object(
                fields
                    .iter()
                    .map(|(name, value)| (Cow::Borrowed(name.as_str()), Json::from(value)))
                    .collect(),
            ),
        }
    }
}

impl From<Value> for Json<'static> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(value),
            Value::Number(number) => Json::Number(number),
            Value::String(text) => Json::Text(Cow::Owned(text)),
            Value::Array(elements) => Json::List(elements.into_iter().map(Json::from).collect()),
            Value::Object(fields) => Json::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (Cow::Owned(name.into()), Json::from(value)))
                    .collect(),
            ),
        }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(number) => number.serialize(serializer),
            Json::Text(text) => serializer.serialize_str(text),
            Json::List(elements) => serializer.collect_seq(elements),
            Json::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de: 'd, 'd> Deserialize<'de> for Json<'d> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfValue;
        impl<'de> Visitor<'de> for OfValue {
            type Value = Json<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("any valid JSON value")
            }
            fn visit_unit<E>(self) -> Result<Json<'de>, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
                Ok(Json::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
                Ok(Json::Number(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
                Ok(Json::Number(value.into()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Json<'de>, E> {
                Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("number out of range"))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
                Ok(Json::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
                Ok(Json::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = access.next_element()? {
                    elements.push(element);
                }
                Ok(Json::List(elements))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
                let mut fields = Vec::with_capacity(FIELDS_EXPECTED);
                while let Some((MemberName(name), value)) = access.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Json::Object(fields))
            }
        }
        deserializer.deserialize_any(OfValue)
    }
}

/// The name of a field.
struct MemberName<'d>(Cow<'d, str>);

impl<'de: 'd, 'd> Deserialize<'de> for MemberName<'d> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfName;
        impl<'de> Visitor<'de> for OfName {
            type Value = MemberName<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Borrowed(name)))
            }
            fn visit_str<E>(self, name: &str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(OfName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        r#"{"a":[1,-2,1.5,9007199254740993],"b":{"c":null,"d":"x\"y"},"e\n":true,"f":"ä","g":{},"h":[]}"#;

    #[test]
    fn what_is_read_is_written_again_and_is_what_owned_json_is() {
        let json = Json::of_document(TEXT.as_bytes()).unwrap();
        assert_eq!(kontor_json::to_string(&json).unwrap(), TEXT);
        let value: Value = kontor_json::from_str(TEXT).unwrap();
        assert_eq!(Json::from(&value), json);
        assert_eq!(Json::from(value.clone()), json);
        assert_eq!(json.into_value(), value);
    }

    #[test]
    fn texts_without_escapes_are_borrowed() {
        let json = Json::of_document(TEXT.as_bytes()).unwrap();
        assert!(matches!(json.get("f"), Some(Json::Text(Cow::Borrowed("ä")))));
        assert_eq!(json.get("b").and_then(|b| b.get("d")).and_then(Json::as_str), Some("x\"y"));
        assert!(Json::of_document(b"{").is_err());
    }
}
