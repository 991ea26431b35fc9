//! Links that can be used once: to set up a new server, to sign in, and to set a password.

use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, Code};
use kontor_json::json;

use super::{
    account::{ALL_PROJECTS, OperatorAccount, OperatorDraft, RoleAssignment},
    overtaken,
    role::ADMINISTRATOR,
    session::OperatorSession,
    sessions::new_session,
};
use crate::{
    AuthService, Result, Secret,
    secret::{SecretHash, random_operator_token},
    store::{OperatorRow, OperatorRowKind, OperatorStep},
};

/// How long a link is valid, in seconds: one hour.
pub const LINK_VALIDITY_S: i64 = 3_600;

/// The prefix of the tokens of links.
const LINK_PREFIX: &str = "kl_";

/// The purpose of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorLink {
    /// To create the first operator.
    SetUp,
    /// To sign in as this operator.
    SignIn(Box<OperatorAccount>),
}

fn invalid_link() -> ApiError {
    ApiError::new(
        Code::InvalidToken,
        "This link is unknown, was used already or has expired. `kontor operator link` prints a new one.",
    )
}

fn link_row(hash: SecretHash, owner: Option<&str>, now_ms: i64) -> OperatorRow {
    OperatorRow {
        kind: OperatorRowKind::Link,
        key: hash.to_hex(),
        owner: owner.map(str::to_owned),
        expires_at_ms: Some(now_ms.saturating_add(LINK_VALIDITY_S * 1_000)),
        value: json!({}).to_string(),
    }
}

impl AuthService {
    /// Creates a link to sign in as an operator, and returns its token. Fails if the store cannot write.
    pub fn create_operator_link<'a>(
        &'a self,
        operator: &'a OperatorAccount,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<Secret>> {
        Box::pin(async move {
            let (token, hash) = random_operator_token(LINK_PREFIX);
            let row = link_row(hash, Some(&operator.id), now_ms);
            self.change_operators(vec![OperatorStep::Insert(row)]).await?;
            Ok(token)
        })
    }

    /// Creates the link that sets up a server without operators, and returns its token; `None` if there are operators.
    /// Fails if the store cannot write.
    pub fn create_set_up_link<'a>(&'a self, now_ms: i64) -> BoxFuture<'a, Result<Option<Secret>>> {
        Box::pin(async move {
            let (token, hash) = random_operator_token(LINK_PREFIX);
            let steps = vec![
                OperatorStep::MustHaveNone(OperatorRowKind::Account),
                OperatorStep::Insert(link_row(hash, None, now_ms)),
            ];
            Ok(self.change_operators(steps).await?.is_done.then_some(token))
        })
    }

    /// Returns the purpose of a link, without using it. Fails with 401 if it was used or has expired.
    pub fn operator_link(&self, token: &str, now_ms: i64) -> std::result::Result<OperatorLink, ApiError> {
        let key = SecretHash::from_secret(token).to_hex();
        let row = self.store.operator_row(OperatorRowKind::Link, &key)?;
        let row =
            row.filter(|row| row.expires_at_ms.is_none_or(|at| at > now_ms)).ok_or_else(invalid_link)?;
        match row.owner {
            None if self.has_operators()? => Err(invalid_link()),
            None => Ok(OperatorLink::SetUp),
            Some(id) => {
                let operator = self.operator(&id)?.ok_or_else(invalid_link)?;
                Ok(OperatorLink::SignIn(Box::new(operator)))
            }
        }
    }

    /// Uses a link to sign in, and begins a session. Fails with 401 if another request has used it.
    pub fn use_operator_link<'a>(
        &'a self,
        token: &'a str,
        operator: OperatorAccount,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<(Secret, OperatorSession), ApiError>> {
        Box::pin(async move {
            let (session_token, session, insert) = new_session(operator, now_ms);
            match self.change_operators(vec![take(token, now_ms), insert]).await?.is_done {
                true => Ok((session_token, session)),
                false => Err(invalid_link()),
            }
        })
    }

    /// Creates the first operator, an administrator of all projects, and begins a session. The roles of the draft are
    /// ignored.
    ///
    /// Fails with 401 if the link is not valid or an operator exists, 400 `InvalidField` for a draft out of bounds.
    pub fn set_up_operators<'a>(
        &'a self,
        token: &'a str,
        draft: OperatorDraft,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<(Secret, OperatorSession), ApiError>> {
        Box::pin(async move {
            if self.operator_link(token, now_ms)? != OperatorLink::SetUp {
                return Err(invalid_link());
            }
            let roles =
                vec![RoleAssignment { project: ALL_PROJECTS.to_owned(), role: ADMINISTRATOR.to_owned() }];
            let account = self.new_account(OperatorDraft { roles, ..draft }, now_ms)?;
            let (session_token, session, insert) = new_session(account.clone(), now_ms);
            let steps = vec![
                take(token, now_ms),
                OperatorStep::MustHaveNone(OperatorRowKind::Account),
                OperatorStep::Insert(account.to_email_row()),
                OperatorStep::Put(account.to_row()),
                insert,
            ];
            match self.change_operators(steps).await?.is_done {
                true => Ok((session_token, session)),
                false => Err(overtaken()),
            }
        })
    }
}

fn take(token: &str, now_ms: i64) -> OperatorStep {
    OperatorStep::Take { kind: OperatorRowKind::Link, key: SecretHash::from_secret(token).to_hex(), now_ms }
}
