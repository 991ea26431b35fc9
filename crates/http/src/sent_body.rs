//! Keeps the beginning of request bodies for the log of requests, on servers with test controls.

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The beginning of a body that the handler has read so far.
#[derive(Debug, Clone)]
pub(crate) struct SentBody {
    kept: Arc<Mutex<Vec<u8>>>,
    bytes_max: usize,
}

/// A body whose beginning is kept while it is read.
struct RecordedBody {
    body: Body,
    sent: SentBody,
}

impl SentBody {
    /// Returns a body that is kept up to this size while it is read, and the kept bytes.
    pub(crate) fn record(body: Body, bytes_max: usize) -> (Body, SentBody) {
        let sent = SentBody { kept: Arc::default(), bytes_max };
        (Body::new(RecordedBody { body, sent: sent.clone() }), sent)
    }

    /// Returns the kept bytes as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept.lock()).into_owned()
    }

    fn add(&self, data: &[u8]) {
        let mut kept = self.kept.lock();
        let room = self.bytes_max - kept.len();
        kept.extend_from_slice(&data[..data.len().min(room)]);
    }
}

impl HttpBody for RecordedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.sent.add(data);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    #[tokio::test]
    async fn keeps_the_beginning_of_a_body() {
        let (body, sent) = SentBody::record(Body::from("{\"key\": 1}"), 4);
        assert_eq!(sent.text(), "");
        assert_eq!(body.collect().await.unwrap().to_bytes(), "{\"key\": 1}");
        assert_eq!(sent.text(), "{\"ke");
    }
}
