//! Follows every field of the GraphQL schema that leads from a caller's own resources to other ones.

use crate::findings::{Walked, leaks};
use crate::world::{Caller, World};
use kontor_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

const INTROSPECTION: &str = "{ __schema { queryType { name } types { name kind possibleTypes { name } interfaces { name } \
    fields { name args { name type { kind } defaultValue } type { ...T } } } } } fragment T on __Type { kind name ofType { kind \
    name ofType { kind name ofType { kind name } } } }";
/// Objects in each other between two resources.
const EMBEDDED_MAX: usize = 6;
/// Results of lists: the caller's own resources were made first. More would make queries too complex.
const RESULTS: &str = "(limit: 5)";
/// Resources one behind the other, with the caller's own.
const HOPS: usize = 3;

/// A schema by the names of its types.
struct Schema {
    types: HashMap<String, Value>,
}

/// A field that leads to a resource: how to ask for it, with `%` in place of what is asked of the resource.
struct Way {
    query: String,
    target: String,
}

/// All of it for one caller.
pub(crate) fn walk_graphql(world: &World, caller: &Caller) -> Walked {
    let introspected = ask(world, &world.client.admin, INTROSPECTION);
    let types = introspected["data"]["__schema"]["types"].as_array().into_iter().flatten();
    let schema = Schema { types: types.map(|one| (text(&one["name"]), one.clone())).collect() };
    let mut walked = Walked::default();
    for root in caller.root() {
        let field = root.split('(').next().unwrap_or(&root);
        let Some(target) = schema.field("Query", field).map(named) else { continue };
        let start = Way { query: format!("{{ {root} {{ % }} }}"), target };
        for entry in schema.ways(&start, true) {
            follow(world, caller, &schema, &entry, &mut walked);
        }
    }
    walked
}

/// Asks for all that leads on from one resource of the caller.
fn follow(world: &World, caller: &Caller, schema: &Schema, entry: &Way, walked: &mut Walked) {
    let mut seen = BTreeSet::new();
    let mut front = vec![Way { query: entry.query.clone(), target: entry.target.clone() }];
    for hop in 0..HOPS {
        let mut next = Vec::new();
        for way in &front {
            ask_for(world, caller, schema, way, walked);
            if hop + 1 < HOPS {
                // Of a kind that was met before, everything has been asked: by the first way there alone.
                let ways = schema.ways(way, false).into_iter();
                next.extend(ways.filter(|way| hop == 0 || seen.insert(way.target.clone())));
            }
        }
        front = next;
    }
}

fn ask_for(world: &World, caller: &Caller, schema: &Schema, way: &Way, walked: &mut Walked) {
    let query = way.query.replace('%', &schema.leaves(&way.target));
    let answer = ask(world, &caller.token, &query);
    walked.count += 1;
    walked.reached += usize::from(!answer["data"].is_null());
    let leaked = leaks(&answer["data"].to_string());
    if !leaked.is_empty() {
        let shown = way.query.replace(" { % }", "");
        walked.findings.push(format!("{} | GraphQL | {} | shows {leaked}", caller.name, plain(&shown)));
    }
}

fn ask(world: &World, token: &str, query: &str) -> Value {
    world.client.send("POST", "/graphql", token, &json!({"query": query}).to_string()).json()
}

impl Schema {
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

    /// The ways from a resource, or from the root, to the next resources.
    fn ways(&self, from: &Way, is_root: bool) -> Vec<Way> {
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
            let asked = if is_list { format!("{name}{RESULTS}") } else { name };
            let query = query.replace('%', &format!("{asked} {{ % }}"));
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
    fn leaves(&self, of: &str) -> String {
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
        let asked = plain.map(|field| match (alias, text(&field["name"])) {
            ("", name) => name,
            (alias, name) => format!("{alias}_{name}: {name}"),
        });
        asked.collect::<Vec<_>>().join(" ")
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
