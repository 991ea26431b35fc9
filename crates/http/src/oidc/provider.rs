//! The provider: its metadata and keys, the address of its sign-in page, and the exchange of a code for an e-mail address.

use super::pending_sign_ins::PendingSignIn;
use crate::oidc_settings::OidcSettings;
use axum::http::Response;
use futures_util::future::BoxFuture;
use kontor_outbound::{Destinations, Outbound, OutboundRequest};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreProviderMetadata, CoreTokenResponse,
};
use openidconnect::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse, IssuerUrl,
    Nonce, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse as _,
};
use parking_lot::Mutex;
use secrecy::ExposeSecret as _;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The timeout of a request to the provider.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response of the provider, in bytes.
const RESPONSE_BYTES_MAX: usize = 1024 * 1024;
/// How long metadata and keys are kept.
const METADATA_VALIDITY: Duration = Duration::from_secs(3_600);
/// Metadata of this age is fetched again when a token does not fit its keys: the provider may have new keys.
const METADATA_AGE_MIN: Duration = Duration::from_secs(60);

/// Why the provider did not sign an operator in. The texts are for the log.
#[derive(Debug)]
pub(crate) enum ProviderError {
    /// The provider is unreachable, or its responses are not those of a provider.
    Unavailable(String),
    /// The provider refused the code, or its token is invalid.
    Refused(String),
    /// The token has no e-mail address that the provider verified.
    UnverifiedEmail,
}

/// A sign-in at the provider that begins.
pub(crate) struct BegunSignIn {
    /// The address of the provider's sign-in page.
    pub(crate) url: String,
    pub(crate) state: String,
    pub(crate) nonce: Nonce,
    pub(crate) verifier: PkceCodeVerifier,
}

/// A request that was sent.
type ProviderCall = BoxFuture<'static, Result<HttpResponse, io::Error>>;

/// Metadata with keys, and when they were fetched.
type FetchedMetadata = (Arc<CoreProviderMetadata>, Instant);

/// The provider. Nothing is fetched before the first sign-in.
pub(crate) struct Provider {
    pub(crate) settings: OidcSettings,
    outbound: Outbound,
    metadata: Mutex<Option<FetchedMetadata>>,
}

impl Provider {
    pub(crate) fn new(settings: OidcSettings) -> Self {
        // The operator of the server chooses the provider, which may be in the same network.
        Self { settings, outbound: Outbound::new(Destinations::Any), metadata: Mutex::default() }
    }

    /// Begins a sign-in. Fails if the provider is unavailable.
    pub(crate) fn begin<'a>(
        &'a self,
        redirect_url: &'a str,
    ) -> BoxFuture<'a, Result<BegunSignIn, ProviderError>> {
        Box::pin(async move {
            let metadata = self.metadata(METADATA_VALIDITY).await?;
            let redirect_url = RedirectUrl::new(redirect_url.to_owned()).map_err(unavailable)?;
            let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
            let client = CoreClient::from_provider_metadata(
                (*metadata).clone(),
                self.client_id(),
                self.client_secret(),
            )
            .set_redirect_uri(redirect_url);
            let flow = CoreAuthenticationFlow::AuthorizationCode;
            let (url, state, nonce) = client
                .authorize_url(flow, CsrfToken::new_random, Nonce::new_random)
                .add_scope(Scope::new("email".to_owned()))
                .set_pkce_challenge(challenge)
                .url();
            Ok(BegunSignIn { url: url.into(), state: state.into_secret(), nonce, verifier })
        })
    }

    /// Exchanges a code and returns the e-mail address of the person, which the provider has verified.
    pub(crate) fn email<'a>(
        &'a self,
        code: &'a str,
        pending: PendingSignIn,
    ) -> BoxFuture<'a, Result<String, ProviderError>> {
        Box::pin(async move {
            let metadata = self.metadata(METADATA_VALIDITY).await?;
            let uses_body = metadata.token_endpoint_auth_methods_supported().is_some_and(|methods| {
                !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                    && methods.contains(&CoreClientAuthMethod::ClientSecretPost)
            });
            let auth_type = if uses_body { AuthType::RequestBody } else { AuthType::BasicAuth };
            let redirect_url = RedirectUrl::new(pending.redirect_url).map_err(unavailable)?;
            let client = CoreClient::from_provider_metadata(
                (*metadata).clone(),
                self.client_id(),
                self.client_secret(),
            )
            .set_redirect_uri(redirect_url)
            .set_auth_type(auth_type);
            let exchange =
                client.exchange_code(AuthorizationCode::new(code.to_owned())).map_err(unavailable)?;
            let http = http_client(&self.outbound);
            let response = exchange.set_pkce_verifier(pending.verifier).request_async(&http).await;
            let response = response.map_err(|error| match error {
                openidconnect::RequestTokenError::Request(_) => unavailable(error),
                _ => refused(error),
            })?;
            match self.verified_email(&metadata, &response, &pending.nonce) {
                Err(ProviderError::Refused(_)) => {
                    let metadata = self.metadata(METADATA_AGE_MIN).await?;
                    self.verified_email(&metadata, &response, &pending.nonce)
                }
                verified => verified,
            }
        })
    }

    fn verified_email(
        &self,
        metadata: &CoreProviderMetadata,
        response: &CoreTokenResponse,
        nonce: &Nonce,
    ) -> Result<String, ProviderError> {
        let client =
            CoreClient::from_provider_metadata(metadata.clone(), self.client_id(), self.client_secret());
        let token = response.id_token();
        let token = token.ok_or_else(|| ProviderError::Refused("there is no ID token".to_owned()))?;
        let claims = token.claims(&client.id_token_verifier(), nonce).map_err(refused)?;
        let is_verified = claims.email_verified().unwrap_or(self.settings.trusts_email);
        let email = claims.email().filter(|_| is_verified);
        email.map(|email| email.to_string()).ok_or(ProviderError::UnverifiedEmail)
    }

    /// Returns metadata that is younger than `age_max`, fetched if necessary.
    async fn metadata(&self, age_max: Duration) -> Result<Arc<CoreProviderMetadata>, ProviderError> {
        if let Some((metadata, at)) = &*self.metadata.lock()
            && at.elapsed() < age_max
        {
            return Ok(Arc::clone(metadata));
        }
        let issuer = IssuerUrl::new(self.settings.issuer.clone()).map_err(unavailable)?;
        let http = http_client(&self.outbound);
        let metadata = CoreProviderMetadata::discover_async(issuer, &http).await.map_err(unavailable)?;
        let metadata = Arc::new(metadata);
        *self.metadata.lock() = Some((Arc::clone(&metadata), Instant::now()));
        Ok(metadata)
    }

    fn client_id(&self) -> ClientId {
        ClientId::new(self.settings.client_id.clone())
    }

    fn client_secret(&self) -> Option<ClientSecret> {
        Some(ClientSecret::new(self.settings.client_secret.expose_secret().to_owned()))
    }
}

/// Returns the HTTP client of the library. It borrows nothing: the compiler could not tell that such futures are `Send`.
fn http_client(outbound: &Outbound) -> impl Fn(HttpRequest) -> ProviderCall + Send + Sync + 'static {
    let outbound = outbound.clone();
    move |request| Box::pin(send(outbound.clone(), request))
}

async fn send(outbound: Outbound, request: HttpRequest) -> Result<HttpResponse, io::Error> {
    let (parts, body) = request.into_parts();
    let headers = parts.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let outgoing = OutboundRequest {
        url: parts.uri.to_string(),
        headers,
        body: body.into(),
        timeout: PROVIDER_TIMEOUT,
        response_bytes_max: RESPONSE_BYTES_MAX,
    };
    let response = outbound.send(parts.method, outgoing).await;
    let response = response.map_err(|error| io::Error::other(format!("{error:?}")))?;
    Response::builder().status(response.status).body(response.body.to_vec()).map_err(io::Error::other)
}

fn unavailable(error: impl Error) -> ProviderError {
    ProviderError::Unavailable(with_causes(&error))
}

fn refused(error: impl Error) -> ProviderError {
    ProviderError::Refused(with_causes(&error))
}

/// Formats an error with its causes.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
