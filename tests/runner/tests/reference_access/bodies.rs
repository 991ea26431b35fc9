//! Names a foreign resource in every draft and every update action, and expects the error of a missing resource.
//!
//! Two errors differ on purpose. Every caller may name documents without an owner, e.g. Customer Groups, but sees none of
//! their fields. And an associate gets `InvalidOperation` if the source of a new document belongs to another Business
//! Unit, as on the platform (`@source` in the model).

use crate::belongings::NamedResource;
use crate::client::ExpectedResponse;
use crate::description::{ID, KEY, Naming, ScopedOperation};
use crate::findings::Walked;
use crate::world::{Caller, Reach, World, address};
use kontor_json::{Value, json};
use regex::Regex;
use std::sync::LazyLock;

/// Of no resource.
const MISSING_ID: &str = "00000000-dead-4bad-8000-000000000000";
const MISSING_KEY: &str = "missing-key";
/// Messages for an associate about a document of another Business Unit.
pub(crate) const OTHER_UNIT: [&str; 2] =
    ["does not belong to the business-unit", "does not belong to the Business Unit with key"];
/// A version that was read earlier may be outdated: it is read again once.
const VERSIONS_TRIED: usize = 2;

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
    operation: &ScopedOperation,
    naming: &Naming,
    walked: &mut Walked,
) -> Option<String> {
    let path = caller.path(&operation.path)?;
    let missing = missing();
    let as_missing = send(world, caller, operation, &path, &naming.body, &missing)?;
    if as_missing.text.contains(MISSING_ID) || as_missing.text.contains(MISSING_KEY) {
        walked.reached += 1;
        *walked.by_kind.entry(naming.kind).or_default() += 1;
    }
    let foreign = &world.strangers[naming.kind];
    let as_foreign = send(world, caller, operation, &path, &naming.body, foreign)?;
    let leaked = world.leaks(caller, &as_foreign.text);
    if !leaked.is_empty() {
        return Some(format!("shows {leaked}"));
    }
    let is_told_of_other_unit =
        || caller.reach == Reach::Associate && OTHER_UNIT.iter().any(|said| as_foreign.text.contains(said));
    if as_missing.is_success() && as_foreign.is_success()
        || world.may_name_all(caller, naming.kind)
        || is_told_of_other_unit()
    {
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
    operation: &ScopedOperation,
    path: &str,
    body: &Value,
    named: &NamedResource,
) -> Option<ExpectedResponse> {
    let mut body = body.clone();
    let changed = if body["version"].is_null() { None } else { changed(caller, operation, &body) };
    for tried in 1.. {
        if !body["version"].is_null() {
            let version = changed.as_ref().map_or(json!(1), |address| world.version(address));
            body.as_object_mut()?.insert("version", version);
        }
        let text = body.to_string().replace(ID, &named.id).replace(KEY, &named.key);
        let reply = world.client.send("POST", path, &caller.token, &text);
        let is_outdated = reply.status == 409;
        if is_outdated || reply.is_success() {
            changed.iter().for_each(|address| world.forget_version(address));
        }
        if !is_outdated || tried == VERSIONS_TRIED {
            return Some(reply);
        }
    }
    None
}

/// The address of the document that an operation changes, for the client with all scopes.
fn changed(caller: &Caller, operation: &ScopedOperation, body: &Value) -> Option<String> {
    // An Order is made of a Cart, whose version the body has.
    let kind = if body["actions"].is_null() { Some("cart") } else { Caller::kind_of(&operation.path) };
    kind.and_then(|kind| Some(address(kind, caller.own.get(kind)?)))
}

/// The id and the key of no resource.
pub(crate) fn missing() -> NamedResource {
    NamedResource { id: MISSING_ID.into(), key: MISSING_KEY.into() }
}

/// A response without what differs between any two requests.
pub(crate) fn comparable(text: &str, named: &NamedResource) -> String {
    let text = text.replace(&named.id, ID).replace(&named.key, KEY);
    static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
        r#"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"version":\d+"#,
    ).unwrap()
    });
    VOLATILE.replace_all(&text, "*").into_owned()
}

/// The status and the code of a response.
pub(crate) fn told(reply: &ExpectedResponse) -> String {
    let code = reply.json()["errors"][0]["code"].as_str().unwrap_or("").to_owned();
    format!("{} {code}", reply.status).trim_end().to_owned()
}
