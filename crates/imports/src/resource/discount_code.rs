//! Imports Discount Codes (reference: DiscountCodeImport). The code itself is immutable.

use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.compare_immutable_fields(&["code"]);
    difference.compare_optional_fields(&[
        ("cartDiscounts", "changeCartDiscounts", "cartDiscounts"),
        ("isActive", "changeIsActive", "isActive"),
    ]);
    difference.compare_fields(&[
        ("name", "setName", "name"),
        ("description", "setDescription", "description"),
        ("cartPredicate", "setCartPredicate", "cartPredicate"),
        ("maxApplications", "setMaxApplications", "maxApplications"),
        ("maxApplicationsPerCustomer", "setMaxApplicationsPerCustomer", "maxApplicationsPerCustomer"),
    ]);
    difference.compare_lists(&[("groups", "changeGroups", "groups")]);
    difference.compare_validity();
    difference.compare_custom_fields();
    Ok(())
}
