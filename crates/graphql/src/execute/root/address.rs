//! Determines which document the arguments address.

use super::ArgumentValues;
use crate::derive::target_through;
use crate::exceptions::{SELECTORS, STORE_KEY};
use crate::execute::ExecutionContext;
use kontor_engine::{AccessScope, Address};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::{Addressing, KindId, Model, Operation};

/// Returns the address of the document that the arguments name.
///
/// # Errors
/// `InvalidInput` if they name none.
pub(in crate::execute) fn address<'a>(
    kind: KindId,
    arguments: &'a ArgumentValues,
    model: &Model,
) -> ApiResult<Address<'a>> {
    let entry = model.kind(kind);
    if entry.addressing == Addressing::Singleton {
        return Ok(Address::Only);
    }
    if let Some(id) = text(arguments, "id") {
        return Ok(Address::Id(id));
    }
    match &entry.addressing {
        Addressing::Fields(names) => {
            let parts: Vec<&str> = names.iter().filter_map(|name| text(arguments, name)).collect();
            if parts.len() == names.len() {
                return Ok(Address::Fields(parts));
            }
            Err(ApiError::invalid_input(format!("Either id or {} must be given.", names.join(" and "))))
        }
        Addressing::Id { by_key } => match text(arguments, &entry.key_field) {
            Some(key) if *by_key => Ok(Address::Key(key)),
            // Documents of this kind have no key, so no document matches.
            Some(_) if entry.allows(Operation::Get) => Ok(Address::Key("")),
            _ => Err(ApiError::invalid_input("Either id or key must be given.")),
        },
        Addressing::Singleton => Ok(Address::Only),
    }
}

/// Returns the id of a Store's document that arguments name by one of its references; `None` if they name it
/// in another way.
pub(super) fn id_through_store(
    kind: KindId,
    arguments: &ArgumentValues,
    stores: &[String],
    context: &ExecutionContext,
) -> ApiResult<Option<String>> {
    let model = context.shop.model();
    let Some(target) = target_through(model, kind) else { return Ok(None) };
    if ["id", "key"].iter().any(|name| text(arguments, name).is_some()) {
        return Ok(None);
    }
    let name = model.kind(target).camel_name();
    let (by_id, by_key) = (format!("{name}Id"), format!("{name}Key"));
    let address = match (text(arguments, &by_id), text(arguments, &by_key)) {
        (Some(id), _) => Address::Id(id),
        (None, Some(key)) => Address::Key(key),
        (None, None) => return Ok(None),
    };
    let mut refusal = ApiError::invalid_input(format!(
        "{by_id}, {by_key}: expected together with a Store, by {STORE_KEY} or below one."
    ));
    for store in stores {
        match context.shop.id_in_store(kind, store, target, &address) {
            Ok(id) => return Ok(Some(id)),
            Err(error) if error.code() == Code::ResourceNotFound => refusal = error,
            Err(error) => return Err(error),
        }
    }
    Err(refusal)
}

/// Returns the id of the calling customer, below `me`.
pub(super) fn own_id(access_scope: &AccessScope) -> Option<&str> {
    access_scope.mine.as_ref().and_then(|asker| asker.customer())
}

/// Returns the address of the document to change: the caller's own document if there is only one, otherwise the one
/// that the arguments name.
pub(super) fn address_of_change<'a>(
    kind: KindId,
    arguments: &'a ArgumentValues,
    access_scope: &'a AccessScope,
    model: &Model,
) -> ApiResult<Address<'a>> {
    let own = model.kind(kind).mine.as_ref().filter(|mine| mine.path.is_empty());
    match own.and_then(|_| own_id(access_scope)) {
        Some(id) => Ok(Address::Id(id)),
        None => address(kind, arguments, model),
    }
}

/// Returns the predicates for the arguments that replace predicates.
pub(in crate::execute) fn predicate_arguments(kind: &str, arguments: &ArgumentValues) -> Vec<String> {
    let quoted = |value: &Value| value.as_str().map(|text| Value::from(text).to_string());
    let of_kind = SELECTORS.filter(|selector| selector.kind == kind);
    of_kind
        .filter_map(|selector| {
            let texts = match arguments.get(selector.argument.0)? {
                // `x in ("")` matches nothing, like `in` with an empty list.
                Value::Array(texts) if texts.is_empty() => "\"\"".to_owned(),
                Value::Array(texts) => texts.iter().filter_map(quoted).collect::<Vec<_>>().join(", "),
                text => quoted(text)?,
            };
            Some(selector.predicate.replace("{}", &texts))
        })
        .collect()
}

/// Returns an argument that is a string.
pub(in crate::execute) fn text<'a>(arguments: &'a ArgumentValues, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// Returns an argument that is a list of strings; empty if it is not given.
pub(super) fn string_list(arguments: &ArgumentValues, name: &str) -> Vec<String> {
    match arguments.get(name) {
        Some(Value::Array(elements)) => {
            elements.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
