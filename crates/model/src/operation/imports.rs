//! The operations of the Import API, below `/import` (reference: Import API).

use super::fixed::segments;
use crate::Model;
use crate::operation::{
    ImportOperation, Method, OperationKind, PathPrefix, PathTarget, RequestBody, ResponseContent,
    ServedOperation,
};

/// Any one of these allows changes of containers.
const MANAGE: [&str; 1] = ["manage_import_containers"];
/// Any one of these allows reading containers and their content.
const VIEW: [&str; 2] = ["manage_import_containers", "view_import_containers"];

/// Path, method, effect.
type ImportRow = (&'static str, Method, ImportOperation);

#[rustfmt::skip] // A table.
const ROWS: &[ImportRow] = &[
    ("/import/{projectKey}/import-containers", Method::Post, ImportOperation::CreateContainer),
    ("/import/{projectKey}/import-containers", Method::Get, ImportOperation::Containers),
    ("/import/{projectKey}/import-containers/{importContainerKey}", Method::Get, ImportOperation::Container),
    ("/import/{projectKey}/import-containers/{importContainerKey}", Method::Put, ImportOperation::UpdateContainer),
    ("/import/{projectKey}/import-containers/{importContainerKey}", Method::Delete, ImportOperation::DeleteContainer),
    ("/import/{projectKey}/import-containers/{importContainerKey}/import-operations", Method::Get, ImportOperation::Operations),
    ("/import/{projectKey}/import-containers/{importContainerKey}/import-summaries", Method::Get, ImportOperation::Summary),
    ("/import/{projectKey}/import-operations/{id}", Method::Get, ImportOperation::Operation),
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
        operation(&path, Method::Post, ImportOperation::Request(position), import.scopes.clone())
    });
    rows.chain(requests)
}

fn operation(path: &str, method: Method, does: ImportOperation, scopes: Vec<String>) -> ServedOperation {
    ServedOperation {
        method,
        path: segments(path),
        side: PathPrefix::Project,
        kind: None,
        target: PathTarget::Only,
        operation_kind: OperationKind::Import(does),
        scopes,
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: if matches!(method, Method::Post | Method::Put) {
            RequestBody::Json
        } else {
            RequestBody::Nothing
        },
        response: ResponseContent::Own,
    }
}
