//! Imports Business Units (reference: BusinessUnitImport).

use super::address;
use crate::difference::Difference;
use crate::outcome::ImportResult;
use kontor_json::json;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.compare_immutable_fields(&["unitType"]);
    difference.compare_optional_fields(&[
        ("name", "changeName", "name"),
        ("status", "changeStatus", "status"),
        ("parentUnit", "changeParentUnit", "parentUnit"),
        ("associateMode", "changeAssociateMode", "associateMode"),
        ("approvalRuleMode", "changeApprovalRuleMode", "approvalRuleMode"),
    ]);
    difference.compare_fields(&[("contactEmail", "setContactEmail", "contactEmail")]);
    difference.compare_lists(&[("associates", "setAssociates", "associates")]);
    // The mode determines whether there are Stores.
    if difference.draft.contains_key("storeMode") && !difference.is_same("storeMode") {
        let mut action = json!({"action": "setStoreMode", "storeMode": difference.draft["storeMode"]});
        if let Some(stores) = difference.draft.get("stores") {
            action["stores"] = stores.clone();
        }
        difference.actions.push(action);
    } else if difference.before.get("storeMode").is_none_or(|mode| mode == "Explicit") {
        difference.compare_lists(&[("stores", "setStores", "stores")]);
    }
    address::differ(difference);
    difference.compare_custom_fields();
    Ok(())
}
