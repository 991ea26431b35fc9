//! Calls of services, from the model (`@service`).

use super::fixed::segments;
use crate::Model;
use crate::operation::{
    Method, OperationKind, PathPrefix, PathTarget, RequestBody, ResponseContent, ServedOperation,
};

/// Returns all calls, in the order of the model.
pub(super) fn operations(model: &Model) -> impl Iterator<Item = ServedOperation> {
    model.services.iter().enumerate().map(|(position, call)| ServedOperation {
        method: if call.body.is_some() { Method::Post } else { Method::Get },
        path: segments(&call.path),
        side: PathPrefix::Project,
        kind: None,
        target: PathTarget::Only,
        operation_kind: OperationKind::Service(position),
        scopes: call.scopes.clone(),
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: if call.body.is_some() { RequestBody::Json } else { RequestBody::Nothing },
        response: if call.many { ResponseContent::Own } else { ResponseContent::Object(call.response) },
    })
}
