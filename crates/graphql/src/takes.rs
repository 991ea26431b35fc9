//! The values that a scalar of this face takes.

use apollo_compiler::ast::Value as Literal;
use kontor_json::Value;

/// The values that a scalar takes; `null` is for its type to allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Texts.
    Text,
    /// Numbers without a fraction.
    Whole,
    /// Numbers.
    Number,
    /// Texts, numbers and truth values.
    Primitive,
    /// Any JSON.
    Any,
}

impl Takes {
    /// Whether a query may have a literal.
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

    /// Whether a variable may have a value. JSON does not tell `3` from `3.0`.
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
