//! Tokens of an external OAuth server, validated by introspection (RFC 7662).
//!
//! Responses are cached for a while. Concurrent requests with one unknown token share one introspection.
//! Failures are not cached: the next request introspects again. Source: document A, "External OAuth server".

use std::{collections::HashMap, sync::Arc};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use secrecy::SecretString;

use crate::{
    AuthError, ExternalFailure, Grant, IntrospectionCall, IntrospectionEndpoint,
    introspection_response::{IntrospectionVerdict, interpret_response},
    secret::SecretHash,
};

/// The longest token that is introspected, in bytes. Signed tokens with many claims have a few thousand.
pub const EXTERNAL_TOKEN_BYTES_MAX: usize = 16 * 1024;
/// Maximum lifetime of a cached response, in milliseconds.
pub const EXTERNAL_TOKEN_CACHED_MS_MAX: i64 = 30 * 60 * 1_000;
/// How many external tokens are kept in memory.
pub const EXTERNAL_TOKENS_CACHED_MAX: usize = 50_000;
/// Maximum number of concurrent introspections. Above it, requests fail immediately, e.g. while a server hangs.
pub const INTROSPECTIONS_MAX: usize = 256;

/// Where the tokens of a project are introspected.
#[derive(Debug, Clone, Copy)]
pub struct ExternalServer<'a> {
    /// The project.
    pub project_key: &'a str,
    /// The address of the endpoint.
    pub url: &'a str,
    /// Changes with the settings; responses cached under another revision are not used.
    pub revision: i64,
}

type SharedIntrospection = BoxFuture<'static, Result<Arc<Grant>, AuthError>>;

/// The validator of tokens that this service has not issued.
pub struct ExternalTokenValidator {
    endpoint: Arc<dyn IntrospectionEndpoint>,
    remembered: Arc<Cache<SecretHash, Arc<Grant>>>,
    /// Weak, so that an abandoned introspection is cancelled and not found later.
    under_way: Mutex<HashMap<SecretHash, WeakShared<SharedIntrospection>>>,
}

impl ExternalTokenValidator {
    /// Validates over an endpoint.
    pub fn new(endpoint: Arc<dyn IntrospectionEndpoint>) -> Self {
        ExternalTokenValidator {
            endpoint,
            remembered: Arc::new(Cache::new(EXTERNAL_TOKENS_CACHED_MAX)),
            under_way: Mutex::default(),
        }
    }

    /// Returns the grant of an external token at a time, in milliseconds since 1970.
    ///
    /// `authorization` reads the credentials of the endpoint; it runs only before an introspection. Fails
    /// with [`AuthError::Unknown`] for tokens that the server does not know or that have expired, with
    /// [`AuthError::External`] if it does not respond.
    pub async fn authenticate(
        &self,
        server: ExternalServer<'_>,
        token: &str,
        correlation_id: Option<&str>,
        authorization: impl FnOnce() -> Result<SecretString, ExternalFailure>,
        now_ms: i64,
    ) -> Result<Arc<Grant>, AuthError> {
        let ExternalServer { project_key, url, revision } = server;
        if token.len() > EXTERNAL_TOKEN_BYTES_MAX {
            return Err(AuthError::Unknown);
        }
        let key = SecretHash::from_secret(&format!("{project_key}\n{revision}\n{url}\n{token}"));
        if let Some(grant) = self.remembered.get(&key) {
            let is_fresh = now_ms < grant.issued_at_ms.saturating_add(EXTERNAL_TOKEN_CACHED_MS_MAX);
            if is_fresh && now_ms < grant.expires_at_ms {
                return Ok(grant);
            }
        }
        let question = self.join_or_start(key, || {
            let form = form_urlencoded::Serializer::new(String::new()).append_pair("token", token).finish();
            let call = IntrospectionCall {
                project: project_key.to_owned(),
                url: url.to_owned(),
                authorization: authorization()?,
                form: form.into(),
                correlation_id: correlation_id.map(str::to_owned),
            };
            Ok(self.introspect(key, call, project_key.to_owned(), now_ms))
        })?;
        let response = question.await;
        remove_if_finished(&mut self.under_way.lock(), &key);
        response
    }

    /// Returns the running introspection of a token, or starts a new one.
    fn join_or_start(
        &self,
        key: SecretHash,
        begin: impl FnOnce() -> Result<SharedIntrospection, ExternalFailure>,
    ) -> Result<Shared<SharedIntrospection>, AuthError> {
        let mut under_way = self.under_way.lock();
        // A finished introspection is not joined: if it failed, only the requests that started it get that failure.
        let open = under_way.get(&key).and_then(WeakShared::upgrade);
        if let Some(question) = open.filter(|question| question.peek().is_none()) {
            return Ok(question);
        }
        if under_way.len() >= INTROSPECTIONS_MAX {
            // Abandoned introspections free their slots.
            under_way.retain(|_, question| question.upgrade().is_some());
            if under_way.len() >= INTROSPECTIONS_MAX {
                return Err(AuthError::External(ExternalFailure::Busy));
            }
        }
        let question = begin()?.shared();
        if let Some(weak) = question.downgrade() {
            under_way.insert(key, weak);
        }
        Ok(question)
    }

    fn introspect(
        &self,
        key: SecretHash,
        call: IntrospectionCall,
        project_key: String,
        now_ms: i64,
    ) -> SharedIntrospection {
        let reply = self.endpoint.call(call);
        let remembered = Arc::clone(&self.remembered);
        Box::pin(async move {
            match interpret_response(&reply.await?, &project_key, now_ms)? {
                IntrospectionVerdict::Inactive => Err(AuthError::Unknown),
                IntrospectionVerdict::Active(grant) => {
                    let grant = Arc::new(grant);
                    remembered.insert(key, Arc::clone(&grant));
                    Ok(grant)
                }
            }
        })
    }
}

/// Frees the slot of a finished introspection, unless another request has started a new one in it.
fn remove_if_finished(
    under_way: &mut HashMap<SecretHash, WeakShared<SharedIntrospection>>,
    key: &SecretHash,
) {
    let is_over = |question: &WeakShared<SharedIntrospection>| {
        question.upgrade().is_none_or(|question| question.peek().is_some())
    };
    if under_way.get(key).is_some_and(is_over) {
        under_way.remove(key);
    }
}

impl From<ExternalFailure> for AuthError {
    fn from(failure: ExternalFailure) -> Self {
        AuthError::External(failure)
    }
}

impl std::fmt::Debug for ExternalTokenValidator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExternalTokens").finish_non_exhaustive()
    }
}
