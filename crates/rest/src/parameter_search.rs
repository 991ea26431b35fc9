//! Searches with parameters: `GET` and `POST /{kind}/search`, `GET /{kind}/suggest`, for every kind that the model has
//! `@searchByParameters` for.

use crate::answer::{self, Answer};
use crate::body;
use crate::dispatch::blocking;
use crate::face::Face;
use crate::found;
use crate::parameters::Parameters;
use crate::route::{Below, below, segments};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_finding::ParameterRequest;
use kontor_model::{KindId, Model};
use kontor_search::parameters::ParameterSearch;
use kontor_search::suggestions::SuggestionSearch;
use std::sync::Arc;

/// The last segments of the paths.
const SEARCH: &str = "search";
const SUGGEST: &str = "suggest";

/// A search with parameters that a request means.
pub(crate) struct Finding {
    project: String,
    kind: KindId,
    is_suggesting: bool,
}

/// The search at a path, where there is one.
pub(crate) fn finding(model: &Model, method: &Method, path: &str) -> Option<Finding> {
    let is_suggesting = match method.as_str() {
        "GET" | "POST" if path.ends_with("/search") => false,
        "GET" if path.ends_with("/suggest") => true,
        _ => return None,
    };
    let Below { project, store: None, rest } = below(path)? else { return None };
    let segments = segments(rest?)?;
    let [kind, last] = segments.as_slice() else { return None };
    if *last != (if is_suggesting { SUGGEST } else { SEARCH }) {
        return None;
    }
    let kind = model.kind_by_path(kind)?;
    model.kind(kind).parameter_search.as_ref()?;
    Some(Finding { project: project.into_owned(), kind, is_suggesting })
}

impl Face {
    /// Answers a search with parameters.
    pub(crate) async fn find_by_parameters(
        &self,
        finding: Finding,
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        let Finding { project, kind, is_suggesting } = finding;
        self.authorize(parts, &project, None, self.scopes_of(kind, false, false, false)).await?;
        let form = match parts.method {
            Method::POST => body::read(&parts.headers, body, body::BODY_BYTES_MAX).await?,
            _ => Bytes::new(),
        };
        let asked = Parameters::of_both(parts.uri.query(), &form);
        let sight = asked.sight(self.model.kind(kind), None)?;
        if sight.staged {
            self.authorize(parts, &project, None, self.staged_scopes(kind)).await?;
        }
        let shop = self.shop(&project).await?;
        let finder = Arc::clone(&self.finder);
        if is_suggesting {
            let search = SuggestionSearch::read(asked.pairs())?;
            let suggested = blocking(move || finder.suggest(&shop, kind, &search, sight.staged)).await?;
            return Ok(answer::json(StatusCode::OK, &found::suggestions(suggested)));
        }
        let search = ParameterSearch::read(asked.pairs(), &finder.words(kind))?;
        let request = ParameterRequest { search, sight, expand: asked.all("expand") };
        let page =
            blocking(move || finder.find_by_parameters(&shop, kind, request).map(found::documents)).await?;
        Ok(answer::json_bytes(StatusCode::OK, page))
    }
}
