//! Import Requests: validates their resources and stores them as operations (reference: ImportRequest).

use crate::container;
use crate::import_store::{self, CONTAINER};
use crate::limits::RESOURCES_MAX;
use crate::operation;
use crate::references;
use crate::resource;
use kontor_engine::{Caller, Shop, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{ImportType, Location, Model, Shape, Validator, ValueLimits};
use kontor_storage::{Commit, Precondition};

/// Accepts the resources of a request, all or none. Returns the response, and the ids of the new operations.
pub(crate) async fn accept(
    shop: &Shop,
    import: &ImportType,
    container: &str,
    body: Value,
    caller: &Caller,
) -> ApiResult<(Value, Vec<String>)> {
    let (_, kept) = container::must_get(shop, container)?;
    if let Some(only) = document::text(&kept, &["resourceType"])
        && only != import.type_name
    {
        let message = format!(
            "The Import Container '{container}' takes resources of type '{only}', not '{}'.",
            import.type_name
        );
        return Err(ApiError::invalid_operation(message));
    }
    let resources = resources(import, body)?;
    resource::check_together(&import.type_name, &resources)?;
    let mut commit =
        Commit::new().require(Precondition::Exists { kind: CONTAINER.into(), id: container.to_owned() });
    let mut ids = Vec::with_capacity(resources.len());
    for (index, mut resource) in resources.into_iter().enumerate() {
        check(shop.model(), import, &mut resource)
            .map_err(|error| error.with_field("resourceIndex", json!(index)))?;
        if let (Some(Shape::Object(shape)), Value::Object(fields)) =
            (shape_of(shop.model(), import, &resource), &mut resource)
        {
            shop.hash_secrets(shape, fields).await?;
        }
        let key = key_of(&resource).to_owned();
        let (id, put) = operation::new(shop, container, &import.type_name, &key, resource, caller);
        ids.push(id);
        commit = commit.put(put);
    }
    match import_store::commit(shop, commit).await {
        Ok(()) => {}
        // The container was deleted in the meantime.
        Err(Ok(_)) => return Err(container::container_not_found(container)),
        Err(Err(error)) => return Err(error),
    }
    let status: Vec<Value> = ids.iter().map(|id| json!({"operationId": id, "state": "processing"})).collect();
    Ok((json!({"operationStatus": status}), ids))
}

/// Returns the resources of a request.
fn resources(import: &ImportType, body: Value) -> ApiResult<Vec<Value>> {
    let Value::Object(mut body) = body else {
        return Err(ApiError::invalid_json("the body: expected an object"));
    };
    match body.shift_remove("type") {
        Some(given) if given == import.type_name.as_str() => {}
        None => return Err(ApiError::invalid_json("type: a value is required")),
        Some(given) => {
            let allowed = json!([import.type_name]);
            return Err(ApiError::invalid_field(
                "type",
                &given,
                "Expected the type of the path.",
                Some(allowed),
            ));
        }
    }
    let list = body.shift_remove(&import.list);
    if let Some(unknown) = body.keys().next() {
        return Err(ApiError::invalid_json(format!(
            "{unknown}: unknown field; an Import Request has type, {}",
            import.list
        )));
    }
    match list {
        Some(Value::Array(list)) if (1..=RESOURCES_MAX).contains(&list.len()) => Ok(list),
        Some(Value::Array(list)) => {
            let expected = format!("Expected 1 to {RESOURCES_MAX} resources.");
            Err(ApiError::invalid_field(&import.list, &json!(list.len()), &expected, None))
        }
        Some(_) => Err(ApiError::invalid_json(format!("{}: expected an array", import.list))),
        None => Err(ApiError::invalid_json(format!("{}: a value is required", import.list))),
    }
}

/// Validates a resource strictly. Paths in errors are relative to the resource.
fn check(model: &Model, import: &ImportType, resource: &mut Value) -> ApiResult<()> {
    references::check_known(model, &import.shape, resource, "")?;
    Validator::new(model).value(&import.shape, &ValueLimits::default(), resource, &Location::Text(""))?;
    references::check(model, &import.shape, resource, "")?;
    match resource {
        Value::Object(fields) => resource::check(&import.type_name, fields),
        _ => Ok(()),
    }
}

fn shape_of(model: &Model, import: &ImportType, resource: &Value) -> Option<Shape> {
    references::member(model, &import.shape, resource).or_else(|| Some(import.shape.clone()))
}

/// Returns the key by which operations name their resource.
fn key_of(resource: &Value) -> &str {
    let own = resource.get("key").or_else(|| resource.get("orderNumber"));
    let own = own.or_else(|| resource.get("productVariant").and_then(|variant| variant.get("key")));
    own.and_then(Value::as_str).unwrap_or_default()
}
