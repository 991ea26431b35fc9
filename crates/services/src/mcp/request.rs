//! Converts a tool call into an API request.

use super::schema::is_listed;
use super::tool_names::{ToolVerb, kind, verb_of_tool};
use crate::url_encoding::percent_encode;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_json::{Map, Value};
use kontor_model::{
    Addressing, Kind, KindId, Method, Model, Operation, OperationKind, PathPrefix, PathSegment, PathTarget,
};
use std::fmt::Write as _;

/// Tools that are not a create, read or update of a kind: their method and path.
const SPECIAL: [(&str, Method, &str); 6] = [
    ("read_customer_search", Method::Post, "/{projectKey}/customers/search"),
    ("read_product_search", Method::Post, "/{projectKey}/products/search"),
    ("replicate_carts", Method::Post, "/{projectKey}/carts/replicate"),
    ("read_project", Method::Get, "/{projectKey}"),
    ("update_project", Method::Post, "/{projectKey}"),
    ("update_payment_intents", Method::Post, "/checkout/{projectKey}/payment-intents/{paymentId}"),
];

/// Maximum length of the path and query of a request in bytes, as for requests of clients.
const PATH_BYTES_MAX: usize = 65_534;

/// A request to the API.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiRequest {
    /// Its method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// The body; null if there is none.
    pub body: Value,
}

/// Calls the API with the rights of the agent's token.
pub trait Api: Send + Sync {
    /// Sends a request, and returns the status and the body of the response.
    fn send(&self, request: ApiRequest) -> BoxFuture<'_, (u16, Bytes)>;
}

/// Converts a tool call to a request. Returns an error message for the agent if an argument is missing or wrong.
pub(super) fn build_request(
    model: &Model,
    project: &str,
    name: &str,
    mut arguments: Map,
) -> Result<ApiRequest, String> {
    if let Some((_, method, path)) = SPECIAL.iter().find(|(known, ..)| *known == name) {
        let mut path = path.replace("{projectKey}", &percent_encode(project));
        if path.contains("{paymentId}") {
            path = path.replace(
                "{paymentId}",
                &percent_encode(&take_text(&mut arguments, "paymentId").ok_or("paymentId is needed")?),
            );
        }
        return request_with(*method, path, arguments);
    }
    let (id, kind) = kind(model, name).ok_or_else(|| format!("'{name}' can not be used here"))?;
    let store = take_text(&mut arguments, "storeKey");
    let side = if store.is_some() { PathPrefix::Store } else { PathPrefix::Project };
    let before: Vec<String> = std::iter::once(project.to_owned()).chain(store).collect();
    let at = |target: PathTarget, values: &[String]| {
        let values: Vec<&str> = before.iter().chain(values).map(String::as_str).collect();
        path(model, id, side, target, &values).ok_or_else(|| format!("'{name}' can not be used so"))
    };
    match verb_of_tool(name) {
        ToolVerb::Create => request_with(Method::Post, at(PathTarget::All, &[])?, arguments),
        ToolVerb::Update if matches!(kind.addressing, Addressing::Fields(_)) => {
            request_with(Method::Post, at(PathTarget::All, &[])?, arguments)
        }
        ToolVerb::Update => {
            let (target, values) = take_address(kind, &mut arguments).ok_or("id or key is needed")?;
            request_with(Method::Post, at(target, &values)?, arguments)
        }
        ToolVerb::Read | ToolVerb::Replicate => {
            let path = match take_address(kind, &mut arguments) {
                Some((target, values)) => at(target, &values)?,
                None if !is_listed(kind) => return Err("id or key is needed".to_owned()),
                None => at(PathTarget::All, &[])?,
            };
            request_with(Method::Get, path, arguments)
        }
    }
}

/// Returns the query that finds the addressed document only if it matches the predicates in `where`, with the other
/// arguments of a read. `None` if the arguments address no single document, which then is a query anyway.
pub(super) fn pinned_query(
    model: &Model,
    project: &str,
    name: &str,
    mut arguments: Map,
) -> Result<Option<ApiRequest>, String> {
    let Some((id, kind)) = kind(model, name) else { return Ok(None) };
    let values: Vec<(String, String)> = match &kind.addressing {
        Addressing::Singleton => return Ok(None),
        Addressing::Fields(fields) => {
            let part = |field: &String| Some((field.clone(), take_text(&mut arguments, field)?));
            let values: Vec<_> = fields.iter().map_while(part).collect();
            if values.len() < fields.len() && verb_of_tool(name) == ToolVerb::Read {
                return Ok(None);
            }
            values
        }
        Addressing::Id { .. } => {
            let found = take_text(&mut arguments, "id").map(|value| ("id".to_owned(), value));
            let by_key = |name: &str, arguments: &mut Map| {
                take_text(arguments, name).map(|value| (kind.key_field.clone(), value))
            };
            let found = found
                .or_else(|| by_key(&kind.key_field, &mut arguments))
                .or_else(|| by_key("key", &mut arguments));
            found.into_iter().collect()
        }
    };
    if values.is_empty() {
        return Ok(None);
    }
    if !kind.operations.contains(&Operation::Query) {
        return Err(format!(
            "'{name}' has a pinned 'where', which cannot be held against one document of this kind"
        ));
    }
    let store = take_text(&mut arguments, "storeKey");
    let side = if store.is_some() { PathPrefix::Store } else { PathPrefix::Project };
    let before: Vec<&str> = std::iter::once(project).chain(store.as_deref()).collect();
    let path = path(model, id, side, PathTarget::All, &before)
        .ok_or_else(|| format!("'{name}' can not be used so"))?;
    let mut predicates = match arguments.shift_remove("where") {
        Some(Value::Array(predicates)) => predicates,
        Some(predicate) => vec![predicate],
        None => Vec::new(),
    };
    // Strings in predicates are written as in JSON.
    predicates
        .extend(values.into_iter().map(|(field, value)| format!("{field} = {}", Value::from(value)).into()));
    let mut requested = Map::new();
    requested.insert("where", Value::Array(predicates));
    let of_reads = [
        "expand",
        "staged",
        "priceCurrency",
        "priceCountry",
        "priceCustomerGroup",
        "priceChannel",
        "localeProjection",
    ];
    for parameter in of_reads.into_iter().filter(|_| verb_of_tool(name) == ToolVerb::Read) {
        if let Some(value) = arguments.shift_remove(parameter) {
            requested.insert(parameter, value);
        }
    }
    request_with(Method::Get, path, requested).map(Some)
}

/// Removes the arguments that address one document, and returns the target and the values for its path.
fn take_address(kind: &Kind, arguments: &mut Map) -> Option<(PathTarget, Vec<String>)> {
    if let Addressing::Fields(fields) = &kind.addressing {
        let values: Vec<String> = fields.iter().map_while(|field| take_text(arguments, field)).collect();
        return match values.len() {
            0 => None,
            count if count == fields.len() => Some((PathTarget::Fields, values)),
            _ => Some((PathTarget::Part, values)),
        };
    }
    if let Some(id) = take_text(arguments, "id") {
        return Some((PathTarget::Id, vec![id]));
    }
    let key = take_text(arguments, &kind.key_field).or_else(|| take_text(arguments, "key"))?;
    Some((PathTarget::Key, vec![key]))
}

fn path(model: &Model, id: KindId, side: PathPrefix, target: PathTarget, values: &[&str]) -> Option<String> {
    let row = model.operations().iter().find(|row| {
        row.kind == Some(id)
            && row.side == side
            && row.target == target
            && matches!(row.operation_kind, OperationKind::Documents(_))
    })?;
    let mut values = values.iter();
    row.path.iter().try_fold(String::new(), |path, segment| match segment {
        PathSegment::Fixed(text) => Some(format!("{path}/{text}")),
        PathSegment::Value { prefix, .. } => {
            Some(format!("{path}/{prefix}{}", percent_encode(values.next()?)))
        }
    })
}

/// Returns a request with the arguments as the query of a GET, or the body of a POST. Returns an error message for the
/// agent if the query is too long.
fn request_with(method: Method, mut path: String, arguments: Map) -> Result<ApiRequest, String> {
    if method == Method::Post {
        return Ok(ApiRequest { method, path, body: Value::Object(arguments) });
    }
    let mut sign = '?';
    for (name, value) in &arguments {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values.iter().filter(|value| !value.is_null()) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // Writing to a string cannot fail.
            _ = write!(path, "{sign}{}={}", percent_encode(name), percent_encode(&text));
            sign = '&';
            if path.len() > PATH_BYTES_MAX {
                return Err(format!("{name}: the arguments have more than {PATH_BYTES_MAX} bytes"));
            }
        }
    }
    Ok(ApiRequest { method, path, body: Value::Null })
}

/// Removes a string from the arguments and returns it.
fn take_text(arguments: &mut Map, name: &str) -> Option<String> {
    match arguments.get(name) {
        Some(Value::String(text)) if !text.is_empty() => {
            let text = text.clone();
            arguments.shift_remove(name);
            Some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tool_names::{names, subject};
    use super::*;
    use kontor_json::json;

    fn request(name: &str, arguments: Value) -> ApiRequest {
        let model = Model::embedded().unwrap();
        build_request(&model, "shop", name, arguments.as_object().unwrap().clone()).unwrap()
    }

    #[test]
    fn tools_are_requests() {
        for (name, arguments, method, path) in [
            ("read_products", json!({}), Method::Get, "/shop/products"),
            ("read_products", json!({"id": "1"}), Method::Get, "/shop/products/1"),
            ("read_orders", json!({"key": "N 1"}), Method::Get, "/shop/orders/order-number=N%201"),
            (
                "read_customers",
                json!({"storeKey": "a", "limit": 5, "expand": ["x", "y"]}),
                Method::Get,
                "/shop/in-store/key=a/customers?limit=5&expand=x&expand=y",
            ),
            (
                "read_custom_objects",
                json!({"container": "c", "key": "k"}),
                Method::Get,
                "/shop/custom-objects/c/k",
            ),
            ("read_custom_objects", json!({"container": "c"}), Method::Get, "/shop/custom-objects/c"),
            ("create_orders", json!({"version": 1}), Method::Post, "/shop/orders"),
            ("update_carts", json!({"id": "1", "version": 1, "actions": []}), Method::Post, "/shop/carts/1"),
            ("read_applications", json!({"key": "a"}), Method::Get, "/checkout/shop/applications/key=a"),
            ("create_transactions", json!({}), Method::Post, "/checkout/shop/transactions"),
            (
                "update_payment_intents",
                json!({"paymentId": "1", "actions": []}),
                Method::Post,
                "/checkout/shop/payment-intents/1",
            ),
            ("read_project", json!({}), Method::Get, "/shop"),
        ] {
            let made = request(name, arguments);
            assert_eq!((made.method, made.path.as_str()), (method, path), "{name}");
        }
        assert_eq!(request("update_carts", json!({"key": "1", "version": 1})).body, json!({"version": 1}));
    }

    #[test]
    fn a_query_is_not_longer_than_those_of_clients() {
        let model = Model::embedded().unwrap();
        let many: Vec<&str> = vec!["a = 1"; 10_000];
        let Value::Object(arguments) = json!({"where": many}) else { unreachable!() };
        let refused = build_request(&model, "shop", "read_products", arguments).unwrap_err();
        assert!(refused.starts_with("where: "), "{refused}");
    }

    #[test]
    fn a_pinned_predicate_applies_to_one_document() {
        let model = Model::embedded().unwrap();
        let requested = |name: &str, arguments: Value| {
            pinned_query(&model, "shop", name, arguments.as_object().unwrap().clone())
                .unwrap()
                .map(|requested| requested.path)
        };
        assert_eq!(
            requested("read_orders", json!({"key": "N\"1", "where": "a=1", "expand": "cart"})).as_deref(),
            Some("/shop/orders?where=a%3D1&where=orderNumber%20%3D%20%22N%5C%221%22&expand=cart")
        );
        assert_eq!(
            requested("update_carts", json!({"id": "1", "where": ["a=1"], "version": 1, "actions": []}))
                .as_deref(),
            Some("/shop/carts?where=a%3D1&where=id%20%3D%20%221%22")
        );
        assert_eq!(requested("read_carts", json!({"where": "a=1"})), None);
    }

    #[test]
    fn kinds_without_list_are_read_by_id_or_key() {
        let model = Model::embedded().unwrap();
        assert!(build_request(&model, "shop", "read_transactions", Map::new()).is_err());
        assert_eq!(request("read_transactions", json!({"id": "1"})).path, "/checkout/shop/transactions/1");
    }

    #[test]
    fn every_tool_becomes_a_request() {
        let model = Model::embedded().unwrap();
        for name in names(&model).filter(|name| subject(name) != "bulk") {
            let arguments = json!({"id": "1", "paymentId": "1"});
            let arguments = if verb_of_tool(name) == ToolVerb::Create { json!({}) } else { arguments };
            let made = build_request(&model, "shop", name, arguments.as_object().unwrap().clone());
            assert!(made.is_ok(), "{name}: {made:?}");
        }
    }
}
