//! The OpenID Connect provider that operators sign in with, as flags configure it.

use kontor_auth::Secret;

/// The OpenID Connect provider that operators sign in with.
#[derive(Debug, Clone)]
pub struct OidcSettings {
    /// The issuer, exactly as the provider writes it: a slash at its end counts.
    pub issuer: String,
    /// The id of this server at the provider.
    pub client_id: String,
    /// The secret of this server at the provider.
    pub client_secret: Secret,
    /// The name of the provider on the sign-in page.
    pub name: String,
    /// Accept e-mail addresses of which the provider does not say whether it verified them.
    pub trusts_email: bool,
}
