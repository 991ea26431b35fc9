//! Signing in with an OpenID Connect provider: authorization code flow with PKCE, `state` and `nonce`.
//!
//! Both endpoints are opened by the browser itself, so they respond with redirects. A failed sign-in leads back to the
//! sign-in page with a reason in the fragment, which the page translates; the details are in the log.

use super::console_request::{ConsoleRequest, ConsoleResult, now_ms};
use super::sign_in::with_session;
use crate::oidc::{OidcSignIn, PENDING_VALIDITY_S, PendingSignIn, ProviderError};
use axum::http::{HeaderValue, StatusCode, header};
use kontor_auth::LoginAttempt;
use kontor_console::provider_cookie;
use kontor_errors::{ApiError, ApiResult};
use kontor_rest::response::{self, HttpResponse};
use openidconnect::CsrfToken;

/// The cookie of the browser that began a sign-in.
const COOKIE: &str = "kontor_console_oidc";
/// The path that the provider sends browsers to.
const CALLBACK: &str = "/console/api/oidc/callback";

/// Why a sign-in failed, as the page names it.
enum Failure {
    /// Too many sign-ins failed.
    RateLimit,
    /// The sign-in is unknown, too old, used, or one of another browser.
    Expired,
    /// The provider is unreachable.
    Unavailable,
    /// The provider refused, or its response is invalid.
    Refused,
    /// The provider has not verified the e-mail address.
    UnverifiedEmail,
    /// No operator has this e-mail address.
    UnknownOperator,
}

impl Failure {
    /// Returns the address of the sign-in page with the reason.
    fn page(&self) -> &'static str {
        match self {
            Failure::RateLimit => "/console/#sign-in-error=rate-limit",
            Failure::Expired => "/console/#sign-in-error=expired",
            Failure::Unavailable => "/console/#sign-in-error=unavailable",
            Failure::Refused => "/console/#sign-in-error=refused",
            Failure::UnverifiedEmail => "/console/#sign-in-error=unverified-email",
            Failure::UnknownOperator => "/console/#sign-in-error=unknown-operator",
        }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        let (failure, why) = match error {
            ProviderError::Unavailable(why) => (Failure::Unavailable, why),
            ProviderError::Refused(why) => (Failure::Refused, why),
            ProviderError::UnverifiedEmail => {
                (Failure::UnverifiedEmail, "the e-mail address is not verified".to_owned())
            }
        };
        tracing::warn!(why, "a sign-in to the console with the provider failed");
        failure
    }
}

/// Handles calls of a sign-in with the provider; `None` for other calls, and without a provider.
pub(super) async fn respond(request: &ConsoleRequest<'_>) -> ConsoleResult<Option<HttpResponse>> {
    let Some(oidc) = &request.server.oidc else { return Ok(None) };
    let responded = match request.call() {
        ("GET", ["oidc"]) => begin(request, oidc).await?,
        ("GET", ["oidc", "callback"]) => complete(request, oidc).await?,
        _ => return Ok(None),
    };
    Ok(Some(responded.or_else(|failure| redirect(failure.page()))?))
}

/// Sends the browser to the provider.
async fn begin(
    request: &ConsoleRequest<'_>,
    oidc: &OidcSignIn,
) -> ConsoleResult<Result<HttpResponse, Failure>> {
    // Every sign-in that begins counts as failed until it succeeds: it takes memory, and a request to the provider.
    if !count_attempt(request, false) {
        return Ok(Err(Failure::RateLimit));
    }
    let redirect_url = format!("{}{CALLBACK}", request.base());
    let begun = match oidc.provider.begin(&redirect_url).await {
        Ok(begun) => begun,
        Err(error) => return Ok(Err(error.into())),
    };
    let browser = CsrfToken::new_random().into_secret();
    let cookie = provider_cookie(COOKIE, &browser, PENDING_VALIDITY_S, request.is_secure());
    let cookie = cookie.ok_or_else(|| ApiError::bug("a random token does not fit into a cookie"))?;
    let pending = PendingSignIn {
        browser,
        nonce: begun.nonce,
        verifier: begun.verifier,
        redirect_url,
        begun_at_ms: now_ms(),
    };
    oidc.pending.add(begun.state, pending);
    let mut http_response = redirect(&begun.url)?;
    http_response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(Ok(http_response))
}

/// Handles the return of the browser from the provider.
async fn complete(
    request: &ConsoleRequest<'_>,
    oidc: &OidcSignIn,
) -> ConsoleResult<Result<HttpResponse, Failure>> {
    let taken = request.parameter("state").zip(request.cookie(COOKIE));
    let taken = taken.and_then(|(state, browser)| oidc.pending.take(state, browser, now_ms()));
    let Some(pending) = taken else {
        // The attempts of guessers are counted; the one of a pending sign-in was when it began.
        let failure = if count_attempt(request, false) { Failure::Expired } else { Failure::RateLimit };
        return Ok(Err(failure));
    };
    let Some(code) = request.parameter("code") else {
        let error = request.parameter("error").unwrap_or_default();
        tracing::warn!(error, "the provider refused a sign-in to the console");
        return Ok(Err(Failure::Refused));
    };
    let email = match oidc.provider.email(code, pending).await {
        Ok(email) => email,
        Err(error) => return Ok(Err(error.into())),
    };
    let system = &request.server.auth;
    let Some(operator) = system.operator_by_email(&email)? else {
        tracing::warn!(email, "a sign-in to the console with the provider failed: no such operator");
        return Ok(Err(Failure::UnknownOperator));
    };
    let (token, session) = system.begin_operator_session(&operator, now_ms()).await?;
    count_attempt(request, true);
    tracing::info!(operator = session.operator.email, "signed in to the console with the provider");
    let mut http_response = with_session(request, redirect("/console/")?, &token)?;
    if let Some(cookie) = provider_cookie(COOKIE, "", 0, request.is_secure()) {
        http_response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(Ok(http_response))
}

/// Counts an attempt. Returns whether the rate limit admits it. Each address is an account of its own: who the operator
/// is, only the provider will say, and no address may lock out the others.
fn count_attempt(request: &ConsoleRequest<'_>, succeeded: bool) -> bool {
    let address = request.address();
    let account =
        format!("console\noidc\n{}", address.map(|address| address.to_string()).unwrap_or_default());
    let attempt = LoginAttempt { account: &account, address };
    let system = &request.server.auth;
    let is_admitted = succeeded || system.admit_attempt(&attempt).is_ok();
    if is_admitted {
        system.record_attempt(&attempt, succeeded);
    }
    is_admitted
}

/// Returns a redirect. The browser follows it with a GET.
fn redirect(url: &str) -> ApiResult<HttpResponse> {
    let location =
        HeaderValue::from_str(url).map_err(|_| ApiError::bug("an address does not fit into a header"))?;
    let mut http_response = response::empty(StatusCode::SEE_OTHER);
    http_response.headers_mut().insert(header::LOCATION, location);
    Ok(http_response)
}
