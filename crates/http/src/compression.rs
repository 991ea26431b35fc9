//! Compressed answers, for clients that ask for them and where it is worth the while.
//!
//! Whether it is, is known only when the answer is there. Most answers are small: they are not even wrapped, because
//! the state of an encoder takes kilobytes that every layer above would move.

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, Request, header};
use kontor_rest::answer::Answer;
use std::convert::Infallible;
use tower::{Layer as _, ServiceExt as _};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

/// Answers below this size are sent as they are.
const COMPRESSED_BYTES_MIN: u64 = 1024;

/// Whether an answer is large enough to be worth the while.
pub(crate) fn may_shrink(answer: &Answer) -> bool {
    answer.body().size_hint().exact().is_none_or(|size| size > COMPRESSED_BYTES_MIN)
}

/// What a client accepts, kept until the answer is there.
pub(crate) struct Accepted(Option<HeaderValue>);

impl Accepted {
    /// Reads the headers of a request.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        Self(headers.get(header::ACCEPT_ENCODING).cloned())
    }

    /// Compresses an answer, or leaves it as it is.
    pub(crate) async fn compress(self, answer: Answer) -> Answer {
        let Some(accepted) = self.0 else { return answer };
        if !may_shrink(&answer) {
            return answer;
        }
        Box::pin(compressed(accepted, answer)).await
    }
}

async fn compressed(accepted: HeaderValue, answer: Answer) -> Answer {
    let layer =
        CompressionLayer::new().gzip(true).br(true).compress_when(SizeAbove::new(COMPRESSED_BYTES_MIN));
    let mut request = Request::new(());
    request.headers_mut().insert(header::ACCEPT_ENCODING, accepted);
    // The layer wants a service; this one has the answer already.
    let mut ready = Some(answer);
    let service = tower::service_fn(move |_: Request<()>| {
        let answer = ready.take().unwrap_or_default();
        async move { Ok::<_, Infallible>(answer) }
    });
    match layer.layer(service).oneshot(request).await {
        Ok(answer) => answer.map(Body::new),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn encoding_of(accepted: Option<&'static str>, bytes: usize) -> Option<HeaderValue> {
        let mut headers = HeaderMap::new();
        if let Some(accepted) = accepted {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        }
        let mut answer = Answer::new(Body::from("a".repeat(bytes)));
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let answer = Accepted::of(&headers).compress(answer).await;
        answer.headers().get(header::CONTENT_ENCODING).cloned()
    }

    #[tokio::test]
    async fn large_answers_are_compressed_for_those_who_accept_it() {
        assert_eq!(encoding_of(Some("gzip"), 2000).await.unwrap(), "gzip");
        assert_eq!(encoding_of(Some("gzip, br"), 2000).await.unwrap(), "br");
        assert_eq!(encoding_of(None, 2000).await, None);
        assert_eq!(encoding_of(Some("identity"), 2000).await, None);
        assert_eq!(encoding_of(Some("gzip"), 1000).await, None);
    }
}
