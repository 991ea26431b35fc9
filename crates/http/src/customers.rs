//! Checks the passwords of customers of any project, for the password flow of `auth`.

use crate::server::Server;
use futures_util::future::BoxFuture;
use kontor_auth::{CustomerLogin, Customers, VerifiedCustomer};
use kontor_engine::{AccessScope, VerifiedSecret};
use kontor_errors::ApiError;
use kontor_json::{Value, json};
use secrecy::ExposeSecret;

impl Customers for Server {
    fn check<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
    ) -> BoxFuture<'a, Result<Option<VerifiedCustomer>, ApiError>> {
        Box::pin(async move {
            let shop = self.shop(login.project_key).await?;
            let verified = shop.sign_in(sign_in_input(login), &login_scope(login)).await?;
            Ok(verified.map(|VerifiedSecret { id, hash }| VerifiedCustomer { id, password_hash: hash }))
        })
    }

    fn is_unchanged<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
        verified: &'a VerifiedCustomer,
    ) -> BoxFuture<'a, Result<bool, ApiError>> {
        Box::pin(async move {
            let shop = self.shop(login.project_key).await?;
            let verified = VerifiedSecret { id: verified.id.clone(), hash: verified.password_hash.clone() };
            shop.has_secret(sign_in_input(login), &login_scope(login), &verified)
        })
    }
}

fn sign_in_input(login: &CustomerLogin<'_>) -> Value {
    json!({"email": login.email, "password": login.password.expose_secret()})
}

/// Returns the bounds of a login. A Store that does not exist has no Customers; the check takes the same time, so that
/// timing reveals nothing.
fn login_scope(login: &CustomerLogin<'_>) -> AccessScope {
    AccessScope { store: login.store_key.map(str::to_owned), ..AccessScope::default() }
}
