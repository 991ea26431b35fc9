//! Bulk requests: update actions for many documents, each with its own result.
//!
//! Source: reference types `VariantBulkUpdate…`, `BulkOperationMaxItemsExceededError`.

use crate::address::Address;
use crate::caller::Caller;
use crate::document::{self, Document};
use crate::shop::{Shop, WrittenDocument};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::KindId;
use kontor_model::limits::{BULK_ACTIONS_MAX, BULK_ITEMS_MAX};

/// An item of the request: the id or key of a document.
struct BulkItem {
    id: Option<String>,
    key: Option<String>,
    version: Option<i64>,
}

impl BulkItem {
    fn address(&self) -> Address<'_> {
        match (&self.id, &self.key) {
            (Some(id), _) => Address::Id(id),
            (None, key) => Address::Key(key.as_deref().unwrap_or_default()),
        }
    }

    /// Returns the entry of the response.
    fn result(&self, resource: ApiResult<Value>) -> Value {
        let mut result = Document::new();
        for (name, value) in [("id", &self.id), ("key", &self.key)] {
            result.extend(value.as_ref().map(|value| (name, json!(value))));
        }
        match resource {
            Ok(resource) => {
                result.insert("status", json!("Success"));
                result.insert("resource", resource);
            }
            Err(error) => {
                result.insert("status", json!("Fail"));
                let errors: Vec<Value> = error.objects().iter().map(|object| object.to_json()).collect();
                result.insert("errors", Value::Array(errors));
            }
        }
        Value::Object(result)
    }
}

impl Shop {
    /// Applies the actions of a body `{items: [{id or key, version}], actions}` to each document. Returns
    /// `{successCount, failureCount, results}`, with a result for each document. Accepts only actions that the
    /// model allows in bulk.
    pub fn update_in_bulk<'a>(
        &'a self,
        kind: KindId,
        body: &'a Value,
        versions_count: bool,
        by: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Value>> {
        Box::pin(async move {
            let fields = body.as_object().into_iter().flat_map(|body| body.keys());
            let unknown = fields.filter(|name| *name != "items" && *name != "actions");
            by.ignore_or_refuse(unknown, "a bulk update has items and actions")?;
            let (items, actions) = parse_bulk_update(body, &self.model().kind(kind).bulk)?;
            let must_name = |item: &BulkItem| versions_count && item.version.is_none();
            let named = items.iter().filter(|item| !must_name(item));
            let named: Vec<_> =
                named.map(|item| (item.address(), item.version.filter(|_| versions_count))).collect();
            let written = match self.update_each(kind, &named, actions, by).await {
                Ok(written) => written,
                Err(error) => named.iter().map(|_| Err(error.clone())).collect(),
            };
            let mut written = written.into_iter();
            let mut results = Vec::with_capacity(items.len());
            let mut successes = 0;
            for item in &items {
                let written = match must_name(item) {
                    true => Err(ApiError::required_field("version")),
                    false => written.next().unwrap_or_else(|| Err(ApiError::bug("an item has no result"))),
                };
                let resource = written.and_then(|written| resource_entry(&written));
                successes += usize::from(resource.is_ok());
                results.push(item.result(resource));
            }
            Ok(
                json!({"successCount": successes, "failureCount": results.len() - successes, "results": results}),
            )
        })
    }
}

/// Returns the items and the actions of a body.
fn parse_bulk_update<'b>(body: &'b Value, allowed: &[String]) -> ApiResult<(Vec<BulkItem>, &'b [Value])> {
    let list = |name: &str| match body.get(name) {
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(ApiError::invalid_json(format!("{name}: an array was expected"))),
        None => Err(ApiError::invalid_json(format!("{name}: a value is required"))),
    };
    let (items, actions) = (list("items")?, list("actions")?);
    if items.len() > BULK_ITEMS_MAX {
        return Err(ApiError::new(
            Code::BulkOperationMaxItemsExceeded,
            format!("The bulk request exceeds the maximum allowed items of {BULK_ITEMS_MAX}."),
        )
        .with_field("limit", json!(BULK_ITEMS_MAX))
        .with_field("provided", json!(items.len())));
    }
    if actions.len() > BULK_ACTIONS_MAX {
        return Err(ApiError::invalid_json(format!(
            "actions: at most {BULK_ACTIONS_MAX} is allowed, found {}",
            actions.len()
        )));
    }
    for (index, action) in actions.iter().enumerate() {
        let name = action["action"].as_str().unwrap_or_default();
        if !allowed.iter().any(|allowed| allowed == name) {
            return Err(ApiError::invalid_json(format!(
                "actions[{index}].action: unknown action '{name}', expected one of {}",
                allowed.join(", ")
            )));
        }
    }
    let items = items.iter().enumerate().map(|(index, item)| parse_item(item, &format!("items[{index}]")));
    Ok((items.collect::<ApiResult<_>>()?, actions))
}

fn parse_item(item: &Value, place: &str) -> ApiResult<BulkItem> {
    let Value::Object(item) = item else {
        return Err(ApiError::invalid_json(format!("{place}: an object was expected")));
    };
    let text = |name: &str| match item.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ApiError::invalid_json(format!("{place}.{name}: a text was expected"))),
    };
    let version = match item.get("version") {
        None | Some(Value::Null) => None,
        Some(version) => match version.as_i64() {
            Some(version) => Some(version),
            None => {
                return Err(ApiError::invalid_json(format!("{place}.version: a whole number was expected")));
            }
        },
    };
    let (id, key) = (text("id")?, text("key")?);
    if id.is_some() == key.is_some() {
        return Err(ApiError::invalid_json(format!("{place}: one of id and key is required")));
    }
    Ok(BulkItem { id, key, version })
}

/// Returns the id and the version of a written document.
fn resource_entry(written: &WrittenDocument) -> ApiResult<Value> {
    let document = document::read(&written.body)?;
    Ok(json!({"id": document.get("id"), "version": document.get("version")}))
}
