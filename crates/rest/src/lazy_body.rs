//! The body of a request, read when a handler needs it. Limits the memory of its JSON values.

use crate::blocking::blocking;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_engine::{LARGE_BYTES_MIN, ResponseMeter, SlowRequestLimiter, meter_body};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// A body that is read on demand, so that an early error need not wait for it.
pub struct LazyBody<'a> {
    body: Option<BoxFuture<'a, ApiResult<Bytes>>>,
    limiter: &'a SlowRequestLimiter,
}

impl<'a> LazyBody<'a> {
    /// Returns a body that the future reads; `None` if the operation takes none. Its values are charged to the budget of `limiter`.
    pub fn new(body: Option<BoxFuture<'a, ApiResult<Bytes>>>, limiter: &'a SlowRequestLimiter) -> Self {
        Self { body, limiter }
    }

    /// Returns the bytes of the body.
    pub(crate) async fn bytes(self) -> ApiResult<Bytes> {
        match self.body {
            Some(body) => body.await,
            None => Ok(Bytes::new()),
        }
    }

    /// Returns the body as JSON, and a meter that holds its memory in the budget of large responses until it is dropped.
    ///
    /// # Errors
    /// Those of [`meter_body`], and 400 `InvalidJsonInput`.
    pub fn json(self) -> BoxFuture<'a, ApiResult<(Value, ResponseMeter)>> {
        Box::pin(async move {
            let limiter = self.limiter.clone();
            let bytes = self.bytes().await?;
            let parse = move |bytes: &Bytes| {
                let meter = meter_body(&limiter, bytes)?;
                let value =
                    kontor_json::parse(bytes).map_err(|error| ApiError::invalid_json(error.to_string()))?;
                Ok((value, meter))
            };
            match bytes.len() < LARGE_BYTES_MIN {
                true => parse(&bytes),
                false => blocking(move || parse(&bytes)).await,
            }
        })
    }
}
