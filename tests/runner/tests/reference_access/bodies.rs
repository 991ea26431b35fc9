//! Names a foreign resource in every draft and every update action, and expects what a missing one is answered with.

use crate::belongings::Named;
use crate::client::Answer;
use crate::description::{ID, KEY, Naming, Operation};
use crate::findings::{Walked, leaks};
use crate::world::{Caller, World, address};
use kontor_json::{Value, json};
use regex::Regex;

/// Of no resource.
const MISSING_ID: &str = "00000000-dead-4bad-8000-000000000000";
const MISSING_KEY: &str = "missing-key";

/// All references that a caller can send.
pub(crate) fn walk_bodies(world: &World, caller: &Caller) -> Walked {
    let mut walked = Walked::default();
    let operations =
        world.description.operations.iter().filter(|one| one.method == "POST" && caller.has(one));
    for operation in operations {
        // The same operation once more, by another name of the resource.
        if ["key={key}", "order-number={orderNumber}"].iter().any(|by| operation.path.contains(by)) {
            continue;
        }
        for naming in world.description.namings(operation) {
            walked.count += 1;
            if let Some(finding) = name(world, caller, operation, &naming, &mut walked) {
                walked
                    .findings
                    .push(format!("{} | POST {} | {} | {finding}", caller.name, operation.path, naming.path));
            }
        }
    }
    walked
}

fn name(
    world: &World,
    caller: &Caller,
    operation: &Operation,
    naming: &Naming,
    walked: &mut Walked,
) -> Option<String> {
    let path = caller.path(&operation.path)?;
    let missing = Named { id: MISSING_ID.into(), key: MISSING_KEY.into() };
    let as_missing = send(world, caller, operation, &path, &naming.body, &missing)?;
    if as_missing.text.contains(MISSING_ID) || as_missing.text.contains(MISSING_KEY) {
        walked.reached += 1;
        *walked.by_kind.entry(naming.kind).or_default() += 1;
    }
    let foreign = &caller.foreign[naming.kind];
    let as_foreign = send(world, caller, operation, &path, &naming.body, foreign)?;
    let leaked = leaks(&as_foreign.text);
    if !leaked.is_empty() {
        return Some(format!("shows {leaked}"));
    }
    if as_missing.is_success() && as_foreign.is_success() {
        return None;
    }
    let (expected, met) = (comparable(&as_missing.text, &missing), comparable(&as_foreign.text, foreign));
    if as_missing.status == as_foreign.status && expected == met {
        return None;
    }
    Some(format!(
        "a foreign {} gives {}, a missing one {}",
        naming.kind,
        told(&as_foreign),
        told(&as_missing)
    ))
}

/// Sends a body that names `named`; nothing where the caller has no document to send it to.
fn send(
    world: &World,
    caller: &Caller,
    operation: &Operation,
    path: &str,
    body: &Value,
    named: &Named,
) -> Option<Answer> {
    let mut body = body.clone();
    if !body["version"].is_null() {
        let version = version(world, caller, operation, &body);
        body.as_object_mut()?.insert("version", version);
    }
    let text = body.to_string().replace(ID, &named.id).replace(KEY, &named.key);
    Some(world.client.send("POST", path, &caller.token, &text))
}

/// The version of the document that an operation changes.
fn version(world: &World, caller: &Caller, operation: &Operation, body: &Value) -> Value {
    // An Order is made of a Cart, whose version the body has.
    let kind = if body["actions"].is_null() { Some("cart") } else { Caller::kind_of(&operation.path) };
    let own = kind.and_then(|kind| Some((kind, caller.own.get(kind)?)));
    own.map_or(json!(1), |(kind, named)| world.client.read(&address(kind, named))["version"].clone())
}

/// A response without what differs between any two requests.
fn comparable(text: &str, named: &Named) -> String {
    let text = text.replace(&named.id, ID).replace(&named.key, KEY);
    let volatile = Regex::new(
        r#"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"version":\d+"#,
    );
    volatile.unwrap().replace_all(&text, "*").into_owned()
}

fn told(answer: &Answer) -> String {
    let code = answer.json()["errors"][0]["code"].as_str().unwrap_or("").to_owned();
    format!("{} {code}", answer.status).trim_end().to_owned()
}
