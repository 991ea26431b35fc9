//! Other objects that one document is shown as: `GET /{kind}/{id}/{path}`, and in Stores, by the model.

use crate::answer::{self, Answer};
use crate::face::Face;
use crate::parameters::Parameters;
use crate::route::{self, segments, split_key};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_engine::Address;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, Model, View};
use serde_json::Value;

/// A view that a request means.
pub(crate) struct Viewed<'a> {
    project: String,
    store: Option<String>,
    kind: KindId,
    view: &'a View,
    by_key: bool,
    address: String,
}

/// The view at a path, where there is one.
pub(crate) fn viewed<'a>(model: &'a Model, method: &Method, path: &str) -> Option<Viewed<'a>> {
    if *method != Method::GET {
        return None;
    }
    let route::Below { project, store, rest } = route::below(path)?;
    let [first, address, last] = &segments(rest?)?[..] else { return None };
    let kind = model.kind_by_path(first)?;
    let entry = model.kind(kind);
    let view = entry.views.iter().find(|view| view.path == *last)?;
    let (by_key, address) = split_key(address).map_or((false, &**address), |key| (true, key));
    if address.is_empty() || (store.is_some() && entry.in_store.is_none()) {
        return None;
    }
    let (project, store) = (project.into_owned(), store.map(|store| store.into_owned()));
    Some(Viewed { project, store, kind, view, by_key, address: address.to_owned() })
}

impl Face {
    /// Answers what a document is shown as, to whoever may see that side of it.
    pub(crate) async fn show_as(&self, viewed: Viewed<'_>, parts: &Parts) -> ApiResult<Answer> {
        let Viewed { project, store, kind, view, by_key, address } = viewed;
        let store = store.as_deref();
        let parameters = Parameters::of(parts.uri.query());
        let sight = parameters.sight_of_view(self.model.kind(kind), view, store);
        let scopes = match &sight {
            Ok(sight) if sight.staged => self.staged_scopes(kind),
            _ => self.scopes_of(kind, store.is_some(), false, false),
        };
        self.authorize(parts, &project, store, scopes).await?;
        let shop = self.shop(&project).await?;
        if let Some(store) = store {
            shop.must_have_store(store)?;
        }
        let address = if by_key { Address::Key(&address) } else { Address::Id(&address) };
        let stored = shop.must_get(kind, &address)?;
        let shown = shop.shown_as(kind, view, stored.body, &sight?)?;
        let shown = shown.ok_or_else(|| ApiError::resource_not_found(&address.describe()))?;
        Ok(answer::json(StatusCode::OK, &Value::Object(shown)))
    }
}
