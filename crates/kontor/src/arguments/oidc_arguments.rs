//! The flags of sign-in to the console with a provider.

use crate::addresses::issuer_address;
use clap::Args;
use kontor_http::OidcSettings;

/// Flags of the OpenID Connect provider that operators of the console sign in with.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Sign-in of operators with a provider")]
pub(crate) struct OidcArguments {
    /// Let operators sign in to the console with the OpenID Connect provider at this URL, written exactly as the provider
    /// writes its issuer.
    #[arg(long, env = "KONTOR_CONSOLE_OIDC_ISSUER", value_parser = issuer_address, value_name = "URL", requires_all = ["console_oidc_client_id", "console_oidc_client_secret"])]
    pub(crate) console_oidc_issuer: Option<String>,
    /// The id of this server at the provider.
    #[arg(long, env = "KONTOR_CONSOLE_OIDC_CLIENT_ID", value_name = "ID", requires = "console_oidc_issuer")]
    pub(crate) console_oidc_client_id: Option<String>,
    /// The secret of this server at the provider.
    #[arg(
        long,
        env = "KONTOR_CONSOLE_OIDC_CLIENT_SECRET",
        value_name = "SECRET",
        requires = "console_oidc_issuer",
        hide_env_values = true
    )]
    pub(crate) console_oidc_client_secret: Option<String>,
    /// The name of the provider on the sign-in page [default: the host of the issuer].
    #[arg(long, env = "KONTOR_CONSOLE_OIDC_NAME", value_name = "NAME", requires = "console_oidc_issuer")]
    pub(crate) console_oidc_name: Option<String>,
    /// Accept e-mail addresses of which the provider does not say whether it verified them (`email_verified`), for
    /// providers that say it of none and whose people cannot change their address.
    #[arg(long, env = "KONTOR_CONSOLE_OIDC_TRUST_EMAIL", requires = "console_oidc_issuer")]
    pub(crate) console_oidc_trust_email: bool,
}

impl OidcArguments {
    /// Returns the settings; `None` without an issuer.
    pub(crate) fn settings(&self) -> Option<OidcSettings> {
        let issuer = self.console_oidc_issuer.clone()?;
        let host = issuer.parse::<reqwest::Url>().ok().and_then(|url| url.host_str().map(str::to_owned));
        Some(OidcSettings {
            client_id: self.console_oidc_client_id.clone()?,
            client_secret: self.console_oidc_client_secret.clone()?.into(),
            name: self.console_oidc_name.clone().or(host).unwrap_or_else(|| issuer.clone()),
            trusts_email: self.console_oidc_trust_email,
            issuer,
        })
    }
}
