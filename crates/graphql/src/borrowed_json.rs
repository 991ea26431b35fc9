//! JSON that borrows its strings from its source bytes. Start at [`BorrowedJson`].
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
pub(crate) enum BorrowedJson<'d> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'d, str>),
    List(Vec<BorrowedJson<'d>>),
    Object(Vec<(Cow<'d, str>, BorrowedJson<'d>)>),
}

impl<'d> BorrowedJson<'d> {
    /// Parses a stored document. Invalid JSON is a bug.
    pub(crate) fn from_document(body: &'d [u8]) -> ApiResult<Self> {
        kontor_json::from_slice(body)
            .map_err(|error| ApiError::bug(format!("what is shown of a document is no JSON: {error}")))
    }

    /// Returns the field of a name. Objects have few fields, so a linear search is fastest.
    pub(crate) fn get(&self, name: &str) -> Option<&BorrowedJson<'d>> {
        self.as_object()?.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            BorrowedJson::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[BorrowedJson<'d>]> {
        match self {
            BorrowedJson::List(elements) => Some(elements),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&[(Cow<'d, str>, BorrowedJson<'d>)]> {
        match self {
            BorrowedJson::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the same value as owned JSON.
    pub(crate) fn into_value(self) -> Value {
        match self {
            BorrowedJson::Null => Value::Null,
            BorrowedJson::Bool(value) => Value::Bool(value),
            BorrowedJson::Number(number) => Value::Number(number),
            BorrowedJson::Text(text) => Value::String(text.into_owned()),
            BorrowedJson::List(elements) => {
                Value::Array(elements.into_iter().map(BorrowedJson::into_value).collect())
            }
            BorrowedJson::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name.into_owned(), value.into_value()));
                Value::Object(fields.collect::<Map>())
            }
        }
    }
}

impl<'d> From<&'d Value> for BorrowedJson<'d> {
    fn from(value: &'d Value) -> Self {
        match value {
            Value::Null => BorrowedJson::Null,
            Value::Bool(value) => BorrowedJson::Bool(*value),
            Value::Number(number) => BorrowedJson::Number(number.clone()),
            Value::String(text) => BorrowedJson::Text(Cow::Borrowed(text)),
            Value::Array(elements) => BorrowedJson::List(elements.iter().map(BorrowedJson::from).collect()),
            Value::Object(fields) => BorrowedJson::Object(
                fields
                    .iter()
                    .map(|(name, value)| (Cow::Borrowed(name.as_str()), BorrowedJson::from(value)))
                    .collect(),
            ),
        }
    }
}

impl From<Value> for BorrowedJson<'static> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => BorrowedJson::Null,
            Value::Bool(value) => BorrowedJson::Bool(value),
            Value::Number(number) => BorrowedJson::Number(number),
            Value::String(text) => BorrowedJson::Text(Cow::Owned(text)),
            Value::Array(elements) => {
                BorrowedJson::List(elements.into_iter().map(BorrowedJson::from).collect())
            }
            Value::Object(fields) => BorrowedJson::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (Cow::Owned(name.into()), BorrowedJson::from(value)))
                    .collect(),
            ),
        }
    }
}

impl Serialize for BorrowedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            BorrowedJson::Null => serializer.serialize_unit(),
            BorrowedJson::Bool(value) => serializer.serialize_bool(*value),
            BorrowedJson::Number(number) => number.serialize(serializer),
            BorrowedJson::Text(text) => serializer.serialize_str(text),
            BorrowedJson::List(elements) => serializer.collect_seq(elements),
            BorrowedJson::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de: 'd, 'd> Deserialize<'de> for BorrowedJson<'d> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonVisitor;
        impl<'de> Visitor<'de> for JsonVisitor {
            type Value = BorrowedJson<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("any valid JSON value")
            }
            fn visit_unit<E>(self) -> Result<BorrowedJson<'de>, E> {
                Ok(BorrowedJson::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<BorrowedJson<'de>, E> {
                Ok(BorrowedJson::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<BorrowedJson<'de>, E> {
                Ok(BorrowedJson::Number(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<BorrowedJson<'de>, E> {
                Ok(BorrowedJson::Number(value.into()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<BorrowedJson<'de>, E> {
                Number::from_f64(value)
                    .map(BorrowedJson::Number)
                    .ok_or_else(|| E::custom("number out of range"))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<BorrowedJson<'de>, E> {
                Ok(BorrowedJson::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<BorrowedJson<'de>, E> {
                Ok(BorrowedJson::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<BorrowedJson<'de>, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = access.next_element()? {
                    elements.push(element);
                }
                Ok(BorrowedJson::List(elements))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<BorrowedJson<'de>, A::Error> {
                let mut fields = Vec::with_capacity(FIELDS_EXPECTED);
                while let Some((MemberName(name), value)) = access.next_entry()? {
                    fields.push((name, value));
                }
                Ok(BorrowedJson::Object(fields))
            }
        }
        deserializer.deserialize_any(JsonVisitor)
    }
}

/// The name of a field.
struct MemberName<'d>(Cow<'d, str>);

impl<'de: 'd, 'd> Deserialize<'de> for MemberName<'d> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberNameVisitor;
        impl<'de> Visitor<'de> for MemberNameVisitor {
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
        deserializer.deserialize_str(MemberNameVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        r#"{"a":[1,-2,1.5,9007199254740993],"b":{"c":null,"d":"x\"y"},"e\n":true,"f":"ä","g":{},"h":[]}"#;

    #[test]
    fn round_trips_and_equals_owned_json() {
        let json = BorrowedJson::from_document(TEXT.as_bytes()).unwrap();
        assert_eq!(kontor_json::to_string(&json).unwrap(), TEXT);
        let value: Value = kontor_json::from_str(TEXT).unwrap();
        assert_eq!(BorrowedJson::from(&value), json);
        assert_eq!(BorrowedJson::from(value.clone()), json);
        assert_eq!(json.into_value(), value);
    }

    #[test]
    fn texts_without_escapes_are_borrowed() {
        let json = BorrowedJson::from_document(TEXT.as_bytes()).unwrap();
        assert!(matches!(json.get("f"), Some(BorrowedJson::Text(Cow::Borrowed("ä")))));
        assert_eq!(json.get("b").and_then(|b| b.get("d")).and_then(BorrowedJson::as_str), Some("x\"y"));
        assert!(BorrowedJson::from_document(b"{").is_err());
    }
}
