//! Rewrites the expected responses of a file to the actual ones (`UPDATE=1`).
//!
//! Only responses that failed are rewritten, and refusals that do not say what was refused. An object keeps its choice
//! of fields, and marks stay where they are, so that ids, times and versions never become literal.

use crate::BoundNames;
use crate::conversation::{Conversation, ConversationStep};
use crate::pattern::{equal, is_mark, is_more, matches};
use crate::play::{ConversationResult, StepFailure};
use kontor_json::{Map, Value};
use std::collections::BTreeMap;

/// Returns the text of a conversation with the expected responses of its failures replaced, and those of refusals that do
/// not say what was refused completed.
pub fn rewrite(text: &str, conversation: &Conversation, played: &ConversationResult) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let failures: BTreeMap<usize, &StepFailure> =
        played.failures.iter().map(|failure| (failure.step, failure)).collect();
    // Begin at the end, so that line numbers further up stay valid.
    for (step, what) in conversation.steps.iter().enumerate().rev() {
        let ConversationStep::Exchange(exchange) = what else { continue };
        let answer = &exchange.response;
        let reply = failures.get(&step).and_then(|failure| failure.reply.as_ref());
        let expected = played.completed_bodies.get(&step).or(answer.body.as_ref());
        let written = match reply {
            Some(reply) => {
                let bodies = expected.zip(reply.body.as_ref());
                let body = bodies.map(|(expected, actual)| adapted(expected, actual));
                response(reply.status, body.as_ref(), answer.column)
            }
            None if played.completed_bodies.contains_key(&step) => {
                response(answer.status, expected, answer.column)
            }
            None => continue,
        };
        lines.splice(answer.lines.clone(), written);
    }
    lines.join("\n") + "\n"
}

/// Returns the lines of an expected response.
fn response(status: u16, body: Option<&Value>, column: usize) -> Vec<String> {
    let status = status.to_string();
    let Some(body) = body else { return vec![status] };
    let line = format!("{status:column$}{}", to_text(body), column = column.max(5));
    if line.len() <= LINE_CHARS_MAX {
        return vec![line];
    }
    let mut lines = vec![status];
    lines.extend(folded(body, 2));
    lines
}

/// Longer bodies are folded to one field a line.
const LINE_CHARS_MAX: usize = 110;

/// Returns `expected` with the fewest changes that make it match `actual`.
fn adapted(expected: &Value, actual: &Value) -> Value {
    if is_mark(expected) && expected != "<absent>" {
        return expected.clone();
    }
    match (expected, actual) {
        (Value::Object(fields), Value::Object(values)) => {
            let mut adapted_fields = Map::new();
            for (key, field) in fields {
                match values.get(key) {
                    Some(value) => adapted_fields.insert(key.clone(), adapted(field, value)),
                    None => adapted_fields.insert(key.clone(), Value::String("<absent>".into())),
                };
            }
            // The server refused where a document was expected: compare the fields of the errors.
            if let (true, Some(errors)) = (!fields.contains_key("errors"), values.get("errors")) {
                return kontor_json::json!({ "errors": errors });
            }
            Value::Object(adapted_fields)
        }
        (Value::Array(items), Value::Array(_)) if items.iter().any(is_more) => {
            let fits = matches(expected, Some(actual), &mut BoundNames::default()).is_empty();
            if fits { expected.clone() } else { actual.clone() }
        }
        (Value::Array(items), Value::Array(values)) => {
            let adapted_item = |(index, value)| match items.get(index) {
                Some(item) => adapted(item, value),
                None => value.clone(),
            };
            values.iter().enumerate().map(adapted_item).collect()
        }
        _ if equal(expected, actual) => expected.clone(),
        _ => actual.clone(),
    }
}

/// Marks that conversations have without quotes.
const MARKS: &[&str] = &["<*>", "<*id>", "<*time>", "<*number>", "<absent>"];

/// Serializes JSON on one line, with marks as conversations have them.
fn to_text(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), to_text(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(to_text).collect::<Vec<_>>().join(", ")),
        _ if is_more(value) => "...".to_owned(),
        Value::String(text) if MARKS.contains(&text.as_str()) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the lines of a value: one for each field of an object, one for any other value.
fn folded(value: &Value, indent: usize) -> Vec<String> {
    let pad = " ".repeat(indent);
    let Value::Object(fields) = value else { return vec![format!("{pad}{}", to_text(value))] };
    let count = fields.len();
    let lines = fields.iter().enumerate().map(|(index, (key, value))| {
        let open = if index == 0 { "{" } else { " " };
        let close = if index + 1 == count { "}" } else { "," };
        format!("{pad}{open}{}: {}{close}", quoted(key), to_text(value))
    });
    lines.collect()
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shop::TestResponse;
    use kontor_json::json;

    fn rewritten(text: &str, status: u16, body: Value) -> String {
        let conversation = Conversation::read(text).unwrap();
        let reply = TestResponse { status, headers: Vec::new(), body: Some(body) };
        let failure = StepFailure { line: 1, text: String::new(), reply: Some(reply), step: 0 };
        let played = ConversationResult { failures: vec![failure], ..ConversationResult::default() };
        rewrite(text, &conversation, &played)
    }

    #[test]
    fn names_and_the_choice_of_fields_stay() {
        let text = "# Books.\nPOST /shop/x   {}\n201           {\"id\": \"<id>\", \"version\": 1, \"tags\": [<*>]}\n";
        let body = json!({"id": "a1", "version": 2, "tags": ["x", "y"], "more": true});
        assert_eq!(
            rewritten(text, 200, body),
            "# Books.\nPOST /shop/x   {}\n200           {\"id\": \"<id>\", \"version\": 2, \"tags\": [<*>, \"y\"]}\n"
        );
    }

    #[test]
    fn completes_refusals_that_passed() {
        let text =
            "POST /shop/x   {}\n400            {\"statusCode\": 400}\n\nPOST /shop/y   {}\n400\n< A: b\n";
        let body = json!({"message": "<~frozen>", "id": "<*id>"});
        let completed_bodies = [(0, body.clone()), (1, body)].into();
        let played = ConversationResult { completed_bodies, ..ConversationResult::default() };
        assert_eq!(
            rewrite(text, &Conversation::read(text).unwrap(), &played),
            "POST /shop/x   {}\n400            {\"message\": \"<~frozen>\", \"id\": <*id>}\n\n\
             POST /shop/y   {}\n400  {\"message\": \"<~frozen>\", \"id\": <*id>}\n< A: b\n"
        );
    }

    #[test]
    fn long_answers_are_folded() {
        let text = "GET /shop/x\n200   {\"a\": 1,\n   \"b\": 2}\n\nGET /shop/y\n200\n";
        let long = "x".repeat(100);
        let body = json!({"a": long, "b": 3});
        assert_eq!(
            rewritten(text, 200, body),
            format!("GET /shop/x\n200\n  {{\"a\": \"{long}\",\n   \"b\": 3}}\n\nGET /shop/y\n200\n")
        );
    }

    #[test]
    fn marks_missing_fields_as_absent() {
        let text = "GET /shop/x\n200   {\"a\": 1, \"b\": <absent>}\n";
        assert_eq!(rewritten(text, 200, json!({"b": 2})), "GET /shop/x\n200   {\"a\": <absent>, \"b\": 2}\n");
    }
}
