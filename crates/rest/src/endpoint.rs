//! Endpoints of the model: operations with a path and a body of their own.

use crate::access::{Mine, caller};
use crate::answer::{self, Answer};
use crate::body;
use crate::face::Face;
use crate::guarded::Guarded;
use crate::oauth;
use crate::parameters::Parameters;
use crate::route::{Below, below, segments};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use bytes::Bytes;
use kontor_engine::Caller;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Endpoint, KindId, Model, Segment};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// An endpoint that a request means.
pub(crate) struct Called<'a> {
    project: String,
    /// The Store of `/in-store/key={storeKey}`.
    store: Option<String>,
    kind: KindId,
    endpoint: &'a Endpoint,
    /// The values in the path, under their names.
    in_path: Value,
}

/// The endpoint at a path, where there is one.
pub(crate) fn called<'a>(model: &'a Model, method: &Method, path: &str) -> Option<Called<'a>> {
    let Below { project, store, rest } = below(path)?;
    let rest = rest?;
    // Most requests mean no endpoint; they find out without decoding anything.
    if !rest.split('/').next().is_some_and(|first| model.has_endpoints_at(first)) {
        return None;
    }
    let writes = match *method {
        Method::GET => false,
        Method::POST => true,
        _ => return None,
    };
    let segments = segments(rest)?;
    let (kind, endpoint, values) = model.endpoint(writes, &segments)?;
    if store.is_some() && !endpoint.in_store {
        return None;
    }
    let mut in_path = Map::new();
    let names = endpoint.path.iter().filter_map(|segment| match segment {
        Segment::Value { name, .. } => Some(name),
        Segment::Fixed(_) => None,
    });
    for (name, value) in names.zip(values) {
        in_path.insert(name.clone(), json!(value));
    }
    let (project, store) = (project.into_owned(), store.map(Cow::into_owned));
    Some(Called { project, store, kind, endpoint, in_path: Value::Object(in_path) })
}

impl Face {
    /// Answers a request to an endpoint: reading asks for the scopes that read its kind, writing for those that
    /// write it.
    pub(crate) async fn serve_endpoint(
        &self,
        called: Called<'_>,
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        let Called { project, store, kind, endpoint, in_path } = called;
        let store = store.as_deref();
        let scopes = self.scopes_of(kind, store.is_some(), endpoint.mine, !endpoint.reads);
        let access = self.authorize(parts, &project, store, scopes).await?;
        let shop = self.shop(&project).await?;
        let mine = endpoint.mine.then_some(if endpoint.open { Mine::Open } else { Mine::Own });
        let bounds = self.bounds(&access, &shop, kind, store, mine)?;
        let (in_path, input) = match in_path {
            Value::Object(in_path) if endpoint.writes => {
                (in_path, body::read_json(&parts.headers, body).await?)
            }
            in_path => (Map::new(), in_path),
        };
        let name = endpoint.answered_as.as_deref();
        let expand = expand_below(Parameters::of(parts.uri.query()).all("expand"), name);
        let shown_kind = endpoint.creates.unwrap_or(kind);
        if endpoint.output.is_none() {
            shop.admit_expansion(shown_kind, &expand, &bounds)?;
        }
        let by = Caller { bounds, ..caller(&access, &parts.headers) };
        let guarded = self.guarded(&project, endpoint, &input, &by, parts);
        if let Err(refusal) = guarded.as_ref().map_or(Ok(()), Guarded::admit) {
            return Ok(oauth::refusal(&refusal));
        }
        let answered = shop.serve_endpoint_at(kind, endpoint, in_path, input, &by).await;
        if let Some(guarded) = guarded {
            guarded.ended(answered.as_ref().err());
        }
        let answered = answered?;
        let bytes = serde_json::to_vec(&answered).map_err(|_| ApiError::internal())?.into();
        let bytes = if endpoint.output.is_none() {
            shop.shown(shown_kind, bytes, &expand, &by.bounds)?
        } else {
            bytes
        };
        let status = if endpoint.creates.is_some() { StatusCode::CREATED } else { StatusCode::OK };
        Ok(answer::json_bytes(status, answered_as(bytes, name)))
    }
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
    fn paths_of_endpoints_are_read_by_the_model() {
        let model = Model::embedded().unwrap();
        let name = |method: &Method, path: &str| {
            called(&model, method, path).map(|called| (called.endpoint.name.clone(), called.in_path))
        };
        assert_eq!(name(&Method::POST, "/shop/login"), Some(("login".into(), json!({}))));
        assert_eq!(
            name(&Method::POST, "/shop/customers/password/reset"),
            Some(("resetPassword".into(), json!({})))
        );
        assert_eq!(
            name(&Method::GET, "/shop/customers/email-token=a%2Fb"),
            Some(("withEmailToken".into(), json!({"emailToken": "a/b"})))
        );
        for none in
            ["/shop/customers/a-b", "/shop/customers/password", "/shop/customers/email-token=", "/shop/login"]
        {
            assert_eq!(name(&Method::GET, none), None, "{none}");
        }
        assert_eq!(name(&Method::POST, "/shop/in-store/key=a/login"), Some(("login".into(), json!({}))));
        assert_eq!(name(&Method::POST, "/shop/in-store/key=a/me/login"), Some(("myLogin".into(), json!({}))));
        assert_eq!(name(&Method::POST, "/oauth/login"), None);
    }

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
