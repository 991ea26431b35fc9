//! Endpoints of the model: operations with a path and a body of their own.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::face::Rest;
use crate::matching;
use crate::unread::Unread;
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Endpoint, Method, Segment};
use serde_json::{Map, Value, json};

/// Answers a request to an endpoint.
pub(crate) async fn answer(
    rest: &Rest,
    admitted: Admitted<'_>,
    body: Unread<'_>,
    position: usize,
) -> ApiResult<Answer> {
    let kind = admitted.kind;
    let endpoint = rest.model.kind(kind).endpoints.get(position);
    let endpoint = endpoint.ok_or_else(|| ApiError::bug(format!("there is no endpoint {position}")))?;
    let in_path = in_path(endpoint, &admitted);
    if endpoint.many {
        return matching::answer(admitted, endpoint.clone(), in_path).await;
    }
    let (in_path, input) = match endpoint.writes {
        true => (in_path, body.json().await?),
        false => (Map::new(), Value::Object(in_path)),
    };
    let name = endpoint.answered_as.as_deref();
    let expand = expand_below(admitted.parameters.all("expand"), name);
    let Admitted { shop, bounds, caller, guard, sight, .. } = &admitted;
    let shown_kind = endpoint.creates.unwrap_or(kind);
    if endpoint.output.is_none() {
        shop.admit_expansion(shown_kind, &expand, bounds)?;
    }
    let ended = match guard.admit(endpoint, &input) {
        Ok(ended) => ended,
        Err(refusal) => return Ok(*refusal),
    };
    let answered = shop.serve_endpoint_at(kind, endpoint, in_path, input, caller).await;
    if let Some(ended) = ended {
        ended(answered.as_ref().err());
    }
    let bytes = serde_json::to_vec(&answered?).map_err(|error| ApiError::bug(error.to_string()))?.into();
    let bytes = match endpoint.output {
        None => shop.shown(shown_kind, bytes, &expand, bounds, sight.inside.as_deref())?,
        Some(_) => bytes,
    };
    if admitted.operation.method == Method::Head {
        return Ok(answer::empty(StatusCode::OK));
    }
    let status = if endpoint.creates.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    Ok(answer::json_bytes(status, answered_as(bytes, name)))
}

/// The values in the path, under their names.
fn in_path(endpoint: &Endpoint, admitted: &Admitted<'_>) -> Map<String, Value> {
    let names = endpoint.path.iter().filter_map(|segment| match segment {
        Segment::Value { name, .. } => Some(name.clone()),
        Segment::Fixed(_) => None,
    });
    names.zip(admitted.values.iter().map(|value| json!(value))).collect()
}

/// The document inside an object, under a name.
pub(crate) fn answered_as(document: Bytes, name: Option<&str>) -> Bytes {
    let Some(name) = name else { return document };
    let mut body = Vec::with_capacity(document.len() + name.len() + 8);
    body.extend_from_slice(format!("{{{}:", json!(name)).as_bytes());
    body.extend_from_slice(&document);
    body.push(b'}');
    body.into()
}

/// Expansion paths of a document inside an object begin with its name.
pub(crate) fn expand_below(paths: Vec<String>, name: Option<&str>) -> Vec<String> {
    let Some(name) = name else { return paths };
    let below = |path: String| match path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) {
        Some(rest) => rest.to_owned(),
        None => path,
    };
    paths.into_iter().map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_answered_under_a_name() {
        assert_eq!(answered_as(Bytes::from("{}"), None), "{}");
        assert_eq!(answered_as(Bytes::from("{}"), Some("customer")), "{\"customer\":{}}");
        assert_eq!(
            expand_below(vec!["customer.customerGroup".into(), "stores[*]".into()], Some("customer")),
            ["customerGroup", "stores[*]"]
        );
    }
}
