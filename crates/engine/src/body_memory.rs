//! Meters the memory that the JSON values of a request body take.
//!
//! The rule for all bodies: **the server charges the memory of all values of a body before it parses the body, and returns the memory at
//! the end of the request.** A body of many small values takes many times its bytes: 16 MB of `[1],[1],…` would take 800 MB. Each parser
//! of a request body calls [`meter_body`] first, and keeps the meter as long as the values.

use crate::memory_budget::ResponseMeter;
use crate::slow_request_limiter::SlowRequestLimiter;
use kontor_errors::{ApiError, ApiResult};

/// Most values in a body. A body whose values have 16 bytes each with their names, which is few, has fewer values than this.
const BODY_VALUES_MAX: usize = 1_000_000;
/// Bodies from this size on take memory of the budget.
const METERED_BYTES_MIN: usize = 16 * 1024;
/// The memory of one value, including its copies: measured with `[1,1,…]` and with objects of many members.
const VALUE_BYTES: usize = 128;

/// Charges the memory of a body's values to the budget. Counts the values without parsing them.
///
/// # Errors
/// 400 `InvalidInput` where no request may take that much; 503 `OverCapacity` where others hold the memory.
pub fn meter_body(turns: &SlowRequestLimiter, json: &[u8]) -> ApiResult<ResponseMeter> {
    if json.len() < METERED_BYTES_MIN {
        return Ok(ResponseMeter::default());
    }
    let values = count_values(json);
    if values > BODY_VALUES_MAX {
        let message = format!("The request body has more than {BODY_VALUES_MAX} JSON values.");
        return Err(ApiError::invalid_input(message));
    }
    let meter = turns.meter();
    meter.charge_or(values * VALUE_BYTES, || {
        ApiError::invalid_input(format!(
            "The request body has {values} JSON values, more than the memory of this server admits in one request."
        ))
    })?;
    Ok(meter)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_budget::MemoryBudget;
    use kontor_errors::Code;
    use std::sync::Arc;

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
        let turns = SlowRequestLimiter::new(Arc::new(MemoryBudget::with_bytes(
            2 * BODY_VALUES_MAX * VALUE_BYTES + (1 << 20),
        )));
        let most = format!("[{}1]", "1,".repeat(BODY_VALUES_MAX - 2));
        assert!(meter_body(&turns, most.as_bytes()).is_ok());
        let refused = meter_body(&turns, format!("[{most}]").as_bytes()).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidInput);
    }

    #[test]
    fn the_values_of_a_body_take_memory_until_the_meter_goes() {
        let turns = SlowRequestLimiter::new(Arc::new(MemoryBudget::with_bytes(100 * 1024 * 1024)));
        let body = format!("[{}1]", "1,".repeat(300_000));
        let meter = meter_body(&turns, body.as_bytes()).unwrap();
        assert!(turns.budget().held_bytes() >= 300_000 * VALUE_BYTES);
        let second = meter_body(&turns, body.as_bytes()).unwrap_err();
        assert_eq!(second.code(), Code::OverCapacity, "the first holds the memory");
        drop(meter);
        assert!(meter_body(&turns, body.as_bytes()).is_ok());
        let larger = format!("[{}1]", "1,".repeat(500_000));
        assert_eq!(meter_body(&turns, larger.as_bytes()).unwrap_err().code(), Code::InvalidInput);
    }
}
