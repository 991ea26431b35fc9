//! Handles the request for a move: runs it on a thread and streams its progress as the response.

use super::move_protocol::{MoveLine, MoveProgressSender, MoveRequest};
use super::move_steps;
use crate::platform::Platform;
use anyhow::{Context as _, bail};
use axum::body::Body;
use kontor_errors::{ApiError, ApiResult};
use kontor_http::Server;
use kontor_json::{Map, Value};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::channel;

/// How many lines may be queued for a slow client.
const LINES_WAITING_MAX: usize = 64;

/// How long a move waits for an earlier one whose command has ended, and which is about to stop.
const ABANDONED_TIMEOUT: Duration = Duration::from_secs(30);

/// The lock that allows one move at a time.
static MOVING: Mutex<()> = Mutex::new(());
/// The output of the running move; closed when its command has ended.
static TELLING: Mutex<Option<MoveProgressSender>> = Mutex::new(None);

/// Starts a move and returns a response body with its progress lines.
pub(crate) fn stream_move(platform: &Arc<Platform>, server: &Arc<Server>, requested: Map) -> ApiResult<Body> {
    let requested: MoveRequest = kontor_json::from_value(Value::Object(requested))
        .map_err(|error| ApiError::invalid_input(error.to_string()))?;
    let (sender, mut receiver) = channel(LINES_WAITING_MAX);
    let (platform, server, handle) = (Arc::clone(platform), Arc::clone(server), Handle::current());
    tokio::task::spawn_blocking(move || {
        let tell = MoveProgressSender(sender);
        let moved = lock_move(&tell).and_then(|_turn| {
            *TELLING.lock() = Some(tell.clone());
            let moved = move_steps::run(&platform, &server, &handle, &requested, &tell);
            *TELLING.lock() = None;
            moved
        });
        let last = match moved {
            Ok(()) => MoveLine::Done,
            Err(error) => {
                tracing::error!("a move failed: {error:#}");
                MoveLine::Failed(format!("{error:#}"))
            }
        };
        // The command may have ended.
        let _ = tell.send_line(&last);
    });
    Ok(Body::from_stream(futures_util::stream::poll_fn(move |context| receiver.poll_recv(context))))
}

/// Takes the lock of moves. Waits for a move whose command has ended: it notices within seconds and cleans up. Fails if
/// another move is running.
fn lock_move(tell: &MoveProgressSender) -> anyhow::Result<MutexGuard<'static, ()>> {
    if let Some(turn) = MOVING.try_lock() {
        return Ok(turn);
    }
    if TELLING.lock().as_ref().is_some_and(|telling| !telling.is_abandoned()) {
        bail!(
            "another move is running, and its own command prints the progress. Run this one again only if that one \
             has failed"
        );
    }
    tell.send_text("waiting for an earlier move to stop, whose command was ended")?;
    MOVING.try_lock_for(ABANDONED_TIMEOUT).with_context(|| {
        format!(
            "an earlier move, whose command was ended, has not stopped within {} s: restart the server, then run \
             this command again",
            ABANDONED_TIMEOUT.as_secs()
        )
    })
}
