//! Converts values of predicates (literals and variables) into the form of stored values, by the shape of the field.

use crate::number::ExactNumber;
use crate::predicate::{Literal, Operand};
use crate::value::ConditionValue;
use crate::variables::InputVariables;
use jiff::civil::{Date, Time};
use kontor_model::{Shape, canonical_date_time};

/// How the values of a shape compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComparisonForm {
    Text,
    Number,
    Boolean,
    DateTime,
    Date,
    Time,
    /// An amount of a currency; in dialects only.
    Amount,
    /// Open JSON: any type of value.
    Any,
}

impl ComparisonForm {
    /// Returns the form of a shape's values; `None` if they cannot be compared. Lists have the form of
    /// their elements.
    pub(crate) fn from_shape(shape: &Shape) -> Option<ComparisonForm> {
        Some(match shape.element() {
            Shape::String | Shape::Locale | Shape::Country | Shape::Currency | Shape::Enum(_) => {
                ComparisonForm::Text
            }
            Shape::Boolean => ComparisonForm::Boolean,
            Shape::Int | Shape::Long | Shape::Float => ComparisonForm::Number,
            Shape::DateTime => ComparisonForm::DateTime,
            Shape::Date => ComparisonForm::Date,
            Shape::Time => ComparisonForm::Time,
            Shape::Json | Shape::AnyObject => ComparisonForm::Any,
            _ => return None,
        })
    }

    /// Describes values of this form in messages.
    fn description(self) -> &'static str {
        match self {
            ComparisonForm::Text => "a text between double quotation marks",
            ComparisonForm::Number => "a number",
            ComparisonForm::Boolean => "true or false",
            ComparisonForm::DateTime => "a date-time such as \"2027-01-31T12:00:00.000Z\"",
            ComparisonForm::Date => "a date such as \"2027-01-31\"",
            ComparisonForm::Time => "a time such as \"12:30:00.000\"",
            ComparisonForm::Amount => "an amount such as \"10.50 EUR\"",
            ComparisonForm::Any => "a value",
        }
    }

    /// Returns the possible values of `operand`. There is one, except for a text or a variable that is compared with
    /// open JSON: `"5"` may be a number or a text.
    ///
    /// # Errors
    /// A sentence that names the `field`.
    pub(crate) fn values(
        self,
        field: &str,
        operand: &Operand,
        variables: &InputVariables,
    ) -> Result<Vec<ConditionValue>, String> {
        match &operand.value {
            Literal::Variable(name) => match find_variable(name, variables)? {
                [text] => self.variable_values(field, name, text),
                texts => Err(format!(
                    "The input variable '{name}' is given {} times where one value is expected.",
                    texts.len()
                )),
            },
            _ => self.literal_values(field, operand),
        }
    }

    /// Like [`ComparisonForm::values`], for lists, where a variable may hold any number of values.
    pub(crate) fn list_values(
        self,
        field: &str,
        operand: &Operand,
        variables: &InputVariables,
    ) -> Result<Vec<Vec<ConditionValue>>, String> {
        match &operand.value {
            Literal::Variable(name) => find_variable(name, variables)?
                .iter()
                .map(|text| self.variable_values(field, name, text))
                .collect(),
            _ => Ok(vec![self.literal_values(field, operand)?]),
        }
    }

    fn literal_values(self, field: &str, operand: &Operand) -> Result<Vec<ConditionValue>, String> {
        let values = match (&operand.value, self) {
            (Literal::Text(text), form) => form.text_values(text),
            (Literal::Number(number), ComparisonForm::Number | ComparisonForm::Any) => {
                vec![ConditionValue::Number(*number)]
            }
            (Literal::Boolean(boolean), ComparisonForm::Boolean | ComparisonForm::Any) => {
                vec![ConditionValue::Boolean(*boolean)]
            }
            _ => Vec::new(),
        };
        if values.is_empty() {
            let written = match &operand.value {
                Literal::Text(text) => kontor_errors::shortened(&text.as_str().into()),
                _ => operand.to_string(),
            };
            return Err(format!(
                "The field '{field}' expects {}, but {written} is given.",
                self.description()
            ));
        }
        Ok(values)
    }

    /// Returns the possible values of a text; none if it does not fit. The type of the field decides: `"5"` is a
    /// number and `"true"` a boolean if the field holds numbers or booleans. If the type is unknown (open
    /// JSON, such as custom fields and attributes), the text itself and the number or boolean are both possible.
    pub(crate) fn text_values(self, text: &str) -> Vec<ConditionValue> {
        let number = || ExactNumber::parse(text).map(ConditionValue::Number);
        let boolean = || text.parse().ok().map(ConditionValue::Boolean);
        match self {
            ComparisonForm::Number => number().into_iter().collect(),
            ComparisonForm::Boolean => boolean().into_iter().collect(),
            ComparisonForm::Any => {
                [Some(ConditionValue::text(text)), number(), boolean()].into_iter().flatten().collect()
            }
            form => {
                form.normal_text(text).map(|text| ConditionValue::Text(text.into())).into_iter().collect()
            }
        }
    }

    fn variable_values(self, field: &str, name: &str, text: &str) -> Result<Vec<ConditionValue>, String> {
        let values = match self {
            // Values of variables have no quotation marks; some clients add them.
            ComparisonForm::Number | ComparisonForm::Boolean => self.text_values(unquoted(text)),
            form => form.text_values(text),
        };
        if values.is_empty() {
            let given = kontor_errors::shortened(&kontor_json::Value::from(text));
            return Err(format!(
                "The field '{field}' expects {}, but the input variable '{name}' is {given}.",
                self.description()
            ));
        }
        Ok(values)
    }

    /// Returns a text in its stored form, in which text order is time order.
    pub(crate) fn normal_text(self, text: &str) -> Option<String> {
        match self {
            ComparisonForm::Text => Some(text.to_owned()),
            ComparisonForm::DateTime => canonical_date_time(text),
            ComparisonForm::Date => text.parse::<Date>().ok().map(|date| date.to_string()),
            ComparisonForm::Time => text.parse::<Time>().ok().map(|time| format!("{time:.3}")),
            ComparisonForm::Number
            | ComparisonForm::Boolean
            | ComparisonForm::Amount
            | ComparisonForm::Any => None,
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

fn find_variable<'a>(name: &str, variables: &'a InputVariables) -> Result<&'a [String], String> {
    variables.values(name).ok_or_else(|| format!("Missing parameter value for '{name}': add 'var.{name}=…'."))
}
