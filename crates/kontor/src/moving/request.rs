//! A move that was asked for, and the answer that tells of it while it goes on.

use super::asked::{Asked, MoveLine, Tell};
use super::steps;
use crate::platform::Platform;
use axum::body::Body;
use kontor_errors::{ApiError, ApiResult};
use kontor_http::Server;
use kontor_json::{Map, Value};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc::channel;

/// Lines that wait for a slow reader.
const LINES_WAITING_MAX: usize = 64;

/// One move at a time.
static MOVING: Mutex<()> = Mutex::new(());

/// Moves, and answers with what is told of it, while it goes on.
pub(crate) fn stream(platform: &Arc<Platform>, server: &Arc<Server>, asked: Map) -> ApiResult<Body> {
    let asked: Asked = kontor_json::from_value(Value::Object(asked))
        .map_err(|error| ApiError::invalid_input(error.to_string()))?;
    let (sender, mut receiver) = channel(LINES_WAITING_MAX);
    let (platform, server, handle) = (Arc::clone(platform), Arc::clone(server), Handle::current());
    tokio::task::spawn_blocking(move || {
        let tell = Tell(sender);
        let moved = match MOVING.try_lock() {
            Some(_turn) => steps::run(&platform, &server, &handle, &asked, &tell),
            None => Err(anyhow::anyhow!("another move is going on")),
        };
        let last = match moved {
            Ok(()) => MoveLine::Done,
            Err(error) => {
                tracing::error!("a move failed: {error:#}");
                MoveLine::Failed(format!("{error:#}"))
            }
        };
        // Nobody may be reading any more.
        let _ = tell.line(&last);
    });
    Ok(Body::from_stream(futures_util::stream::poll_fn(move |context| receiver.poll_recv(context))))
}
