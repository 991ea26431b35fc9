//! Requests of the Import API: authenticated and authorized here, handled by `imports`.

use crate::admission::AskedFor;
use crate::body;
use crate::routes::Values;
use crate::server::Server;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_imports::{Asked, Page};
use kontor_json::Value;
use kontor_model::{Importing, SentBody};
use kontor_rest::answer::{self, Answer};
use kontor_rest::{Parameters, Unread};

/// Handles the operation of the Import API at this position of the model's table.
pub(crate) async fn answer(
    server: &Server,
    (doing, position): (Importing, usize),
    values: &Values<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<Answer> {
    let operation = &server.model.operations()[position];
    let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
    let admission = AskedFor::of_project(server, parts, project, position).admit().await?;
    let page = Page { meter: server.rest.turns.meter(), ..page(&Parameters::of(parts.uri.query()))? };
    let shop = server.shop(project).await?;
    let body = match operation.body {
        SentBody::Nothing => Value::Null,
        _ => Unread::new(Some(Box::pin(body::read(parts, body, body::BODY_BYTES_MAX)))).json().await?,
    };
    let caller = admission.access.caller(&parts.headers);
    let asked = Asked { doing, name: values.get(1).unwrap_or_default(), page, body, caller };
    let answered = server.imports.answer(&shop, asked).await?;
    let status = if answered.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(answer::json(status, &answered.body))
}

fn page(parameters: &Parameters) -> ApiResult<Page> {
    let list = parameters.list_request(true)?;
    let first = |name: &str| parameters.all(name).into_iter().next();
    Ok(Page {
        offset: list.offset,
        limit: list.limit,
        sort: list.sort,
        state: first("state"),
        resource_key: first("resourceKey"),
        debug: parameters.flag("debug")?.unwrap_or(false),
        ..Page::default()
    })
}
