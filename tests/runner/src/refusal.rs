//! Refusals: whether an expected response says what was refused, and what it has to say. Begin at [`is_bare`].
//!
//! A refusal is an expected response with a status of 400 to 499; without more, a request that is refused for another
//! reason passes too, e.g. for a mistake in the conversation itself. So each of its errors has, in addition to the code,
//! a field with a value (`field`, `typeId`, `currentVersion`, …) or a part of the message. These need nothing more:
//!
//! - codes with only one reason ([`CODES_THAT_TELL`]), and the statuses 405 and 415
//! - 404: [`names_resource`] checks that the message names what the path ends with, an id or a key
//! - responses to HEAD, which have no body
//!
//! `action` and the two indexes repeat the request, so they do not say what is wrong with it.

use crate::conversation::{Conversation, ConversationStep, Exchange};
use crate::names::BoundNames;
use crate::telling_part::{is_unstable, replace_bound_values, telling_part, telling_path, telling_value};
use crate::text_parts::{contains_parts, is_parts, part_pattern};
use kontor_json::{Map, Value, json};

/// Codes that have one reason, or whose reason the server does not tell on purpose.
const CODES_THAT_TELL: &[&str] = &[
    "AnonymousIdAlreadyInUse",
    "EnumValuesMustMatch",
    "ExpiredCustomerEmailToken",
    "ExpiredCustomerPasswordToken",
    "FeatureRemoved",
    "InvalidCredentials",
    "InvalidCurrentPassword",
    "MultipleActionsNotAllowed",
    "NewMasterVariantAdditionNotAllowed",
    "QueryComplexityLimitExceeded",
    "SearchDeactivated",
    "ShippingMethodDoesNotMatchCart",
    "access_denied",
    "invalid_client",
    "invalid_customer_account_credentials",
    "invalid_token",
];
/// Fields of errors that do not say what was refused.
const SILENT_FIELDS: &[&str] = &[
    "statusCode",
    "code",
    "error",
    "errors",
    "extensions",
    "locations",
    "action",
    "actionIndex",
    "resourceIndex",
];
/// The fields that say it best, in groups of which the first complete one is chosen.
const TELLING_FIELDS: &[&[&str]] = &[
    &["field"],
    &["typeId", "key"],
    &["typeId", "id"],
    &["typeId"],
    &["currentVersion"],
    &["referencedBy"],
    &["permissions"],
    &["missingRole"],
    &["invalidAttributeName"],
    &["conflictingAttributeName", "conflictingEnumKey"],
    &["conflictingAttributeName"],
    &["currency", "country"],
    &["currency", "validFrom"],
    &["country"],
    &["languages"],
    &["quantity"],
    &["subject"],
];

impl Conversation {
    /// Returns the lines of requests whose expected refusal does not say what was refused.
    pub fn bare_refusals(&self) -> Vec<usize> {
        let exchanges = self.steps.iter().filter_map(|step| match step {
            ConversationStep::Exchange(exchange) => Some(exchange),
            _ => None,
        });
        exchanges.filter(|exchange| is_bare(exchange)).map(|exchange| exchange.line).collect()
    }
}

/// Whether the exchange expects a refusal that a body can describe.
pub(crate) fn is_refusal(exchange: &Exchange) -> bool {
    (400..500).contains(&exchange.response.status) && exchange.method != "HEAD"
}

/// Whether the exchange expects a refusal without saying what is refused.
pub(crate) fn is_bare(exchange: &Exchange) -> bool {
    lacks_detail(exchange, exchange.response.body.as_ref())
}

fn lacks_detail(exchange: &Exchange, expected: Option<&Value>) -> bool {
    is_refusal(exchange)
        && !matches!(exchange.response.status, 404 | 405 | 415)
        && !expected.is_some_and(has_detail)
}

/// Whether the message of a 404 names one of the last two segments of the path, or the pattern says what was refused.
pub(crate) fn names_resource(
    exchange: &Exchange,
    expected: Option<&Value>,
    got: Option<&Value>,
    names: &BoundNames,
) -> bool {
    if !is_refusal(exchange) || expected.is_some_and(has_detail) {
        return true;
    }
    let Some(message) = got.and_then(|body| body["message"].as_str()) else { return false };
    let path = exchange.path.split('?').next().unwrap_or_default();
    path.rsplit('/').take(2).any(|segment| {
        let segment = segment.split_once('=').map_or(segment, |(_, value)| value);
        names.fill_text(segment).is_ok_and(|segment| message.contains(&format!("'{segment}'")))
    })
}

/// Returns the pattern that says what the response `got` refuses, if the expected one does not. Parts of messages that
/// `got` does not have are replaced.
pub(crate) fn complete_refusal(exchange: &Exchange, got: &Value, names: &BoundNames) -> Option<Value> {
    if !is_refusal(exchange) {
        return None;
    }
    let expected = exchange.response.body.as_ref();
    let kept = expected.map(|body| without_wrong_parts(body, got, names));
    let is_named = || names_resource(exchange, kept.as_ref(), Some(got), names);
    if lacks_detail(exchange, kept.as_ref()) || exchange.response.status == 404 && !is_named() {
        completed(kept.as_ref(), got, names)
    } else {
        kept.filter(|kept| Some(kept) != expected)
    }
}

/// Returns the pattern without the fields whose parts are not in the text that `got` has there.
fn without_wrong_parts(pattern: &Value, got: &Value, names: &BoundNames) -> Value {
    let is_wrong = |pattern: &Value, got: &Value| {
        let text = pattern.as_str().filter(|text| is_parts(text));
        text.is_some_and(|text| !got.as_str().is_some_and(|got| contains_parts(text, got, names)))
    };
    match (pattern, got) {
        (Value::Object(fields), _) => {
            let kept = fields.iter().filter(|(name, field)| !is_wrong(field, &got[name.as_str()]));
            kept.map(|(name, field)| (name.clone(), without_wrong_parts(field, &got[name.as_str()], names)))
                .collect()
        }
        (Value::Array(items), Value::Array(values)) if items.len() == values.len() => {
            items.iter().zip(values).map(|(item, value)| without_wrong_parts(item, value, names)).collect()
        }
        _ => pattern.clone(),
    }
}

/// Completes the pattern with the detail of the refusal `got`; `None` if `got` has no detail either.
fn completed(expected: Option<&Value>, got: &Value, names: &BoundNames) -> Option<Value> {
    let errors = got["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut body = match expected {
        None => Map::new(),
        Some(body) => body.as_object()?.clone(),
    };
    if let Some(expected) = body.get("errors").and_then(Value::as_array) {
        if expected.len() != errors.len() {
            return None;
        }
        let each = expected.iter().zip(errors).map(|(expected, error)| {
            if error_has_detail(expected) {
                return Some(expected.clone());
            }
            let mut object = expected.as_object()?.clone();
            object.extend(detail(error, names)?);
            Some(Value::Object(object))
        });
        let each = Value::Array(each.collect::<Option<_>>()?);
        body.insert("errors", each);
        return Some(Value::Object(body));
    }
    match errors {
        [error] => {
            let mut fields = detail(error, names)?;
            // The message of the body is that of its first error.
            match got.get("message").and_then(|_| fields.shift_remove("message")) {
                Some(part) => _ = body.insert("message", part),
                None => _ = body.insert("errors", json!([fields])),
            }
        }
        _ => {
            let message = got["message"].as_str().or_else(|| got["error_description"].as_str())?;
            body.insert("message", json!(part_pattern(&telling_part(message, names)?)?));
        }
    }
    Some(Value::Object(body))
}

/// Whether a pattern says what was refused.
fn has_detail(body: &Value) -> bool {
    let errors = body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    error_has_detail(body)
        || !errors.is_empty()
            && errors.iter().all(|error| crate::pattern::is_more(error) || error_has_detail(error))
}

/// Whether the pattern of one error, or of a whole body, says what was refused.
fn error_has_detail(error: &Value) -> bool {
    let code = ["code", "error"].iter().find_map(|name| error[*name].as_str());
    let code = code.or_else(|| error["extensions"]["code"].as_str()).unwrap_or_default();
    let has_field = |object: &Value| {
        let fields = object.as_object().into_iter().flatten();
        fields.filter(|(name, _)| !SILENT_FIELDS.contains(&name.as_str())).any(|(_, value)| is_value(value))
    };
    CODES_THAT_TELL.contains(&code) || has_field(error) || has_field(&error["extensions"])
}

/// Whether a pattern matches some values only: `<*id>` and `<absent>` say nothing about what was refused.
fn is_value(pattern: &Value) -> bool {
    !pattern.as_str().is_some_and(|text| {
        text == "<absent>" || text.starts_with("<*") && text.ends_with('>') && !text[1..].contains('<')
    })
}

/// Returns the fields that say what an error refuses.
fn detail(error: &Value, names: &BoundNames) -> Option<Map> {
    let mut fields = Map::new();
    let code = error["code"].as_str().or_else(|| error["extensions"]["code"].as_str()).unwrap_or_default();
    if CODES_THAT_TELL.contains(&code) {
        fields.insert("code", json!(code));
        return Some(fields);
    }
    let stable =
        |name: &&str| stable_value(error.get(*name)?, names).map(|value| ((*name).to_owned(), value));
    let group = TELLING_FIELDS.iter().find_map(|group| group.iter().map(stable).collect::<Option<Vec<_>>>());
    if let Some(group) = group {
        fields.extend(group);
        return Some(fields);
    }
    let (field, part) = match (error["detailedErrorMessage"].as_str(), error["message"].as_str()?) {
        (Some(detail), _) => ("detailedErrorMessage", telling_path(detail, names)),
        (None, message) if VALUE_CODES.contains(&code) => ("message", telling_value(message, names)),
        (None, message) => ("message", telling_part(message, names)),
    };
    fields.insert(field, json!(part_pattern(&part?)?));
    Some(fields)
}

/// Codes of errors about a value whose path the message begins with.
const VALUE_CODES: &[&str] = &["BadRequest", "InvalidInput", "MoneyOverflow", "SyntaxError"];

/// Returns the value of an error's field as a pattern: a text, a number or a list of them, with names in place of ids.
/// Returns `None` for an id without a name, a time and an object.
fn stable_value(value: &Value, names: &BoundNames) -> Option<Value> {
    match value {
        Value::String(text) => {
            let named = replace_bound_values(text, names);
            let is_literal = named == *text && text.contains(['<', '>']);
            (!is_unstable(&named) && !is_literal).then(|| json!(named))
        }
        Value::Array(items) => items.iter().map(|item| stable_value(item, names)).collect::<Option<_>>(),
        Value::Number(_) => Some(value.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(text: &str) -> Exchange {
        match Conversation::read(text).unwrap().steps.remove(0) {
            ConversationStep::Exchange(exchange) => exchange,
            other => panic!("{other:?}"),
        }
    }

    fn bare(reply: &str) -> bool {
        is_bare(&exchange(&format!("POST /shop/zones\n{reply}\n")))
    }

    #[test]
    fn a_code_alone_does_not_say_what_was_refused() {
        for reply in [
            "400",
            r#"400  {"statusCode": 400}"#,
            r#"400  {"errors": [{"code": "InvalidOperation"}]}"#,
            r#"400  {"errors": [{"code": "InvalidOperation", "message": <*>, "action": {"action": "setKey"}}]}"#,
            r#"400  {"errors": [{"code": "InvalidField", "field": "key"}, {"code": "InvalidInput"}]}"#,
            r#"400  {"errors": [{"extensions": {"code": "InvalidInput"}, "locations": []}]}"#,
            r#"409  {"errors": [{"code": "ConcurrentModification"}]}"#,
            r#"403  {"error": "insufficient_scope"}"#,
        ] {
            assert!(bare(reply), "{reply}");
        }
    }

    #[test]
    fn a_field_or_a_part_of_the_message_says_it() {
        for reply in [
            r#"400  {"errors": [{"code": "InvalidField", "field": "key"}]}"#,
            r#"400  {"errors": [{"code": "InvalidOperation", "message": "<~frozen>"}]}"#,
            r#"400  {"statusCode": 400, "message": "<*>frozen<*>"}"#,
            r#"400  {"errors": [{"extensions": {"code": "InvalidInput"}, "message": "<~limit>"}]}"#,
            r#"409  {"errors": [{"code": "ConcurrentModification", "currentVersion": 2}]}"#,
            r#"401  {"error": "invalid_client"}"#,
            r#"400  {"errors": [{"code": "SearchDeactivated"}]}"#,
            "405",
            "201",
        ] {
            assert!(!bare(reply), "{reply}");
        }
    }

    #[test]
    fn a_response_to_head_has_no_body() {
        assert!(!is_bare(&exchange("HEAD /shop/zones?where=x\n400\n")));
    }

    #[test]
    fn the_message_of_a_404_names_the_resource_of_the_path() {
        let names = BoundNames::default();
        let names_it = |path: &str, reply: &str, message: &str| {
            let exchange = exchange(&format!("GET {path}\n{reply}\n"));
            let got = json!({"message": message});
            names_resource(&exchange, exchange.response.body.as_ref(), Some(&got), &names)
        };
        let not_found = "The Resource with key 'north' was not found.";
        assert!(names_it("/shop/zones/key=north?expand=x", "404", not_found));
        assert!(names_it("/shop/subscriptions/north/health", "404", not_found));
        assert!(!names_it("/shop/zones/key=south", "404", not_found));
        assert!(!names_it("/shop/zones/key=north", "404", "URI not found: /x/zones/key=north"));
        assert!(names_it(
            "/shop/sones",
            r#"404  {"message": "<~URI not found>"}"#,
            "URI not found: /x/sones"
        ));
    }

    /// Returns the completed pattern of a response to one refused request.
    fn complete_refusal_of(expected: &str, got: Value) -> Value {
        let exchange = exchange(&format!("POST /shop/zones\n{expected}\n"));
        complete_refusal(&exchange, &got, &BoundNames::default()).unwrap_or_default()
    }

    #[test]
    fn adds_the_fields_of_the_error_before_its_message() {
        let error =
            json!({"code": "InvalidField", "message": "Not valid.", "field": "key", "invalidValue": "-"});
        let got = json!({"statusCode": 400, "message": "Not valid.", "errors": [error]});
        assert_eq!(
            complete_refusal_of(r#"400  {"errors": [{"code": "InvalidField"}]}"#, got.clone()),
            json!({"errors": [{"code": "InvalidField", "field": "key"}]})
        );
        assert_eq!(
            complete_refusal_of(r#"400  {"statusCode": 400}"#, got.clone()),
            json!({"statusCode": 400, "errors": [{"field": "key"}]})
        );
        assert_eq!(complete_refusal_of("400", got), json!({"errors": [{"field": "key"}]}));
    }

    #[test]
    fn adds_a_part_of_the_message_if_the_error_has_no_fields() {
        let error = json!({"code": "InvalidOperation", "message": "The Cart is frozen.", "actionIndex": 0});
        let got = json!({"statusCode": 400, "message": "The Cart is frozen.", "errors": [error]});
        assert_eq!(
            complete_refusal_of(r#"400  {"errors": [{"code": "InvalidOperation"}]}"#, got.clone()),
            json!({"errors": [{"code": "InvalidOperation", "message": "<~Cart is frozen>"}]})
        );
        assert_eq!(complete_refusal_of("400", got), json!({"message": "<~Cart is frozen>"}));
    }

    #[test]
    fn replaces_parts_that_the_message_does_not_have() {
        let error = json!({"code": "InvalidOperation", "message": "The Cart is frozen."});
        let got = json!({"message": "The Cart is frozen.", "errors": [error]});
        assert_eq!(
            complete_refusal_of(r#"400  {"statusCode": 400, "message": "<~ordered>"}"#, got.clone()),
            json!({"statusCode": 400, "message": "<~Cart is frozen>"})
        );
        assert_eq!(
            complete_refusal_of(r#"400  {"message": "<~frozen>"}"#, got),
            Value::Null,
            "nothing to replace"
        );
    }
}
