//! Tokens of an external OAuth server, which a test double plays.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::future::join_all;
use kontor_auth::{
    AuthError, EXTERNAL_TOKEN_CACHED_MS_MAX, ExternalFailure, ExternalServer, ExternalTokenValidator, Grant,
    IntrospectionCall, IntrospectionEndpoint, IntrospectionFuture, IntrospectionReply, ScopeName,
    TokenSubject,
};
use kontor_errors::ApiError;
use parking_lot::Mutex;
use pollster::block_on;
use secrecy::ExposeSecret;

use crate::service::NOON_MS;

/// Counts introspections and returns the next prepared response to each; the last response repeats.
struct ScriptedEndpoint {
    responses: Mutex<Vec<Result<String, ExternalFailure>>>,
    requested: AtomicUsize,
    calls: Mutex<Vec<IntrospectionCall>>,
}

impl IntrospectionEndpoint for ScriptedEndpoint {
    fn call(&self, ask: IntrospectionCall) -> IntrospectionFuture {
        self.requested.fetch_add(1, Ordering::SeqCst);
        self.calls.lock().push(ask);
        let mut responses = self.responses.lock();
        let response = if responses.len() > 1 { responses.remove(0) } else { responses[0].clone() };
        Box::pin(async move {
            // Lets other requests with the same token run in between.
            let mut is_first = true;
            std::future::poll_fn(move |context| {
                if std::mem::take(&mut is_first) {
                    context.waker().wake_by_ref();
                    return std::task::Poll::Pending;
                }
                std::task::Poll::Ready(())
            })
            .await;
            response.map(|body| IntrospectionReply { status: 200, body: body.into_bytes() })
        })
    }
}

struct ExternalFixture {
    tokens: ExternalTokenValidator,
    played: Arc<ScriptedEndpoint>,
}

impl ExternalFixture {
    fn answering(responses: &[Result<&str, ExternalFailure>]) -> Self {
        let responses = responses.iter().map(|response| response.map(str::to_owned)).collect();
        let played = Arc::new(ScriptedEndpoint {
            responses: Mutex::new(responses),
            requested: AtomicUsize::new(0),
            calls: Mutex::default(),
        });
        ExternalFixture { tokens: ExternalTokenValidator::new(played.clone()), played }
    }

    async fn ask(&self, token: &str, revision: i64, now_ms: i64) -> Result<Arc<Grant>, AuthError> {
        let server = ExternalServer { project_key: "demo", url: "https://example.com/introspect", revision };
        let header = || Ok("Bearer open-sesame".to_owned().into());
        self.tokens.authenticate(server, token, Some("correlation-1"), header, now_ms).await
    }

    fn grant(&self, token: &str, now_ms: i64) -> Result<Arc<Grant>, AuthError> {
        block_on(self.ask(token, 1, now_ms))
    }

    fn introspection_count(&self) -> usize {
        self.played.requested.load(Ordering::SeqCst)
    }
}

const ACTIVE: Result<&str, ExternalFailure> =
    Ok(r#"{"active": true, "scope": "view_states:demo customer_id:ann"}"#);

#[test]
fn introspects_with_a_form_and_the_project_header() {
    let external = ExternalFixture::answering(&[ACTIVE]);
    let grant = external.grant("to&ken=", NOON_MS).unwrap();
    assert!(grant.require("demo", &[ScopeName::ViewStates]).is_ok());
    assert_eq!(grant.subject(), &TokenSubject::Customer { id: "ann".into() });
    assert_eq!(grant.client_id(), None);
    let calls = external.played.calls.lock();
    assert_eq!(calls[0].url, "https://example.com/introspect");
    assert_eq!(calls[0].authorization.expose_secret(), "Bearer open-sesame");
    assert_eq!(calls[0].form_bytes(), b"token=to%26ken%3D");
    assert_eq!(calls[0].correlation_id.as_deref(), Some("correlation-1"));
    let shown = format!("{:?}", calls[0]);
    assert!(!shown.contains("sesame") && !shown.contains("ken"), "{shown}");
}

#[test]
fn caches_a_response_for_half_an_hour() {
    let external = ExternalFixture::answering(&[ACTIVE]);
    for after_ms in [0, 1, EXTERNAL_TOKEN_CACHED_MS_MAX - 1] {
        external.grant("token", NOON_MS + after_ms).unwrap();
        assert_eq!(external.introspection_count(), 1, "{after_ms}");
    }
    external.grant("token", NOON_MS + EXTERNAL_TOKEN_CACHED_MS_MAX).unwrap();
    assert_eq!(external.introspection_count(), 2);
    external.grant("another token", NOON_MS + EXTERNAL_TOKEN_CACHED_MS_MAX).unwrap();
    assert_eq!(external.introspection_count(), 3);
}

#[test]
fn caches_a_response_until_its_expiry() {
    let external = ExternalFixture::answering(&[
        Ok(r#"{"active": true, "scope": "view_states:demo", "exp": 1772366460}"#),
        Ok(r#"{"active": false}"#),
    ]);
    assert!(external.grant("token", NOON_MS).is_ok());
    assert!(external.grant("token", NOON_MS + 59_999).is_ok());
    assert_eq!(external.introspection_count(), 1);
    assert!(matches!(external.grant("token", NOON_MS + 60_000), Err(AuthError::Unknown)));
    assert_eq!(external.introspection_count(), 2);
}

#[test]
fn introspects_again_after_new_settings() {
    let external = ExternalFixture::answering(&[ACTIVE]);
    block_on(external.ask("token", 1, NOON_MS)).unwrap();
    block_on(external.ask("token", 2, NOON_MS)).unwrap();
    assert_eq!(external.introspection_count(), 2);
}

#[test]
fn concurrent_requests_share_an_introspection() {
    let external = ExternalFixture::answering(&[ACTIVE]);
    let responses = block_on(join_all((0..100).map(|_| external.ask("token", 1, NOON_MS))));
    assert!(responses.iter().all(Result::is_ok));
    assert_eq!(external.introspection_count(), 1);
}

#[test]
fn does_not_cache_failures() {
    let external = ExternalFixture::answering(&[Err(ExternalFailure::NoResponse), ACTIVE]);
    let error = external.grant("token", NOON_MS).unwrap_err();
    let error = ApiError::from(error);
    assert_eq!((error.status(), error.message()), (502, "External OAuth did not respond in time."));
    assert_eq!(error.body()["errors"][0]["code"], "ExternalOAuthFailed");
    assert!(external.grant("token", NOON_MS).is_ok(), "the next request asks again");
}

#[test]
fn introspects_inactive_tokens_again() {
    let external = ExternalFixture::answering(&[Ok(r#"{"active": false}"#), ACTIVE]);
    assert!(matches!(external.grant("token", NOON_MS), Err(AuthError::Unknown)));
    assert!(external.grant("token", NOON_MS).is_ok());
}

#[test]
fn abandoned_introspections_are_removed() {
    let external = ExternalFixture::answering(&[ACTIVE]);
    for _ in 0..3 {
        let mut waiting = Box::pin(external.ask("token", 1, NOON_MS));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(external.introspection_count(), 3, "each question was given up");
    assert!(external.grant("token", NOON_MS).is_ok());
}
