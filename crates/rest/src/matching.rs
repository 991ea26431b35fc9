//! Endpoints that return the documents matching values in the path and the query, e.g. Shipping Methods for a Cart.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::face::Rest;
use crate::parameters::malformed;
use axum::http::StatusCode;
use kontor_engine::{ListRequest, Sight};
use kontor_errors::ApiResult;
use kontor_json::{Map, json};
use kontor_model::limits::LIMIT_MAX;
use kontor_model::{Endpoint, Method};
use std::sync::Arc;

/// Returns all matching documents on one page; for HEAD only whether there are any.
pub(crate) async fn answer(
    rest: &Rest,
    admitted: &Admitted<'_>,
    endpoint: Endpoint,
    mut asked: Map,
) -> ApiResult<Answer> {
    let (shop, kind, method) = (Arc::clone(&admitted.shop), admitted.kind, admitted.operation.method);
    for field in &shop.model().object(endpoint.input).fields {
        match admitted.parameters.all(&field.name).into_iter().next() {
            Some(value) => drop(asked.insert(&field.name, json!(value))),
            None if field.required && !endpoint.is_in_path(&field.name) => {
                return Err(malformed(&field.name, "a value is required"));
            }
            None => {}
        }
    }
    let mut request = ListRequest {
        sort: admitted.parameters.all("sort"),
        expand: admitted.parameters.all("expand"),
        bounds: admitted.bounds.clone(),
        sight: Sight { references: admitted.sight.references.clone(), ..Sight::default() },
        limit: LIMIT_MAX,
        with_total: true,
        ..ListRequest::default()
    };
    shop.admit_expansion(kind, &request.expand, &request.bounds)?;
    let work = rest.turns.work_out(move |meter| {
        request.meter = meter.clone();
        shop.list_matching(kind, &endpoint, asked, &request)
    });
    let (listed, turn) = work.await?;
    let mut answer = match (method, listed.results.is_empty()) {
        (Method::Head, true) => answer::empty(StatusCode::NOT_FOUND),
        (Method::Head, false) => answer::empty(StatusCode::OK),
        _ => answer::json_bytes(StatusCode::OK, listed.into_body()),
    };
    answer.extensions_mut().insert(turn);
    Ok(answer)
}
