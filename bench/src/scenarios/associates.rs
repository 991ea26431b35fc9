//! Measures requests for an Associate's permissions at the foot of a hierarchy of ten levels, in a project with few
//! Business Units and in one with thousands.

use super::{Bench, load_limits, measure_in_turns, thousands};
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, ensure_success};
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use anyhow::Context as _;
use kontor_json::{Value, json};
use tokio::task::LocalSet;

/// Levels of a hierarchy, the Company included.
const LEVELS: usize = 10;
/// Business Units of the large shop.
const UNITS: usize = 10_000;
/// Callers at a time, in loading as in measuring.
const CONNECTIONS: usize = 16;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let small = bench.kontor.start(&bench.folder("units-few")).await?;
    let large = bench.kontor.start(&bench.folder("units-many")).await?;
    let few = LocalSet::new().run_until(fill(&small, LEVELS)).await?;
    let many = LocalSet::new().run_until(fill(&large, UNITS)).await?;
    let (there, beside) = measure_in_turns(
        (&large, permission_clients(&many, LEVELS)),
        (&small, permission_clients(&few, LEVELS)),
        load_limits(20_000, 3),
    )
    .await?;
    bench.table.add(BenchRow {
        name: format!(
            "permissions {LEVELS} levels down, {} Business Units compared with {LEVELS}: CPU",
            thousands(UNITS)
        ),
        value: there.cpu_us() / beside.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(1.2),
        kontor: there.line(),
        comparison: format!("{LEVELS} units: {}", beside.line()),
    });
    let (deep, flat) = measure_in_turns(
        (&large, permission_clients(&many, LEVELS)),
        (&large, permission_clients(&many, 1)),
        load_limits(20_000, 3),
    )
    .await?;
    bench.table.add(BenchRow {
        name: format!("permissions {LEVELS} levels down, compared with those in the Company: CPU"),
        value: deep.cpu_us() / flat.cpu_us(),
        unit: "×",
        target: BenchTarget::None,
        kontor: deep.line(),
        comparison: format!("in the Company: {}", flat.line()),
    });
    small.stop()?;
    large.stop()
}

/// The key of a unit by its level in its hierarchy.
fn key(hierarchy: usize, level: usize) -> String {
    format!("unit-{hierarchy}-{level}")
}

/// Clients that ask for the permissions of an Associate of the Company, in a unit of the first hierarchy.
fn permission_clients(associate: &str, level: usize) -> Vec<impl FnMut() -> LoadRequest + use<>> {
    let request = path(&format!("business-units/key={}/associates/{associate}", key(0, level)));
    (0..CONNECTIONS)
        .map(|_| {
            let request = request.clone();
            move || LoadRequest::get(request.clone())
        })
        .collect()
}

/// Makes hierarchies of [`LEVELS`] units each, and returns the id of the Associate of all Companies.
async fn fill(server: &MeasuredServer, units: usize) -> anyhow::Result<String> {
    let mut connection = LoadConnection::open(server).await?;
    let role = json!({"key": "buyer", "permissions": ["ViewMyCarts", "UpdateAssociates"]});
    create(&mut connection, "associate-roles", role).await?;
    let draft = json!({"email": "maria@example.com", "password": "secret", "key": "maria"});
    let created = create(&mut connection, "customers", draft).await?;
    let associate = created["customer"]["id"].as_str().context("no id")?.to_owned();
    let mut tasks = Vec::new();
    for first in 0..CONNECTIONS {
        let mut connection = LoadConnection::open(server).await?;
        tasks.push(tokio::task::spawn_local(async move {
            for hierarchy in (first..units / LEVELS).step_by(CONNECTIONS) {
                for level in 1..=LEVELS {
                    create(&mut connection, "business-units", unit(hierarchy, level)).await?;
                }
            }
            anyhow::Ok(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(associate)
}

fn unit(hierarchy: usize, level: usize) -> Value {
    let key_here = key(hierarchy, level);
    if level == 1 {
        return json!({"key": key_here, "unitType": "Company", "name": "Company", "associates": [{
            "customer": {"typeId": "customer", "key": "maria"},
            "associateRoleAssignments": [
                {"associateRole": {"typeId": "associate-role", "key": "buyer"}, "inheritance": "Enabled"}]}]});
    }
    json!({"key": key_here, "unitType": "Division", "name": "Division",
        "parentUnit": {"typeId": "business-unit", "key": key(hierarchy, level - 1)}})
}

async fn create(connection: &mut LoadConnection, kind: &str, draft: Value) -> anyhow::Result<Value> {
    let (status, body) = connection.send(LoadRequest::post(path(kind), draft.to_string())).await?;
    ensure_success(status, &body)?;
    Ok(kontor_json::from_slice(&body)?)
}
