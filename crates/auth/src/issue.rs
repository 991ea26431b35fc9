//! Writing a new access token, and the refresh token that some flows give with it.

use std::sync::Arc;

use rusqlite::Connection;

use crate::{
    Client, Error, Grant, OAuthError, ScopeSet, Subject, System, TokenAnswer,
    client::DAY_MS,
    endings::Proof,
    file::{ClientRow, RefreshRow, TokenRow},
    secret::{SecretHash, random_token},
    unwritten::UNWRITTEN_TOKEN_VALIDITY_S,
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
    /// A new one is issued too. Of a Customer, as long as the proof of the password holds.
    Begins(Option<Proof>),
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
    /// The tokens of the Customer ended since the password was read.
    ProofOutdated,
}

/// The rows of one answer.
struct Rows {
    hash: SecretHash,
    token: TokenRow,
    refresh: Refresh,
    project_key: Arc<str>,
    now_ms: i64,
    refresh_tokens_max: u64,
    proof: Option<Proof>,
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
        let is_without_session = matches!(session, Session::None);
        let narrowed = granted.narrowed.clone();
        let shown = holder.subject.with_words(&granted.shown);
        let (customer_id, anonymous_id) = holder.subject.into_columns();
        let expires_in_s = client.access_token_validity_s();
        let refresh_expires_at_ms = now_ms.saturating_add(client.refresh_token_validity_s() * 1_000);
        let (mut refresh_token, mut proof) = (None, None);
        let refresh = match session {
            Session::None => Refresh::None,
            Session::GoesOn(used) => Refresh::Used(used, refresh_expires_at_ms),
            Session::Begins(given) => {
                proof = given;
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
            proof,
        };
        let written = match self.write_token(client, rows).await {
            Err(Error::Full) if is_without_session => {
                let expires_in_s = self.keep_unwritten(client, hash, narrowed, now_ms)?;
                return Ok(TokenAnswer { access_token, expires_in_s, scope: shown, refresh_token });
            }
            written => written?,
        };
        match written {
            Outcome::Issued => Ok(TokenAnswer { access_token, expires_in_s, scope: shown, refresh_token }),
            Outcome::ClientGone => Err(OAuthError::invalid_client()),
            Outcome::SessionGone => Err(OAuthError::invalid_refresh_token()),
            Outcome::AnonymousIdInUse => Err(OAuthError::anonymous_id_in_use()),
            Outcome::ProofOutdated => Err(OAuthError::invalid_customer_credentials()),
        }
    }

    /// Keeps a token of a client in memory, for a short time that is answered in seconds: the disk has no room for it.
    fn keep_unwritten(
        &self,
        client: &Arc<Client>,
        hash: SecretHash,
        narrowed: Option<String>,
        now_ms: i64,
    ) -> Result<i64, OAuthError> {
        let scopes = match narrowed {
            None => client.scopes.clone(),
            Some(text) => ScopeSet::parse(&text, client.project_key())
                .map(Arc::new)
                .map_err(|error| OAuthError::invalid_scope(&error))?,
        };
        let validity_s = client.access_token_validity_s().min(UNWRITTEN_TOKEN_VALIDITY_S);
        let grant = Grant {
            client: Some(client.clone()),
            scopes,
            subject: Subject::Client,
            external_user_id: None,
            store_key: None,
            issued_at_ms: now_ms,
            expires_at_ms: now_ms.saturating_add(validity_s * 1_000),
        };
        if self.shared.unwritten.keep(hash, grant, now_ms) { Ok(validity_s) } else { Err(Error::Full.into()) }
    }

    async fn write_token(&self, client: &Arc<Client>, rows: Rows) -> crate::Result<Outcome> {
        if (self.is_disk_full)() {
            return Err(Error::Full);
        }
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
        if let (Some(proof), Some(customer)) = (&self.proof, &self.token.customer_id)
            && proof.is_outdated(&self.project_key, customer)
        {
            return Ok(Outcome::ProofOutdated);
        }
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
