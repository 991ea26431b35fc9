//! Parses the responses of API Extensions: update actions, or errors. Responses are untrusted input.
//!
//! Source: reference types `ExtensionBadResponseError`, `ExtensionNoResponseError`, `ErrorByExtension`; public
//! documentation, "API Extensions" (update actions with 200 or 201, errors with 400, `responseType`).

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value, json};
use kontor_outbound::OutboundResponse;

/// Maximum number of update actions in a response (public documentation, "API Extensions").
const ACTIONS_MAX: usize = 100;

/// Returns the update actions of a response, or its errors as an `ApiError`.
pub(crate) fn parse_actions(extension: &Document, received: &OutboundResponse) -> ApiResult<Vec<Value>> {
    let bad = |said: String| bad_response(extension, received, &said);
    let unexpected = || bad("The extension did not return the expected JSON.".to_owned());
    match received.status {
        200 | 201 | 400 => {}
        status => return Err(bad(format!("'{status}' is not an expected status code."))),
    }
    let is_empty = received.body.trim_ascii().is_empty();
    let body = match (is_empty, received.status) {
        (true, 400) => return Err(unexpected()),
        (true, _) => return Ok(Vec::new()),
        (false, _) => kontor_json::from_slice(&received.body).map_err(|_| unexpected())?,
    };
    let Value::Object(mut body) = body else {
        return if body.is_null() && received.status != 400 { Ok(Vec::new()) } else { Err(unexpected()) };
    };
    if received.status == 400 || body.get("responseType") == Some(&json!("FailedValidation")) {
        let errors = body.get("errors").and_then(Value::as_array).filter(|errors| !errors.is_empty());
        let refusal = errors.and_then(|errors| refusal(extension, errors));
        return Err(refusal.unwrap_or_else(unexpected));
    }
    let actions = match body.remove("actions") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(actions)) => actions,
        Some(_) => return Err(unexpected()),
    };
    if actions.len() > ACTIONS_MAX {
        return Err(bad(format!(
            "The extension returned {} update actions, at most {ACTIONS_MAX} are allowed.",
            actions.len()
        )));
    }
    Ok(actions)
}

/// Returns 400 with the errors in an Extension's response; `None` if one of them is malformed.
fn refusal(extension: &Document, errors: &[Value]) -> Option<ApiError> {
    let mut all: Option<ApiError> = None;
    for error in errors {
        let error = error.as_object()?;
        let (code, message) = (error.get("code")?.as_str()?, error.get("message")?.as_str()?);
        let is_it = |known: &&Code| known.name() == code && known.status() == 400;
        let known = Code::ALL.iter().find(is_it).copied().unwrap_or(Code::InvalidInput);
        let mut one = ApiError::new(known, message);
        for (name, value) in error.iter().filter(|(name, _)| !matches!(name.as_str(), "code" | "message")) {
            one = one.with_field(name, value.clone());
        }
        let by = [("id", extension.get("id")), ("key", extension.get("key"))];
        let by: Map =
            by.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.clone()))).collect();
        one = one.with_field("errorByExtension", Value::Object(by));
        all = Some(match all {
            Some(all) => all.merge(one),
            None => one,
        });
    }
    all
}

/// Returns 502: the response is malformed, or has an unexpected status.
pub(crate) fn bad_response(extension: &Document, received: &OutboundResponse, said: &str) -> ApiError {
    let error = ApiError::new(Code::ExtensionBadResponse, said)
        .with_field("extensionErrors", json!([]))
        .with_field("extensionBody", json!(String::from_utf8_lossy(&received.body)))
        .with_field("extensionStatusCode", json!(received.status));
    with_extension(error, extension)
}

/// Returns 504: there was no response, for a reason given as a sentence. The reference has one code for all reasons
/// ("does not respond within the time limit, or could not be reached").
pub(crate) fn no_response(extension: &Document, reason: &str) -> ApiError {
    with_extension(ApiError::new(Code::ExtensionNoResponse, reason), extension)
}

/// Returns 502: the response was incomplete or too long.
pub(crate) fn incomplete_response(extension: &Document) -> ApiError {
    let said = "The response of the extension was incomplete or too long.";
    with_extension(
        ApiError::new(Code::ExtensionBadResponse, said).with_field("extensionErrors", json!([])),
        extension,
    )
}

fn with_extension(error: ApiError, extension: &Document) -> ApiError {
    error
        .with_field("extensionId", extension.get("id").cloned())
        .with_field("extensionKey", extension.get("key").cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, body: &str) -> ApiResult<Vec<Value>> {
        let extension = json!({"id": "x", "key": "k"});
        let received = OutboundResponse { status, body: body.to_owned().into() };
        parse_actions(extension.as_object().unwrap(), &received)
    }

    fn refusal_body(status: u16, body: &str) -> Value {
        answered(status, body).unwrap_err().body()
    }

    #[test]
    fn reads_update_actions_and_empty_responses() {
        assert_eq!(answered(200, "{\"actions\": [{\"action\": \"a\"}]}").unwrap(), [json!({"action": "a"})]);
        assert_eq!(
            answered(201, "{\"responseType\": \"UpdateRequest\", \"actions\": []}").unwrap(),
            [] as [Value; 0]
        );
        for nothing in ["", "  ", "{}", "null", "{\"actions\": null}"] {
            assert_eq!(answered(200, nothing).unwrap(), [] as [Value; 0], "{nothing}");
        }
    }

    #[test]
    fn passes_errors_on_with_their_extension() {
        let expected = json!([{
            "code": "InvalidField", "message": "No.", "extensionExtraInfo": {"a": 1},
            "errorByExtension": {"id": "x", "key": "k"},
        }]);
        let errors =
            "[{\"code\": \"InvalidField\", \"message\": \"No.\", \"extensionExtraInfo\": {\"a\": 1}}]";
        for (status, body) in [
            (400, format!("{{\"errors\": {errors}}}")),
            (200, format!("{{\"responseType\": \"FailedValidation\", \"errors\": {errors}}}")),
        ] {
            let body = refusal_body(status, &body);
            assert_eq!((&body["statusCode"], &body["errors"]), (&json!(400), &expected));
        }
        let unknown = refusal_body(400, "{\"errors\": [{\"code\": \"OutOfTea\", \"message\": \"No tea.\"}]}");
        assert_eq!(unknown["errors"][0]["code"], "InvalidInput");
    }

    #[test]
    fn rejects_malformed_responses() {
        for (status, body, said) in [
            (404, "gone", "'404' is not an expected status code."),
            (500, "", "'500' is not an expected status code."),
            (302, "", "'302' is not an expected status code."),
            (200, "<html>", "The extension did not return the expected JSON."),
            (200, "[]", "The extension did not return the expected JSON."),
            (200, "{\"actions\": {}}", "The extension did not return the expected JSON."),
            (400, "{}", "The extension did not return the expected JSON."),
            (400, "{\"errors\": []}", "The extension did not return the expected JSON."),
        ] {
            let error = refusal_body(status, body);
            assert_eq!(error["statusCode"], 502, "{body}");
            assert_eq!(
                error["errors"],
                json!([{
                    "code": "ExtensionBadResponse", "message": said, "extensionErrors": [], "extensionBody": body,
                    "extensionStatusCode": status, "extensionId": "x", "extensionKey": "k",
                }])
            );
        }
    }
}
