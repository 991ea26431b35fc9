//! The body of a request, read when a handler needs it. Limits the memory of its JSON values.

use crate::blocking::blocking;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_engine::{LARGE_BYTES_MIN, ResponseMeter, SlowRequestLimiter};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Maximum number of JSON values in a body. Small values take many times their bytes in memory: 16 MB of `[1],[1],…`
/// would take 800 MB. A body whose values have 16 bytes each with their names, which is little, has fewer values than
/// this.
const BODY_VALUES_MAX: usize = 1_000_000;

/// Bodies from this size on are charged to the memory budget.
const COUNTED_BYTES_MIN: usize = 16 * 1024;
/// Memory of a value, in bytes: measured in a server with `[1,1,…]` and objects of many members, with all copies.
const VALUE_BYTES: usize = 128;

/// Rejects a body with more than [`BODY_VALUES_MAX`] values before it is parsed.
fn admit_values(json: &[u8]) -> ApiResult<()> {
    if count_values(json) <= BODY_VALUES_MAX {
        return Ok(());
    }
    Err(ApiError::invalid_input(format!("The request body has more than {BODY_VALUES_MAX} JSON values.")))
}

/// Returns the maximum number of values in a JSON text: one for each comma and each opening bracket outside of strings.
fn count_values(json: &[u8]) -> usize {
    let (mut values, mut is_string, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => values += 1,
            _ => {}
        }
    }
    values
}

/// A body that is read on demand, so that an early error need not wait for it.
pub struct LazyBody<'a>(Option<BoxFuture<'a, ApiResult<Bytes>>>);

impl<'a> LazyBody<'a> {
    /// Returns a body that the future reads; `None` if the operation takes none.
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

    /// Returns the body as JSON, and a meter that holds its memory in the budget of large responses until it is
    /// dropped: bodies with many small values take many times their bytes, and may wait for a lock with all of them.
    ///
    /// # Errors
    /// 400 `InvalidInput` if no request may take that much memory; 503 `OverCapacity` if other requests hold it.
    pub(crate) async fn json_metered(self, turns: &SlowRequestLimiter) -> ApiResult<(Value, ResponseMeter)> {
        let bytes = self.bytes().await?;
        let mut meter = ResponseMeter::default();
        if bytes.len() >= COUNTED_BYTES_MIN {
            meter = turns.meter();
            let values = count_values(&bytes);
            meter.charge_or(values * VALUE_BYTES, || {
                ApiError::invalid_input(format!(
                    "The request body has {values} JSON values, more than the memory of this server admits in one request."
                ))
            })?;
        }
        let is_there: BoxFuture<'_, ApiResult<Bytes>> = Box::pin(std::future::ready(Ok(bytes)));
        Ok((LazyBody(Some(is_there)).json().await?, meter))
    }

    /// Returns the body as JSON.
    pub fn json(self) -> BoxFuture<'a, ApiResult<Value>> {
        Box::pin(async move {
            let bytes = self.bytes().await?;
            let parse = |bytes: Bytes| {
                kontor_json::parse(&bytes).map_err(|error| ApiError::invalid_json(error.to_string()))
            };
            match bytes.len() < LARGE_BYTES_MIN {
                true => parse(bytes),
                false => {
                    let parse_bounded = move || {
                        admit_values(&bytes)?;
                        parse(bytes)
                    };
                    blocking(parse_bounded).await
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (json, expected) in
            [("1", 1), ("[1,2,[3]]", 5), (r#"{"a,[{\"": ",,\\", "b": {}}"#, 4), ("[\"\\\\\",1]", 3)]
        {
            assert!(kontor_json::parse(json.as_bytes()).is_ok(), "{json}");
            assert_eq!(count_values(json.as_bytes()), expected, "{json}");
        }
    }

    #[test]
    fn rejects_bodies_with_too_many_values() {
        let most = format!("[{}1]", "1,".repeat(BODY_VALUES_MAX - 2));
        assert!(admit_values(most.as_bytes()).is_ok());
        assert!(admit_values(format!("[{most}]").as_bytes()).is_err());
    }
}
