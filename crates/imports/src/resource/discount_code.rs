//! Imports Discount Codes (reference: DiscountCodeImport). The code itself is immutable.

use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.fixed(&["code"]);
    difference.keep(&[
        ("cartDiscounts", "changeCartDiscounts", "cartDiscounts"),
        ("isActive", "changeIsActive", "isActive"),
    ]);
    difference.set(&[
        ("name", "setName", "name"),
        ("description", "setDescription", "description"),
        ("cartPredicate", "setCartPredicate", "cartPredicate"),
        ("maxApplications", "setMaxApplications", "maxApplications"),
        ("maxApplicationsPerCustomer", "setMaxApplicationsPerCustomer", "maxApplicationsPerCustomer"),
    ]);
    difference.set_lists(&[("groups", "changeGroups", "groups")]);
    difference.validity();
    difference.custom();
    Ok(())
}
