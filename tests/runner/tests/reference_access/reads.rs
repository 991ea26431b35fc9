//! Reads a caller's own resources by every expansion path, predicate and sort, and expects nothing of others in them.

use crate::client::encoded;
use crate::description::ScopedOperation;
use crate::findings::Walked;
use crate::world::{Caller, World, address};
use kontor_json::Value;

/// References that an expansion follows one behind the other.
const HOPS: usize = 2;
/// Expansion paths in one request. Where one of them leaks, each is requested alone.
const AT_ONCE: usize = 25;

/// Every expansion path of every operation that a caller reads with.
pub(crate) fn walk_expansions(world: &World, caller: &Caller) -> Walked {
    let mut walked = Walked::default();
    let operations = world.description.operations.iter().filter(|one| one.method == "GET" && caller.has(one));
    for operation in operations.filter(|operation| operation.has_expand) {
        let Some(path) = caller.path(&operation.path) else { continue };
        let all = world.description.expansions(operation, HOPS);
        walked.count += all.len();
        for some in all.chunks(AT_ONCE) {
            let (status, leaked) = expanded(world, caller, operation, &path, some);
            walked.reached += if status < 300 { some.len() } else { 0 };
            if leaked.is_empty() {
                continue;
            }
            for one in some {
                let (_, leaked) = expanded(world, caller, operation, &path, std::slice::from_ref(one));
                if !leaked.is_empty() {
                    let line =
                        format!("{} | GET {} | expand={one} | shows {leaked}", caller.name, operation.path);
                    walked.findings.push(line);
                }
            }
        }
    }
    walked
}

/// The status of a read with some expansion paths, and the kinds of which it shows something.
fn expanded(
    world: &World,
    caller: &Caller,
    operation: &ScopedOperation,
    path: &str,
    some: &[String],
) -> (u16, String) {
    let expand: Vec<String> = some.iter().map(|one| format!("expand={}", encoded(one))).collect();
    let limit = if operation.has_where { "limit=500&" } else { "" };
    let response =
        world.client.send("GET", &format!("{path}?{limit}{}", expand.join("&")), &caller.token, "");
    (response.status, world.leaks(caller, &response.text))
}

/// Predicates and sorts on every field that a caller's own resources have and that it is not shown.
pub(crate) fn walk_hidden_fields(world: &World, caller: &Caller) -> Walked {
    let mut walked = Walked::default();
    let operations = world.description.operations.iter().filter(|one| one.method == "GET" && caller.has(one));
    for operation in operations.filter(|operation| operation.has_where) {
        let (Some(path), Some(kind)) = (caller.path(&operation.path), Caller::kind_of(&operation.path))
        else {
            continue;
        };
        let Some(own) = caller.own.get(kind) else { continue };
        let stored = leaves(&world.client.read(&address(kind, own)));
        let shown = world.client.send("GET", &format!("{path}?limit=500"), &caller.token, "");
        if !shown.is_success() {
            continue;
        }
        let shown = shown.json();
        let results = shown["results"].as_array().cloned();
        let shown: Vec<(String, Value)> =
            results.unwrap_or_else(|| vec![shown]).iter().flat_map(leaves).collect();
        for (field, value) in
            stored.iter().filter(|(field, _)| !shown.iter().any(|(other, _)| other == field))
        {
            walked.count += 1;
            let met = asks(world, caller, operation, &path, (field, value), own);
            walked.reached += usize::from(met.is_some());
            walked.findings.extend(met.into_iter().flatten());
        }
    }
    walked
}

/// Asks for one hidden field in both ways; nothing where neither is answered or refused as one that is not there.
fn asks(
    world: &World,
    caller: &Caller,
    operation: &ScopedOperation,
    path: &str,
    (field, value): (&str, &Value),
    own: &crate::belongings::NamedResource,
) -> Option<Vec<String>> {
    let read =
        |query: &str| world.client.send("GET", &format!("{path}?limit=500&{query}"), &caller.token, "");
    let (right, wrong) = (predicate(field, &value.to_string()), predicate(field, &other(value)));
    let mut found = Vec::new();
    let count = |predicate: &str| {
        let response = read(&format!("where={}", encoded(&format!("id = \"{}\" and {predicate}", own.id))));
        response.is_success().then(|| response.json()["count"].clone())
    };
    let (of_right, of_wrong) = (count(&right), count(&wrong));
    if of_right != of_wrong {
        found.push(format!(
            "{} | GET {} | where={} | answers by a hidden value",
            caller.name,
            operation.path,
            predicate(field, "…")
        ));
    }
    let sort = |direction: &str| read(&format!("sort={}", encoded(&format!("{field} {direction}"))));
    let sorted = sort("asc");
    // A sort that changes nothing tells nothing.
    if sorted.is_success() && ids(&sorted.json()) != ids(&sort("desc").json()) {
        found.push(format!(
            "{} | GET {} | sort={field} | sorts by a hidden value",
            caller.name, operation.path
        ));
    }
    (of_right.is_some() || sorted.status == 400 || sorted.is_success()).then_some(found)
}

/// The ids of the results of a query, in their sequence.
fn ids(response: &Value) -> Vec<Value> {
    response["results"].as_array().into_iter().flatten().map(|result| result["id"].clone()).collect()
}

/// `a.b` and `1` make `a(b = 1)`.
fn predicate(field: &str, value: &str) -> String {
    let parts: Vec<&str> = field.split('.').collect();
    let (last, within) = parts.split_last().unwrap();
    let inner = format!("{last} = {value}");
    within.iter().rev().fold(inner, |inner, part| format!("{part}({inner})"))
}

/// A value of the same type that the field does not have.
fn other(value: &Value) -> String {
    match value {
        Value::Bool(truth) => (!truth).to_string(),
        Value::Number(_) => "987654321".into(),
        _ if value.as_str().is_some_and(|text| text.ends_with('Z') && text.contains('T')) => {
            "\"2001-01-01T00:00:00.000Z\"".into()
        }
        _ => "\"something else\"".into(),
    }
}

/// Fields of a document that hold no others, through lists too, e.g. `transactions.amount.centAmount`.
fn leaves(document: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    collect(document, "", &mut found);
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found.dedup_by(|(one, _), (other, _)| one == other);
    found
}

fn collect(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    if let Some(object) = value.as_object() {
        for (name, inner) in object {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            collect(inner, &path, found);
        }
    } else if let Some(list) = value.as_array() {
        list.iter().for_each(|inner| collect(inner, path, found));
    } else if !value.is_null() {
        found.push((path.to_owned(), value.clone()));
    }
}
