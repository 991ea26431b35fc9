//! Lists of documents below another one that they belong to: `/product-selections/{id}/products` and the like, by
//! the model.

use crate::answer::{self, Answer};
use crate::dispatch::blocking;
use crate::face::Face;
use crate::parameters::Parameters;
use crate::route::{self, segments, split_key};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_engine::Address;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, Listing, Model};

/// A list that a request means.
pub(crate) struct Below<'a> {
    project: String,
    kind: KindId,
    list: &'a Listing,
    /// Id or key of the other document.
    parent: Parent,
}

enum Parent {
    Id(String),
    Key(String),
}

/// The list at a path, where there is one.
pub(crate) fn below<'a>(model: &'a Model, method: &Method, path: &str) -> Option<Below<'a>> {
    if *method != Method::GET {
        return None;
    }
    let route::Below { project, store, rest } = route::below(path)?;
    let segments = segments(rest?)?;
    let find = |first: Option<&str>, last: &str| {
        model.lists().find(|(_, list)| {
            let parent = model.kind(list.parent);
            let fits = first.map_or(list.inside, |first| !list.inside && parent.path == first);
            fits && parent.is_served && list.path == last
        })
    };
    let (found, parent) = match (store, &segments[..]) {
        (Some(store), [last]) => (find(None, last)?, Parent::Key(store.into_owned())),
        (None, [first, address, last]) if !address.is_empty() => {
            let parent = match split_key(address) {
                Some(key) => Parent::Key(key.to_owned()),
                None => Parent::Id(address.to_string()),
            };
            (find(Some(first), last)?, parent)
        }
        _ => return None,
    };
    Some(Below { project: project.into_owned(), kind: found.0, list: found.1, parent })
}

impl Face {
    /// Answers a request for a list below another document.
    pub(crate) async fn list_below(&self, below: Below<'_>, parts: &Parts) -> ApiResult<Answer> {
        let Below { project, kind, list, parent } = below;
        // A list inside a Store is for tokens of that Store too.
        let store = match &parent {
            Parent::Key(key) if list.inside => Some(key.as_str()),
            _ => None,
        };
        self.authorize(parts, &project, store, self.scopes_of(kind, false, false, false)).await?;
        let shop = self.shop(&project).await?;
        let address = match &parent {
            Parent::Id(id) => Address::Id(id),
            Parent::Key(key) => Address::Key(key),
        };
        let request = Parameters::of(parts.uri.query()).list_request(false)?;
        let stored = shop.must_get(list.parent, &address)?;
        let parent = serde_json::from_slice(&stored.body).map_err(|_| ApiError::internal())?;
        let list = list.clone();
        let listed = blocking(move || {
            let mut listed = shop.list_below(kind, &list, &[parent], request)?;
            for result in &mut listed.results {
                *result = shop.shown_in(&list, result)?;
            }
            Ok(listed)
        })
        .await?;
        Ok(answer::json_bytes(StatusCode::OK, listed.body()))
    }
}
