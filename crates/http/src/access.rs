//! Who asks, and may they.

use crate::body::OWN_BODY_BYTES_MAX;
use crate::headers::only;
use crate::in_flight::HeldBody;
use crate::noted::Noted;
use crate::server::Server;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use kontor_auth::{AuthError, ExternalFailure, ExternalServer, Grant, ScopeName, Subject, bearer_token};
use kontor_engine::{Address, Asker, Bounds, Caller, Kept, Sender, Sends, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_outbound::CORRELATION_ID;
use std::sync::Arc;

/// Longest accepted value of `X-External-User-ID` (reference type `ClientLogging`).
const EXTERNAL_USER_ID_CHARS_MAX: usize = 128;

/// The header by which the operator chooses the id of a resource that is created. Nobody else is heard.
pub const CHOSEN_ID: &str = "x-kontor-id";
/// The header by which the operator chooses the version that a resource begins with.
pub const KEPT_VERSION: &str = "x-kontor-version";
/// The header by which the operator says that the secrets of a draft are hashes.
pub const HASHED_SECRETS: &str = "x-kontor-hashed";
/// Longest id that the operator may choose.
const CHOSEN_ID_BYTES_MAX: usize = 64;

/// Marks a request that came in where only the operator can send one. It needs no token and may do everything.
///
/// It is an extension of the request, which is no part of HTTP: no client can send it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByOperator;

impl ByOperator {
    /// True for a request of the operator.
    pub(crate) fn sent(parts: &Parts) -> bool {
        parts.extensions.get::<ByOperator>().is_some()
    }
}

/// For whom an operation below `/me` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mine {
    /// For a customer, and for a visitor where the kind has documents of visitors.
    Own,
    /// For whoever has the scope: who signs up or in is nobody yet.
    Open,
}

/// Who asks.
pub(crate) enum Access {
    /// The operator of the server.
    Operator,
    /// Whoever it is, where no token is needed.
    Anybody,
    /// The holder of a token.
    Granted(Arc<Grant>),
}

/// What a request brings along that few ask for.
struct Sent {
    /// `None`: no token is needed.
    grant: Option<Arc<Grant>>,
    correlation: Option<HeaderValue>,
}

impl Sends for Sent {
    fn holds(&self, scope: &str, store: Option<&str>) -> bool {
        let Some(grant) = &self.grant else { return true };
        let Some(scope) = ScopeName::parse(scope) else { return false };
        match store {
            None => grant.allows(grant.project_key(), &[scope]),
            Some(store) => grant.allows_in_store(grant.project_key(), store, &[scope]),
        }
    }

    fn correlation_id(&self) -> Option<&str> {
        self.correlation.as_ref().and_then(|id| id.to_str().ok())
    }
}

/// The documents that a request is limited to. What it names must be there: the Store of the path, and below `/me`
/// the customer of the token.
pub(crate) fn bounds(
    server: &Server,
    access: &Access,
    shop: &Shop,
    kind: KindId,
    store: Option<&str>,
    mine: Option<Mine>,
) -> ApiResult<Bounds> {
    let asker = mine.map(|mine| asker(server, access, shop, kind, mine)).transpose()?;
    if let Some(store) = store {
        shop.must_have_store(store)?;
    }
    Ok(Bounds { store: store.map(str::to_owned), mine: asker, ..Bounds::default() })
}

fn asker(server: &Server, access: &Access, shop: &Shop, kind: KindId, mine: Mine) -> ApiResult<Asker> {
    let refused = || {
        ApiError::new(
            Code::InsufficientScope,
            "Insufficient scope. This endpoint requires an access token resulting either from a password flow or \
             an anonymous session.",
        )
    };
    let subject = match access {
        Access::Operator | Access::Anybody => &Subject::Client,
        Access::Granted(grant) => grant.subject(),
    };
    let is_for_sessions = server.model.kind(kind).mine.as_ref().is_some_and(|own| !own.session.is_empty());
    match subject {
        Subject::Client if mine == Mine::Open => Ok(Asker::Nobody),
        Subject::Client => Err(refused()),
        Subject::Anonymous { id } if mine == Mine::Open || is_for_sessions => {
            // The service's own token proves that there is a session; that of an external server may name any.
            let is_external = matches!(access, Access::Granted(grant) if grant.client_id().is_none());
            let now_ms = shop.clock.now().as_millisecond();
            if is_external
                && !server.system.has_anonymous_session(&shop.key, id, now_ms)?
                && !shop.knows_session(id)?
            {
                return Err(AuthError::Unknown.into());
            }
            Ok(Asker::Session(id.to_string()))
        }
        Subject::Anonymous { .. } => Err(ApiError::new(
            Code::InsufficientScope,
            "Insufficient scope. This endpoint requires an access token resulting from a password flow.",
        )),
        Subject::Customer { id } => {
            // Tokens of an external server may name anybody; the service's own end with their customer.
            let customers =
                server.model.kind_by_my_path("").ok_or_else(|| ApiError::bug("nobody is at /me"))?;
            match shop.get(customers, &Address::Id(id))? {
                Some(_) => Ok(Asker::Customer(id.to_string())),
                None => Err(AuthError::Unknown.into()),
            }
        }
    }
}

/// What who has a valid token is told of a project that does not exist.
pub(crate) fn of_unknown_project(server: &Server, parts: &Parts, project: &str) -> Option<ApiError> {
    let exists = server.system.project(project).is_some();
    (!exists).then(|| ApiError::uri_not_found(parts.uri.path()))
}

/// Who asks in a project, whatever they may do there. Fails for tokens of other projects.
pub(crate) async fn identify(server: &Server, parts: &Parts, project: &str) -> ApiResult<Access> {
    if ByOperator::sent(parts) {
        return Ok(Access::Operator);
    }
    let grant = grant(server, parts, project).await?;
    if grant.project_key() != project {
        let refusal = || {
            ApiError::new(Code::InsufficientScope, "Insufficient scope: the token is for another project.")
        };
        return Err(of_unknown_project(server, parts, project).unwrap_or_else(refusal));
    }
    Ok(Access::Granted(grant))
}

/// What the token of a request stands for.
pub(crate) async fn grant(server: &Server, parts: &Parts, project: &str) -> ApiResult<Arc<Grant>> {
    match token(server, parts, server.now_ms(project))? {
        Token::Own(grant) => Ok(grant),
        Token::Foreign(token) => Box::pin(external_grant(server, parts, project, token)).await,
    }
}

/// The token of a request.
pub(crate) enum Token<'p> {
    /// The service's own.
    Own(Arc<Grant>),
    /// One that the service does not know; the external server of the project may.
    Foreign(&'p str),
}

/// Reads the token of a request, which is that of a time.
pub(crate) fn token<'p>(server: &Server, parts: &'p Parts, now_ms: i64) -> ApiResult<Token<'p>> {
    let authorization = only(&parts.headers, header::AUTHORIZATION);
    let token = bearer_token(authorization)?;
    match server.system.authenticate(token, now_ms) {
        Ok(grant) => {
            if let (Some(noted), Some(client)) = (Noted::of(parts), grant.client_id()) {
                _ = noted.client.set(client.to_owned());
            }
            Ok(Token::Own(grant))
        }
        Err(AuthError::Unknown) => Ok(Token::Foreign(token)),
        Err(error) => Err(error.into()),
    }
}

/// What a token stands for that is not the service's own: the project may name a server that knows it.
async fn external_grant(server: &Server, parts: &Parts, project: &str, token: &str) -> ApiResult<Arc<Grant>> {
    let Some(external) = &server.external else { return Err(AuthError::Unknown.into()) };
    // A project that does not exist has no server, and who asks is not told that it does not exist.
    let shop = server.shop(project).await.map_err(|_| AuthError::Unknown)?;
    let settings = shop.project();
    let url = settings.get("externalOAuth").and_then(|server| server.get("url")).and_then(Value::as_str);
    let Some(url) = url else { return Err(AuthError::Unknown.into()) };
    let asked = ExternalServer {
        project_key: project,
        url,
        revision: settings.get("version").and_then(Value::as_i64).unwrap_or_default(),
    };
    let correlation = parts.headers.get(&CORRELATION_ID).and_then(|id| id.to_str().ok());
    let header = || match shop.storage().setting(external.header_setting) {
        Ok(Some(header)) => Ok(header.into()),
        Ok(None) => Err(ExternalFailure::NotConfigured),
        Err(error) => {
            tracing::error!(%error, project, "the header for the external OAuth server cannot be read");
            Err(ExternalFailure::NotConfigured)
        }
    };
    let now_ms = server.now_ms(project);
    Ok(external.tokens.authenticate(asked, token, correlation, header, now_ms).await?)
}

impl Access {
    /// What the operator brings along for what is created.
    pub(crate) fn kept<'a>(&self, headers: &'a HeaderMap) -> ApiResult<Kept<'a>> {
        if !matches!(self, Access::Operator) {
            return Ok(Kept::default());
        }
        let malformed = |name: &str, expected: &str| {
            ApiError::invalid_input(format!("The header {name} must have {expected}."))
        };
        let id = headers.get(CHOSEN_ID).map(|value| {
            let fits = |id: &&str| {
                (1..=CHOSEN_ID_BYTES_MAX).contains(&id.len())
                    && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            let expected = || format!("1 to {CHOSEN_ID_BYTES_MAX} letters, digits and '-'");
            value.to_str().ok().filter(fits).ok_or_else(|| malformed(CHOSEN_ID, &expected()))
        });
        let version = headers.get(KEPT_VERSION).map(|value| {
            let version = value.to_str().ok().and_then(|text| text.parse().ok());
            version.filter(|version| *version >= 1).ok_or_else(|| malformed(KEPT_VERSION, "a version from 1"))
        });
        let is_hashed = headers.contains_key(HASHED_SECRETS);
        Ok(Kept { id: id.transpose()?, version: version.transpose()?, is_hashed })
    }

    /// Who makes the change, for `createdBy` and `lastModifiedBy`. Nobody is known where the operator does.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Caller {
        let external = headers
            .get("x-external-user-id")
            .and_then(|value| value.to_str().ok())
            .filter(|id| !id.is_empty() && id.chars().count() <= EXTERNAL_USER_ID_CHARS_MAX);
        let granted = match self {
            Access::Granted(grant) => Some(grant),
            Access::Operator | Access::Anybody => None,
        };
        let sent = Sent { grant: granted.cloned(), correlation: headers.get(&CORRELATION_ID).cloned() };
        let mut caller = Caller {
            external_user_id: external.map(str::to_owned),
            sender: Sender::of(sent),
            ..Caller::default()
        };
        let Some(grant) = granted else { return caller };
        caller.client_id = grant.client_id().map(str::to_owned);
        if let Some(user) = grant.external_user_id() {
            // What the token proves goes before what its holder says.
            caller.external_user_id = Some(user.to_owned());
        }
        match grant.subject() {
            Subject::Client => {}
            Subject::Customer { id } => caller.customer_id = Some(id.to_string()),
            Subject::Anonymous { id } => caller.anonymous_id = Some(id.to_string()),
        }
        caller
    }

    /// How large a body may be of which a client may send so much: customers and visitors send less. The body of a client
    /// no longer counts as that of a stranger.
    pub(crate) fn body_bytes_max(&self, parts: &Parts, of_client: usize) -> usize {
        let is_stranger = match self {
            Access::Operator | Access::Anybody => false,
            Access::Granted(grant) => *grant.subject() != Subject::Client,
        };
        if is_stranger {
            return OWN_BODY_BYTES_MAX.min(of_client);
        }
        if let Some(held) = HeldBody::of(parts) {
            held.is_of_client();
        }
        of_client
    }

    /// The customer who asks, if one does.
    pub(crate) fn customer(&self) -> Option<&str> {
        match self {
            Access::Granted(grant) => match grant.subject() {
                Subject::Customer { id } => Some(id),
                _ => None,
            },
            Access::Operator | Access::Anybody => None,
        }
    }
}
