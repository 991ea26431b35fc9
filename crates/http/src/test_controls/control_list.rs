//! The list of the test controls, which `GET /_test` returns: path, effect, and fields of each.

use super::logs::{DELIVERY_PARAMETERS, REQUEST_PARAMETERS};
use crate::server::Server;
use axum::http::StatusCode;
use kontor_json::{Map, Value, json};
use kontor_model::{FixedOperation, Model, OperationKind, TestControl};
use kontor_rest::response::{self, HttpResponse};

/// A control: its effect, and the fields of its body with their meanings.
type ControlRow = (TestControl, &'static str, &'static [(&'static str, &'static str)]);

const ROWS: &[ControlRow] = &[
    (TestControl::List, "Lists the test controls.", &[]),
    (TestControl::Projects, "Lists the projects with their clocks and pending faults.", &[]),
    (
        TestControl::Create,
        "Creates a project with a client that has every scope.",
        &[
            ("key", "The key of the project."),
            ("clientId", "The id of the client. Default: random."),
            ("clientSecret", "The secret of the client. Default: random."),
            ("choices", "Names of flags of `serve` that are set for this project only."),
        ],
    ),
    (TestControl::Remove, "Removes a project with its clients and tokens.", &[]),
    (
        TestControl::Clock,
        "Sets or moves the clock of a project; without fields it returns to real time.",
        &[("now", "The new time."), ("advanceSeconds", "Seconds to move the clock by; negative: back.")],
    ),
    (TestControl::Settle, "Waits for searches, derived fields and deliveries.", &[]),
    (
        TestControl::Faults,
        "Lets the next requests fail, wait or lose their connection.",
        &[
            ("method", "The method of the requests."),
            ("path", "Their path below the project; `*` at its end matches any rest."),
            ("url", "In place of method and path: the destination of requests that the server sends."),
            ("status", "The status of the response. The request is not executed."),
            ("delayMs", "The delay of the response."),
            ("disconnect", "true: the connection is closed without a response."),
            ("panic", "true: a defect of the server, 500."),
            ("times", "The number of requests. Default: 1."),
        ],
    ),
    (TestControl::Snapshot, "Stores the content of a project, and returns the id of the snapshot.", &[]),
    (TestControl::Restore, "Restores a snapshot.", &[("id", "The id of the snapshot.")]),
    (TestControl::Reset, "Deletes the content, the faults and the logs of a project.", &[]),
    (TestControl::Requests, "Returns the last requests with their bodies, the newest first.", &[]),
    (TestControl::ClearRequests, "Empties the log of requests.", &[]),
    (
        TestControl::Deliveries,
        "Returns what Subscriptions and API Extensions were sent, the newest first.",
        &[],
    ),
    (TestControl::ClearDeliveries, "Empties the log of deliveries.", &[]),
];

/// Handles `GET /_test`.
pub(super) fn respond(server: &Server) -> HttpResponse {
    let header = server.options.test_token.as_ref().map(|_| "X-Test-Token");
    let mut http_response = json!({"controls": controls(&server.model)});
    if let Some(header) = header {
        http_response["header"] = json!(header);
    }
    response::json(StatusCode::OK, &http_response)
}

fn controls(model: &Model) -> Vec<Value> {
    let describe = |(control, effect, fields): &ControlRow| {
        let is_it = |kind| kind == OperationKind::Fixed(FixedOperation::Test(*control));
        let operation = model.operations().iter().find(|operation| is_it(operation.operation_kind))?;
        let fields: Map = fields.iter().map(|(name, meaning)| ((*name).to_owned(), json!(meaning))).collect();
        Some(json!({
            "method": operation.method.as_str(),
            "path": operation.template(),
            "effect": effect,
            "fields": fields,
            "parameters": parameters(*control),
        }))
    };
    ROWS.iter().filter_map(describe).collect()
}

fn parameters(control: TestControl) -> &'static [&'static str] {
    match control {
        TestControl::Requests => &REQUEST_PARAMETERS,
        TestControl::Deliveries => &DELIVERY_PARAMETERS,
        _ => &[],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::clock::ClockSetting;
    use super::super::projects::{SnapshotReference, TestProjectDraft};
    use super::super::{EmptyBody, read_json};
    use super::*;
    use crate::fault_injection::FaultDraft;
    use std::collections::BTreeSet;

    #[test]
    fn lists_every_control_once() {
        let model = Model::embedded().unwrap();
        let is_control = |kind| matches!(kind, OperationKind::Fixed(FixedOperation::Test(_)));
        let served = model.operations().iter().filter(|operation| is_control(operation.operation_kind));
        let served: BTreeSet<String> = served
            .map(|operation| format!("{} {}", operation.method.as_str(), operation.template()))
            .collect();
        let text = |control: &Value, name: &str| control[name].as_str().unwrap().to_owned();
        let listed = controls(&model);
        let names: BTreeSet<String> =
            listed.iter().map(|control| text(control, "method") + " " + &text(control, "path")).collect();
        assert_eq!((names, listed.len()), (served.clone(), served.len()));
    }

    /// The parser names the fields that it knows when it finds another.
    #[test]
    fn lists_the_fields_that_are_read() {
        let unknown = b"{\"?\": 1}";
        for (control, error) in [
            (TestControl::Create, read_json::<TestProjectDraft>(unknown).err()),
            (TestControl::Clock, read_json::<ClockSetting>(unknown).err()),
            (TestControl::Faults, read_json::<FaultDraft>(unknown).err()),
            (TestControl::Restore, read_json::<SnapshotReference>(unknown).err()),
            (TestControl::Reset, read_json::<EmptyBody>(unknown).err()),
        ] {
            let said = error.unwrap().body().to_string();
            let (_, expected) = said.split_once("expected").unwrap_or((&said, ""));
            let known: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
            let row = ROWS.iter().find(|row| row.0 == control).unwrap();
            let listed: BTreeSet<&str> = row.2.iter().map(|(name, _)| *name).collect();
            assert_eq!(listed, known, "{said}");
        }
    }
}
