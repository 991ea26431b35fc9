//! The roles of a server: the built-in ones, as they were changed, and those that were added.

use futures_util::future::BoxFuture;
use kontor_errors::ApiError;
use kontor_json::json;

use super::{account::RoleAssignment, end_tokens, role::OperatorRole};
use crate::{
    AuthService, Result,
    store::{OperatorRowKind, OperatorStep},
};

impl AuthService {
    /// Returns all roles, the built-in ones first. Fails if the store cannot be read.
    pub fn operator_roles(&self) -> Result<Vec<OperatorRole>> {
        let mut roles = OperatorRole::built_in();
        for row in self.store.operator_rows(OperatorRowKind::Role)? {
            let stored = OperatorRole::from_row(&row)?;
            match roles.iter_mut().find(|role| role.name == stored.name) {
                Some(role) => *role = stored,
                None => roles.push(stored),
            }
        }
        Ok(roles)
    }

    /// Returns the role with a name. `None` if there is none. Fails if the store cannot be read.
    pub fn operator_role(&self, name: &str) -> Result<Option<OperatorRole>> {
        if let Some(row) = self.store.operator_row(OperatorRowKind::Role, name)? {
            return OperatorRole::from_row(&row).map(Some);
        }
        Ok(OperatorRole::built_in().into_iter().find(|role| role.name == name))
    }

    /// Creates or replaces a role. Access tokens of operators end, so that it applies at once. Fails if the store
    /// cannot write.
    pub fn put_operator_role<'a>(&'a self, role: &'a OperatorRole) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.change_operators(vec![OperatorStep::Put(role.to_row()), end_tokens(None)]).await.map(drop)
        })
    }

    /// Removes a role; a built-in one has its original scopes again.
    ///
    /// Fails with 404 if there is no such role that was added or changed, 400 while an operator has an added role.
    pub fn remove_operator_role<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, std::result::Result<(), ApiError>> {
        Box::pin(async move {
            let is_built_in = OperatorRole::built_in().iter().any(|role| role.name == name);
            if !is_built_in {
                let has_it = |roles: &[RoleAssignment]| roles.iter().any(|assigned| assigned.role == name);
                if let Some(operator) = self.operators()?.iter().find(|operator| has_it(&operator.roles)) {
                    return Err(ApiError::invalid_operation(format!(
                        "The role '{name}' is that of {}, among others perhaps. Give them another role first.",
                        operator.email
                    )));
                }
            }
            // Roles do not expire.
            let take = OperatorStep::Take { kind: OperatorRowKind::Role, key: name.to_owned(), now_ms: 0 };
            let removed = self.change_operators(vec![take, end_tokens(None)]).await?;
            match removed.is_done {
                true => Ok(()),
                false if is_built_in => Ok(()),
                false => Err(ApiError::not_found(&format!("role '{name}'"))),
            }
        })
    }

    /// Checks that the roles of assignments exist.
    pub(super) fn must_have_roles(&self, roles: &[RoleAssignment]) -> std::result::Result<(), ApiError> {
        let known = self.operator_roles()?;
        for assigned in roles {
            if !known.iter().any(|role| role.name == assigned.role) {
                let names: Vec<_> = known.iter().map(|role| role.name.as_str()).collect();
                let expected = format!("Expected: a role, one of {}.", names.join(", "));
                return Err(ApiError::invalid_field("roles", &json!(assigned.role), &expected, None));
            }
        }
        Ok(())
    }
}
