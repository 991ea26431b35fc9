//! Uploads of image files: `POST /{kind}/{id}/images` stores the image, and then applies the update action with
//! `@upload` in the model.

use crate::admitted_request::AdmittedRequest;
use crate::lazy_body::LazyBody;
use crate::parameters::{QueryParameters, malformed_parameter};
use crate::response::{self, HttpResponse};
use crate::service::Rest;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use kontor_engine::{Address, Document, Shop, document};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_images::AcceptedImage;
use kontor_json::{Value, json};
use kontor_model::limits::IMAGE_TYPES;
use kontor_model::{Object, Shape, Upload};
use std::net::IpAddr;

/// The first path segment of images.
const IMAGES: &str = "images";

/// Stores an image and applies the action that adds it to the document.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    body: LazyBody<'_>,
    action: usize,
) -> ApiResult<HttpResponse> {
    let kind = admitted.kind;
    let action = rest.model.kind(kind).actions.get(action);
    let (action, upload) = action
        .and_then(|action| Some((action, action.upload.as_ref()?)))
        .ok_or_else(|| ApiError::bug("there is no such upload"))?;
    let id = match admitted.id_through()? {
        Some(id) => id,
        None => admitted.value()?.to_owned(),
    };
    let address = Address::Id(&id);
    let stored = admitted.shop.must_get(kind, &address)?;
    let document = document::read_stored(&stored)?;
    let shapes = rest.model.object(action.arguments);
    let mut arguments = arguments(admitted.parameters, upload, shapes, &document, &admitted.shop)?;
    admit_content_type(admitted.headers)?;
    let given_name = admitted.parameters.parsed::<String>("filename", "a name")?;
    let bytes = body.bytes().await?;
    let AdmittedRequest { shop, project, headers, caller, .. } = admitted;
    let accepted = rest.images.accept(project, given_name.as_deref().unwrap_or("img"), bytes).await?;
    arguments.insert("image", image(rest, project, &accepted, headers));
    arguments.insert("action", json!(action.name));
    match shop.update_any_version(kind, &address, vec![Value::Object(arguments)], caller).await {
        Ok(written) => {
            let is_complete = accepted.is_complete();
            rest.images.finish_in_background(accepted);
            upload_response(&written.body, is_complete)
        }
        Err(error) => {
            rest.images.discard(accepted);
            Err(error)
        }
    }
}

/// Returns an image in its stored form.
fn image(rest: &Rest, project: &str, accepted: &AcceptedImage, headers: &HeaderMap) -> Value {
    let sent_to = || {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let known = host.filter(|host| is_of_this_machine(host));
        known.map_or_else(|| rest.own_url.clone(), |host| format!("http://{host}"))
    };
    let base = rest.public_url.clone().unwrap_or_else(sent_to);
    json!({
        "url": format!("{}/{IMAGES}/{project}/{}", base.trim_end_matches('/'), accepted.name),
        "dimensions": {"w": accepted.width, "h": accepted.height},
    })
}

/// Returns whether a host, with or without a port, is this machine. A client may send any other host, which would then
/// be in the stored image URL.
fn is_of_this_machine(host: &str) -> bool {
    let Ok(host) = host.parse::<Authority>() else { return false };
    let name = host.host().trim_start_matches('[').trim_end_matches(']');
    let is_loopback = |address: IpAddr| address.is_loopback();
    !host.as_str().contains('@')
        && (name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback))
}

/// Returns the arguments of the action (`shapes`) from the query parameters: the addressed part of the document, and
/// the sides.
fn arguments(
    parameters: &QueryParameters,
    upload: &Upload,
    shapes: &Object,
    document: &Document,
    shop: &Shop,
) -> ApiResult<Document> {
    let mut arguments = Document::new();
    let staged = parameters.flag("staged")?;
    arguments.insert("staged", json!(staged.unwrap_or(true)));
    if upload.by.is_empty() {
        return Ok(arguments);
    }
    let sent: Vec<_> = upload.by.iter().filter(|(name, _)| parameters.contains(name)).collect();
    match (sent.first(), sent.get(1)) {
        (Some((first, _)), Some((second, _))) => {
            return Err(malformed_parameter(second, &format!("only one of {first} and {second} is allowed")));
        }
        (Some((name, argument)), None) => {
            let value = match shapes.field(argument).map(|field| &field.shape) {
                Some(Shape::Int | Shape::Long) => {
                    parameters.parsed::<i64>(name, "a whole number")?.map(Value::from)
                }
                _ => parameters.parsed::<String>(name, "a text")?.map(Value::from),
            };
            arguments.extend(value.map(|value| (argument.clone(), value)));
        }
        (None, _) => {
            let default = follow(&Value::Object(document.clone()), &upload.default, shop)?;
            let default = default.ok_or_else(|| ApiError::bug("the default of an upload leads nowhere"))?;
            arguments.extend(upload.by.first().map(|(_, argument)| (argument.clone(), default)));
        }
    }
    Ok(arguments)
}

/// Returns the value at a path, through objects and through references to other documents.
fn follow(value: &Value, path: &[String], shop: &Shop) -> ApiResult<Option<Value>> {
    let Some((first, rest)) = path.split_first() else { return Ok(Some(value.clone())) };
    if let Some(inner) = value.get(first) {
        return follow(inner, rest, shop);
    }
    let (type_id, id) = (value["typeId"].as_str(), value["id"].as_str());
    let kind = type_id.and_then(|type_id| shop.model().kind_by_type_id(type_id));
    let (Some(kind), Some(id)) = (kind, id) else { return Ok(None) };
    match shop.get(kind, &Address::Id(id))? {
        Some(stored) => {
            let target = document::read_stored(&stored)?;
            match target.get(first) {
                Some(inner) => follow(inner, rest, shop),
                None => Ok(None),
            }
        }
        None => Ok(None),
    }
}

fn admit_content_type(headers: &HeaderMap) -> ApiResult<()> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if IMAGE_TYPES.contains(&media_type.as_str()) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::UnsupportedMediaType,
        format!("The content type '{given}' is not supported. Expected one of {}.", IMAGE_TYPES.join(", ")),
    ))
}

/// Returns a 200 if all sizes exist, and a 202 with a warning if they are still being generated.
fn upload_response(body: &Bytes, is_complete: bool) -> ApiResult<HttpResponse> {
    let mut document = document::read(body)?;
    if is_complete {
        return Ok(response::json(StatusCode::OK, &Value::Object(document)));
    }
    let warning =
        json!([{"code": "ImageProcessingOngoing", "message": "The image processing is still ongoing."}]);
    document.insert("warnings", warning);
    Ok(response::json(StatusCode::ACCEPTED, &Value::Object(document)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_hosts_of_other_machines() {
        for known in ["localhost", "LOCALHOST:8989", "127.0.0.1:1", "127.1.2.3", "[::1]:80"] {
            assert!(is_of_this_machine(known), "{known}");
        }
        for unknown in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "a@localhost",
            "10.0.0.1",
            "",
            "localhost/x",
        ] {
            assert!(!is_of_this_machine(unknown), "{unknown}");
        }
    }
}
