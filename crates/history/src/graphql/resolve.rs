//! Resolves the fields of a query: one query for each root field, and the content of its page.

use super::schema::{ALL, field};
use crate::changes::KINDS;
use crate::query_params::HistoryParameters;
use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::{JsonMap, serde_json_bytes};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::sync::{Mutex, PoisonError};

/// The root object: each of its fields is a query.
pub(super) struct HistoryRoot<'f, Q> {
    query: Q,
    /// The errors of queries, from which the response gets their codes.
    failures: &'f Mutex<Vec<ApiError>>,
}

impl<'f, Q: Fn(&HistoryParameters<'_>) -> ApiResult<Value>> HistoryRoot<'f, Q> {
    pub(super) fn new(failures: &'f Mutex<Vec<ApiError>>, query: Q) -> Self {
        Self { query, failures }
    }
}

impl<Q: Fn(&HistoryParameters<'_>) -> ApiResult<Value>> ObjectValue for HistoryRoot<'_, Q> {
    fn type_name(&self) -> &str {
        "Query"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let name = info.field_name();
        let path = KINDS.iter().map(|kind| kind.path).find(|path| field(path) == name);
        if path.is_none() && name != ALL {
            return Err(self.unknown_field_error(info));
        }
        let parameters = parameters(info.arguments());
        let sent = HistoryParameters { path, id: None, parameters: &parameters };
        match (self.query)(&sent) {
            Ok(page) => Ok(resolved("RecordPagedQueryResponse", page)),
            Err(error) => {
                let message = error.message().to_owned();
                self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(error);
                Err(FieldError { message })
            }
        }
    }
}

/// Converts arguments to the parameters of the REST query.
fn parameters(arguments: &JsonMap) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    for (name, value) in arguments {
        add(name.as_str(), value, &mut parameters);
    }
    parameters
}

fn add(name: &str, value: &serde_json_bytes::Value, parameters: &mut Vec<(String, String)>) {
    use serde_json_bytes::Value::{Array, Bool, Null, Number, Object, String};
    match value {
        Null => {}
        Bool(flag) => parameters.push((name.to_owned(), flag.to_string())),
        Number(number) => parameters.push((name.to_owned(), number.to_string())),
        String(text) => parameters.push((name.to_owned(), text.as_str().to_owned())),
        Array(all) => all.iter().for_each(|one| add(name, one, parameters)),
        Object(fields) => {
            fields
                .iter()
                .for_each(|(field, value)| add(&format!("{name}.{}", field.as_str()), value, parameters));
        }
    }
}

/// An object of a page.
struct PageObject {
    ty: &'static str,
    fields: kontor_json::Map,
}

impl ObjectValue for PageObject {
    fn type_name(&self) -> &str {
        self.ty
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let name = info.field_name();
        // Both names have the reference.
        let stored = match (self.ty, name) {
            ("ModifiedBy", "customerRef" | "associateRef") => name.trim_end_matches("Ref"),
            _ => name,
        };
        let value = self.fields.get(stored).cloned().unwrap_or_default();
        let ty = match (self.ty, name) {
            ("RecordPagedQueryResponse", "results") => "Record",
            ("Record", "modifiedBy") => "ModifiedBy",
            ("Record", "changes") => "Change",
            ("Record", "resource") => "RecordedResource",
            ("Record", "stores" | "businessUnit") => "KeyReference",
            ("ModifiedBy", "customer" | "customerRef" | "associate" | "associateRef") => "Reference",
            ("ModifiedBy", "attributedTo") => "Attribution",
            _ => return Ok(ResolvedValue::Leaf(kontor_json::from_value(value).unwrap_or_default())),
        };
        Ok(resolved(ty, value))
    }
}

fn resolved<'a>(ty: &'static str, value: Value) -> ResolvedValue<'a> {
    match value {
        Value::Object(fields) => ResolvedValue::Object(Box::new(PageObject { ty, fields })),
        Value::Array(all) => {
            ResolvedValue::List(Box::new(all.into_iter().map(move |one| Ok(resolved(ty, one)))))
        }
        other => ResolvedValue::Leaf(kontor_json::from_value(other).unwrap_or_default()),
    }
}
