//! The session and the access tokens of the console for a project elsewhere. They are in memory, as hashes.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use kontor_auth::{OPERATOR_TOKEN_VALIDITY_S, SESSION_IDLE_S};
use parking_lot::Mutex;
use rand::RngCore as _;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Maximum number of access tokens.
const TOKENS_MAX: usize = 1_000;

type Hash = [u8; 32];

/// The link, the session and the access tokens.
pub(super) struct LocalSessions(Mutex<LocalTokens>);

#[derive(Default)]
struct LocalTokens {
    /// The link, until it is used.
    link: Option<Hash>,
    session: Option<(Hash, Instant)>,
    /// When each access token ends.
    tokens: HashMap<Hash, Instant>,
}

impl LocalSessions {
    /// Returns a new state, and the token of the link that signs in.
    pub(super) fn new() -> (Self, String) {
        let link = random_token();
        let tokens = LocalTokens { link: Some(hash(&link)), ..LocalTokens::default() };
        (Self(Mutex::new(tokens)), link)
    }

    /// Uses the link, and returns the token of the session; `None` if it is another one, or was used.
    pub(super) fn use_link(&self, token: &str) -> Option<String> {
        let mut tokens = self.0.lock();
        tokens.link.take_if(|link| *link == hash(token))?;
        let session = random_token();
        let ends = Instant::now() + Duration::from_secs(SESSION_IDLE_S.unsigned_abs());
        tokens.session = Some((hash(&session), ends));
        Some(session)
    }

    /// Returns whether this is the token of the session.
    pub(super) fn is_signed_in(&self, token: &str) -> bool {
        let tokens = self.0.lock();
        tokens.session.is_some_and(|(session, ends)| session == hash(token) && Instant::now() < ends)
    }

    /// Ends the session and all access tokens.
    pub(super) fn sign_out(&self) {
        *self.0.lock() = LocalTokens::default();
    }

    /// Returns a new access token.
    pub(super) fn issue_token(&self) -> String {
        let mut tokens = self.0.lock();
        let now = Instant::now();
        tokens.tokens.retain(|_, ends| now < *ends);
        if tokens.tokens.len() >= TOKENS_MAX {
            tokens.tokens.clear();
        }
        let token = random_token();
        tokens
            .tokens
            .insert(hash(&token), now + Duration::from_secs(OPERATOR_TOKEN_VALIDITY_S.unsigned_abs()));
        token
    }

    /// Returns whether an access token is valid.
    pub(super) fn is_valid(&self, token: &str) -> bool {
        self.0.lock().tokens.get(&hash(token)).is_some_and(|ends| Instant::now() < *ends)
    }
}

fn hash(token: &str) -> Hash {
    Sha256::digest(token).into()
}

fn random_token() -> String {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_works_once_and_tokens_end_with_the_session() {
        let (sessions, link) = LocalSessions::new();
        assert!(sessions.use_link("other").is_none());
        let session = sessions.use_link(&link).unwrap();
        assert!(sessions.use_link(&link).is_none());
        assert!(sessions.is_signed_in(&session) && !sessions.is_signed_in("other"));
        let token = sessions.issue_token();
        assert!(sessions.is_valid(&token) && !sessions.is_valid(&session));
        sessions.sign_out();
        assert!(!sessions.is_signed_in(&session) && !sessions.is_valid(&token));
    }
}
