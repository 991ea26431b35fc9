//! Runs one conversation in one shop and reports the differences. Begin at [`play`].

use crate::action_count::{ActionCount, ActionOutcome};
use crate::conversation::{Conversation, ConversationBody, ConversationStep, Exchange};
use crate::names::BoundNames;
use crate::pattern::{Mismatch, matches, side_by_side};
use crate::refusal::{complete_refusal, names_resource};
use crate::shop::{TestProject, TestResponse};
use kontor_json::Value;
use similar::TextDiff;
use std::{collections::BTreeMap, fmt::Write};

/// The result of a conversation.
#[derive(Debug, Default)]
pub struct ConversationResult {
    /// The steps that failed, in order.
    pub failures: Vec<StepFailure>,
    /// The update actions that were exercised.
    pub actions: ActionCount,
    /// The complete expected body for each step whose expected refusal lacks its detail.
    pub completed_bodies: BTreeMap<usize, Value>,
}

/// A failed step.
#[derive(Debug)]
pub struct StepFailure {
    /// The line of the request or directive, counted from 1.
    pub line: usize,
    /// A description of several lines for people.
    pub text: String,
    /// The actual response, if there was one.
    pub reply: Option<TestResponse>,
    /// The index of the step.
    pub step: usize,
}

/// Runs all steps, also after a failure, so that one run shows all failures. A step with a name that was never bound
/// fails too.
pub fn play(conversation: &Conversation, shop: &mut TestProject) -> ConversationResult {
    let mut names = shop.names();
    let mut played = ConversationResult::default();
    for (step, what) in conversation.steps.iter().enumerate() {
        let outcome = match what {
            ConversationStep::Exchange(exchange) => {
                check_exchange(exchange, step, shop, &mut names, &mut played)
            }
            ConversationStep::As(identity, line) => {
                shop.speak_as(identity, &names).map_err(|text| StepFailure::new(*line, &text))
            }
            ConversationStep::Clock(body, line) => {
                shop.set_clock(body, &names).map_err(|text| StepFailure::new(*line, &text))
            }
            ConversationStep::Settle(line) => shop.settle().map_err(|text| StepFailure::new(*line, &text)),
        };
        if let Err(failure) = outcome {
            played.failures.push(StepFailure { step, ..*failure });
        }
    }
    played
}

fn check_exchange(
    exchange: &Exchange,
    step: usize,
    shop: &TestProject,
    names: &mut BoundNames,
    played: &mut ConversationResult,
) -> Result<(), Box<StepFailure>> {
    let heading = format!("{} {}", exchange.method, exchange.path);
    let reply = shop
        .send(exchange, names)
        .map_err(|error| StepFailure::new(exchange.line, &format!("{heading}\n{error}")))?;
    let found = differences(exchange, &reply, names);
    if let (Some(got), true) = (&reply.body, reply.status == exchange.response.status) {
        played.completed_bodies.extend(complete_refusal(exchange, got, names).map(|body| (step, body)));
    }
    if found.is_empty() {
        count(exchange, &reply, names, &mut played.actions);
        return Ok(());
    }
    let mut text = heading;
    if let ConversationBody::Json(body) = &exchange.body {
        let body = names.fill(body).unwrap_or_else(|_| body.clone());
        let _ = write!(text, "\n  sent {body}");
    }
    for Mismatch { path, expected, got } in &found {
        let _ = write!(text, "\n  {path}: expected {expected}, got {got}");
    }
    let _ = write!(text, "\n{}", diff(exchange, &reply, names));
    Err(Box::new(StepFailure { line: exchange.line, text, reply: Some(reply), step: 0 }))
}

fn differences(exchange: &Exchange, reply: &TestResponse, names: &mut BoundNames) -> Vec<Mismatch> {
    let answer = &exchange.response;
    let mut found = Vec::new();
    if reply.status != answer.status {
        found.push(Mismatch {
            path: "status".into(),
            expected: answer.status.to_string(),
            got: reply.status.to_string(),
        });
    }
    for (name, pattern) in &answer.headers {
        let lower = name.to_ascii_lowercase();
        let value = reply.headers.iter().find(|(other, _)| *other == lower);
        let value = value.map(|(_, value)| Value::String(value.clone()));
        let mut wrong = matches(&Value::String(pattern.clone()), value.as_ref(), names);
        wrong.iter_mut().for_each(|mismatch| mismatch.path = format!("header {name}"));
        found.extend(wrong);
    }
    if let Some(expected) = &answer.body {
        found.extend(matches(expected, reply.body.as_ref(), names));
    }
    let is_named = || names_resource(exchange, answer.body.as_ref(), reply.body.as_ref(), names);
    if (reply.status, answer.status) == (404, 404) && !is_named() {
        let got = reply.body.as_ref().map(|body| body["message"].to_string()).unwrap_or_default();
        let expected = "the resource that the path names, else a part of the message".to_owned();
        found.push(Mismatch { path: "$.message".into(), expected, got });
    }
    found
}

/// The number of characters shown of a body that cannot be compared with an expected one.
const BODY_CHARS_MAX: usize = 2_000;

/// Returns a diff of the expected and the actual body, or the whole body if the status differs.
fn diff(exchange: &Exchange, reply: &TestResponse, names: &BoundNames) -> String {
    let actual = reply.body.clone().unwrap_or_default();
    match &exchange.response.body {
        Some(expected) if reply.status == exchange.response.status => {
            let (expected, actual) = side_by_side(expected, &actual, names);
            let (expected, actual) = (format!("{expected:#}"), format!("{actual:#}"));
            TextDiff::from_lines(&expected, &actual)
                .unified_diff()
                .context_radius(3)
                .header("expected", "got")
                .to_string()
        }
        _ => format!("  got {:.*}\n", BODY_CHARS_MAX, actual.to_string()),
    }
}

/// Counts the update actions of an exchange that matched.
fn count(exchange: &Exchange, reply: &TestResponse, names: &BoundNames, actions: &mut ActionCount) {
    let ConversationBody::Json(body) = &exchange.body else { return };
    let Some(list) = body["actions"].as_array() else { return };
    // The paths of services begin with their own name; the project is the second segment.
    let of_service = || exchange.path.split_once("/<shop>/").map(|(_, path)| path);
    let Some(path) = exchange.path.strip_prefix("/shop").or_else(of_service) else { return };
    let path = path.split('?').next().unwrap_or_default().trim_start_matches('/');
    let is_word = |segment: &str| segment.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    // Some resources exist only below `as-associate`, and some have paths of two words.
    let resource = match path.split('/').collect::<Vec<_>>().as_slice() {
        [first, second, _] if is_word(second) => format!("{first}/{second}"),
        ["as-associate", _, "in-business-unit", _, resource, ..] | [resource, ..] => (*resource).to_owned(),
        [] => String::new(),
    };
    let outcome = match exchange.response.status {
        // A response without an expected body proves nothing, and neither does an action without effect.
        200 | 202 if exchange.response.body.is_some() && is_newer(reply, body, names) => ActionOutcome::Done,
        400.. => ActionOutcome::Refused,
        _ => return,
    };
    // The refusal does not say which of several actions caused it: count the last one.
    let counted =
        if outcome == ActionOutcome::Refused { &list[list.len().saturating_sub(1)..] } else { &list[..] };
    for name in counted.iter().filter_map(|action| action["action"].as_str()) {
        actions.enter(&resource, name, outcome);
    }
}

/// Whether the response has another version than the one that was sent.
fn is_newer(reply: &TestResponse, sent: &Value, names: &BoundNames) -> bool {
    let sent = names.fill(&sent["version"]).unwrap_or_default();
    reply.body.as_ref().is_some_and(|body| body["version"].is_number() && body["version"] != sent)
}

impl StepFailure {
    fn new(line: usize, text: &str) -> Box<Self> {
        Box::new(Self { line, text: text.to_owned(), reply: None, step: 0 })
    }
}
