//! The permissions of an Associate in a unit: those of the roles assigned there and inherited from above.
//!
//! The units above are looked up by key, one per level, while Associates are inherited: the cost depends on
//! the depth of the hierarchy, not on the number of units.

use super::{acting_associate, hierarchy, inheritance, modes::EXPLICIT_AND_FROM_PARENT, parent};
use crate::kinds;
use kontor_engine::document::{list, text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The roles of an Associate in a unit.
#[derive(Default)]
pub(super) struct Roles {
    /// The roles assigned by the unit itself.
    pub(super) own: Vec<Arc<Document>>,
    /// The roles inherited from units above, each once.
    pub(super) inherited: Vec<Arc<Document>>,
}

impl Roles {
    /// Everything that the roles allow.
    pub(super) fn permissions(&self) -> BTreeSet<String> {
        let roles = self.own.iter().chain(&self.inherited);
        let names = roles.flat_map(|role| list(role, &["permissions"])).filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    }
}

/// Returns the permissions of a Customer in a unit; `None` if the Customer is no Associate of it.
pub(super) fn permissions_of_associate(
    unit: &Document,
    associate: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<BTreeSet<String>>> {
    Ok(roles_of_associate(unit, associate, rules)?.map(|roles| roles.permissions()))
}

/// Returns the roles of a Customer in a unit; `None` if the Customer is no Associate of it.
pub(super) fn roles_of_associate(
    unit: &Document,
    associate: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Roles>> {
    let mut roles = Roles::default();
    let mut found = FoundRoles { roles: Vec::new(), is_associate: false };
    found.add(unit, associate, false);
    roles.own = found.look_up(rules)?;
    let mut above: Option<Arc<Document>> = None;
    // The hierarchy has no cycles; the limit guards against a defect.
    for _ in 0..hierarchy::LEVELS_MAX {
        let here = above.as_deref().unwrap_or(unit);
        if text(here, &["associateMode"]) != Some(EXPLICIT_AND_FROM_PARENT) {
            break;
        }
        let Some(next) = parent::parent(here, rules)? else { break };
        found.add(&next, associate, true);
        above = Some(next);
    }
    roles.inherited = found.look_up(rules)?;
    Ok(found.is_associate.then_some(roles))
}

/// Keys of roles on the way up.
struct FoundRoles {
    roles: Vec<String>,
    is_associate: bool,
}

impl FoundRoles {
    /// Adds the roles that a unit assigns to an associate: all of them, or the inheritable ones.
    fn add(&mut self, unit: &Document, associate: &str, heritable: bool) {
        let is_meant = |held: &&Value| held["customer"]["id"] == associate;
        let Some(held) = list(unit, &["associates"]).iter().find(is_meant) else { return };
        let all = held["associateRoleAssignments"].as_array().into_iter().flatten();
        let roles: Vec<&Value> = if heritable {
            inheritance::heritable_roles(held).collect()
        } else {
            all.map(|assignment| &assignment["associateRole"]).collect()
        };
        self.is_associate |= !heritable || !roles.is_empty();
        for key in roles.into_iter().filter_map(|role| role["key"].as_str()) {
            if !self.roles.iter().any(|known| known == key) {
                self.roles.push(key.to_owned());
            }
        }
    }

    /// Looks up the roles added since the last call. They must be unchanged when the change is written.
    fn look_up(&mut self, rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
        let mut roles = Vec::new();
        for key in self.roles.drain(..) {
            roles.extend(rules.find_key(kinds::ASSOCIATE_ROLE, &key)?);
        }
        Ok(roles)
    }
}

/// Refuses an Associate who assigns roles that only callers with rights to all units may assign.
pub(super) fn admit_assignable(roles: &[&str], rules: &Rules<'_>) -> ApiResult<()> {
    if acting_associate(rules)?.is_none() {
        return Ok(());
    }
    for key in roles {
        let role = rules.find_key(kinds::ASSOCIATE_ROLE, key)?;
        if role.is_some_and(|role| role.get("buyerAssignable") == Some(&Value::Bool(false))) {
            return Err(ApiError::invalid_operation(format!(
                "The Associate Role with key '{key}' cannot be assigned by an Associate: it is not buyerAssignable."
            )));
        }
    }
    Ok(())
}
