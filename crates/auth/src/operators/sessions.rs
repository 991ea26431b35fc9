//! The sessions of operators: begin, look up, end.

use futures_util::future::BoxFuture;
use kontor_errors::ApiError;

use super::{account::OperatorAccount, end_sessions, overtaken, session::OperatorSession};
use crate::{
    AuthService, Result, Secret,
    secret::{SecretHash, random_operator_token},
    store::{OperatorRowKind, OperatorStep},
};

/// The prefix of the tokens of sessions.
const SESSION_PREFIX: &str = "ks_";

/// Returns a new session of an operator, its token, and the step that writes it.
pub(super) fn new_session(operator: OperatorAccount, now_ms: i64) -> (Secret, OperatorSession, OperatorStep) {
    let (token, hash) = random_operator_token(SESSION_PREFIX);
    let session = OperatorSession::new(operator, hash, now_ms);
    let step = OperatorStep::Insert(session.to_row());
    (token, session, step)
}

impl AuthService {
    /// Begins a session of an operator who has proved the password. Fails if the account has changed since it was read,
    /// e.g. its password.
    pub fn begin_operator_session<'a>(
        &'a self,
        operator: &'a OperatorAccount,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<(Secret, OperatorSession), ApiError>> {
        Box::pin(async move {
            let check = OperatorStep::Check {
                kind: OperatorRowKind::Account,
                key: operator.id.clone(),
                old_value: Some(operator.stored.clone()),
            };
            let (token, session, insert) = new_session(operator.clone(), now_ms);
            match self.change_operators(vec![check, insert]).await?.is_done {
                true => Ok((token, session)),
                false => Err(overtaken()),
            }
        })
    }

    /// Returns the session of a token, and extends it; `None` if it has ended. Fails if the store cannot be read or
    /// written. On a full disk the session is not extended.
    pub fn operator_session<'a>(
        &'a self,
        token: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<Option<OperatorSession>>> {
        Box::pin(async move {
            let hash = SecretHash::from_secret(token);
            let Some(row) = self.store.operator_row(OperatorRowKind::Session, &hash.to_hex())? else {
                return Ok(None);
            };
            let owner = row.owner.clone().unwrap_or_default();
            let Some(operator) = self.operator(&owner)? else { return Ok(None) };
            let session = OperatorSession::from_row(row, hash, operator)?;
            if session.expires_at_ms <= now_ms {
                return Ok(None);
            }
            let Some((used, step)) = session.record_use(now_ms) else { return Ok(Some(session)) };
            // If another request has extended or ended it meanwhile, that is what counts. On a full disk it is not extended.
            match self.change_operators(vec![step]).await {
                Ok(written) if written.is_done => Ok(Some(used)),
                Ok(_) | Err(crate::Error::Full) => Ok(Some(session)),
                Err(error) => Err(error),
            }
        })
    }

    /// Ends all sessions of an operator, in every browser, and their access tokens. Fails if the store cannot write.
    pub fn end_operator_sessions<'a>(&'a self, operator: &'a OperatorAccount) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.change_operators(end_sessions(&operator.id).into()).await.map(drop) })
    }
}
