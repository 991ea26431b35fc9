//! Calls of services, from the model (`@service`).

use super::fixed::segments;
use crate::Model;
use crate::operation::{Answered, Doing, Method, SentBody, ServedOperation, Side, Target};

/// Returns all calls, in the order of the model.
pub(super) fn operations(model: &Model) -> impl Iterator<Item = ServedOperation> {
    model.services.iter().enumerate().map(|(position, call)| ServedOperation {
        method: if call.body.is_some() { Method::Post } else { Method::Get },
        path: segments(&call.path),
        side: Side::Project,
        kind: None,
        target: Target::Only,
        doing: Doing::Service(position),
        scopes: call.scopes.clone(),
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: if call.body.is_some() { SentBody::Json } else { SentBody::Nothing },
        answer: if call.many { Answered::Own } else { Answered::Object(call.answer) },
    })
}
