//! Checks values of the schema's own scalars. The library checks GraphQL's built-in scalars only, so without this check
//! a number could reach an argument that is read as a string. Start at [`literal_errors`].

use crate::graphql_error::GraphQlError;
use crate::limits::ERRORS_MAX;
use crate::scalar_values::ScalarValues;
use crate::schema::Schema;
use crate::schema_types::TypeBody;
use apollo_compiler::ast::{Argument, Type, Value as Literal};
use apollo_compiler::executable::{Operation, Selection, SelectionSet};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{ExecutableDocument, Node};
use kontor_errors::{Code, shortened};
use kontor_json::{Map, Value};

impl Schema {
    /// Returns the values that one of the schema's own scalars accepts; `None` for other types.
    fn scalar_values(&self, name: &str) -> Option<ScalarValues> {
        match self.types.get(name)?.body {
            TypeBody::Scalar(takes) => Some(takes),
            _ => None,
        }
    }
}

/// Returns an error for each literal of a valid query that its scalar does not accept.
pub(crate) fn literal_errors(schema: &Schema, document: &ExecutableDocument) -> Vec<GraphQlError> {
    let mut check = LiteralCheck { schema, document, problems: Vec::new() };
    for operation in document.operations.iter() {
        for variable in &operation.variables {
            if let Some(default) = &variable.default_value {
                check.literal(default, &variable.ty);
            }
        }
        check.selections(&operation.selection_set);
    }
    for fragment in document.fragments.values() {
        check.selections(&fragment.selection_set);
    }
    check.problems
}

struct LiteralCheck<'q> {
    schema: &'q Schema,
    document: &'q ExecutableDocument,
    problems: Vec<GraphQlError>,
}

impl LiteralCheck<'_> {
    fn selections(&mut self, set: &SelectionSet) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    for Argument { name, value } in field.arguments.iter().map(|argument| &**argument) {
                        let definition = field.definition.arguments.iter().find(|known| known.name == *name);
                        if let Some(definition) = definition {
                            self.literal(value, &definition.ty);
                        }
                    }
                    self.selections(&field.selection_set);
                }
                Selection::InlineFragment(fragment) => self.selections(&fragment.selection_set),
                // Each fragment is checked once, by itself.
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    fn literal(&mut self, literal: &Node<Literal>, ty: &Type) {
        match (ty, &**literal) {
            (Type::List(inner) | Type::NonNullList(inner), Literal::List(elements)) => {
                elements.iter().for_each(|element| self.literal(element, inner));
            }
            // A single value is coerced to a list with one element.
            (Type::List(inner) | Type::NonNullList(inner), _) => self.literal(literal, inner),
            (Type::Named(name) | Type::NonNullNamed(name), value) => {
                if let Some(takes) = self.schema.scalar_values(name) {
                    if !takes.accepts_literal(value) {
                        self.wrong(name, value, literal.location());
                    }
                } else if let (Some(ExtendedType::InputObject(input)), Literal::Object(fields)) =
                    (self.schema.compiled.types.get(name), value)
                {
                    for (name, value) in fields {
                        if let Some(definition) = input.fields.get(name) {
                            self.literal(value, &definition.ty);
                        }
                    }
                }
            }
        }
    }

    fn wrong(&mut self, name: &str, literal: &Literal, location: Option<SourceSpan>) {
        if self.problems.len() < ERRORS_MAX {
            let found = match literal {
                Literal::Enum(_) => "an enum value",
                Literal::String(_) => "a string",
                Literal::Float(_) => "a float",
                Literal::Int(_) => "an integer",
                Literal::Boolean(_) => "a boolean",
                Literal::List(_) => "a list",
                Literal::Object(_) => "an input object",
                Literal::Null | Literal::Variable(_) => "nothing",
            };
            let message = format!("expected value of type {name}, found {found}");
            let problem = GraphQlError::new(Code::InvalidInput, &message);
            self.problems.push(problem.with_location(location, &self.document.sources));
        }
    }
}

/// Returns the error for a variable's value, in the wording of the library: `could not coerce variable <name>: …`.
pub(crate) fn variable_error(schema: &Schema, operation: &Operation, variables: &Map) -> Option<String> {
    operation.variables.iter().find_map(|definition| {
        let name = definition.name.as_str();
        let (ty, value) = wrong_value(schema, &definition.ty, variables.get(name)?)?;
        Some(format!("could not coerce variable {name}: expected type {ty}, found {}", shortened(value)))
    })
}

/// Returns the type of the first scalar in a value that does not accept its value, and that value.
fn wrong_value<'v>(schema: &Schema, ty: &Type, value: &'v Value) -> Option<(String, &'v Value)> {
    match (ty, value) {
        (Type::List(inner) | Type::NonNullList(inner), Value::Array(elements)) => {
            elements.iter().find_map(|element| wrong_value(schema, inner, element))
        }
        (Type::List(inner) | Type::NonNullList(inner), value) => wrong_value(schema, inner, value),
        (Type::Named(name) | Type::NonNullNamed(name), value) => {
            if let Some(takes) = schema.scalar_values(name) {
                return (!takes.accepts_value(value)).then(|| (name.to_string(), value));
            }
            let (Some(ExtendedType::InputObject(input)), Value::Object(fields)) =
                (schema.compiled.types.get(name), value)
            else {
                return None;
            };
            let mut fields = fields.iter();
            fields.find_map(|(name, value)| wrong_value(schema, &input.fields.get(name.as_str())?.ty, value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_cache::QueryCache;
    use kontor_json::json;
    use kontor_model::Model;

    /// A literal of each sort, and the equal value of a variable.
    fn literals() -> [(&'static str, Value); 8] {
        [
            ("\"a\"", json!("a")),
            ("1", json!(1)),
            ("1.5", json!(1.5)),
            ("true", json!(true)),
            ("A", json!("A")),
            ("[\"a\"]", json!(["a"])),
            ("{a: 1}", json!({"a": 1})),
            ("null", json!(null)),
        ]
    }

    /// Tries every scalar of the schema with every sort of literal: literals that do not fit are rejected, and so are
    /// such values of variables.
    #[test]
    fn a_scalar_accepts_only_its_own_literals() {
        let schema = Schema::derive(&Model::embedded().unwrap()).unwrap();
        let own = |takes| match takes {
            ScalarValues::Text => [true, false, false, false, false, false, false, true],
            ScalarValues::Whole => [false, true, false, false, false, false, false, true],
            ScalarValues::Number => [false, true, true, false, false, false, false, true],
            ScalarValues::Primitive => [true, true, true, true, false, false, false, true],
            ScalarValues::Any => [true; 8],
        };
        let mut scalars = 0;
        for (name, entry) in &schema.types {
            let TypeBody::Scalar(takes) = entry.body else { continue };
            scalars += 1;
            let query = format!("query($v: {name}) {{ __typename }}");
            let parsed = ExecutableDocument::parse(&schema.compiled, &query, "query").unwrap();
            let operation = parsed.operations.get(None).unwrap();
            for ((literal, value), is_own) in literals().into_iter().zip(own(takes)) {
                let query = format!("query($v: {name} = {literal}) {{ __typename }}");
                let parsed = ExecutableDocument::parse(&schema.compiled, &query, "query").unwrap();
                assert_eq!(literal_errors(&schema, &parsed).is_empty(), is_own, "{name} = {literal}");
                let mut variables = Map::new();
                // JSON has no enum values.
                if literal != "A" {
                    variables.insert("v", value);
                    let wrong = variable_error(&schema, operation, &variables);
                    assert_eq!(wrong.is_none(), is_own, "{name}: {literal}: {wrong:?}");
                }
            }
        }
        assert!(scalars > 10, "{scalars}");
    }

    #[test]
    fn scalars_are_checked_at_any_depth() {
        let schema = Schema::derive(&Model::embedded().unwrap()).unwrap();
        let refused =
            |query: &str| QueryCache::new().get(query, &schema).err().map(|problems| problems.len());
        for (query, expected) in [
            ("{ asAssociate(associateId: \"a\", businessUnitKey: \"b\") { carts { count } } }", None),
            ("{ asAssociate(associateId: \"a\", businessUnitKey: 1) { carts { count } } }", Some(1)),
            ("{ inStore(key: {a: 1}) { __typename } }", Some(1)),
            ("{ inStores(keys: [1, \"a\", true]) { __typename } }", Some(2)),
            ("{ ...F } fragment F on Query { inStore(key: 1) { __typename } }", Some(1)),
            (
                "mutation { createState(draft: {key: \"s\", type: ReviewState, name: [{locale: 1, value: \"a\"}]}) { id } }",
                Some(1),
            ),
        ] {
            assert_eq!(refused(query), expected, "{query}");
        }
    }
}
