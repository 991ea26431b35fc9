//! A fast path for variables that need no conversion, which is the usual case: the library's coercion copies every
//! value into its own JSON and back.

use crate::schema::Schema;
use crate::schema_types::TypeBody;
use apollo_compiler::ast::Type;
use apollo_compiler::executable::Operation;
use kontor_json::{Map, Value};

/// Returns the declared variables if each value is valid as it is. `None`: the library has to coerce them,
/// because a value is wrong, a default is missing, or a type is more than a scalar.
pub(crate) fn plain_variables(schema: &Schema, operation: &Operation, given: &Map) -> Option<Map> {
    let mut variables = Map::with_capacity(operation.variables.len());
    for definition in &operation.variables {
        let name = definition.name.as_str();
        match given.get(name) {
            None if definition.ty.is_non_null() || definition.default_value.is_some() => return None,
            None => {}
            Some(value) if is_plain(schema, &definition.ty, value) => {
                variables.insert(name, value.clone());
            }
            Some(_) => return None,
        }
    }
    Some(variables)
}

fn is_plain(schema: &Schema, ty: &Type, value: &Value) -> bool {
    match ty {
        Type::List(_) | Type::NonNullList(_) => false,
        Type::Named(_) if value.is_null() => true,
        Type::Named(name) | Type::NonNullNamed(name) => match name.as_str() {
            "String" => value.is_string(),
            "Boolean" => value.is_boolean(),
            "Int" => value.as_i64().is_some_and(|whole| i32::try_from(whole).is_ok()),
            name => {
                let entry = schema.types.get(name);
                entry.is_some_and(
                    |entry| matches!(entry.body, TypeBody::Scalar(takes) if takes.accepts_value(value)),
                ) && !value.is_null()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;
    use kontor_model::Model;

    #[test]
    fn plain_variables_equal_the_coerced_ones() {
        let schema = Schema::derive(&Model::embedded().unwrap()).unwrap();
        let text = "query($s: String!, $o: String, $i: Int, $b: Boolean, $l: Long, $d: Int = 3, $k: KeyReferenceInput) \
                    { state(id: $s, key: $o) { id @include(if: $b) } states(limit: $i, offset: $d) { count } \
                      inStore(key: $k) { __typename } }";
        let cases = [
            json!({"s": "a", "d": 4}),
            json!({"s": "a", "o": null, "i": 3, "b": true, "l": 9_007_199_254_740_993_i64, "d": 4, "k": "x"}),
            json!({"s": "a", "i": null, "d": null, "other": 1}),
            json!({"s": "a"}),
            json!({"s": 1, "d": 4}),
            json!({"s": null, "d": 4}),
            json!({"s": "a", "i": 2_147_483_648_i64, "d": 4}),
            json!({"s": "a", "b": "true", "d": 4}),
            json!({"s": "a", "i": 1.5, "d": 4}),
            json!({"d": 4}),
        ];
        // `$l` is not used and `$k` is not required, so the document is parsed without validation.
        let parsed = apollo_compiler::ExecutableDocument::parse(&schema.compiled, text, "query").unwrap();
        let operation = parsed.operations.get(None).unwrap();
        let mut plain_ones = 0;
        for given in cases {
            let map = given.as_object().unwrap();
            let apollo_compiler::response::serde_json_bytes::Value::Object(theirs) =
                kontor_json::from_value(given.clone()).unwrap()
            else {
                unreachable!()
            };
            let coerced =
                apollo_compiler::request::coerce_variable_values(&schema.compiled, operation, &theirs);
            if let Some(plain) = plain_variables(&schema, operation, map) {
                plain_ones += 1;
                let coerced = kontor_json::to_value(&*coerced.unwrap()).unwrap();
                assert_eq!(Value::Object(plain), coerced, "{given}");
            }
        }
        assert_eq!(plain_ones, 3);
    }
}
