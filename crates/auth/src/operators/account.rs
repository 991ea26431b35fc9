//! The account of an operator, and its JSON. Start at [`OperatorAccount`].

use kontor_errors::ApiError;
use kontor_json::{Map, Value, json};

use super::{
    role::{ADMINISTRATOR, is_role_name},
    row_value::parse,
};
use crate::{
    PROJECT_KEY_CHARS, Result,
    store::{OperatorRow, OperatorRowKind},
};

/// The project of a role that applies to all projects.
pub const ALL_PROJECTS: &str = "*";
/// The longest e-mail address of an operator, in characters (RFC 5321).
pub const OPERATOR_EMAIL_CHARS_MAX: usize = 254;
/// The longest name of an operator, in characters.
pub const OPERATOR_NAME_CHARS_MAX: usize = 256;
/// The shortest password of an operator, in characters.
pub const OPERATOR_PASSWORD_CHARS_MIN: usize = 10;
/// The longest password of an operator, in bytes: the time of hashing grows with it.
const OPERATOR_PASSWORD_BYTES_MAX: usize = 1024;
/// The most roles of an operator.
const ROLES_MAX: usize = 1_000;

/// A role in one project, or in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAssignment {
    /// The key of the project, or [`ALL_PROJECTS`].
    pub project: String,
    /// The name of the role.
    pub role: String,
}

/// An operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorAccount {
    /// The id, as `createdBy` and `lastModifiedBy` name it.
    pub id: String,
    /// The e-mail address, in lower case.
    pub email: String,
    /// The name for people.
    pub name: String,
    /// The roles, at most one for a project.
    pub roles: Vec<RoleAssignment>,
    /// The hash of the password (PHC text); `None` until one is set.
    pub password_hash: Option<String>,
    /// In milliseconds since 1970.
    pub created_at_ms: i64,
    /// The stored text, by which a change notices that another one was faster.
    pub(super) stored: String,
}

/// The data that a new operator is created from.
#[derive(Debug, Clone, Default)]
pub struct OperatorDraft {
    /// The e-mail address.
    pub email: String,
    /// The name for people; empty: the e-mail address.
    pub name: String,
    /// The roles.
    pub roles: Vec<RoleAssignment>,
    /// The hash of the password, if there is one yet.
    pub password_hash: Option<String>,
}

/// Checks the length of a new password. The error does not repeat it.
pub fn check_operator_password(password: &str) -> std::result::Result<(), ApiError> {
    if password.chars().count() >= OPERATOR_PASSWORD_CHARS_MIN
        && password.len() <= OPERATOR_PASSWORD_BYTES_MAX
    {
        return Ok(());
    }
    Err(ApiError::invalid_input(format!(
        "password: expected {OPERATOR_PASSWORD_CHARS_MIN} characters or more, and at most {OPERATOR_PASSWORD_BYTES_MAX} bytes."
    )))
}

/// Checks an e-mail address and returns it in lower case.
pub(super) fn check_email(email: &str) -> std::result::Result<String, ApiError> {
    let trimmed = email.trim().to_lowercase();
    let parts = trimmed.split_once('@');
    let is_fit = parts
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        && trimmed.chars().count() <= OPERATOR_EMAIL_CHARS_MAX
        && !trimmed.chars().any(|letter| letter.is_control() || letter.is_whitespace());
    if is_fit {
        return Ok(trimmed);
    }
    let expected = format!("Expected: an e-mail address of at most {OPERATOR_EMAIL_CHARS_MAX} characters.");
    Err(ApiError::invalid_field("email", &json!(email), &expected, None))
}

/// Checks the name of an operator.
pub(super) fn check_name(name: &str) -> std::result::Result<(), ApiError> {
    let is_fit = name.chars().count() <= OPERATOR_NAME_CHARS_MAX && !name.chars().any(char::is_control);
    if is_fit {
        return Ok(());
    }
    let expected =
        format!("Expected: at most {OPERATOR_NAME_CHARS_MAX} characters, none of them a control character.");
    Err(ApiError::invalid_field("name", &json!(name), &expected, None))
}

/// Checks the form of roles. Whether the roles exist is checked elsewhere.
pub(super) fn check_assignments(roles: &[RoleAssignment]) -> std::result::Result<(), ApiError> {
    let refuse = |value: Value, expected: &str| Err(ApiError::invalid_field("roles", &value, expected, None));
    if roles.len() > ROLES_MAX {
        return refuse(json!(roles.len()), &format!("Expected: at most {ROLES_MAX} roles."));
    }
    for (at, assigned) in roles.iter().enumerate() {
        let RoleAssignment { project, role } = assigned;
        if project != ALL_PROJECTS && !PROJECT_KEY_CHARS.contains(&project.chars().count()) {
            return refuse(json!(project), "Expected: the key of a project, or '*' for all projects.");
        }
        if !is_role_name(role) {
            return refuse(json!(role), "Expected: the name of a role.");
        }
        if roles[..at].iter().any(|earlier| earlier.project == *project) {
            return refuse(json!(project), "Expected: one role for each project.");
        }
    }
    Ok(())
}

/// Returns whether these roles allow to manage operators and roles: those of an administrator of all projects.
pub fn is_administrator(roles: &[RoleAssignment]) -> bool {
    roles.iter().any(|assigned| assigned.project == ALL_PROJECTS && assigned.role == ADMINISTRATOR)
}

impl OperatorAccount {
    /// Returns the name of the role in a project: the one for this project, otherwise the one for all.
    pub fn role_in(&self, project_key: &str) -> Option<&str> {
        let role = |project: &str| self.roles.iter().find(|assigned| assigned.project == project);
        role(project_key).or_else(|| role(ALL_PROJECTS)).map(|assigned| assigned.role.as_str())
    }

    /// Returns whether the operator may manage operators and roles.
    pub fn is_administrator(&self) -> bool {
        is_administrator(&self.roles)
    }

    /// Returns the document of responses, without the hash of the password.
    pub fn to_json(&self) -> Value {
        let roles = self.roles.iter().map(RoleAssignment::to_json).collect::<Vec<_>>();
        json!({
            "id": self.id,
            "email": self.email,
            "name": self.name,
            "roles": roles,
            "hasPassword": self.password_hash.is_some(),
            "createdAt": crate::client::date_time(self.created_at_ms),
        })
    }

    /// Returns the row in which the account is stored.
    pub(super) fn to_row(&self) -> OperatorRow {
        let mut value = Map::new();
        value.insert("email", json!(self.email));
        value.insert("name", json!(self.name));
        value.insert("roles", json!(self.roles.iter().map(RoleAssignment::to_json).collect::<Vec<_>>()));
        if let Some(hash) = &self.password_hash {
            value.insert("passwordHash", json!(hash));
        }
        value.insert("createdAt", json!(self.created_at_ms));
        OperatorRow {
            kind: OperatorRowKind::Account,
            key: self.id.clone(),
            owner: None,
            expires_at_ms: None,
            value: Value::Object(value).to_string(),
        }
    }

    /// Returns the row by which the account is found from its e-mail address.
    pub(super) fn to_email_row(&self) -> OperatorRow {
        OperatorRow {
            kind: OperatorRowKind::Email,
            key: self.email.clone(),
            owner: Some(self.id.clone()),
            expires_at_ms: None,
            value: json!(self.id).to_string(),
        }
    }

    /// Parses the row of an account.
    pub(super) fn from_row(row: OperatorRow) -> Result<Self> {
        let value = parse(&row)?;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let roles = value["roles"].as_array().into_iter().flatten();
        Ok(OperatorAccount {
            id: row.key,
            email: text("email"),
            name: text("name"),
            roles: roles.filter_map(RoleAssignment::from_json).collect(),
            password_hash: value["passwordHash"].as_str().map(str::to_owned),
            created_at_ms: value["createdAt"].as_i64().unwrap_or_default(),
            stored: row.value,
        })
    }
}

impl RoleAssignment {
    fn to_json(&self) -> Value {
        json!({"project": self.project, "role": self.role})
    }

    /// Parses the field `roles` of a request, a list of `{project, role}`. Fails with 400 `InvalidJsonInput` for anything else.
    pub fn list_from_json(value: &Value) -> std::result::Result<Vec<Self>, ApiError> {
        let malformed = || ApiError::invalid_json("roles: expected a list of {project, role}.");
        let roles = value.as_array().ok_or_else(malformed)?;
        roles.iter().map(|role| Self::from_json(role).ok_or_else(malformed)).collect()
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(RoleAssignment { project: text("project")?, role: text("role")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(project: &str, role: &str) -> RoleAssignment {
        RoleAssignment { project: project.into(), role: role.into() }
    }

    #[test]
    fn the_role_of_a_project_has_priority_over_that_of_all() {
        let account = OperatorAccount {
            id: "1".into(),
            email: "ann@example.com".into(),
            name: "Ann".into(),
            roles: vec![assigned("*", "read-only"), assigned("shop", "support")],
            password_hash: None,
            created_at_ms: 7,
            stored: String::new(),
        };
        assert_eq!((account.role_in("shop"), account.role_in("other")), (Some("support"), Some("read-only")));
        assert!(!account.is_administrator());
        let row = account.to_row();
        let read = OperatorAccount::from_row(row.clone()).unwrap();
        assert_eq!(read, OperatorAccount { stored: row.value, ..account });
    }

    #[test]
    fn an_administrator_of_one_project_is_no_administrator_of_operators() {
        let of = |project: &str| OperatorAccount {
            id: "1".into(),
            email: String::new(),
            name: String::new(),
            roles: vec![assigned(project, ADMINISTRATOR)],
            password_hash: None,
            created_at_ms: 0,
            stored: String::new(),
        };
        assert!(of(ALL_PROJECTS).is_administrator() && !of("shop").is_administrator());
    }

    #[test]
    fn emails_are_compared_in_lower_case() {
        assert_eq!(check_email(" Ann@Example.COM ").unwrap(), "ann@example.com");
        for email in ["", "ann", "@example.com", "ann@", "a b@c", "a@b@c", "a\n@b", &"a".repeat(300)] {
            assert!(check_email(email).is_err(), "{email}");
        }
    }

    #[test]
    fn a_project_has_one_role() {
        assert!(check_assignments(&[assigned("*", "support"), assigned("shop", "support")]).is_ok());
        for roles in [
            vec![assigned("shop", "support"), assigned("shop", "developer")],
            vec![assigned("", "support")],
            vec![assigned("shop", "Not a role")],
        ] {
            assert!(check_assignments(&roles).is_err(), "{roles:?}");
        }
    }

    #[test]
    fn short_passwords_are_refused_without_repeating_them() {
        assert!(check_operator_password("ten letter").is_ok());
        for password in ["", "hunter2", &"x".repeat(1_025)] {
            let error = check_operator_password(password).unwrap_err();
            assert!(password.is_empty() || !error.message().contains(password), "{error}");
        }
    }
}
