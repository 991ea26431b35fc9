//! The routes of the operator: all parts of the operator API, and those of the HTTP API.

#[cfg(feature = "console")]
use crate::operator_accounts_api;
use crate::operator_api;
use crate::platform::Platform;
use axum::Router;
use kontor_http::Server;
use std::sync::Arc;

/// Returns the routes. `bucket`: the URL of uploaded images, unless they are in the data folder.
pub(crate) fn operator_routes(platform: Arc<Platform>, server: Arc<Server>, bucket: Option<&str>) -> Router {
    #[cfg(feature = "console")]
    let further = operator_accounts_api::routes();
    #[cfg(not(feature = "console"))]
    let further = Router::new();
    operator_api::router(platform, server, bucket, further)
}
