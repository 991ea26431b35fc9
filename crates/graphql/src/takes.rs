//! The values that a scalar of the schema accepts.

use apollo_compiler::ast::Value as Literal;
use kontor_json::Value;

/// The values that a scalar accepts. Whether `null` is accepted depends on the type, not on the scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Strings.
    Text,
    /// Numbers without a fraction.
    Whole,
    /// Numbers.
    Number,
    /// Strings, numbers and booleans.
    Primitive,
    /// Any JSON value.
    Any,
}

impl Takes {
    /// Returns whether it accepts a literal.
    pub(crate) fn literal(self, literal: &Literal) -> bool {
        match literal {
            Literal::Null | Literal::Variable(_) => true,
            Literal::String(_) => matches!(self, Takes::Text | Takes::Primitive | Takes::Any),
            Literal::Int(_) => self != Takes::Text,
            Literal::Float(_) => matches!(self, Takes::Number | Takes::Primitive | Takes::Any),
            Literal::Boolean(_) => matches!(self, Takes::Primitive | Takes::Any),
            Literal::Enum(_) | Literal::List(_) | Literal::Object(_) => self == Takes::Any,
        }
    }

    /// Returns whether it accepts the value of a variable. JSON does not distinguish `3` and `3.0`.
    pub(crate) fn value(self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(_) => matches!(self, Takes::Text | Takes::Primitive | Takes::Any),
            Value::Number(number) => match self {
                Takes::Text => false,
                Takes::Whole => number.as_f64().is_some_and(|number| number.fract() == 0.0),
                _ => true,
            },
            Value::Bool(_) => matches!(self, Takes::Primitive | Takes::Any),
            Value::Array(_) | Value::Object(_) => self == Takes::Any,
        }
    }
}
