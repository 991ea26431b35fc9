//! Follows every field of the GraphQL schema that leads from a caller's own resources to other ones.

use crate::client::{Client, ExpectedResponse};
use crate::findings::Walked;
use crate::world::{Caller, World};
use kontor_json::{Value, json};
use kontor_tests::in_parallel;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

const INTROSPECTION: &str = "{ __schema { queryType { name } types { name kind possibleTypes { name } interfaces { name } \
    fields { name args { name type { kind } defaultValue } type { ...T } } } } } fragment T on __Type { kind name ofType { kind \
    name ofType { kind name ofType { kind name } } } }";
/// Objects in each other between two resources.
const EMBEDDED_MAX: usize = 6;
/// Results of lists: the caller's own resources were made first. More would make queries too complex.
const RESULTS: &str = "(limit: 5)";
/// Resources one behind the other, with the caller's own.
const HOPS: usize = 3;
/// Ways in one request. If one of them fails, the walk sends each half again by itself.
const AT_ONCE: usize = 64;
/// Resources that one request reads, one for each way. If one of them leaks, the walk reads each half by itself.
const READ_AT_ONCE: usize = 16;

/// A schema by the names of its types.
pub(crate) struct QuerySchema {
    types: HashMap<String, Value>,
    /// Caches by the name of a type.
    leaves: Mutex<HashMap<String, Arc<str>>>,
    ways: Mutex<HashMap<String, Arc<[Way]>>>,
}

/// A GraphQL field that leads to a resource, with `%` in place of the selection of the resource's fields.
#[derive(Clone)]
struct Way {
    query: String,
    target: String,
}

impl Way {
    /// Whether there is a resource at its end.
    fn is_there(&self, data: &Value) -> bool {
        let words =
            self.query.split('{').map(str::trim).filter(|word| !word.is_empty() && !word.starts_with("..."));
        let fields: Vec<&str> = words
            .map_while(|word| {
                (!word.starts_with('%')).then(|| word.split('(').next().unwrap_or_default().trim())
            })
            .collect();
        leads_on(data, &fields)
    }
}

fn leads_on(value: &Value, fields: &[&str]) -> bool {
    match (value.as_array(), fields.split_first()) {
        (Some(items), _) => items.iter().any(|item| leads_on(item, fields)),
        (None, Some((field, rest))) => leads_on(&value[*field], rest),
        (None, None) => !value.is_null(),
    }
}

/// All of it for one caller.
pub(crate) fn walk_graphql(world: &World, caller: &Caller) -> Walked {
    let schema = &world.schema;
    let mut walked = Walked::default();
    for root in caller.root() {
        let field = root.split('(').next().unwrap_or(&root);
        let Some(target) = schema.field("Query", field).map(named) else { continue };
        let start = Way { query: format!("{{ {root} {{ % }} }}"), target };
        let entries = schema.ways_from(&start, true);
        follow(world, caller, schema, entries, &mut walked);
    }
    walked
}

/// Asks for all that leads on from the resources of the caller.
fn follow(world: &World, caller: &Caller, schema: &QuerySchema, entries: Vec<Way>, walked: &mut Walked) {
    let mut seen = BTreeSet::new();
    let mut front = entries;
    for hop in 0..HOPS {
        let parts = in_parallel(&front, |part| {
            let mut of_part = Walked::default();
            part.chunks(AT_ONCE).for_each(|some| ask_for(world, caller, schema, some, &mut of_part));
            vec![of_part]
        });
        parts.into_iter().for_each(|part| walked.add(part));
        let mut next = Vec::new();
        for way in front.iter().filter(|_| hop + 1 < HOPS) {
            // Of a kind that was met before, everything has been asked: by the first way there alone.
            for on in schema.ways(&way.target).iter() {
                if hop == 0 || seen.insert(on.target.clone()) {
                    next.push(Way { query: way.query.replace('%', &on.query), target: on.target.clone() });
                }
            }
        }
        front = next;
    }
}

/// Follows some ways, and reads all fields of the resources at their ends.
fn ask_for(world: &World, caller: &Caller, schema: &QuerySchema, some: &[Way], walked: &mut Walked) {
    let response = ask(&world.client, &caller.token, &merged(some, |_| "__typename".into()));
    // An error of one way may leave out what another one would show.
    if some.len() > 1 && response.text.contains("\"errors\":[") {
        let (one, other) = some.split_at(some.len() / 2);
        ask_for(world, caller, schema, one, walked);
        ask_for(world, caller, schema, other, walked);
        return;
    }
    let data = response.json()["data"].clone();
    walked.count += some.len();
    walked.reached += if data.is_null() { 0 } else { some.len() };
    let there: Vec<Way> = some.iter().filter(|way| way.is_there(&data)).cloned().collect();
    there.chunks(READ_AT_ONCE).for_each(|some| read(world, caller, schema, some, walked));
}

/// Asks for all of the resources that some ways lead to.
fn read(world: &World, caller: &Caller, schema: &QuerySchema, some: &[Way], walked: &mut Walked) {
    let response = ask(&world.client, &caller.token, &merged(some, |target| schema.leaves(target)));
    let leaked = world.leaks(caller, &response.text);
    match some {
        [way] if !leaked.is_empty() => {
            let shown = way.query.replace(" { % }", "");
            walked.findings.push(format!("{} | GraphQL | {} | shows {leaked}", caller.name, plain(&shown)));
        }
        [_] => {}
        _ if !leaked.is_empty() || response.text.contains("\"errors\":[") => {
            let (one, other) = some.split_at(some.len() / 2);
            read(world, caller, schema, one, walked);
            read(world, caller, schema, other, walked);
        }
        _ => {}
    }
}

/// One query for several ways: selections of the same fields merge into one.
fn merged(some: &[Way], asked_of: impl Fn(&str) -> Arc<str>) -> String {
    let selections = some.iter().map(|way| {
        let query = way.query.replace('%', &asked_of(&way.target));
        // Without the outermost brackets.
        query[1..query.len() - 1].to_owned()
    });
    format!("{{ {} }}", selections.collect::<Vec<_>>().join(" "))
}

fn ask(client: &Client, token: &str, query: &str) -> ExpectedResponse {
    client.send("POST", "/graphql", token, &json!({"query": query}).to_string())
}

impl QuerySchema {
    /// The schema of a server.
    pub(crate) fn read(client: &Client) -> Self {
        let introspected = ask(client, &client.admin, INTROSPECTION).json();
        let types = introspected["data"]["__schema"]["types"].as_array().into_iter().flatten();
        let types = types.map(|one| (text(&one["name"]), one.clone())).collect();
        Self { types, leaves: Mutex::default(), ways: Mutex::default() }
    }

    fn fields<'a>(&'a self, of: &str) -> impl Iterator<Item = &'a Value> {
        self.types.get(of).into_iter().flat_map(|one| one["fields"].as_array().into_iter().flatten())
    }

    fn field(&self, of: &str, name: &str) -> Option<&Value> {
        self.fields(of).find(|field| field["name"] == name)
    }

    /// Whether a type is a resource, or an interface that only resources have.
    fn is_resource(&self, name: &str) -> bool {
        let Some(one) = self.types.get(name) else { return false };
        let interfaces = one["interfaces"].as_array().into_iter().flatten();
        name == "ReferenceExpandable"
            || name.starts_with("My") && self.field(name, "version").is_some()
            || interfaces
                .into_iter()
                .any(|one| matches!(text(&one["name"]).as_str(), "Versioned" | "ReferenceExpandable"))
    }

    /// The ways from a resource to the next ones, each with its part of a query.
    fn ways(&self, target: &str) -> Arc<[Way]> {
        let known = self.ways.lock().unwrap().get(target).cloned();
        known.unwrap_or_else(|| {
            let start = Way { query: "%".into(), target: target.to_owned() };
            let ways: Arc<[Way]> = self.ways_from(&start, false).into();
            self.ways.lock().unwrap().insert(target.to_owned(), Arc::clone(&ways));
            ways
        })
    }

    /// The ways from a resource, or from the root, to the next resources.
    fn ways_from(&self, from: &Way, is_root: bool) -> Vec<Way> {
        let mut found = Vec::new();
        let members = if from.target == "ReferenceExpandable" {
            self.members(&from.target)
        } else {
            vec![from.target.clone()]
        };
        for member in members {
            let inner =
                if member == from.target { "%".to_owned() } else { format!("... on {member} {{ % }}") };
            self.search(&member, &from.query.replace('%', &inner), is_root, &mut Vec::new(), &mut found);
        }
        found
    }

    fn search(&self, of: &str, query: &str, is_root: bool, within: &mut Vec<String>, found: &mut Vec<Way>) {
        if within.iter().any(|other| other == of) || within.len() > EMBEDDED_MAX {
            return;
        }
        within.push(of.to_owned());
        for field in self.fields(of).filter(|field| is_free(field)) {
            if is_root && (has_argument(field, "id") || has_argument(field, "key")) {
                // One resource by its id: lists have it too.
                continue;
            }
            let (name, target) = (text(&field["name"]), named(field));
            let is_list = is_root && self.field(&target, "results").is_some() && has_argument(field, "limit");
            let requested = if is_list { format!("{name}{RESULTS}") } else { name };
            let query = query.replace('%', &format!("{requested} {{ % }}"));
            if self.is_resource(&target) {
                found.push(Way { query, target });
            } else if self.is_abstract(&target) {
                for member in self.members(&target) {
                    let query = query.replace('%', &format!("... on {member} {{ % }}"));
                    if self.is_resource(&member) {
                        found.push(Way { query, target: member });
                    } else {
                        self.search(&member, &query, is_root, within, found);
                    }
                }
            } else if self.fields(&target).next().is_some() {
                self.search(&target, &query, is_root, within, found);
            }
        }
        within.pop();
    }

    fn is_abstract(&self, name: &str) -> bool {
        self.types.get(name).is_some_and(|one| matches!(text(&one["kind"]).as_str(), "UNION" | "INTERFACE"))
    }

    fn members(&self, name: &str) -> Vec<String> {
        let members = self.types.get(name).and_then(|one| one["possibleTypes"].as_array());
        members.into_iter().flatten().map(|one| text(&one["name"])).collect()
    }

    /// All plain fields of a type, and those of the objects in it.
    fn leaves(&self, of: &str) -> Arc<str> {
        let known = self.leaves.lock().unwrap().get(of).cloned();
        known.unwrap_or_else(|| {
            let leaves: Arc<str> = self.all_leaves(of).into();
            self.leaves.lock().unwrap().insert(of.to_owned(), Arc::clone(&leaves));
            leaves
        })
    }

    fn all_leaves(&self, of: &str) -> String {
        if self.is_abstract(of) {
            let members = self.members(of);
            // Fields of one name have several types among the members: an alias each.
            let parts = members
                .iter()
                .map(|member| format!("... on {member} {{ {} }}", self.scalars(member, member)));
            return format!("__typename {}", parts.collect::<Vec<_>>().join(" "));
        }
        let mut all = format!("__typename {}", self.scalars(of, ""));
        for field in self.fields(of).filter(|field| is_free(field)) {
            let target = named(field);
            if self.is_resource(&target) || self.is_abstract(&target) {
                continue;
            }
            let scalars = self.scalars(&target, "");
            if !scalars.is_empty() {
                all += &format!(" {} {{ {scalars} }}", text(&field["name"]));
            }
        }
        all
    }

    fn scalars(&self, of: &str, alias: &str) -> String {
        let fields = self.fields(of).filter(|field| is_free(field));
        let plain = fields
            .filter(|field| self.fields(&named(field)).next().is_none() && !self.is_abstract(&named(field)));
        let requested = plain.map(|field| match (alias, text(&field["name"])) {
            ("", name) => name,
            (alias, name) => format!("{alias}_{name}: {name}"),
        });
        requested.collect::<Vec<_>>().join(" ")
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}

/// The name of a field's type, without lists.
fn named(field: &Value) -> String {
    let mut one = &field["type"];
    while !one["ofType"].is_null() {
        one = &one["ofType"];
    }
    text(&one["name"])
}

/// A field that needs no argument.
fn is_free(field: &Value) -> bool {
    let arguments = field["args"].as_array().into_iter().flatten();
    !arguments.into_iter().any(|one| one["type"]["kind"] == "NON_NULL" && one["defaultValue"].is_null())
}

fn has_argument(field: &Value, name: &str) -> bool {
    field["args"].as_array().into_iter().flatten().any(|one| one["name"] == name)
}

/// `{ me { carts(limit: 5) { results` is `me.carts.results`.
fn plain(query: &str) -> String {
    let words = query.split(['{', '}']).map(str::trim).filter(|word| !word.is_empty());
    let words = words.map(|word| word.replace(RESULTS, ""));
    let words =
        words.map(|word| word.split('(').next().unwrap_or("").trim_start_matches("... on ").to_owned());
    words.collect::<Vec<_>>().join(".")
}
