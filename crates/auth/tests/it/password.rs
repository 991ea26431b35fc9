//! The password flow, with invented Customers.

use futures_util::future::BoxFuture;
use std::net::IpAddr;

use kontor_auth::{
    CustomerLogin, Customers, OAuthError, OAuthRequest, ScopeName, TokenSubject, VerifiedCustomer,
};
use kontor_errors::ApiError;
use kontor_json::Value;
use pollster::block_on;
use secrecy::ExposeSecret;

use crate::service::{Service, basic, request, text};

/// One Customer of the project, one of the Store `berlin`.
struct TwoCustomers;

impl Customers for TwoCustomers {
    fn check<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
    ) -> BoxFuture<'a, Result<Option<VerifiedCustomer>, ApiError>> {
        let id = match (login.project_key, login.store_key, login.email, login.password.expose_secret()) {
            ("demo", None, "ann@example.com", "secret") => Some("ann"),
            ("demo", Some("berlin"), "bob@example.com", "secret") => Some("bob"),
            _ => None,
        };
        Box::pin(std::future::ready(Ok(id.map(verified))))
    }

    fn is_unchanged<'a>(
        &'a self,
        _login: &'a CustomerLogin<'a>,
        _verified: &'a VerifiedCustomer,
    ) -> BoxFuture<'a, Result<bool, ApiError>> {
        Box::pin(std::future::ready(Ok(true)))
    }
}

fn verified(id: &str) -> VerifiedCustomer {
    VerifiedCustomer { id: id.to_owned(), password_hash: "hash".to_owned() }
}

fn sign_in(service: &Service, store: Option<&str>, form: &str) -> Result<Value, OAuthError> {
    let client = service.client("manage_my_profile:demo view_orders:demo");
    let authorization = basic(client.client.id(), &client.secret);
    let sent = request(&authorization, form);
    let clock = |_: &str| service.now_ms;
    block_on(service.auth.customer_token("demo", store, &sent, &TwoCustomers, &clock))
        .map(|response| response.to_json())
}

#[test]
fn a_customer_gets_tokens_of_their_own() {
    let service = Service::new();
    let form = "grant_type=password&username=ann@example.com&password=secret&scope=manage_my_profile:demo";
    let response = sign_in(&service, None, form).unwrap();
    assert_eq!(response["scope"], "manage_my_profile:demo customer_id:ann customer:ann");
    assert!(response["refresh_token"].is_string());
    let grant = service.grant(text(&response, "access_token")).unwrap();
    assert_eq!(grant.subject(), &TokenSubject::Customer { id: "ann".into() });
    let response = sign_in(&service, None, &format!("{form}&refresh_token=false")).unwrap();
    assert!(response["access_token"].is_string() && response.get("refresh_token").is_none());
}

#[test]
fn a_token_of_a_store_is_worth_nothing_elsewhere() {
    let service = Service::new();
    let form = "grant_type=password&username=bob@example.com&password=secret";
    let response = sign_in(&service, Some("berlin"), form).unwrap();
    let grant = service.grant(text(&response, "access_token")).unwrap();
    assert_eq!(grant.store_key(), Some("berlin"));
    assert!(grant.allows_in_store("demo", "berlin", &[ScopeName::ViewOrders]));
    assert!(!grant.allows_in_store("demo", "paris", &[ScopeName::ViewOrders]));
    assert!(!grant.allows("demo", &[ScopeName::ViewOrders]));
}

#[test]
fn responds_the_same_to_wrong_emails_and_passwords() {
    let service = Service::new();
    for (store, email, password) in [
        (None, "ann@example.com", "wrong"),
        (None, "nobody@example.com", "secret"),
        (None, "bob@example.com", "secret"),
        (Some("berlin"), "ann@example.com", "secret"),
    ] {
        let form = format!("grant_type=password&username={email}&password={password}");
        let error = sign_in(&service, store, &form).unwrap_err();
        assert_eq!(
            (error.status(), error.error()),
            (400, "invalid_customer_account_credentials"),
            "{store:?} {email} {password}"
        );
    }
}

#[test]
fn all_tokens_of_a_customer_end_together() {
    let service = Service::new();
    let form = "grant_type=password&username=ann@example.com&password=secret";
    let client = service.client("manage_my_profile:demo create_anonymous_token:demo");
    let authorization = basic(client.client.id(), &client.secret);
    let clock = |_: &str| service.now_ms;
    let sign_in = || {
        let sent = request(&authorization, form);
        let response = block_on(service.auth.customer_token("demo", None, &sent, &TwoCustomers, &clock));
        response.unwrap().to_json()
    };
    let (one, other) = (sign_in(), sign_in());
    let again = service.refresh(&client, text(&one, "refresh_token")).unwrap();
    let visitor = service.anonymous_token(&client, "grant_type=client_credentials").unwrap();
    let tokens = [&one, &other, &again].map(|response| text(response, "access_token"));
    assert!(tokens.iter().all(|token| service.grant(token).is_ok()));

    block_on(service.auth.revoke_customer_tokens("other", "ann")).unwrap();
    assert!(tokens.iter().all(|token| service.grant(token).is_ok()), "another project's");
    block_on(service.auth.revoke_customer_tokens("demo", "ann")).unwrap();
    assert!(tokens.iter().all(|token| service.grant(token).is_err()));
    for response in [&one, &other] {
        assert_eq!(
            service.refresh(&client, text(response, "refresh_token")).unwrap_err().error(),
            "invalid_grant"
        );
    }
    assert!(service.grant(text(&visitor, "access_token")).is_ok());
    assert!(service.grant(text(&sign_in(), "access_token")).is_ok());
}

#[test]
fn limits_wrong_passwords() {
    let service = Service::new();
    let client = service.client("manage_my_profile:demo");
    let authorization = basic(client.client.id(), &client.secret);
    let sign_in = |address: [u8; 4], email: &str, password: &str| {
        let form = format!("grant_type=password&username={email}&password={password}");
        let sent = OAuthRequest { address: Some(IpAddr::from(address)), ..request(&authorization, &form) };
        let clock = |_: &str| service.now_ms;
        block_on(service.auth.customer_token("demo", None, &sent, &TwoCustomers, &clock))
            .map_or_else(|error| error.status(), |_| 200)
    };
    assert_eq!(sign_in([10, 0, 0, 9], "ann@example.com", "secret"), 200);
    let guesses: Vec<u16> = (0..60).map(|_| sign_in([10, 0, 0, 1], "Ann@example.com", "wrong")).collect();
    assert!(guesses[..20].iter().all(|status| *status == 400), "{guesses:?}");
    assert_eq!(guesses[59], 429, "{guesses:?}");
    assert_eq!(sign_in([10, 0, 0, 1], "ann@example.com", "secret"), 429, "even when the guess is right");
    assert_eq!(sign_in([10, 0, 0, 9], "ann@example.com", "secret"), 200, "she herself goes on");
}

#[test]
fn names_the_missing_parameter() {
    let service = Service::new();
    for (form, code) in [
        ("grant_type=password&username=ann@example.com", "invalid_request"),
        ("grant_type=password&password=secret", "invalid_request"),
        ("grant_type=client_credentials", "unsupported_grant_type"),
    ] {
        assert_eq!(sign_in(&service, None, form).unwrap_err().error(), code, "{form}");
    }
}

/// Customers of which one, Ann, gets a new password while her old one is being checked.
struct PasswordIsReset<'a>(&'a Service);

impl Customers for PasswordIsReset<'_> {
    fn check<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
    ) -> BoxFuture<'a, Result<Option<VerifiedCustomer>, ApiError>> {
        Box::pin(async move {
            self.0.auth.revoke_customer_tokens(login.project_key, "ann").await.unwrap();
            Ok(Some(verified("ann")))
        })
    }

    fn is_unchanged<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
        verified: &'a VerifiedCustomer,
    ) -> BoxFuture<'a, Result<bool, ApiError>> {
        // The token is written by now.
        assert_eq!(self.0.auth.refresh_tokens(login.project_key).unwrap().1, 1);
        assert_eq!((&*verified.id, &*verified.password_hash), ("ann", "hash"));
        Box::pin(std::future::ready(Ok(false)))
    }
}

#[test]
fn a_password_that_is_reset_while_it_is_checked_gives_no_token() {
    let service = Service::new();
    let client = service.client("manage_my_profile:demo");
    let authorization = basic(client.client.id(), &client.secret);
    let sent = request(&authorization, "grant_type=password&username=ann@example.com&password=old");
    let clock = |_: &str| service.now_ms;
    let customers = PasswordIsReset(&service);
    let error = block_on(service.auth.customer_token("demo", None, &sent, &customers, &clock)).unwrap_err();
    assert_eq!((error.status(), error.error()), (400, "invalid_customer_account_credentials"));
    assert_eq!(service.auth.refresh_tokens("demo").unwrap().1, 0);
    // A later authentication is not affected by the revocation.
    assert!(
        block_on(service.auth.customer_token(
            "demo",
            None,
            &sent_again(&authorization),
            &TwoCustomers,
            &clock
        ))
        .is_ok()
    );
}

fn sent_again(authorization: &str) -> OAuthRequest<'_> {
    request(authorization, "grant_type=password&username=ann@example.com&password=secret")
}
