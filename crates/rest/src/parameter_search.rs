//! Searches with parameters: `GET` and `POST /{kind}/search`, `GET /{kind}/suggest`, for each kind with
//! `@searchByParameters` in the model.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::blocking::{blocking, page};
use crate::face::Rest;
use crate::found;
use crate::unread::Unread;
use axum::http::StatusCode;
use kontor_engine::Sight;
use kontor_errors::ApiResult;
use kontor_finding::ParameterRequest;
use kontor_model::Doing;
use kontor_search::parameters::ParameterSearch;
use kontor_search::suggestions::SuggestionSearch;
use std::sync::Arc;

/// Handles a search with parameters, or a request for suggestions.
pub(crate) async fn answer(rest: &Rest, admitted: &Admitted<'_>, body: Unread<'_>) -> ApiResult<Answer> {
    let form = body.bytes().await?;
    let Admitted { kind, staged, parameters, operation, sight: admitted_sight, .. } = admitted;
    let (shop, kind) = (Arc::clone(&admitted.shop), *kind);
    let asked = parameters.with_form(&form);
    let entry = rest.model.kind(kind);
    let sight = Sight {
        references: admitted_sight.references.clone(),
        ..asked.sight_by(entry, &entry.parameters, None)?
    };
    if sight.staged {
        (*staged).clone()?;
    }
    let finder = Arc::clone(&rest.finder);
    if operation.doing == Doing::Suggest {
        let search = SuggestionSearch::read(asked.pairs())?;
        let suggested = blocking(move || finder.suggest(&shop, kind, &search, sight.staged)).await?;
        return Ok(answer::json(StatusCode::OK, &found::suggestions(suggested)));
    }
    let search = ParameterSearch::read(asked.pairs(), &finder.words(kind))?;
    let request = ParameterRequest { search, sight, expand: asked.all("expand") };
    page(&rest.turns, move |meter| {
        finder.find_by_parameters(&shop, kind, request, meter).map(found::documents)
    })
    .await
}
