//! The authorization service of a server: its store, and the data cached in memory. Start at [`AuthService::open`].

use std::{
    num::NonZeroU32,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::RwLock;
use quick_cache::sync::Cache;

use crate::{
    Grant, OAuthError, Result, SystemDurability,
    cache_revision::CacheRevision,
    file::SystemFile,
    limits::{REFRESH_TOKENS_MAX, TOKENS_CACHED_MAX},
    login_rate_limit::{LoginAttempt, LoginRateLimiter},
    registry::Registry,
    secret::SecretHash,
    store::SystemStore,
    token_rate_limit::{TOKEN_REQUESTS_A_SECOND_DEFAULT, TokenRateLimiter},
    volatile_tokens::VolatileTokens,
};

/// Initial capacity of the token cache.
const TOKENS_CACHED_EXPECTED: usize = 1_000;

/// Projects, API Clients and tokens of a server.
///
/// All methods are thread-safe. Writing methods are `async` and return when the change is on disk; they need
/// no particular runtime. Reading methods run on the calling thread, mostly from memory.
pub struct AuthService {
    pub(crate) store: Box<dyn SystemStore>,
    pub(crate) shared: Arc<SharedAuthState>,
    pub(crate) freshness: CacheRevision,
    /// Whether other processes change the stored data, or it has moved to another storage.
    pub(crate) is_shared: AtomicBool,
    pub(crate) throttle: TokenRateLimiter,
    pub(crate) login_rate_limiter: LoginRateLimiter,
    pub(crate) refresh_tokens_max: u64,
    /// Whether the disk is too full to write tokens.
    pub(crate) is_disk_full: Box<dyn Fn() -> bool + Send + Sync>,
}

/// The limits of the numbers of tokens.
struct TokenLimits {
    tokens_cached_max: usize,
    refresh_tokens_max: u64,
}

impl Default for TokenLimits {
    fn default() -> Self {
        TokenLimits { tokens_cached_max: TOKENS_CACHED_MAX, refresh_tokens_max: REFRESH_TOKENS_MAX }
    }
}

/// The state that the writer changes once a change is on disk.
pub(crate) struct SharedAuthState {
    pub(crate) registry: RwLock<Registry>,
    /// A cache of recently used tokens. Contains valid and expired ones, but never a revoked one.
    pub(crate) grants: Cache<SecretHash, Arc<Grant>>,
    /// Locked for reading between looking up a token and caching it, for writing while one is removed from the cache.
    pub(crate) revoking: RwLock<()>,
    /// Tokens that exist only in memory.
    pub(crate) unwritten: VolatileTokens,
}

impl AuthService {
    /// Opens a system file, or creates it.
    ///
    /// It must be opened by one process only; the lock of the data folder ensures that.
    pub fn open(path: &Path, durability: SystemDurability) -> Result<Self> {
        Self::open_with(path, durability, TokenLimits::default())
    }

    /// Sets the number of tokens that each client may request a second, by default a thousand; `None`:
    /// unlimited.
    #[must_use]
    pub fn with_token_requests_a_second(self, requests: Option<NonZeroU32>) -> Self {
        AuthService { throttle: TokenRateLimiter::new(requests), ..self }
    }

    /// Sets the check for a nearly full disk, made before a token is written: the remaining space is reserved for
    /// changes that free space.
    #[must_use]
    pub fn with_disk(self, is_full: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        AuthService { is_disk_full: Box::new(is_full), ..self }
    }

    fn open_with(path: &Path, durability: SystemDurability, limits: TokenLimits) -> Result<Self> {
        Self::with_store_and_limits(Box::new(SystemFile::open(path, durability)?), limits)
    }

    /// Opens a system on another store. Fails if the store cannot be read.
    pub fn with_store(store: Box<dyn SystemStore>) -> Result<Self> {
        Self::with_store_and_limits(store, TokenLimits::default())
    }

    fn with_store_and_limits(store: Box<dyn SystemStore>, limits: TokenLimits) -> Result<Self> {
        let TokenLimits { tokens_cached_max, refresh_tokens_max } = limits;
        let (projects, clients) = store.all()?;
        let mut registry = Registry::default();
        projects.into_iter().for_each(|row| registry.add_project_row(row));
        clients.into_iter().for_each(|row| registry.add_client_row(row));
        let shared = SharedAuthState {
            registry: RwLock::new(registry),
            grants: Cache::with_weighter(
                TOKENS_CACHED_EXPECTED.min(tokens_cached_max),
                tokens_cached_max as u64,
                quick_cache::UnitWeighter,
            ),
            revoking: RwLock::new(()),
            unwritten: VolatileTokens::default(),
        };
        let is_shared = AtomicBool::new(store.revision().is_some());
        Ok(AuthService {
            is_shared,
            store,
            shared: Arc::new(shared),
            freshness: CacheRevision::default(),
            throttle: TokenRateLimiter::new(Some(TOKEN_REQUESTS_A_SECOND_DEFAULT)),
            login_rate_limiter: LoginRateLimiter::new(),
            refresh_tokens_max,
            is_disk_full: Box::new(|| false),
        })
    }
}

impl AuthService {
    /// Checks the rate limit before an authentication attempt of a person; 429 after too many recent wrong
    /// secrets for the account or from the address. Must be followed by
    /// [`record_attempt`](Self::record_attempt).
    ///
    /// The service counts attempts of API Clients itself.
    pub fn admit_attempt(&self, attempt: &LoginAttempt<'_>) -> std::result::Result<(), OAuthError> {
        self.login_rate_limiter.check(attempt)
    }

    /// Records whether the secret was the right one.
    pub fn record_attempt(&self, attempt: &LoginAttempt<'_>, was_right: bool) {
        if was_right {
            self.login_rate_limiter.record_success(attempt)
        } else {
            self.login_rate_limiter.record_failure(attempt)
        }
    }

    /// Returns the maximum number of refresh tokens of a project, and their current number. Fails if the store cannot
    /// be read.
    pub fn refresh_tokens(&self, project_key: &str) -> Result<(u64, u64)> {
        let tokens = self.store.refresh_tokens(project_key)?;
        Ok((self.refresh_tokens_max, tokens))
    }

    /// Returns why nothing can be changed: the file of the service was removed, replaced or emptied.
    pub fn changes_blocked_by(&self) -> Option<Arc<str>> {
        self.store.gone()
    }

    /// Returns the first damage that was found in the file of the service.
    pub fn damage(&self) -> Option<Arc<str>> {
        self.store.damage()
    }

    /// Returns whether other processes change the stored data, or it has moved. Only then [`catch_up`](Self::catch_up)
    /// has an effect.
    pub fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Acquire)
    }

    /// Writes a copy of one consistent state to a new file, while changes continue. The copy opens like any system
    /// file; secrets and tokens that were valid at that time are valid in it. Fails if the file exists already or
    /// cannot be written.
    pub fn backup(&self, to: &Path) -> Result<()> {
        self.store.backup(to)
    }
}

impl std::fmt::Debug for AuthService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("System").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use pollster::block_on;
    use secrecy::ExposeSecret;

    use super::*;
    use crate::{ClientDraft, OAuthRequest, VOLATILE_TOKEN_VALIDITY_S};

    fn auth(folder: &Path, limits: TokenLimits) -> AuthService {
        let auth =
            AuthService::open_with(&folder.join("system.db"), SystemDurability::InMemory, limits).unwrap();
        block_on(auth.create_project("demo", "Demo", 0)).unwrap();
        let draft = ClientDraft {
            name: "Shop".into(),
            scope: "view_states:demo create_anonymous_token:demo".into(),
            id: Some("id".into()),
            secret: Some("secret".to_owned().into()),
            ..ClientDraft::default()
        };
        block_on(auth.create_client("demo", draft, 0)).unwrap();
        auth
    }

    fn request(query: &str) -> OAuthRequest<'_> {
        OAuthRequest { authorization: Some("Basic aWQ6c2VjcmV0"), query, ..OAuthRequest::default() }
    }

    #[test]
    fn more_tokens_than_memory_holds_all_stay_valid() {
        const HELD_MAX: usize = 20;
        let folder = tempfile::tempdir().unwrap();
        let auth = auth(folder.path(), TokenLimits { tokens_cached_max: HELD_MAX, ..TokenLimits::default() });
        let request = request("grant_type=client_credentials");
        let tokens: Vec<_> = (0..10 * HELD_MAX)
            .map(|_| block_on(auth.token(&request, &|_: &str| 0)).unwrap().access_token)
            .collect();
        for token in tokens.iter().chain(&tokens) {
            assert!(auth.authenticate(token.expose_secret(), 0).is_ok());
            assert!(auth.shared.grants.len() <= HELD_MAX);
        }
        assert!(!auth.shared.grants.is_empty());
    }

    #[test]
    fn at_the_limit_the_least_recently_used_refresh_token_goes() {
        let folder = tempfile::tempdir().unwrap();
        let auth = auth(folder.path(), TokenLimits { refresh_tokens_max: 3, ..TokenLimits::default() });
        let begin = |now_ms: i64| {
            let request = request("grant_type=client_credentials");
            let response = block_on(auth.anonymous_token("demo", &request, &|_: &str| now_ms)).unwrap();
            response.refresh_token.unwrap().expose_secret().to_owned()
        };
        let go_on = |token: &str, now_ms: i64| {
            let query = format!("grant_type=refresh_token&refresh_token={token}");
            block_on(auth.token(&request(&query), &|_: &str| now_ms)).is_ok()
        };
        let (first, second, third) = (begin(1), begin(2), begin(3));
        assert!(go_on(&first, 4));
        let fourth = begin(5);
        assert!(!go_on(&second, 6), "nobody used it for longer");
        assert!([&first, &third, &fourth].into_iter().all(|token| go_on(token, 7)));
    }

    #[test]
    fn on_a_full_disk_clients_get_tokens_that_live_for_minutes() {
        const SECOND_MS: i64 = 1_000;
        let folder = tempfile::tempdir().unwrap();
        let auth = auth(folder.path(), TokenLimits::default()).with_disk(|| true);
        let requested = request("grant_type=client_credentials");
        let response = block_on(auth.token(&requested, &|_: &str| 0)).unwrap();
        assert_eq!(response.expires_in_s, VOLATILE_TOKEN_VALIDITY_S);
        let token = response.access_token.expose_secret();
        let grant = auth.authenticate(token, 1).unwrap();
        assert!(grant.allows("demo", &[crate::ScopeName::ViewStates]));
        let after = VOLATILE_TOKEN_VALIDITY_S * SECOND_MS;
        assert!(matches!(auth.authenticate(token, after), Err(crate::AuthError::Expired)));
        let told = auth.introspect(&request(&format!("token={token}")), &|_: &str| 0).unwrap().to_json();
        assert_eq!(told["active"], true);
        // Sessions must be durable, so they are refused instead.
        let error = block_on(auth.anonymous_token("demo", &requested, &|_: &str| 0)).unwrap_err();
        assert_eq!((error.status(), error.retry_after_s().is_some()), (503, true));
        block_on(auth.revoke(&request(&format!("token={token}")), &|_: &str| 0)).unwrap();
        assert!(auth.authenticate(token, 1).is_err());
    }
}
