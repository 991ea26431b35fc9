//! Handles the fixed paths, which every server has whatever its model: health, metrics, pages, OAuth, GraphQL, test
//! controls.

use crate::access::ByOperator;
use crate::routes::Values;
use crate::server::Server;
use crate::{graphql, images, oauth, openapi, operator, start_page, test_controls};
use axum::body::Body;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Fixed;
use kontor_rest::answer::Answer;
use std::sync::Arc;

/// Handles a request to a fixed path.
pub(crate) async fn answer(
    server: &Arc<Server>,
    fixed: Fixed,
    values: &Values<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<Answer> {
    must_be_written_so(fixed, parts.uri.path())?;
    let project = || values.get(0).ok_or_else(|| ApiError::bug("the path names no project"));
    Ok(match fixed {
        Fixed::Health => operator::health(server),
        Fixed::Live => operator::live(),
        Fixed::Ready => Box::pin(operator::ready(server)).await,
        Fixed::Metrics if !server.options.serves_metrics && !ByOperator::sent(parts) => {
            return Err(ApiError::uri_not_found(parts.uri.path()));
        }
        Fixed::Metrics => operator::metrics(server),
        Fixed::OpenApi => openapi::document(server),
        Fixed::OpenApiPage => openapi::page(),
        Fixed::StartPage => start_page::answer(server),
        Fixed::Image => images::show(server, project()?, values.get(1).unwrap_or_default(), parts).await?,
        Fixed::GraphQlPage => graphql::page(server, parts)?,
        Fixed::GraphQlEditor => graphql::editor_file(parts, values.get(1).unwrap_or_default())?,
        Fixed::GraphQl => Box::pin(graphql::answer(server, project()?, parts, body)).await?,
        Fixed::Mcp => return Err(ApiError::bug("tools are answered where all requests are")),
        Fixed::Test(control) => Box::pin(test_controls::answer(server, control, values, parts, body)).await?,
        Fixed::Token => oauth::answer(server, oauth::Asked::Token, parts, body).await,
        Fixed::Introspect => oauth::answer(server, oauth::Asked::Introspect, parts, body).await,
        Fixed::Revoke => oauth::answer(server, oauth::Asked::Revoke, parts, body).await,
        Fixed::AnonymousToken => {
            oauth::answer(server, oauth::Asked::Anonymous { project: project()? }, parts, body).await
        }
        Fixed::CustomerToken => {
            let asked = oauth::Asked::Customer { project: project()?, store: values.get(1) };
            oauth::answer(server, asked, parts, body).await
        }
    })
}

/// The path of the metrics.
pub(crate) const METRICS: &str = "/metrics";
/// The prefix of the paths of the test controls.
pub(crate) const TEST_CONTROLS: &str = "/_test/";

/// Returns a 404 for other spellings of the paths of operators and tests, e.g. `/metrics/` and `/%6detrics`: proxies
/// block these paths by comparing strings.
fn must_be_written_so(fixed: Fixed, path: &str) -> ApiResult<()> {
    let is_so = match fixed {
        Fixed::Health => path == "/health",
        Fixed::Live => path == "/health/live",
        Fixed::Ready => path == "/health/ready",
        Fixed::Metrics => path == METRICS,
        Fixed::Test(_) => path.starts_with(TEST_CONTROLS),
        _ => true,
    };
    if is_so { Ok(()) } else { Err(ApiError::uri_not_found(path)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::{Doing, Model};

    /// Only the template itself is a valid spelling of these paths.
    #[test]
    fn paths_of_operators_are_written_in_one_way() {
        let model = Model::embedded().unwrap();
        let of_operators = [Fixed::Health, Fixed::Live, Fixed::Ready, Fixed::Metrics];
        for fixed in of_operators {
            let is_it = |doing| matches!(doing, Doing::Fixed(found) if found == fixed);
            let operation = model.operations().iter().find(|operation| is_it(operation.doing)).unwrap();
            let path = operation.template();
            assert!(must_be_written_so(fixed, &path).is_ok(), "{path}");
            let encoded = path.replacen('e', "%65", 1);
            for other in
                [format!("{path}/"), format!("{path}//"), encoded, format!("/{path}"), format!("{path}+")]
            {
                assert!(must_be_written_so(fixed, &other).is_err(), "{other}");
            }
        }
    }
}
