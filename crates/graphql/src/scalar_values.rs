//! The values that a scalar of the schema accepts.

use apollo_compiler::ast::Value as Literal;
use kontor_json::Value;

/// The values that a scalar accepts. Whether `null` is accepted depends on the type, not on the scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarValues {
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

impl ScalarValues {
    /// Returns whether it accepts a literal.
    pub(crate) fn accepts_literal(self, literal: &Literal) -> bool {
        match literal {
            Literal::Null | Literal::Variable(_) => true,
            Literal::String(_) => {
                matches!(self, ScalarValues::Text | ScalarValues::Primitive | ScalarValues::Any)
            }
            Literal::Int(_) => self != ScalarValues::Text,
            Literal::Float(_) => {
                matches!(self, ScalarValues::Number | ScalarValues::Primitive | ScalarValues::Any)
            }
            Literal::Boolean(_) => matches!(self, ScalarValues::Primitive | ScalarValues::Any),
            Literal::Enum(_) | Literal::List(_) | Literal::Object(_) => self == ScalarValues::Any,
        }
    }

    /// Returns whether it accepts the value of a variable. JSON does not distinguish `3` and `3.0`.
    pub(crate) fn accepts_value(self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(_) => {
                matches!(self, ScalarValues::Text | ScalarValues::Primitive | ScalarValues::Any)
            }
            Value::Number(number) => match self {
                ScalarValues::Text => false,
                ScalarValues::Whole => number.as_f64().is_some_and(|number| number.fract() == 0.0),
                _ => true,
            },
            Value::Bool(_) => matches!(self, ScalarValues::Primitive | ScalarValues::Any),
            Value::Array(_) | Value::Object(_) => self == ScalarValues::Any,
        }
    }
}
