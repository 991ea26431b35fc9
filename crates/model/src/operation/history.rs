//! The operations of the Change History API, below `/history` (reference: Change History API).

use super::fixed::segments;
use crate::Model;
use crate::operation::{
    HistoryOperation, Method, OperationKind, PathPrefix, PathTarget, RequestBody, ResponseContent,
    ServedOperation,
};

/// The scope of all operations, in addition to the scopes of the queried kinds.
const SCOPE: &str = "view_audit_log";

#[rustfmt::skip] // A table.
const ROWS: &[(&str, Method, HistoryOperation)] = &[
    ("/history/{projectKey}", Method::Get, HistoryOperation::Records),
    ("/history/{projectKey}/graphql", Method::Post, HistoryOperation::GraphQl),
    ("/history/{projectKey}/{resourceType}", Method::Get, HistoryOperation::OfType),
    ("/history/{projectKey}/{resourceType}/{ID}", Method::Get, HistoryOperation::OfResource),
];

/// Returns all operations; none if the model has no records.
pub(super) fn operations(model: &Model) -> impl Iterator<Item = ServedOperation> {
    let object = model.object_by_name("Record");
    let rows = object.into_iter().flat_map(|object| ROWS.iter().map(move |row| (object, row)));
    rows.map(|(object, (path, method, does))| ServedOperation {
        method: *method,
        path: segments(path),
        side: PathPrefix::Project,
        kind: None,
        target: PathTarget::Only,
        operation_kind: OperationKind::History(*does),
        scopes: vec![SCOPE.to_owned()],
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: if *method == Method::Post { RequestBody::Json } else { RequestBody::Nothing },
        response: if *method == Method::Post {
            ResponseContent::Own
        } else {
            ResponseContent::Objects(object)
        },
    })
}
