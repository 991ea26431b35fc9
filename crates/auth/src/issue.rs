//! Writing a new access token, and the refresh token that some flows give with it.

use std::sync::Arc;

use rusqlite::Connection;

use crate::{
    Client, OAuthError, Subject, System, TokenAnswer,
    client::DAY_MS,
    file::{ClientRow, RefreshRow, TokenRow},
    secret::{SecretHash, random_token},
};

/// Scopes that were granted: the client's own, or some of them.
pub(crate) struct Granted {
    /// `None`: all that the client holds.
    pub(crate) narrowed: Option<String>,
    /// As the client sees them.
    pub(crate) shown: String,
}

/// For whom a token is, and where.
pub(crate) struct Holder {
    pub(crate) subject: Subject,
    /// The Store that the token is limited to.
    pub(crate) store_key: Option<String>,
}

/// What becomes of refresh tokens when an access token is issued.
pub(crate) enum Session {
    /// There is none.
    None,
    /// A new one is issued too.
    Begins,
    /// The one of that hash was used.
    GoesOn(SecretHash),
}

/// How writing ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Issued,
    /// The client was deleted in the meantime.
    ClientGone,
    /// The refresh token was revoked in the meantime.
    SessionGone,
    /// A session with the anonymous id is alive.
    AnonymousIdInUse,
}

/// The rows of one answer.
struct Rows {
    hash: SecretHash,
    token: TokenRow,
    refresh: Refresh,
    project_key: Arc<str>,
    now_ms: i64,
    refresh_tokens_max: u64,
}

enum Refresh {
    None,
    New(SecretHash, RefreshRow),
    /// The hash, and when it expires now.
    Used(SecretHash, i64),
}

impl System {
    /// Issues an access token. The answer comes when it is on disk.
    pub(crate) async fn issue(
        &self,
        client: &Arc<Client>,
        granted: Granted,
        holder: Holder,
        session: Session,
        now_ms: i64,
    ) -> Result<TokenAnswer, OAuthError> {
        let (access_token, hash) = random_token();
        let shown = holder.subject.with_words(&granted.shown);
        let (customer_id, anonymous_id) = holder.subject.into_columns();
        let expires_in_s = client.access_token_validity_s();
        let refresh_expires_at_ms = now_ms.saturating_add(client.refresh_token_validity_s() * 1_000);
        let mut refresh_token = None;
        let refresh = match session {
            Session::None => Refresh::None,
            Session::GoesOn(used) => Refresh::Used(used, refresh_expires_at_ms),
            Session::Begins => {
                let (token, hash) = random_token();
                refresh_token = Some(token);
                let row = RefreshRow {
                    client_serial: client.serial,
                    scope: granted.narrowed.clone(),
                    expires_at_ms: refresh_expires_at_ms,
                    customer_id: customer_id.clone(),
                    anonymous_id: anonymous_id.clone(),
                    store_key: holder.store_key.clone(),
                };
                Refresh::New(hash, row)
            }
        };
        let token = TokenRow {
            client_serial: client.serial,
            scope: granted.narrowed,
            issued_at_ms: now_ms,
            expires_at_ms: now_ms.saturating_add(expires_in_s * 1_000),
            customer_id,
            anonymous_id,
            store_key: holder.store_key,
            refresh: refresh.hash(),
        };
        let rows = Rows {
            hash,
            token,
            refresh,
            project_key: client.project_key().into(),
            now_ms,
            refresh_tokens_max: self.refresh_tokens_max,
        };
        match self.write_token(client, rows).await? {
            Outcome::Issued => Ok(TokenAnswer { access_token, expires_in_s, scope: shown, refresh_token }),
            Outcome::ClientGone => Err(OAuthError::invalid_client()),
            Outcome::SessionGone => Err(OAuthError::invalid_refresh_token()),
            Outcome::AnonymousIdInUse => Err(OAuthError::anonymous_id_in_use()),
        }
    }

    async fn write_token(&self, client: &Arc<Client>, rows: Rows) -> crate::Result<Outcome> {
        let today = rows.now_ms.div_euclid(DAY_MS);
        // `lastUsedAt` is a date, so one token a day writes it.
        let is_first_today = client.last_used_day().is_none_or(|day| day < today);
        let (serial, used) = (client.serial, client.clone());
        let written = self.file.writer().write(
            move |connection| {
                let outcome = rows.write(connection)?;
                if outcome == Outcome::Issued && is_first_today {
                    ClientRow::set_last_used(connection, serial, today)?;
                }
                Ok(outcome)
            },
            move |outcome| {
                if *outcome == Outcome::Issued {
                    used.used_on(today);
                }
            },
        );
        written.await
    }
}

impl Rows {
    fn write(&self, connection: &Connection) -> rusqlite::Result<Outcome> {
        match &self.refresh {
            Refresh::None => {}
            Refresh::Used(hash, expires_at_ms) => {
                if !RefreshRow::set_used(connection, hash, self.now_ms, *expires_at_ms)? {
                    return Ok(Outcome::SessionGone);
                }
            }
            Refresh::New(hash, row) => {
                if let Some(id) = &row.anonymous_id
                    && RefreshRow::has_session(connection, &self.project_key, id, self.now_ms)?
                {
                    return Ok(Outcome::AnonymousIdInUse);
                }
                RefreshRow::make_room(connection, &self.project_key, self.refresh_tokens_max)?;
                if !row.insert(connection, hash, self.now_ms)? {
                    return Ok(Outcome::ClientGone);
                }
            }
        }
        let is_written = self.token.insert(connection, &self.hash)?;
        Ok(if is_written { Outcome::Issued } else { Outcome::ClientGone })
    }
}

impl Refresh {
    fn hash(&self) -> Option<SecretHash> {
        match self {
            Refresh::None => None,
            Refresh::New(hash, _) | Refresh::Used(hash, _) => Some(*hash),
        }
    }
}
