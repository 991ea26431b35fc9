//! The lazily read body of a request.

use crate::blocking::blocking;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_engine::LARGE_BYTES_MIN;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// A body that is read on demand: an early refusal need not wait for it.
pub struct Unread<'a>(Option<BoxFuture<'a, ApiResult<Bytes>>>);

impl<'a> Unread<'a> {
    /// A body that is there when it has been waited for; `None` where the operation takes none.
    pub fn new(body: Option<BoxFuture<'a, ApiResult<Bytes>>>) -> Self {
        Self(body)
    }

    /// Returns the bytes of the body.
    pub(crate) async fn bytes(self) -> ApiResult<Bytes> {
        match self.0 {
            Some(body) => body.await,
            None => Ok(Bytes::new()),
        }
    }

    /// As JSON.
    pub fn json(self) -> BoxFuture<'a, ApiResult<Value>> {
        Box::pin(async move {
            let bytes = self.bytes().await?;
            let parse = |bytes: Bytes| {
                kontor_json::parse(&bytes).map_err(|error| ApiError::invalid_json(error.to_string()))
            };
            match bytes.len() < LARGE_BYTES_MIN {
                true => parse(bytes),
                false => blocking(move || parse(bytes)).await,
            }
        })
    }
}
