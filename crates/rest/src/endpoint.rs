//! Endpoints of the model: operations with a path and a body of their own, e.g. `POST /carts/replicate`.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::face::Rest;
use crate::matching;
use crate::unread::Unread;
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_engine::ResponseMeter;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use kontor_model::{Endpoint, KindId, Method, Model, Segment};

/// Handles a request to an endpoint.
pub(crate) async fn answer(
    rest: &Rest,
    admitted: &Admitted<'_>,
    body: Unread<'_>,
    position: usize,
) -> ApiResult<Answer> {
    let kind = admitted.kind;
    let endpoint = rest.model.kind(kind).endpoints.get(position);
    let endpoint = endpoint.ok_or_else(|| ApiError::bug(format!("there is no endpoint {position}")))?;
    let in_path = in_path(endpoint, admitted);
    if endpoint.many {
        return matching::answer(rest, admitted, endpoint.clone(), in_path).await;
    }
    let ((input, _memory), in_path) = match endpoint.writes {
        true => (body.json_metered(&rest.turns).await?, in_path),
        false => ((Value::Object(in_path), ResponseMeter::default()), Map::new()),
    };
    let name = endpoint.answered_as.as_deref();
    let Admitted { shop, bounds, caller, guard, sight, .. } = admitted;
    let shown_kind = endpoint.creates.unwrap_or(kind);
    let beside = name.and_then(|_| Beside::of(shown_kind, &rest.model));
    let (expand, expand_beside) = expand_below(admitted.parameters.all("expand"), name, beside.as_ref());
    if endpoint.output.is_none() {
        shop.admit_expansion(shown_kind, &expand, bounds)?;
        admit_expansion_beside(admitted, beside.as_ref(), &expand_beside)?;
    }
    let ended = match guard.admit(endpoint, &input) {
        Ok(ended) => ended,
        Err(refusal) => return Ok(*refusal),
    };
    let served = shop.serve_endpoint_at(kind, endpoint, in_path, input, caller).await;
    if let Some(ended) = ended {
        ended(served.as_ref().err());
    }
    let served = served?;
    let meter = rest.turns.meter();
    let bytes = match endpoint.output {
        None => {
            shop.shown(shown_kind, served.answer, &expand, bounds, sight.references.as_deref(), &meter)?
        }
        Some(_) => served.answer,
    };
    if admitted.operation.method == Method::Head {
        return Ok(answer::empty(StatusCode::OK));
    }
    let status = if endpoint.creates.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    let beside = shown_beside(admitted, beside, served.beside, &expand_beside, &meter)?;
    Ok(answer::json_bytes(status, answered_as(bytes, name, beside)))
}

/// The kind of a second document in a response, e.g. the Cart of a sign-in.
pub(crate) struct Beside {
    name: String,
    kind: KindId,
}

impl Beside {
    /// Returns the second kind in responses of a kind, if there is one.
    pub(crate) fn of(kind: KindId, model: &Model) -> Option<Self> {
        let kind = model.kind(kind).created_beside?;
        Some(Self { name: model.kind(kind).camel_name(), kind })
    }
}

/// Checks the expansion paths from the second document.
pub(crate) fn admit_expansion_beside(
    admitted: &Admitted<'_>,
    beside: Option<&Beside>,
    expand: &[String],
) -> ApiResult<()> {
    beside.map_or(Ok(()), |beside| admitted.shop.admit_expansion(beside.kind, expand, &admitted.bounds))
}

/// Returns the second document as it is shown, with its field name.
pub(crate) fn shown_beside(
    admitted: &Admitted<'_>,
    beside: Option<Beside>,
    document: Option<Bytes>,
    expand: &[String],
    meter: &ResponseMeter,
) -> ApiResult<Option<(String, Bytes)>> {
    let Admitted { shop, bounds, sight, .. } = admitted;
    let (Some(Beside { name, kind }), Some(document)) = (beside, document) else { return Ok(None) };
    let shown = shop.shown(kind, document, expand, bounds, sight.references.as_deref(), meter)?;
    Ok(Some((name, shown)))
}

/// Returns the values in the path by their names.
fn in_path(endpoint: &Endpoint, admitted: &Admitted<'_>) -> Map {
    let names = endpoint.path.iter().filter_map(|segment| match segment {
        Segment::Value { name, .. } => Some(name.clone()),
        Segment::Fixed(_) => None,
    });
    names.zip(admitted.values.iter().map(|value| json!(value))).collect()
}

/// Puts a document into an object under a name, with the second document under its own name.
pub(crate) fn answered_as(document: Bytes, name: Option<&str>, beside: Option<(String, Bytes)>) -> Bytes {
    let Some(name) = name else { return document };
    let mut body = Vec::with_capacity(document.len() + name.len() + 8);
    body.extend_from_slice(format!("{{{}:", json!(name)).as_bytes());
    body.extend_from_slice(&document);
    if let Some((name, document)) = beside {
        body.extend_from_slice(format!(",{}:", json!(name)).as_bytes());
        body.extend_from_slice(&document);
    }
    body.push(b'}');
    body.into()
}

/// Splits expansion paths into those of the document and those of the second document, without their field names.
pub(crate) fn expand_below(
    paths: Vec<String>,
    name: Option<&str>,
    beside: Option<&Beside>,
) -> (Vec<String>, Vec<String>) {
    let Some(name) = name else { return (paths, Vec::new()) };
    let below = |path: &str, name: &str| path.strip_prefix(name)?.strip_prefix('.').map(str::to_owned);
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        match beside.and_then(|beside| below(&path, &beside.name)) {
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
    fn a_document_is_answered_under_a_name() {
        assert_eq!(answered_as(Bytes::from("{}"), None, None), "{}");
        assert_eq!(answered_as(Bytes::from("{}"), Some("customer"), None), "{\"customer\":{}}");
        let cart = Some(("cart".to_owned(), Bytes::from("{}")));
        assert_eq!(answered_as(Bytes::from("{}"), Some("customer"), cart), "{\"customer\":{},\"cart\":{}}");
    }

    #[test]
    fn paths_begin_with_the_name_of_their_document() {
        let model = Model::embedded().unwrap();
        let (customer, _) = model.kinds().find(|(_, kind)| kind.created_beside.is_some()).unwrap();
        let beside = Beside::of(customer, &model);
        let paths =
            ["customer.customerGroup", "stores[*]", "cart.lineItems[*].state[*].state"].map(str::to_owned);
        let (own, others) = expand_below(paths.to_vec(), Some("customer"), beside.as_ref());
        assert_eq!(own, ["customerGroup", "stores[*]"]);
        assert_eq!(others, ["lineItems[*].state[*].state"]);
    }
}
