//! Tokens that exist only in memory, because the disk is full: clients that only read must be able to
//! continue. They live for minutes, and no longer than the process.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::{Grant, secret::SecretHash};

/// The lifetime of such a token, in seconds.
pub const VOLATILE_TOKEN_VALIDITY_S: i64 = 300;
/// Maximum number of such tokens. One takes some 300 bytes.
pub const VOLATILE_TOKENS_MAX: usize = 20_000;

/// The tokens that exist only in memory, with their grants.
#[derive(Default)]
pub(crate) struct VolatileTokens(Mutex<HashMap<SecretHash, Arc<Grant>>>);

impl VolatileTokens {
    /// Stores a token; returns false if there are too many.
    pub(crate) fn insert(&self, hash: SecretHash, grant: Grant, now_ms: i64) -> bool {
        let mut tokens = self.0.lock();
        if tokens.len() >= VOLATILE_TOKENS_MAX {
            tokens.retain(|_, grant| grant.expires_at_ms > now_ms);
        }
        let has_room = tokens.len() < VOLATILE_TOKENS_MAX;
        if has_room {
            tokens.insert(hash, Arc::new(grant));
        }
        has_room
    }

    /// Returns the grant of such a token.
    pub(crate) fn get(&self, hash: &SecretHash) -> Option<Arc<Grant>> {
        let tokens = self.0.lock();
        if tokens.is_empty() { None } else { tokens.get(hash).cloned() }
    }

    /// Removes a token of that client; returns false if there is none.
    pub(crate) fn remove(&self, hash: &SecretHash, client_serial: i64) -> bool {
        let mut tokens = self.0.lock();
        let is_theirs = tokens
            .get(hash)
            .and_then(|grant| grant.client.as_ref())
            .is_some_and(|client| client.serial == client_serial);
        if is_theirs {
            tokens.remove(hash);
        }
        is_theirs
    }

    /// Removes the expired tokens of a project.
    pub(crate) fn sweep(&self, project_key: &str, now_ms: i64) {
        let mut tokens = self.0.lock();
        tokens.retain(|_, grant| grant.project_key() != project_key || grant.expires_at_ms > now_ms);
    }
}
