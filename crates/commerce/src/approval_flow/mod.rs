//! Approval Flow: an Order of a Business Unit that waits for approvals.
//!
//! [`create_flow`] creates a flow with its Order. [`tiers`] calculates who must approve, and which tier is current.
//!
//! Source: reference types `ApprovalFlow`, `ApprovalFlowApproveAction`, `ApprovalFlowRejectAction`,
//! `ApprovalFlow…Message`. Conversations: `tests/api/approval-flows/`.

mod flow_creation;
mod tiers;

pub(crate) use flow_creation::create_flow;

use crate::kinds;
use crate::{business_unit, buyer};
use kontor_engine::document::{fields, list, must_field, must_get, must_text, reference, text};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document};
use kontor_enums::{ApprovalFlowStatus, AssociateRoleInheritanceMode, OrderState};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use tiers::{FlowProgress, stored_roles};

const PENDING: &str = ApprovalFlowStatus::Pending.as_str();

pub(crate) struct ApprovalFlow;

impl Behaviour for ApprovalFlow {
    fn resource(&self) -> &'static str {
        "ApprovalFlow"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("approve", |context, _| approve(context)), ("reject", reject)]
    }
}

/// The Associate who approves or rejects a flow.
struct Approver {
    /// The id of the Customer.
    id: String,
    /// The keys of all roles in the unit.
    roles: Vec<String>,
    /// In the form that the flow stores.
    associate: Value,
}

impl Approver {
    fn has_any_role(&self, roles: &[&str]) -> bool {
        self.roles.iter().any(|own| roles.contains(&own.as_str()))
    }
}

/// `approve`.
fn approve(context: &mut ActionContext<'_, '_>) -> ApiResult<()> {
    let approver = acting_approver(
        context,
        |progress| progress.pending_now(),
        "it is not the turn of one of the roles of",
    )?;
    let approval = json!({"approver": approver.associate, "approvedAt": context.rules.time()});
    let Some(Value::Array(approvals)) = context.document.get_mut("approvals") else {
        return Err(ApiError::bug("an Approval Flow without approvals"));
    };
    approvals.push(approval);
    let order = order_of(context)?;
    let message_fields = [("associate", Some(reference("customer", &approver.id))), ("order", Some(order))];
    context.emit("ApprovalFlowApproved", fields(message_fields))?;
    if FlowProgress::from_flow(context.document).is_complete() {
        complete(context, ApprovalFlowStatus::Approved.as_str(), OrderState::Confirmed.as_str())?;
    }
    show_progress(context.document);
    Ok(())
}

/// `reject`.
fn reject(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let rejecter = acting_approver(
        context,
        |progress| progress.eligible_roles(),
        "no tier that is still open has one of the roles of",
    )?;
    let reason = arguments.get("reason").cloned();
    let rejection = fields([
        ("rejecter", Some(rejecter.associate)),
        ("rejectedAt", Some(json!(context.rules.time()))),
        ("reason", reason.clone()),
    ]);
    context.document.insert("rejection", Value::Object(rejection));
    let message_fields = [
        ("associate", Some(reference("customer", &rejecter.id))),
        ("rejectionReason", reason),
        ("order", Some(order_of(context)?)),
    ];
    context.emit("ApprovalFlowRejected", fields(message_fields))?;
    complete(context, ApprovalFlowStatus::Rejected.as_str(), OrderState::Cancelled.as_str())?;
    show_progress(context.document);
    Ok(())
}

/// Returns the acting Associate, if the Associate has one of the eligible roles.
///
/// 400 `InvalidOperation`: the Associate has none of the roles, or the flow has ended.
fn acting_approver(
    context: &ActionContext<'_, '_>,
    roles: for<'p, 'f> fn(&'p FlowProgress<'f>) -> Vec<&'f str>,
    otherwise: &str,
) -> ApiResult<Approver> {
    let flow = &*context.document;
    let refuse = |what: String| Err(ApiError::invalid_operation(format!("{}: {what}.", context.place)));
    match must_text(flow, &["status"])? {
        PENDING => {}
        status => return refuse(format!("the Approval Flow is {status}")),
    }
    let Some(id) = buyer::acting_associate(context.rules) else {
        return refuse("only an Associate approves or rejects".to_owned());
    };
    let key = must_text(flow, &["businessUnit", "key"])?;
    let unit = buyer::unit_of(key, context.rules)?;
    let unit = unit.ok_or_else(|| ApiError::bug("an Associate in a Business Unit that is gone"))?;
    let own = business_unit::role_keys(&unit, id, context.rules)?.unwrap_or_default();
    let associate = associate(&unit, id, &own);
    let approver = Approver { id: id.to_owned(), roles: own, associate };
    if approver.has_any_role(&roles(&FlowProgress::from_flow(flow))) {
        return Ok(approver);
    }
    refuse(format!("{otherwise} the Associate '{id}'"))
}

/// Returns an Associate in the form that flows store: with the assigned and the inherited roles.
fn associate(unit: &Document, id: &str, roles: &[String]) -> Value {
    let own = list(unit, &["associates"]).iter().find(|associate| associate["customer"]["id"] == id);
    let assigned = own.and_then(|own| own["associateRoleAssignments"].as_array());
    let assignment = |key: &String| {
        let mut assigned = assigned.into_iter().flatten();
        let found = assigned.find(|assignment| assignment["associateRole"]["key"] == key.as_str());
        let inherited = || json!({"associateRole": {"typeId": "associate-role", "key": key}, "inheritance": AssociateRoleInheritanceMode::Enabled});
        found.cloned().unwrap_or_else(inherited)
    };
    let assignments: Vec<Value> = roles.iter().map(assignment).collect();
    json!({"associateRoleAssignments": assignments, "customer": reference("customer", id)})
}

/// Ends a flow and sets the state of its Order; a deleted Order is ignored.
fn complete(context: &mut ActionContext<'_, '_>, status: &str, order_state: &str) -> ApiResult<()> {
    context.document.insert("status", json!(status));
    let order = order_of(context)?;
    if let Some(order) = context.rules.find(kinds::ORDER, must_field(&order, "id")?)? {
        let mut order = (*order).clone();
        order.insert("orderState", json!(order_state));
        context.effects.change(kinds::ORDER, order);
    }
    let message_fields = fields([("status", Some(json!(status))), ("order", Some(order))]);
    context.emit("ApprovalFlowCompleted", message_fields)
}

fn order_of(context: &ActionContext<'_, '_>) -> ApiResult<Value> {
    must_get(context.document, &["order"]).cloned()
}

/// Updates the lists of eligible and pending approvers; both are empty for a closed flow.
fn show_progress(flow: &mut Document) {
    let is_open = text(flow, &["status"]) == Some(PENDING);
    let progress = FlowProgress::from_flow(flow);
    let shown = |roles: Vec<&str>| if is_open { stored_roles(&roles) } else { json!([]) };
    let all = [
        ("eligibleApprovers", shown(progress.eligible_roles())),
        ("pendingApprovers", shown(progress.pending_roles())),
        ("currentTierPendingApprovers", shown(progress.pending_now())),
    ];
    flow.extend(all.map(|(name, value)| (name.to_owned(), value)));
}
