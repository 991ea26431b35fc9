//! Puts the id of a foreign resource into every path, and expects the response for a missing resource.
//!
//! Two errors differ on purpose, for a client that acts for an associate and could read all resources anyway, as on the
//! platform: a resource of another Business Unit is `InvalidOperation`, another Business Unit itself
//! `AssociateMissingPermission`.

use crate::belongings::NamedResource;
use crate::bodies::{OTHER_UNIT, comparable, missing, told};
use crate::client::ExpectedResponse;
use crate::findings::Walked;
use crate::world::{Caller, Reach, World};

/// Where a path has the id or the key of a resource.
const PLACES: [&str; 3] = ["{ID}", "{key}", "{orderNumber}"];

/// Every operation on one resource, with a foreign one.
pub(crate) fn walk_paths(world: &World, caller: &Caller) -> Walked {
    let mut walked = Walked::default();
    for operation in world.description.operations.iter().filter(|operation| caller.has(operation)) {
        let Some(kind) = Caller::kind_of(&operation.path) else { continue };
        if !PLACES.iter().any(|place| operation.path.contains(place)) {
            continue;
        }
        let foreign = &world.strangers[kind];
        let send = |named: &NamedResource| {
            let body = if operation.method == "GET" { "" } else { "{\"version\": 1, \"actions\": []}" };
            world.client.send(&operation.method, &caller.path_to(&operation.path, named), &caller.token, body)
        };
        let (as_missing, as_foreign) = (send(&missing()), send(foreign));
        walked.count += 1;
        walked.reached += usize::from(as_missing.status == 404);
        let way = format!("{} | {} {}", caller.name, operation.method, operation.path);
        let leaked = world.leaks(caller, &as_foreign.text);
        if !leaked.is_empty() {
            walked.findings.push(format!("{way} | shows {leaked}"));
        } else if caller.reach == Reach::Associate && says_that_it_is_of_another_unit(&as_foreign) {
            continue;
        } else if comparable(&as_missing.text, &missing()) != comparable(&as_foreign.text, foreign) {
            let (foreign, missing) = (told(&as_foreign), told(&as_missing));
            walked
                .findings
                .push(format!("{way} | a foreign {kind} gives {foreign}, a missing one {missing}"));
        }
    }
    walked
}

fn says_that_it_is_of_another_unit(reply: &ExpectedResponse) -> bool {
    OTHER_UNIT.iter().any(|said| reply.text.contains(said))
        || reply.text.contains("\"code\":\"AssociateMissingPermission\"")
}
