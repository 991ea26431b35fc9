//! What is asked of the process that has the data, and what it tells of the move: a line of JSON each.

use super::steps;
use crate::platform::Platform;
use axum::body::Body;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_http::Server;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};

/// Lines that wait for a slow reader.
const LINES_WAITING_MAX: usize = 64;

/// One move at a time.
static MOVING: Mutex<()> = Mutex::new(());

/// What is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The URL of a database, or a folder.
    pub(crate) to: String,
    /// The bucket for uploaded images there.
    pub(crate) image_store: Option<String>,
    /// The data folder that the command names: images are in it, also where projects are not.
    pub(crate) data: String,
}

/// What is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Line {
    /// For people.
    Told(String),
    /// The last one: nothing has moved, or what to do.
    Failed(String),
    /// The last one.
    Done,
}

/// Where it is told. Nobody may be reading any more, which ends a move that has not switched yet.
pub(crate) struct Tell(Sender<Result<Bytes, Infallible>>);

impl Tell {
    /// Tells people something. Fails where nobody reads any more.
    pub(crate) fn people(&self, text: impl Into<String>) -> anyhow::Result<()> {
        self.line(&Line::Told(text.into()))
    }

    fn line(&self, line: &Line) -> anyhow::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let sent = self.0.blocking_send(Ok(bytes.into()));
        sent.map_err(|_| anyhow::anyhow!("whoever asked for the move is gone"))
    }
}

/// Moves, and answers with what is told of it, while it goes on.
pub(crate) fn stream(
    platform: &Arc<Platform>,
    server: &Arc<Server>,
    asked: Map<String, Value>,
) -> ApiResult<Body> {
    let asked: Asked = serde_json::from_value(Value::Object(asked))
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
            Ok(()) => Line::Done,
            Err(error) => {
                tracing::error!("a move failed: {error:#}");
                Line::Failed(format!("{error:#}"))
            }
        };
        // Nobody may be reading any more.
        let _ = tell.line(&last);
    });
    Ok(Body::from_stream(futures_util::stream::poll_fn(move |context| receiver.poll_recv(context))))
}
