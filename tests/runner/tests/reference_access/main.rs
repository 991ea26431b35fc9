//! No caller reaches another owner's resource by naming it.
//!
//! The test walks every path, every draft, every update action, every expansion path, every predicate and sort on hidden fields, and
//! every GraphQL field that leads to another resource, as four kinds of callers. A resource of another owner must look
//! like one that does not exist, and none of its texts may be in a response.
//!
//! The paths come from `/openapi.json` and from introspection, so the test covers a new reference as soon as the model has
//! it. [`bodies`] says which errors may differ from those for a missing resource. `cargo xtask access` prints the table of
//! callers and kinds.

#![allow(clippy::unwrap_used)] // All of this is a test, its helpers included.
#![allow(clippy::print_stdout)] // The table of callers and kinds is what the command is for.

mod approvals;
mod belongings;
mod bodies;
mod client;
mod description;
mod findings;
mod graphql;
mod open_kinds;
mod paths;
mod reads;
mod world;

use crate::belongings::CLOSED;
use crate::client::Client;
use crate::findings::Walked;
use crate::world::{Caller, World};
use kontor_tests::TestedServer;
use std::fmt::Write;
use std::thread;

/// One way of so many gets as far as its reference, at least; others are refused before, e.g. those of an associate without permissions.
const REACHED_PART_MIN: usize = 4;

/// The result of one caller's walk.
struct Result {
    name: &'static str,
    paths: Walked,
    bodies: Walked,
    expansions: Walked,
    hidden: Walked,
    graphql: Walked,
}

impl Result {
    fn ways(&self) -> [(&'static str, &Walked); 5] {
        [
            ("paths", &self.paths),
            ("drafts and actions", &self.bodies),
            ("expansions", &self.expansions),
            ("hidden fields", &self.hidden),
            ("GraphQL", &self.graphql),
        ]
    }
}

#[test]
fn a_foreign_resource_looks_like_a_missing_one() {
    let server = TestedServer::start().unwrap();
    let world = World::new(Client::new(&server));
    let results = walk_all(&world);
    let table = table(&results);
    println!("{table}");
    for result in &results {
        for (way, walked) in result.ways() {
            assert!(
                walked.reached * REACHED_PART_MIN >= walked.count,
                "{}: {way} hardly reach a reference\n{table}",
                result.name
            );
        }
    }
    let found: Vec<&str> = results
        .iter()
        .flat_map(Result::ways)
        .flat_map(|(_, walked)| walked.findings.iter().map(String::as_str))
        .collect();
    assert!(
        found.is_empty(),
        "{} references reach further than their caller may:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Walks as all callers at a time.
fn walk_all(world: &World) -> Vec<Result> {
    let walk = |caller: &Caller| Result {
        name: caller.name,
        paths: paths::walk_paths(world, caller),
        bodies: bodies::walk_bodies(world, caller),
        expansions: reads::walk_expansions(world, caller),
        hidden: reads::walk_hidden_fields(world, caller),
        graphql: graphql::walk_graphql(world, caller),
    };
    thread::scope(|scope| {
        let walks: Vec<_> = world.callers.iter().map(|caller| scope.spawn(move || walk(caller))).collect();
        walks.into_iter().map(|walked| walked.join().unwrap()).collect()
    })
}

#[test]
fn no_kind_that_belongs_to_somebody_is_open() {
    let (open, closed) = open_kinds::open_and_closed();
    assert!(closed.len() > 10, "the model has kinds that belong to somebody: {closed:?}");
    for (kind, _) in CLOSED {
        assert!(!open.iter().any(|open| open == kind), "{kind} belongs to somebody and is open");
    }
}

/// Returns the table of paths and findings for people.
fn table(results: &[Result]) -> String {
    let mut table = String::new();
    for result in results {
        writeln!(table, "\n{}", result.name).unwrap();
        for (way, walked) in result.ways() {
            let (count, reached, found) = (walked.count, walked.reached, walked.findings.len());
            writeln!(table, "  {way:<20} {count:>5} walked {reached:>5} reached {found:>5} found").unwrap();
        }
        for (kind, _) in CLOSED {
            let named = result.bodies.by_kind.get(kind).copied().unwrap_or(0);
            let shown = |walked: &Walked| {
                walked.findings.iter().any(|line| line.contains("shows") && line.ends_with(kind))
            };
            let leaks = result.ways().iter().any(|(_, walked)| shown(walked));
            writeln!(
                table,
                "  {kind:<20} named in {named:>4} ways{}",
                if leaks { ", shown to this caller" } else { "" }
            )
            .unwrap();
        }
    }
    let (open, closed) = open_kinds::open_and_closed();
    let is_walked = |kind: &&String| CLOSED.iter().any(|(walked, _)| walked == kind);
    let others: Vec<&str> = closed.iter().filter(|kind| !is_walked(kind)).map(String::as_str).collect();
    writeln!(table, "\nopen to every caller: {}", open.join(", ")).unwrap();
    writeln!(table, "closed, without a foreign resource in this walk: {}", others.join(", ")).unwrap();
    table
}
