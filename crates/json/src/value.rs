//! Values.

use crate::{Map, Number};
use std::fmt;

/// Any JSON value.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

impl Value {
    /// The value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Value::Object(members) => members.get(&step),
                Value::Array(elements) => elements.get(place(&step)?),
                _ => None,
            }
        })
    }

    /// The same, to be changed.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Value::Object(members) => members.get_mut(&step),
                Value::Array(elements) => elements.get_mut(place(&step)?),
                _ => None,
            }
        })
    }

    /// Whether it is written as another one. Those are equal, too, but equal ones need not be written in the same way: objects
    /// have a sequence, and zero has a sign.
    pub(crate) fn is_written_as(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(one), Value::Number(another)) => {
                let sign = |number: &Number| number.as_f64().map(f64::is_sign_negative);
                one == another && sign(one) == sign(another)
            }
            (Value::Array(one), Value::Array(another)) => {
                one.len() == another.len()
                    && one.iter().zip(another).all(|(one, another)| one.is_written_as(another))
            }
            (Value::Object(one), Value::Object(another)) => one.is_written_as(another),
            _ => self == other,
        }
    }

    /// The value itself; `null` is left.
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// True for `true` and `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Value::Bool(_))
    }

    /// True for a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Number(_))
    }

    /// True for a whole number that an `i64` holds.
    pub fn is_i64(&self) -> bool {
        matches!(self, Value::Number(number) if number.is_i64())
    }

    /// True for a whole number that a `u64` holds.
    pub fn is_u64(&self) -> bool {
        matches!(self, Value::Number(number) if number.is_u64())
    }

    /// True for a number that is not whole.
    pub fn is_f64(&self) -> bool {
        matches!(self, Value::Number(number) if number.is_f64())
    }

    /// True for a text.
    pub fn is_string(&self) -> bool {
        matches!(self, Value::String(_))
    }

    /// True for a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Value::Array(_))
    }

    /// True for an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Value::Object(_))
    }

    /// Returns the value of `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// A number.
    pub fn as_number(&self) -> Option<&Number> {
        if let Value::Number(number) = self { Some(number) } else { None }
    }

    /// A whole number.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// A whole number that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// A number, as near as it goes.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// A text.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// A list.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Value::Array(elements) = self { Some(elements) } else { None }
    }

    /// A list, to be changed.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Value::Array(elements) = self { Some(elements) } else { None }
    }

    /// An object.
    pub fn as_object(&self) -> Option<&Map> {
        if let Value::Object(members) = self { Some(members) } else { None }
    }

    /// An object, to be changed.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        if let Value::Object(members) = self { Some(members) } else { None }
    }
}

/// A place in a list, as pointers write it.
fn place(step: &str) -> Option<usize> {
    let is_written_so = step == "0" || !step.starts_with(['0', '+']);
    step.parse().ok().filter(|_| is_written_so)
}

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => formatter.write_str("Null"),
            Value::Bool(value) => write!(formatter, "Bool({value})"),
            Value::Number(number) => write!(formatter, "Number({number})"),
            Value::String(text) => write!(formatter, "String({text:?})"),
            Value::Array(elements) => {
                formatter.write_str("Array ")?;
                fmt::Debug::fmt(elements, formatter)
            }
            Value::Object(members) => {
                formatter.write_str("Object ")?;
                fmt::Debug::fmt(members, formatter)
            }
        }
    }
}
