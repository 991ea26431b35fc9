//! The operations of the Import API, below `/import` (reference: Import API).

use super::fixed::segments;
use crate::Model;
use crate::operation::{Answered, Doing, Importing, Method, SentBody, ServedOperation, Side, Target};

/// Any one of these allows changes of containers.
const MANAGE: [&str; 1] = ["manage_import_containers"];
/// Any one of these allows reading containers and their content.
const VIEW: [&str; 2] = ["manage_import_containers", "view_import_containers"];

/// Path, method, effect.
type ImportRow = (&'static str, Method, Importing);

#[rustfmt::skip] // A table.
const ROWS: &[ImportRow] = &[
    ("/import/{projectKey}/import-containers", Method::Post, Importing::CreateContainer),
    ("/import/{projectKey}/import-containers", Method::Get, Importing::Containers),
    ("/import/{projectKey}/import-containers/{importContainerKey}", Method::Get, Importing::Container),
    ("/import/{projectKey}/import-containers/{importContainerKey}", Method::Put, Importing::UpdateContainer),
    ("/import/{projectKey}/import-containers/{importContainerKey}", Method::Delete, Importing::DeleteContainer),
    ("/import/{projectKey}/import-containers/{importContainerKey}/import-operations", Method::Get, Importing::Operations),
    ("/import/{projectKey}/import-containers/{importContainerKey}/import-summaries", Method::Get, Importing::Summary),
    ("/import/{projectKey}/import-operations/{id}", Method::Get, Importing::Operation),
];

/// Returns all operations; none if the model has no imports.
pub(super) fn operations(model: &Model) -> impl Iterator<Item = ServedOperation> {
    let is_served = !model.imports.is_empty();
    let rows = ROWS.iter().filter(move |_| is_served).map(|(path, method, does)| {
        let scopes: &[&str] = if *method == Method::Get { &VIEW } else { &MANAGE };
        let scopes = scopes.iter().map(ToString::to_string).collect();
        operation(path, *method, *does, scopes)
    });
    let requests = model.imports.iter().enumerate().map(|(position, import)| {
        let path = format!("/import/{{projectKey}}/{}/import-containers/{{importContainerKey}}", import.path);
        operation(&path, Method::Post, Importing::Request(position), import.scopes.clone())
    });
    rows.chain(requests)
}

fn operation(path: &str, method: Method, does: Importing, scopes: Vec<String>) -> ServedOperation {
    ServedOperation {
        method,
        path: segments(path),
        side: Side::Project,
        kind: None,
        target: Target::Only,
        doing: Doing::Import(does),
        scopes,
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: if matches!(method, Method::Post | Method::Put) { SentBody::Json } else { SentBody::Nothing },
        answer: Answered::Own,
    }
}
