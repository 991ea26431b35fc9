//! Approval Rules.

use super::Area;

pub(super) const AREA: Area = Area {
    not_expandable: &["ApprovalRule"],
    hidden_inputs: &[("ApprovalRuleDraft", "custom")],
    ..Area::NONE
};
