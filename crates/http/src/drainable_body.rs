//! A request body that can be drained after the response.
//!
//! A server that responds while the client is still sending must read on for a while, or the client finds a
//! broken connection instead of the response.

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body_util::BodyExt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;

/// Maximum number of bytes that are drained; the connection of a client that sends more is closed.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Timeout for draining.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);

/// A body that returns what is left of it to its owner when it is dropped.
struct DrainableBody {
    body: Option<Body>,
    owner: Option<oneshot::Sender<Body>>,
}

/// Receives the rest of a lent body.
pub(crate) struct BodyRemainder(oneshot::Receiver<Body>);

/// Lends a body to the handler of the request.
pub(crate) fn make_drainable(body: Body) -> (Body, BodyRemainder) {
    let (owner, rest) = oneshot::channel();
    (Body::new(DrainableBody { body: Some(body), owner: Some(owner) }), BodyRemainder(rest))
}

impl HttpBody for DrainableBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}

impl Drop for DrainableBody {
    fn drop(&mut self) {
        if let (Some(body), Some(owner)) = (self.body.take(), self.owner.take()) {
            // If the request has ended already, the rest of the body is not needed.
            let _ = owner.send(body);
        }
    }
}

impl BodyRemainder {
    /// Drains the rest of the body, within the limits above.
    pub(crate) async fn discard(mut self) {
        let Ok(mut body) = self.0.try_recv() else { return };
        let read = async {
            let mut left = DISCARDED_BYTES_MAX;
            while let Some(Ok(frame)) = body.frame().await {
                let length = frame.data_ref().map_or(0, Bytes::len);
                match left.checked_sub(length) {
                    Some(rest) => left = rest,
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(DISCARD_TIMEOUT, read).await;
    }
}
