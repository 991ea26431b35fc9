//! Checks the passwords of customers of any project, for the password flow of `auth`.

use crate::server::Server;
use futures_util::future::BoxFuture;
use kontor_auth::Customers;
use kontor_engine::AccessScope;
use kontor_errors::ApiError;
use kontor_json::json;
use secrecy::{ExposeSecret, SecretString};

impl Customers for Server {
    fn check<'a>(
        &'a self,
        project_key: &'a str,
        store_key: Option<&'a str>,
        email: &'a str,
        password: &'a SecretString,
    ) -> BoxFuture<'a, Result<Option<String>, ApiError>> {
        Box::pin(async move {
            let shop = self.shop(project_key).await?;
            // A Store that does not exist has no Customers; the check takes the same time, so that timing reveals
            // nothing.
            let bounds = AccessScope { store: store_key.map(str::to_owned), ..AccessScope::default() };
            shop.sign_in(json!({"email": email, "password": password.expose_secret()}), &bounds).await
        })
    }
}
