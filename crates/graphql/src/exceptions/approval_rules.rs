//! Names and types of the official schema that do not follow the conventions, for Approval Rules and Approval Flows.
//! [`ExceptionArea`] explains the tables.

use super::ExceptionArea;

pub(super) const AREA: ExceptionArea = ExceptionArea {
    not_expandable: &["ApprovalFlow", "ApprovalRule"],
    retyped: &[
        ("ApprovalFlow", "status", "String!", None),
        ("ApprovalFlow", "businessUnit", "BusinessUnit!", None),
        ("ApprovalFlow", "rules", "[ApprovalRule!]!", None),
        ("ApprovalFlowApproved", "associateRef", "Reference", None),
        ("ApprovalFlowApproved", "orderRef", "Reference", None),
        ("ApprovalFlowCompleted", "orderRef", "Reference", None),
        ("ApprovalFlowCompleted", "status", "String!", None),
        ("ApprovalFlowRejected", "associateRef", "Reference", None),
        ("ApprovalFlowRejected", "orderRef", "Reference", None),
    ],
    hidden_inputs: &[("ApprovalRuleDraft", "custom")],
    ..ExceptionArea::NONE
};
