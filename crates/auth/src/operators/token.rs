//! Access tokens of operators: they have the scopes of a role in one project, and live for minutes.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, Code};
use kontor_json::json;

use super::{overtaken, row_value::parse, session::OperatorSession};
use crate::{
    AuthService, Error, Grant, GrantedOperator, Result, ScopeSet, TokenResponse, TokenSubject,
    secret::{SecretHash, random_operator_token},
    store::{OperatorRow, OperatorRowKind, OperatorStep},
};

/// How long an access token of an operator lives, in seconds: ten minutes.
pub const OPERATOR_TOKEN_VALIDITY_S: i64 = 600;
/// The prefix of access tokens of operators, by which they are recognized before they are looked up.
pub(crate) const OPERATOR_TOKEN_PREFIX: &str = "ko_";

impl AuthService {
    /// Issues an access token with the scopes of the operator's role in a project. `now_ms` is the time in that project.
    ///
    /// Fails with 403 if the operator has no role there, or if there is no such project.
    pub fn issue_operator_token<'a>(
        &'a self,
        session: &'a OperatorSession,
        project_key: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<TokenResponse, ApiError>> {
        Box::pin(async move {
            let refused = || {
                let message = format!("You have no role in a project '{project_key}'.");
                ApiError::new(Code::InsufficientScope, message)
            };
            let operator = &session.operator;
            self.project(project_key).ok_or_else(refused)?;
            let role = operator.role_in(project_key).ok_or_else(refused)?;
            let role = self.operator_role(role)?.ok_or_else(refused)?;
            let scope = role.scopes_in(project_key).join(" ");
            let (access_token, hash) = random_operator_token(OPERATOR_TOKEN_PREFIX);
            let expires_at_ms = now_ms.saturating_add(OPERATOR_TOKEN_VALIDITY_S * 1_000);
            let row = OperatorRow {
                kind: OperatorRowKind::Token,
                key: hash.to_hex(),
                owner: Some(operator.id.clone()),
                expires_at_ms: Some(expires_at_ms),
                value: json!({"email": operator.email, "project": project_key, "scope": scope, "issuedAt": now_ms})
                    .to_string(),
            };
            let grant = grant_of(row.clone())?.ok_or_else(refused)?;
            let written = match (self.is_disk_full)() {
                true => Err(Error::Full),
                false => {
                    // The session may have ended, and the roles may have changed, since they were read.
                    let check = |kind, key: String, old_value| OperatorStep::Check { kind, key, old_value };
                    let steps = vec![
                        check(OperatorRowKind::Account, operator.id.clone(), Some(operator.stored.clone())),
                        check(OperatorRowKind::Session, session.hash.to_hex(), None),
                        OperatorStep::Insert(row),
                    ];
                    self.change_operators(steps).await
                }
            };
            match written {
                Ok(result) if !result.is_done => return Err(overtaken()),
                // Clients that only read, and those that delete, must be able to continue.
                Err(Error::Full) if !self.shared.unwritten.insert(hash, grant, now_ms) => {
                    return Err(Error::Full.into());
                }
                Ok(_) | Err(Error::Full) => {}
                Err(error) => return Err(error.into()),
            }
            Ok(TokenResponse {
                access_token,
                expires_in_s: OPERATOR_TOKEN_VALIDITY_S,
                scope,
                refresh_token: None,
            })
        })
    }

    /// Returns the grant of a stored operator token.
    pub(crate) fn operator_grant(&self, hash: &SecretHash) -> Result<Option<Grant>> {
        match self.store.operator_row(OperatorRowKind::Token, &hash.to_hex())? {
            Some(row) => grant_of(row),
            None => Ok(None),
        }
    }
}

/// Returns the grant of a token's row; `None` if it has a scope that this release does not know.
fn grant_of(row: OperatorRow) -> Result<Option<Grant>> {
    let value = parse(&row)?;
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let Ok(scopes) = ScopeSet::parse(text("scope"), text("project")) else { return Ok(None) };
    let operator = GrantedOperator { id: row.owner.unwrap_or_default(), email: text("email").to_owned() };
    Ok(Some(Grant {
        client: None,
        operator: Some(Arc::new(operator)),
        scopes: Arc::new(scopes),
        subject: TokenSubject::Client,
        external_user_id: None,
        store_key: None,
        issued_at_ms: value["issuedAt"].as_i64().unwrap_or_default(),
        expires_at_ms: row.expires_at_ms.unwrap_or_default(),
    }))
}
