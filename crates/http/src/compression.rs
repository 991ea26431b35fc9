//! Compresses responses for clients that accept it, if they are large enough.
//!
//! The size is known only when the response exists. Small responses, which are most of them, bypass the middleware: its
//! encoder state is some kilobytes, which each layer above would copy.

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use bytes::Bytes;
use kontor_errors::ApiError;
use kontor_rest::response::{self, HttpResponse};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::OnceCell;
use tower::{Layer as _, ServiceExt as _};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

/// Smaller responses are not compressed.
const COMPRESSED_BYTES_MIN: u64 = 1024;

/// Returns whether a response is large enough to be compressed.
pub(crate) fn is_compressible(response: &HttpResponse) -> bool {
    response.body().size_hint().exact().is_none_or(|size| size > COMPRESSED_BYTES_MIN)
}

/// A body that never changes while the server runs, with a cache of its compressed forms: public pages and descriptions
/// are compressed once, not for each request.
#[derive(Debug, Clone)]
pub(crate) struct StaticBody {
    plain: Bytes,
    compressed: Arc<CompressedForms>,
}

#[derive(Debug, Default)]
struct CompressedForms {
    gzip: OnceCell<Bytes>,
    brotli: OnceCell<Bytes>,
}

impl StaticBody {
    /// Compresses nothing until the first request.
    pub(crate) fn new(plain: impl Into<Bytes>) -> Self {
        Self { plain: plain.into(), compressed: Arc::default() }
    }

    /// Returns the response with this body.
    pub(crate) fn respond(&self, content_type: &'static str) -> HttpResponse {
        let mut http_response = response::text(StatusCode::OK, content_type, self.plain.clone());
        http_response.extensions_mut().insert(self.clone());
        http_response
    }

    /// Replaces the body of a compressed response by the cached bytes, and fills the cache at the first time.
    async fn cache_compressed(&self, http_response: HttpResponse) -> HttpResponse {
        let kept = match http_response.headers().get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes) {
            Some(b"gzip") => &self.compressed.gzip,
            Some(b"br") => &self.compressed.brotli,
            _ => return http_response,
        };
        let (head, body) = http_response.into_parts();
        // The body is compressed while it is read: if the cache is filled, it is dropped unread.
        let read = async || axum::body::to_bytes(body, usize::MAX).await;
        match kept.get_or_try_init(read).await {
            Ok(bytes) => HttpResponse::from_parts(head, Body::from(bytes.clone())),
            Err(error) => {
                tracing::error!(%error, "a page could not be compressed");
                response::error(&ApiError::internal())
            }
        }
    }
}

/// The encodings that a client accepts, kept until the response exists.
pub(crate) struct AcceptedEncoding(Option<HeaderValue>);

impl AcceptedEncoding {
    /// Reads the header `Accept-Encoding`.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        Self(headers.get(header::ACCEPT_ENCODING).cloned())
    }

    /// Compresses a response if that is worthwhile.
    pub(crate) async fn compress(self, response: HttpResponse) -> HttpResponse {
        let Some(accepted) = self.0 else { return response };
        if !is_compressible(&response) {
            return response;
        }
        let unchanging = response.extensions().get::<StaticBody>().cloned();
        let response = Box::pin(compress_response(accepted, response)).await;
        match unchanging {
            Some(unchanging) => unchanging.cache_compressed(response).await,
            None => response,
        }
    }
}

async fn compress_response(accepted: HeaderValue, response: HttpResponse) -> HttpResponse {
    let layer =
        CompressionLayer::new().gzip(true).br(true).compress_when(SizeAbove::new(COMPRESSED_BYTES_MIN));
    let mut request = Request::new(());
    request.headers_mut().insert(header::ACCEPT_ENCODING, accepted);
    // The layer needs a service; this service returns the response that exists already.
    let mut ready = Some(response);
    let service = tower::service_fn(move |_: Request<()>| {
        let response = ready.take().unwrap_or_default();
        async move { Ok::<_, Infallible>(response) }
    });
    match layer.layer(service).oneshot(request).await {
        Ok(response) => response.map(Body::new),
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
        let mut response = HttpResponse::new(Body::from("a".repeat(bytes)));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let response = AcceptedEncoding::from_headers(&headers).compress(response).await;
        response.headers().get(header::CONTENT_ENCODING).cloned()
    }

    #[tokio::test]
    async fn compresses_large_responses_for_clients_that_accept_it() {
        assert_eq!(encoding_of(Some("gzip"), 2000).await.unwrap(), "gzip");
        assert_eq!(encoding_of(Some("gzip, br"), 2000).await.unwrap(), "br");
        assert_eq!(encoding_of(None, 2000).await, None);
        assert_eq!(encoding_of(Some("identity"), 2000).await, None);
        assert_eq!(encoding_of(Some("gzip"), 1000).await, None);
    }

    #[tokio::test]
    async fn compresses_static_bodies_once() {
        let page = StaticBody::new("a".repeat(2000));
        let send = async |accepted: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            let response =
                AcceptedEncoding::from_headers(&headers).compress(page.respond("text/plain")).await;
            axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap()
        };
        let (gzip, brotli) = (send("gzip").await, send("br").await);
        assert!(gzip.len() < 200 && brotli.len() < 200 && gzip != brotli);
        assert_eq!(send("gzip").await.as_ptr(), gzip.as_ptr(), "these bytes, not ones like them");
        assert_eq!(send("gzip, br").await.as_ptr(), brotli.as_ptr());
        assert_eq!(send("identity").await.len(), 2000);
    }
}
