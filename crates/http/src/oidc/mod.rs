//! Sign-ins with an OpenID Connect provider: the provider, and the sign-ins that wait for it.

mod pending_sign_ins;
mod provider;

use crate::oidc_settings::OidcSettings;
use pending_sign_ins::PendingSignIns;
use provider::Provider;

pub(crate) use pending_sign_ins::{PENDING_VALIDITY_S, PendingSignIn};
pub(crate) use provider::ProviderError;

/// Sign-in with the configured provider.
pub(crate) struct OidcSignIn {
    pub(crate) provider: Provider,
    pub(crate) pending: PendingSignIns,
}

impl OidcSignIn {
    pub(crate) fn new(settings: OidcSettings) -> Self {
        Self { provider: Provider::new(settings), pending: PendingSignIns::default() }
    }

    /// Returns the name of the provider.
    pub(crate) fn name(&self) -> &str {
        &self.provider.settings.name
    }
}
