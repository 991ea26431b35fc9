//! Converts the arguments of a query field (literals, variables, defaults) to JSON.
//!
//! The query is valid and its variables are coerced by then, so every literal fits its type.

use apollo_compiler::Node;
use apollo_compiler::ast::{Type, Value as Literal};
use apollo_compiler::executable::Field;
use apollo_compiler::schema::{ExtendedType, Schema};
use kontor_json::{Map, Number, Value, json};

/// Argument values by argument name.
pub(crate) type ArgumentValues = Map;

/// Returns the arguments of a field that have a value, defaults included. An explicit `null` stays in the map, because
/// some fields treat it differently from an absent argument.
pub(crate) fn arguments_of(field: &Field, variables: &Map, schema: &Schema) -> Map {
    let mut arguments = Map::new();
    for definition in &field.definition.arguments {
        let given = field.arguments.iter().find(|argument| argument.name == definition.name);
        let value = match given {
            Some(argument) => literal_value(&argument.value, &definition.ty, variables, schema),
            None => None,
        };
        let value = value.or_else(|| {
            let default = definition.default_value.as_ref()?;
            literal_value(default, &definition.ty, variables, schema)
        });
        if let Some(value) = value {
            arguments.insert(definition.name.as_str().to_owned(), value);
        }
    }
    arguments
}

/// Returns the value of a literal; `None` for a variable without a value.
fn literal_value(literal: &Node<Literal>, ty: &Type, variables: &Map, schema: &Schema) -> Option<Value> {
    if let (Type::List(inner) | Type::NonNullList(inner), literal) = (ty, &**literal) {
        return match literal {
            Literal::Null => Some(Value::Null),
            Literal::Variable(name) => variables.get(name.as_str()).cloned(),
            Literal::List(elements) => Some(Value::Array(
                elements
                    .iter()
                    .map(|element| literal_value(element, inner, variables, schema).unwrap_or(Value::Null))
                    .collect(),
            )),
            // A single value is coerced to a list with one element.
            _ => Some(Value::Array(vec![value_of_literal(literal, inner, variables, schema)?])),
        };
    }
    value_of_literal(literal, ty, variables, schema)
}

fn value_of_literal(literal: &Literal, ty: &Type, variables: &Map, schema: &Schema) -> Option<Value> {
    Some(match literal {
        Literal::Null => Value::Null,
        Literal::Variable(name) => variables.get(name.as_str())?.clone(),
        Literal::Enum(name) => json!(name.as_str()),
        Literal::String(text) => json!(text),
        Literal::Boolean(value) => json!(value),
        Literal::Int(number) => parse_number(number.as_str()),
        Literal::Float(number) => parse_number(number.as_str()),
        Literal::List(elements) => Value::Array(
            elements
                .iter()
                .map(|element| value_of_literal(element, ty, variables, schema).unwrap_or(Value::Null))
                .collect(),
        ),
        Literal::Object(fields) => {
            let mut object = Map::new();
            let input = match schema.types.get(ty.inner_named_type()) {
                Some(ExtendedType::InputObject(input)) => Some(input),
                _ => None,
            };
            match input {
                // A scalar that accepts any JSON.
                None => {
                    for (name, value) in fields {
                        if let Some(value) = value_of_literal(value, ty, variables, schema) {
                            object.insert(name.as_str().to_owned(), value);
                        }
                    }
                }
                Some(input) => {
                    for (name, definition) in &input.fields {
                        let given = fields.iter().find(|(given, _)| given == name);
                        let value = given
                            .and_then(|(_, value)| literal_value(value, &definition.ty, variables, schema))
                            .or_else(|| {
                                literal_value(
                                    definition.default_value.as_ref()?,
                                    &definition.ty,
                                    variables,
                                    schema,
                                )
                            });
                        if let Some(value) = value {
                            object.insert(name.as_str().to_owned(), value);
                        }
                    }
                }
            }
            Value::Object(object)
        }
    })
}

/// Converts a number literal. A number that JSON cannot represent becomes text, which the engine refuses.
fn parse_number(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return json!(whole);
    }
    match text.parse::<f64>().ok().and_then(Number::from_f64) {
        Some(number) => Value::Number(number),
        None => json!(text),
    }
}
