//! Endpoints that return the documents matching values in the path and the query, e.g. Shipping Methods for a Cart.

use crate::admitted_request::AdmittedRequest;
use crate::parameters::malformed_parameter;
use crate::response::{self, HttpResponse};
use crate::service::Rest;
use axum::http::StatusCode;
use kontor_engine::{ListRequest, ViewOptions};
use kontor_errors::ApiResult;
use kontor_json::{Map, json};
use kontor_model::limits::LIMIT_MAX;
use kontor_model::{Endpoint, Method};
use std::sync::Arc;

/// Returns all matching documents on one page; for HEAD only whether there are any.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    endpoint: Endpoint,
    mut requested: Map,
) -> ApiResult<HttpResponse> {
    let (shop, kind, method) = (Arc::clone(&admitted.shop), admitted.kind, admitted.operation.method);
    for field in &shop.model().object(endpoint.input).fields {
        match admitted.parameters.values(&field.name).into_iter().next() {
            Some(value) => drop(requested.insert(&field.name, json!(value))),
            None if field.required && !endpoint.is_in_path(&field.name) => {
                return Err(malformed_parameter(&field.name, "a value is required"));
            }
            None => {}
        }
    }
    let mut request = ListRequest {
        sort: admitted.parameters.values("sort"),
        expand: admitted.parameters.values("expand"),
        bounds: admitted.bounds.clone(),
        view_options: ViewOptions {
            references: admitted.view_options.references.clone(),
            ..ViewOptions::default()
        },
        limit: LIMIT_MAX,
        with_total: true,
        ..ListRequest::default()
    };
    shop.validate_expansion(kind, &request.expand, &request.bounds)?;
    let work = rest.limiter.run(move |meter| {
        request.meter = meter.clone();
        shop.call_list_endpoint(kind, &endpoint, requested, &request)
    });
    let (listed, permit) = work.await?;
    let mut http_response = match (method, listed.results.is_empty()) {
        (Method::Head, true) => response::empty(StatusCode::NOT_FOUND),
        (Method::Head, false) => response::empty(StatusCode::OK),
        _ => response::json_bytes(StatusCode::OK, listed.into_body()),
    };
    http_response.extensions_mut().insert(permit);
    Ok(http_response)
}
