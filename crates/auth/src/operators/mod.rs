//! Operators: the accounts of people who use the console, with roles, sessions, links and access tokens.
//!
//! An [`OperatorAccount`] has at most one role for each project and one for all projects; an [`OperatorRole`] is a named
//! set of scopes. A browser has an [`OperatorSession`], which it exchanges for access tokens of minutes. Everything is
//! stored as rows ([`OperatorRow`](crate::store::OperatorRow)); nothing but the grants of tokens is kept in memory.
//!
//! Passwords reach this crate as hashes: the caller hashes and verifies them, like those of Customers.

mod account;
mod accounts;
mod link;
mod role;
mod roles;
mod row_value;
mod session;
mod sessions;
mod token;

pub use account::{
    ALL_PROJECTS, OPERATOR_EMAIL_CHARS_MAX, OPERATOR_NAME_CHARS_MAX, OPERATOR_PASSWORD_CHARS_MIN,
    OperatorAccount, OperatorDraft, RoleAssignment, check_operator_password, is_administrator,
};
pub use link::{LINK_VALIDITY_S, OperatorLink};
pub use role::{ADMINISTRATOR, OperatorRole};
pub use session::{OperatorSession, SESSION_IDLE_S, SESSION_VALIDITY_S};
pub(crate) use token::OPERATOR_TOKEN_PREFIX;
pub use token::OPERATOR_TOKEN_VALIDITY_S;

use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, Code};

use crate::{
    AuthService, Error, Result,
    store::{OperatorRowKind, OperatorStep, OperatorStepsResult, SystemChange, SystemChangeResult},
};

impl AuthService {
    /// Writes steps, and forgets the access tokens that they removed.
    async fn change_operators(&self, steps: Vec<OperatorStep>) -> Result<OperatorStepsResult> {
        let shared = self.shared.clone();
        let publish = move |changed: &SystemChangeResult| shared.evict(changed.removed_tokens());
        match self.store.change(SystemChange::Operators(steps), Box::new(publish)).await? {
            SystemChangeResult::Operators(result) => Ok(result),
            _ => Err(Error::Closed),
        }
    }

    /// Removes expired sessions, links and tokens of operators. All are refused already.
    pub fn sweep_operators<'a>(&'a self, now_ms: i64) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.change_operators(vec![OperatorStep::RemoveExpired { now_ms }]).await.map(drop)
        })
    }
}

/// Returns the steps that end all sessions of an operator, with their access tokens.
fn end_sessions(owner: &str) -> [OperatorStep; 2] {
    [
        OperatorStep::RemoveAll { kind: OperatorRowKind::Session, owner: Some(owner.to_owned()) },
        end_tokens(Some(owner)),
    ]
}

/// Returns the step that ends all access tokens of an operator, or of all.
fn end_tokens(owner: Option<&str>) -> OperatorStep {
    OperatorStep::RemoveAll { kind: OperatorRowKind::Token, owner: owner.map(str::to_owned) }
}

/// The error of a change that another request has overtaken.
fn overtaken() -> ApiError {
    ApiError::new(
        Code::ConcurrentModification,
        "Another request has changed this operator at the same time. Try again.",
    )
}
