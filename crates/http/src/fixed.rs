//! The fixed paths: what every server has, whatever its model.

use crate::routes::Values;
use crate::server::Server;
use crate::{graphql, images, oauth, openapi, operator, start_page, test_controls};
use axum::body::Body;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Fixed;
use kontor_rest::answer::Answer;
use std::sync::Arc;

/// Answers a request to one of them.
pub(crate) async fn answer(
    server: &Arc<Server>,
    fixed: Fixed,
    values: &Values<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<Answer> {
    let project = || values.get(0).ok_or_else(|| ApiError::bug("the path names no project"));
    Ok(match fixed {
        Fixed::Health => operator::health(server),
        Fixed::Live => operator::live(),
        Fixed::Ready => Box::pin(operator::ready(server)).await,
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
