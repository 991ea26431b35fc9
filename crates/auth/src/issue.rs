//! Writes a new access token, with a refresh token in some flows.

use std::sync::Arc;

use crate::{
    ApiClient, AuthService, Error, Grant, OAuthError, ScopeSet, TokenResponse, TokenSubject,
    client::DAY_MS,
    secret::{SecretHash, random_token},
    store::{IssueResult, NewToken, RefreshChange, RefreshRow, SystemChange, SystemChangeResult, TokenRow},
    volatile_tokens::VOLATILE_TOKEN_VALIDITY_S,
};

/// Scopes that were granted: the client's own, or some of them.
pub(crate) struct GrantedScopes {
    /// `None`: all scopes of the client.
    pub(crate) narrowed: Option<String>,
    /// The text of the scopes in the response.
    pub(crate) response_text: String,
}

/// The subject of a token, and its Store.
pub(crate) struct TokenHolder {
    pub(crate) subject: TokenSubject,
    /// The Store that the token is limited to.
    pub(crate) store_key: Option<String>,
}

/// The treatment of refresh tokens when an access token is issued.
pub(crate) enum RefreshTokenUse {
    /// There is none.
    None,
    /// A new refresh token is issued too.
    New,
    /// The refresh token with that hash was used.
    Used(SecretHash),
}

impl AuthService {
    /// Issues an access token. Returns once it is on disk.
    pub(crate) async fn issue(
        &self,
        client: &Arc<ApiClient>,
        granted: GrantedScopes,
        holder: TokenHolder,
        session: RefreshTokenUse,
        now_ms: i64,
    ) -> Result<TokenResponse, OAuthError> {
        let (access_token, hash) = random_token();
        let is_without_session = matches!(session, RefreshTokenUse::None);
        let narrowed = granted.narrowed.clone();
        let shown = holder.subject.with_words(&granted.response_text);
        let (customer_id, anonymous_id) = holder.subject.into_columns();
        let expires_in_s = client.access_token_validity_s();
        let refresh_expires_at_ms = now_ms.saturating_add(client.refresh_token_validity_s() * 1_000);
        let mut refresh_token = None;
        let refresh = match session {
            RefreshTokenUse::None => RefreshChange::None,
            RefreshTokenUse::Used(used) => RefreshChange::Used(used, refresh_expires_at_ms),
            RefreshTokenUse::New => {
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
                RefreshChange::New(hash, row)
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
        let new = NewToken {
            hash,
            token,
            refresh,
            project_key: client.project_key().into(),
            now_ms,
            refresh_tokens_max: self.refresh_tokens_max,
            used_day: first_used_on(client, now_ms),
        };
        let mut response = TokenResponse { access_token, expires_in_s, scope: shown, refresh_token };
        let written = match self.write_token(client, new).await {
            Err(Error::Full) if is_without_session => {
                response.expires_in_s = self.store_in_memory(client, hash, narrowed, now_ms)?;
                return Ok(response);
            }
            written => written?,
        };
        match written {
            IssueResult::Written => Ok(response),
            IssueResult::ClientGone => Err(OAuthError::invalid_client()),
            IssueResult::SessionGone => Err(OAuthError::invalid_refresh_token()),
            IssueResult::AnonymousIdInUse => Err(OAuthError::anonymous_id_in_use()),
        }
    }

    /// Stores a token in memory only, with a short lifetime, because the disk is full.
    fn store_in_memory(
        &self,
        client: &Arc<ApiClient>,
        hash: SecretHash,
        narrowed: Option<String>,
        now_ms: i64,
    ) -> Result<i64, OAuthError> {
        let scopes = match narrowed {
            None => client.scopes.clone(),
            Some(text) => ScopeSet::parse(&text, client.project_key())
                .map(Arc::new)
                .map_err(|_| OAuthError::invalid_scope())?,
        };
        let validity_s = client.access_token_validity_s().min(VOLATILE_TOKEN_VALIDITY_S);
        let grant = Grant {
            client: Some(client.clone()),
            operator: None,
            scopes,
            subject: TokenSubject::Client,
            external_user_id: None,
            store_key: None,
            issued_at_ms: now_ms,
            expires_at_ms: now_ms.saturating_add(validity_s * 1_000),
        };
        if self.shared.unwritten.insert(hash, grant, now_ms) {
            Ok(validity_s)
        } else {
            Err(Error::Full.into())
        }
    }

    async fn write_token(&self, client: &Arc<ApiClient>, new: NewToken) -> crate::Result<IssueResult> {
        if (self.is_disk_full)() {
            return Err(Error::Full);
        }
        let (used, today) = (client.clone(), new.now_ms.div_euclid(DAY_MS));
        let publish = move |changed: &SystemChangeResult| {
            if *changed == SystemChangeResult::Issued(IssueResult::Written) {
                used.record_use(today);
            }
        };
        match self.store.change(SystemChange::Issue(Box::new(new)), Box::new(publish)).await? {
            SystemChangeResult::Issued(issued) => Ok(issued),
            _ => Err(Error::Closed),
        }
    }
}

/// Returns today's date if the client was not used on it yet: `lastUsedAt` is a date, so only the first token of a day
/// writes it.
fn first_used_on(client: &ApiClient, now_ms: i64) -> Option<i64> {
    let today = now_ms.div_euclid(DAY_MS);
    client.last_used_day().is_none_or(|day| day < today).then_some(today)
}
