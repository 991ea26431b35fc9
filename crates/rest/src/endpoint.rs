//! Endpoints of the model: operations with a path and a body of their own, e.g. `POST /carts/replicate`.

use crate::admitted_request::AdmittedRequest;
use crate::lazy_body::LazyBody;
use crate::matching_documents;
use crate::response::{self, HttpResponse};
use crate::service::Rest;
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_engine::ResponseMeter;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use kontor_model::{Endpoint, KindId, Method, Model, PathSegment};

/// Handles a request to an endpoint.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    body: LazyBody<'_>,
    position: usize,
) -> ApiResult<HttpResponse> {
    let kind = admitted.kind;
    let endpoint = rest.model.kind(kind).endpoints.get(position);
    let endpoint = endpoint.ok_or_else(|| ApiError::bug(format!("there is no endpoint {position}")))?;
    let in_path = path_values(endpoint, admitted);
    if endpoint.many {
        return matching_documents::respond(rest, admitted, endpoint.clone(), in_path).await;
    }
    let ((input, _memory), in_path) = match endpoint.writes {
        true => (body.json().await?, in_path),
        false => ((Value::Object(in_path), ResponseMeter::default()), Map::new()),
    };
    let name = endpoint.answered_as.as_deref();
    let AdmittedRequest { shop, bounds, caller, guard, view_options, .. } = admitted;
    let shown_kind = endpoint.creates.unwrap_or(kind);
    let beside = name.and_then(|_| SecondDocument::from_kind(shown_kind, &rest.model));
    let (expand, expand_beside) =
        split_expansion(admitted.parameters.values("expand"), name, beside.as_ref());
    if endpoint.output.is_none() {
        shop.validate_expansion(shown_kind, &expand, bounds)?;
        admit_second_expansion(admitted, beside.as_ref(), &expand_beside)?;
    }
    let ended = match guard.admit(endpoint, &input) {
        Ok(ended) => ended,
        Err(refusal) => return Ok(*refusal),
    };
    let served = shop.call_endpoint_at(kind, endpoint, in_path, input, caller).await;
    if let Some(ended) = ended {
        ended(served.as_ref().err());
    }
    let served = served?;
    let meter = rest.limiter.meter();
    let bytes = match endpoint.output {
        None => {
            shop.render(shown_kind, served.body, &expand, bounds, view_options.references.as_deref(), &meter)?
        }
        Some(_) => served.body,
    };
    if admitted.operation.method == Method::Head {
        return Ok(response::empty(StatusCode::OK));
    }
    let status = if endpoint.creates.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    let beside = show_second(admitted, beside, served.additional_document, &expand_beside, &meter)?;
    Ok(response::json_bytes(status, wrap_document(bytes, name, beside)))
}

/// The kind of a second document in a response, e.g. the Cart of a sign-in.
pub(crate) struct SecondDocument {
    name: String,
    kind: KindId,
}

impl SecondDocument {
    /// Returns the second kind in responses of a kind, if there is one.
    pub(crate) fn from_kind(kind: KindId, model: &Model) -> Option<Self> {
        let kind = model.kind(kind).created_beside?;
        Some(Self { name: model.kind(kind).camel_name(), kind })
    }
}

/// Checks the expansion paths from the second document.
pub(crate) fn admit_second_expansion(
    admitted: &AdmittedRequest<'_>,
    second: Option<&SecondDocument>,
    expand: &[String],
) -> ApiResult<()> {
    second.map_or(Ok(()), |beside| admitted.shop.validate_expansion(beside.kind, expand, &admitted.bounds))
}

/// Returns the second document as it is shown, with its field name.
pub(crate) fn show_second(
    admitted: &AdmittedRequest<'_>,
    second: Option<SecondDocument>,
    document: Option<Bytes>,
    expand: &[String],
    meter: &ResponseMeter,
) -> ApiResult<Option<(String, Bytes)>> {
    let AdmittedRequest { shop, bounds, view_options, .. } = admitted;
    let (Some(SecondDocument { name, kind }), Some(document)) = (second, document) else { return Ok(None) };
    let shown = shop.render(kind, document, expand, bounds, view_options.references.as_deref(), meter)?;
    Ok(Some((name, shown)))
}

/// Returns the values in the path by their names.
fn path_values(endpoint: &Endpoint, admitted: &AdmittedRequest<'_>) -> Map {
    let names = endpoint.path.iter().filter_map(|segment| match segment {
        PathSegment::Value { name, .. } => Some(name.clone()),
        PathSegment::Fixed(_) => None,
    });
    names.zip(admitted.values.iter().map(|value| json!(value))).collect()
}

/// Puts a document into an object under a name, with the second document under its own name.
pub(crate) fn wrap_document(document: Bytes, name: Option<&str>, second: Option<(String, Bytes)>) -> Bytes {
    let Some(name) = name else { return document };
    let mut body = Vec::with_capacity(document.len() + name.len() + 8);
    body.extend_from_slice(format!("{{{}:", json!(name)).as_bytes());
    body.extend_from_slice(&document);
    if let Some((name, document)) = second {
        body.extend_from_slice(format!(",{}:", json!(name)).as_bytes());
        body.extend_from_slice(&document);
    }
    body.push(b'}');
    body.into()
}

/// Splits expansion paths into those of the document and those of the second document, without their field names.
pub(crate) fn split_expansion(
    paths: Vec<String>,
    name: Option<&str>,
    second: Option<&SecondDocument>,
) -> (Vec<String>, Vec<String>) {
    let Some(name) = name else { return (paths, Vec::new()) };
    let below = |path: &str, name: &str| path.strip_prefix(name)?.strip_prefix('.').map(str::to_owned);
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        match second.and_then(|beside| below(&path, &beside.name)) {
            Some(rest) => others.push(rest),
            None => own.push(below(&path, name).unwrap_or(path)),
        }
    }
    (own, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_a_document_under_a_name() {
        assert_eq!(wrap_document(Bytes::from("{}"), None, None), "{}");
        assert_eq!(wrap_document(Bytes::from("{}"), Some("customer"), None), "{\"customer\":{}}");
        let cart = Some(("cart".to_owned(), Bytes::from("{}")));
        assert_eq!(wrap_document(Bytes::from("{}"), Some("customer"), cart), "{\"customer\":{},\"cart\":{}}");
    }

    #[test]
    fn paths_begin_with_the_name_of_their_document() {
        let model = Model::embedded().unwrap();
        let (customer, _) = model.kinds().find(|(_, kind)| kind.created_beside.is_some()).unwrap();
        let beside = SecondDocument::from_kind(customer, &model);
        let paths =
            ["customer.customerGroup", "stores[*]", "cart.lineItems[*].state[*].state"].map(str::to_owned);
        let (own, others) = split_expansion(paths.to_vec(), Some("customer"), beside.as_ref());
        assert_eq!(own, ["customerGroup", "stores[*]"]);
        assert_eq!(others, ["lineItems[*].state[*].state"]);
    }
}
