//! Images that are sent as files, and images that are served.
//!
//! `POST /{kind}/{id}/images` does the action of the model that has `@upload`, with an image that is kept first.
//! `GET /images/{project}/{name}` needs no token: addresses of images stand in storefronts.

use crate::access::caller;
use crate::answer::{self, Answer};
use crate::body;
use crate::face::Face;
use crate::parameters::{Parameters, malformed};
use crate::route::{self, Target, segments};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use kontor_engine::{Address, Document, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_images::{Accepted, IMAGE_BYTES_MAX};
use kontor_model::{Action, KindId, Model, Upload};
use serde_json::{Value, json};

/// First segment of the addresses of images.
pub(crate) const IMAGES: &str = "images";
/// What may be sent (reference: "Upload Product image").
const CONTENT_TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/gif"];
/// Names of images say whose they are and never come again: an image is kept as long as anybody likes.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// An upload that a request means.
pub(crate) struct Uploading<'a> {
    project: String,
    kind: KindId,
    action: &'a Action,
    upload: &'a Upload,
    /// The Store, where the path names one.
    store: Option<String>,
    target: Target<'a>,
}

/// The upload at a path, where there is one.
pub(crate) fn uploading<'a>(model: &'a Model, method: &Method, path: &str) -> Option<Uploading<'a>> {
    if *method != Method::POST {
        return None;
    }
    let route::Below { project, store, rest } = route::below(path)?;
    let segments = segments(rest?)?;
    let (kind, target, last) = match (&store, &segments[..]) {
        (None, [first, id, last]) if !id.is_empty() && !id.contains('=') => {
            (model.kind_by_path(first)?, Target::Id(id.to_string().into()), last)
        }
        (Some(_), [first, address, path, last]) => {
            let (kind, target) = route::through(model, first, address, path)?;
            (kind, target, last)
        }
        _ => return None,
    };
    let mut actions = model.kind(kind).actions.iter();
    let (action, upload) = actions
        .find_map(|action| Some((action, action.upload.as_ref().filter(|upload| upload.path == *last)?)))?;
    let (project, store) = (project.into_owned(), store.map(|store| store.into_owned()));
    Some(Uploading { project, kind, action, upload, store, target })
}

impl Face {
    /// Keeps an image and does the action that makes it one of the document's.
    pub(crate) async fn upload(
        &self,
        uploading: Uploading<'_>,
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        let Uploading { project, kind, action, upload, store, target } = uploading;
        let scopes = self.scopes_of(kind, store.is_some(), false, true);
        let access = self.authorize(parts, &project, store.as_deref(), scopes).await?;
        let shop = self.shop(&project).await?;
        let id = match (&store, &target) {
            (Some(store), Target::Through { parent, by_key, value }) => {
                shop.must_have_store(store)?;
                let address = if *by_key { Address::Key(value) } else { Address::Id(value) };
                shop.id_through(kind, store, *parent, &address)?
            }
            (_, Target::Id(id)) => id.to_string(),
            _ => return Err(ApiError::internal()),
        };
        let address = Address::Id(&id);
        let stored = shop.must_get(kind, &address)?;
        let parameters = Parameters::of(parts.uri.query());
        let document = serde_json::from_slice(&stored.body).map_err(|_| ApiError::internal())?;
        let mut arguments = arguments(&parameters, upload, &document, &shop)?;
        admit_content_type(&parts.headers)?;
        let given_name =
            parameters.parsed::<String>("filename", "a name")?.unwrap_or_else(|| "img".to_owned());
        let bytes = body::read(&parts.headers, body, IMAGE_BYTES_MAX).await?;
        let accepted = self.images.accept(&project, &given_name, bytes).await?;
        arguments.insert("image".into(), self.image(&project, &accepted, &parts.headers));
        arguments.insert("action".into(), json!(action.name));
        let by = caller(&access, &parts.headers);
        match shop.update_any_version(kind, &address, vec![Value::Object(arguments)], &by).await {
            Ok(written) => {
                let is_complete = accepted.is_complete();
                self.images.keep(accepted);
                answered(&written.body, is_complete)
            }
            Err(error) => {
                self.images.discard(accepted);
                Err(error)
            }
        }
    }

    /// An image as documents hold it.
    fn image(&self, project: &str, accepted: &Accepted, headers: &HeaderMap) -> Value {
        let host = || {
            let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
            format!("http://{}", host.unwrap_or("localhost"))
        };
        let base = self.options.public_url.clone().unwrap_or_else(host);
        json!({
            "url": format!("{}/{IMAGES}/{project}/{}", base.trim_end_matches('/'), accepted.name),
            "dimensions": {"w": accepted.width, "h": accepted.height},
        })
    }

    /// `GET /images/{project}/{name}`; `rest` is what follows the first segment.
    pub(crate) async fn show_image(&self, rest: &str, method: &Method) -> ApiResult<Answer> {
        let unknown = || ApiError::uri_not_found(&format!("/{IMAGES}/{rest}"));
        let (project, name) = rest.split_once('/').ok_or_else(unknown)?;
        if !matches!(*method, Method::GET | Method::HEAD) || self.system.project(project).is_none() {
            return Err(unknown());
        }
        let kept = self.images.get(project, name).await?.ok_or_else(unknown)?;
        let length = kept.bytes.len();
        let body = if *method == Method::HEAD { Body::empty() } else { Body::from(kept.bytes) };
        let mut answer = Answer::new(body);
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kept.content_type));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        headers.insert(header::CACHE_CONTROL, KEEP);
        // Nothing in an image is ever run.
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Ok(answer)
    }
}

/// Which variant is meant, and on which sides.
fn arguments(
    parameters: &Parameters,
    upload: &Upload,
    document: &Document,
    shop: &Shop,
) -> ApiResult<Document> {
    let mut arguments = Document::new();
    let staged = parameters.flag("staged")?;
    arguments.insert("staged".into(), json!(staged.unwrap_or(true)));
    if upload.default.is_empty() {
        return Ok(arguments);
    }
    let variant: Option<i64> = parameters.parsed("variant", "a whole number")?;
    let sku: Option<String> = parameters.parsed("sku", "a text")?;
    match (variant, sku) {
        (Some(_), Some(_)) => return Err(malformed("sku", "only one of variant and sku is allowed")),
        (Some(variant), None) => arguments.insert("variantId".into(), json!(variant)),
        (None, Some(sku)) => arguments.insert("sku".into(), json!(sku)),
        (None, None) => {
            let default = follow(&Value::Object(document.clone()), &upload.default, shop)?;
            arguments.insert("variantId".into(), default.ok_or_else(ApiError::internal)?)
        }
    };
    Ok(arguments)
}

/// The value at a path, through objects and through references to other documents.
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
            let target: Document = serde_json::from_slice(&stored.body).map_err(|_| ApiError::internal())?;
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
    if CONTENT_TYPES.contains(&media_type.as_str()) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::UnsupportedMediaType,
        format!("The content type '{given}' is not supported. Expected one of {}.", CONTENT_TYPES.join(", ")),
    ))
}

/// 200 where all sizes are there, 202 with a warning where they follow.
fn answered(body: &[u8], is_complete: bool) -> ApiResult<Answer> {
    let mut document: Document = serde_json::from_slice(body).map_err(|_| ApiError::internal())?;
    if is_complete {
        return Ok(answer::json(StatusCode::OK, &Value::Object(document)));
    }
    let warning =
        json!([{"code": "ImageProcessingOngoing", "message": "The image processing is still ongoing."}]);
    document.insert("warnings".into(), warning);
    Ok(answer::json(StatusCode::ACCEPTED, &Value::Object(document)))
}
