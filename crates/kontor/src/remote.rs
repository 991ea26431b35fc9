//! Access to a project on any server as an ordinary client: over the HTTP API, with the token of an API client.
//!
//! Retries requests that fail temporarily (429, 503, and 502 and 504 from proxies), after the time in `Retry-After` or
//! with exponential backoff. After a broken connection only read requests are retried, because the server may have made
//! the change. Start at [`RemoteProject::send`].

use crate::arguments::RemoteServerArguments;
use crate::command_response::{CommandRefusal, CommandResponse};
use anyhow::{Context as _, anyhow, bail};
#[cfg(feature = "console")]
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{Method, StatusCode};
use backon::{ExponentialBuilder, Retryable as _};
#[cfg(feature = "console")]
use bytes::Bytes;
use kontor_json::Value;
use reqwest::{Client, RequestBuilder};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// The delay before the first retry; each further delay is twice as long.
const FIRST_DELAY: Duration = Duration::from_millis(250);
/// The longest delay between two attempts, whatever `Retry-After` says.
const DELAY_MAX: Duration = Duration::from_secs(30);
/// How often a request is retried.
const RETRIES_MAX: usize = 10;
/// A token that expires within this time is renewed.
const TOKEN_MARGIN: Duration = Duration::from_secs(60);

/// A client of one project of one server.
pub(crate) struct RemoteProject {
    client: Client,
    url: String,
    auth_url: String,
    client_id: String,
    client_secret: String,
    scope: Option<String>,
    token: Mutex<Option<CachedToken>>,
}

#[derive(Clone)]
struct CachedToken {
    value: String,
    until: Instant,
    /// The scopes that the server granted.
    #[cfg_attr(not(feature = "console"), expect(dead_code, reason = "only the console shows them"))]
    scope: String,
}

/// Why an attempt got no usable response.
enum AttemptFailure {
    /// Temporary: retry, after this time if the server sent one.
    Later {
        why: anyhow::Error,
        after: Option<Duration>,
    },
    Final(anyhow::Error),
}

impl RemoteProject {
    /// Connects to the server of `--url` and requests a token. Returns `None` without `--url`.
    pub(crate) async fn connect(server: &RemoteServerArguments) -> anyhow::Result<Option<Self>> {
        let Some(url) = &server.url else { return Ok(None) };
        let (Some(client_id), Some(client_secret)) = (&server.client_id, &server.client_secret) else {
            bail!(
                "--url needs --client-id and --client-secret (or KONTOR_CLIENT_ID and KONTOR_CLIENT_SECRET)"
            );
        };
        // Fails if a provider is installed already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .timeout(REQUEST_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("kontor/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let without_slash = |url: &str| url.trim_end_matches('/').to_owned();
        let remote = Self {
            client,
            url: without_slash(url),
            auth_url: without_slash(server.auth_url.as_ref().unwrap_or(url)),
            client_id: client_id.clone(),
            client_secret: client_secret.clone(),
            scope: server.scope.clone(),
            token: Mutex::new(None),
        };
        remote.token().await?;
        Ok(Some(remote))
    }

    /// Returns the URL of the server, for messages.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends a request, with retries, and reads the response.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<CommandResponse> {
        let reply = self.send_with_token(&method, path, body).await?;
        if reply.status != StatusCode::UNAUTHORIZED.as_u16() {
            return Ok(reply);
        }
        // The token may have been revoked, or the server has another clock.
        *self.token.lock().await = None;
        self.send_with_token(&method, path, body).await
    }

    async fn send_with_token(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<CommandResponse> {
        let token = self.token().await?;
        let url = format!("{}{path}", self.url);
        let text = body.map(Value::to_string);
        self.send_with_retries(*method == Method::GET, &url, || {
            let request =
                self.client.request(method.clone(), &url).header(AUTHORIZATION, format!("Bearer {token}"));
            match &text {
                Some(text) => request.header(CONTENT_TYPE, "application/json").body(text.clone()),
                None => request,
            }
        })
        .await
    }

    async fn token(&self) -> anyhow::Result<String> {
        let mut kept = self.token.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| token.until > Instant::now()) {
            return Ok(token.value.clone());
        }
        let url = format!("{}/oauth/token", self.auth_url);
        let mut form = "grant_type=client_credentials".to_owned();
        if let Some(scope) = &self.scope {
            form.push_str(&format!("&scope={}", crate::resource_paths::percent_encoded(scope)));
        }
        let reply = self
            .send_with_retries(true, &url, || {
                self.client
                    .post(&url)
                    .basic_auth(&self.client_id, Some(&self.client_secret))
                    .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(form.clone())
            })
            .await?;
        let response = reply.accepted().map_err(|CommandRefusal { code, message }| {
            anyhow!("{url} issues no token to client '{}': {message} ({code})", self.client_id)
        })?;
        let value = response["access_token"].as_str().context("the response has no access_token")?.to_owned();
        let lives = Duration::from_secs(response["expires_in"].as_u64().unwrap_or_default());
        let until = Instant::now() + lives.saturating_sub(TOKEN_MARGIN);
        let scope = response["scope"].as_str().unwrap_or_default().to_owned();
        *kept = Some(CachedToken { value: value.clone(), until, scope });
        Ok(value)
    }

    /// Returns the id of the client.
    #[cfg(feature = "console")]
    pub(crate) fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the scopes of the token.
    #[cfg(feature = "console")]
    pub(crate) async fn scopes(&self) -> anyhow::Result<Vec<String>> {
        self.token().await?;
        let kept = self.token.lock().await;
        let scope = kept.as_ref().map_or("", |token| token.scope.as_str());
        Ok(scope.split_whitespace().map(str::to_owned).collect())
    }

    /// Forgets the token, so that the next request gets a new one.
    #[cfg(feature = "console")]
    pub(crate) async fn forget_token(&self) {
        *self.token.lock().await = None;
    }

    /// Sends a request of another program with the token of the client, once.
    #[cfg(feature = "console")]
    pub(crate) async fn pass_on(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> anyhow::Result<reqwest::Response> {
        let token = self.token().await?;
        let request = self.client.request(method, format!("{}{path}", self.url));
        let request = request.headers(headers).bearer_auth(token).body(body);
        request.send().await.map_err(|error| anyhow::Error::new(error.without_url()))
    }

    /// Sends a request with retries. `changes_nothing`: also retries after a broken connection.
    async fn send_with_retries(
        &self,
        changes_nothing: bool,
        url: &str,
        request: impl Fn() -> RequestBuilder,
    ) -> anyhow::Result<CommandResponse> {
        let attempt = || async { send_once(request(), changes_nothing).await };
        let delays = ExponentialBuilder::default()
            .with_min_delay(FIRST_DELAY)
            .with_max_delay(DELAY_MAX)
            .with_max_times(RETRIES_MAX)
            .with_jitter();
        let response = attempt
            .retry(delays)
            .when(|failure| matches!(failure, AttemptFailure::Later { .. }))
            .adjust(|failure, delay| match failure {
                AttemptFailure::Later { after: Some(after), .. } => delay.map(|_| (*after).min(DELAY_MAX)),
                _ => delay,
            })
            .await;
        match response {
            Ok(reply) => Ok(reply),
            Err(AttemptFailure::Later { why, .. } | AttemptFailure::Final(why)) => {
                Err(why).with_context(|| format!("{url} does not respond"))
            }
        }
    }
}

async fn send_once(
    request: RequestBuilder,
    changes_nothing: bool,
) -> Result<CommandResponse, AttemptFailure> {
    let broken = |error: reqwest::Error| {
        let is_unsent = error.is_connect();
        let why = anyhow::Error::new(error.without_url());
        if changes_nothing || is_unsent {
            AttemptFailure::Later { why, after: None }
        } else {
            AttemptFailure::Final(why)
        }
    };
    let response = request.send().await.map_err(broken)?;
    let status = response.status().as_u16();
    let after = response.headers().get(RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    let bytes = response.bytes().await.map_err(broken)?;
    let reply = CommandResponse { status, body: kontor_json::from_slice(&bytes).unwrap_or_default() };
    match status {
        // 502 and 504 come from proxies, which do not know whether the change was made.
        429 | 503 => {}
        502 | 504 if changes_nothing => {}
        _ => return Ok(reply),
    }
    let why = anyhow!("{status}: {}", reply.refusal());
    Err(AttemptFailure::Later { why, after: after.map(Duration::from_secs) })
}
