//! Handles the fixed paths, which every server has whatever its model: health, metrics, pages, OAuth, GraphQL, test
//! controls.

use crate::access::OperatorMark;
use crate::router::PathValues;
use crate::server::Server;
use crate::{graphql, images, oauth, openapi, operator, start_page, test_controls};
use axum::body::Body;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::FixedOperation;
use kontor_rest::response::HttpResponse;
use std::sync::Arc;

/// Handles a request to a fixed path.
pub(crate) async fn respond(
    server: &Arc<Server>,
    fixed: FixedOperation,
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    must_be_canonical(fixed, parts.uri.path())?;
    let project = || values.get(0).ok_or_else(|| ApiError::bug("the path names no project"));
    Ok(match fixed {
        FixedOperation::Health => operator::respond_health(server),
        FixedOperation::Live => operator::respond_live(),
        FixedOperation::Ready => Box::pin(operator::respond_ready(server)).await,
        FixedOperation::Metrics if !server.options.serves_metrics && !OperatorMark::is_on(parts) => {
            return Err(ApiError::uri_not_found(parts.uri.path()));
        }
        FixedOperation::Metrics => operator::respond_metrics(server),
        FixedOperation::OpenApi => openapi::document(server),
        FixedOperation::OpenApiPage => openapi::page(),
        FixedOperation::StartPage => start_page::respond(server),
        FixedOperation::Image => {
            images::respond(server, project()?, values.get(1).unwrap_or_default(), parts).await?
        }
        FixedOperation::GraphQlPage => graphql::page(server, parts)?,
        FixedOperation::GraphQlEditor => graphql::editor_file(parts, values.get(1).unwrap_or_default())?,
        FixedOperation::GraphQl => Box::pin(graphql::respond(server, project()?, parts, body)).await?,
        FixedOperation::Mcp => return Err(ApiError::bug("tools are handled with all other requests")),
        FixedOperation::Test(control) => {
            Box::pin(test_controls::respond(server, control, values, parts, body)).await?
        }
        FixedOperation::Token => oauth::respond(server, oauth::OAuthOperation::Token, parts, body).await,
        FixedOperation::Introspect => {
            oauth::respond(server, oauth::OAuthOperation::Introspect, parts, body).await
        }
        FixedOperation::Revoke => oauth::respond(server, oauth::OAuthOperation::Revoke, parts, body).await,
        FixedOperation::AnonymousToken => {
            oauth::respond(server, oauth::OAuthOperation::Anonymous { project: project()? }, parts, body)
                .await
        }
        FixedOperation::CustomerToken => {
            let requested = oauth::OAuthOperation::Customer { project: project()?, store: values.get(1) };
            oauth::respond(server, requested, parts, body).await
        }
    })
}

/// The path of the metrics.
pub(crate) const METRICS: &str = "/metrics";
/// The path of the console, without a slash at the end.
pub(crate) const CONSOLE: &str = "/console";

/// Returns a 404 for other spellings of the paths of operators and tests, e.g. `/metrics/` and `/%6detrics`: proxies
/// block these paths by comparing strings.
fn must_be_canonical(fixed: FixedOperation, path: &str) -> ApiResult<()> {
    let is_so = match fixed {
        FixedOperation::Health => path == "/health",
        FixedOperation::Live => path == "/health/live",
        FixedOperation::Ready => path == "/health/ready",
        FixedOperation::Metrics => path == METRICS,
        FixedOperation::Test(_) => is_test_path(path),
        _ => true,
    };
    if is_so { Ok(()) } else { Err(ApiError::uri_not_found(path)) }
}

/// The path of the test controls, without a slash at the end.
const TEST_CONTROLS: &str = "/_test";

/// Returns whether a path is one of the test controls.
pub(crate) fn is_test_path(path: &str) -> bool {
    path.strip_prefix(TEST_CONTROLS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::{Model, OperationKind};

    /// Only the template itself is a valid spelling of these paths.
    #[test]
    fn paths_of_operators_are_written_in_one_way() {
        let model = Model::embedded().unwrap();
        let of_operators =
            [FixedOperation::Health, FixedOperation::Live, FixedOperation::Ready, FixedOperation::Metrics];
        for fixed in of_operators {
            let is_it =
                |operation_kind| matches!(operation_kind, OperationKind::Fixed(found) if found == fixed);
            let operation =
                model.operations().iter().find(|operation| is_it(operation.operation_kind)).unwrap();
            let path = operation.template();
            assert!(must_be_canonical(fixed, &path).is_ok(), "{path}");
            let encoded = path.replacen('e', "%65", 1);
            for other in
                [format!("{path}/"), format!("{path}//"), encoded, format!("/{path}"), format!("{path}+")]
            {
                assert!(must_be_canonical(fixed, &other).is_err(), "{other}");
            }
        }
    }
}
