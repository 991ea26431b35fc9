//! Authentication: the caller of a request (operator, token, or none), and the limits that follow from that. `admission`
//! checks scopes on top of it. Start at [`authenticate`].

use crate::body::OWN_BODY_BYTES_MAX;
use crate::headers::single_value;
use crate::in_flight::BodyBudget;
use crate::request_metadata::RequestMetadata;
use crate::server::Server;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use kontor_auth::{AuthError, ExternalFailure, ExternalServer, Grant, ScopeName, TokenSubject, bearer_token};
use kontor_engine::{
    AccessScope, Address, Caller, MASK, PreservedMetadata, Principal, Sender, SenderDetails, Shop,
    storage_failure,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_outbound::CORRELATION_ID;
use std::sync::Arc;

/// Longest accepted value of `X-External-User-ID` (reference type `ClientLogging`).
const EXTERNAL_USER_ID_CHARS_MAX: usize = 128;

/// The header by which the operator chooses the id of a resource that is created. It is ignored in other requests.
pub const ID_HEADER: &str = "x-kontor-id";
/// The header by which the operator chooses the version that a resource begins with.
pub const VERSION_HEADER: &str = "x-kontor-version";
/// The header by which the operator marks the secrets of a draft as hashes.
pub const HASHED_SECRETS_HEADER: &str = "x-kontor-hashed";
/// Maximum length of an id that the operator chooses.
const CHOSEN_ID_BYTES_MAX: usize = 64;

/// Marks a request that arrived at the operator's socket. It needs no token and may do everything.
///
/// The mark is an extension of the request, which is not part of HTTP: no client can send it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OperatorMark;

/// The program that sends a request on behalf of its caller (reference type `AttributionSource`). Only this server adds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestAttribution(pub(crate) &'static str);

impl OperatorMark {
    /// Returns true for a request of the operator.
    pub(crate) fn is_on(parts: &Parts) -> bool {
        parts.extensions.get::<OperatorMark>().is_some()
    }
}

/// Which callers an operation below `/me` is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeAudience {
    /// Customers, and anonymous sessions if the kind has documents of anonymous sessions.
    Own,
    /// Every caller with the scope: at sign-up and sign-in the caller has no identity yet.
    Open,
}

/// The caller of a request.
pub(crate) enum CallerAccess {
    /// The operator of the server.
    Operator,
    /// Any caller, for operations without a token.
    Anybody,
    /// The holder of a token.
    Granted(Arc<Grant>),
}

/// The parts of a request that only a few rules need, see [`SenderDetails`].
struct RequestSender {
    /// `None`: the operation needs no token.
    grant: Option<Arc<Grant>>,
    correlation: Option<HeaderValue>,
}

impl SenderDetails for RequestSender {
    fn has_scope(&self, scope: &str, store: Option<&str>) -> bool {
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

/// Returns which documents the request is limited to.
///
/// # Errors
/// `ResourceNotFound` if the Store of the path does not exist; below `/me` also if the token does not belong to a
/// customer or session that exists.
pub(crate) fn request_bounds(
    server: &Server,
    access: &CallerAccess,
    shop: &Shop,
    kind: KindId,
    store: Option<&str>,
    mine: Option<MeAudience>,
) -> ApiResult<AccessScope> {
    let asker = mine.map(|mine| resolve_asker(server, access, shop, kind, mine)).transpose()?;
    if let Some(store) = store {
        shop.must_have_store(store)?;
    }
    Ok(AccessScope { store: store.map(str::to_owned), mine: asker, ..AccessScope::default() })
}

fn resolve_asker(
    server: &Server,
    access: &CallerAccess,
    shop: &Shop,
    kind: KindId,
    mine: MeAudience,
) -> ApiResult<Principal> {
    let refused = || {
        ApiError::new(
            Code::InsufficientScope,
            "Insufficient scope. This endpoint requires an access token resulting either from a password flow or \
             an anonymous session.",
        )
    };
    let subject = match access {
        CallerAccess::Operator | CallerAccess::Anybody => &TokenSubject::Client,
        CallerAccess::Granted(grant) => grant.subject(),
    };
    let is_for_sessions = server.model.kind(kind).mine.as_ref().is_some_and(|own| !own.session.is_empty());
    match subject {
        TokenSubject::Client if mine == MeAudience::Open => Ok(Principal::Nobody),
        TokenSubject::Client => Err(refused()),
        TokenSubject::Anonymous { id } if mine == MeAudience::Open || is_for_sessions => {
            // Our own token proves that the session exists; a token of an external server may name any session.
            let is_external = matches!(access, CallerAccess::Granted(grant) if grant.client_id().is_none());
            let now_ms = shop.clock.now().as_millisecond();
            if is_external
                && !server.auth.has_anonymous_session(&shop.key, id, now_ms)?
                && !shop.has_session_documents(id)?
            {
                return Err(AuthError::Unknown.into());
            }
            Ok(Principal::Session(id.to_string()))
        }
        TokenSubject::Anonymous { .. } => Err(ApiError::new(
            Code::InsufficientScope,
            "Insufficient scope. This endpoint requires an access token resulting from a password flow.",
        )),
        TokenSubject::Customer { id } => {
            // A token of an external server may name any customer; our own tokens end with their customer.
            let customers =
                server.model.kind_by_my_path("").ok_or_else(|| ApiError::bug("no kind has the path /me"))?;
            match shop.get(customers, &Address::Id(id))? {
                Some(_) => Ok(Principal::Customer(id.to_string())),
                None => Err(AuthError::Unknown.into()),
            }
        }
    }
}

/// Returns the error for a project that does not exist, to be shown only to callers with a valid token.
pub(crate) fn unknown_project_error(server: &Server, parts: &Parts, project: &str) -> Option<ApiError> {
    let exists = server.auth.project(project).is_some();
    (!exists).then(|| ApiError::uri_not_found(parts.uri.path()))
}

/// Authenticates the caller for a project, whatever it may do there. Fails for tokens of other projects.
pub(crate) async fn authenticate(server: &Server, parts: &Parts, project: &str) -> ApiResult<CallerAccess> {
    if OperatorMark::is_on(parts) {
        return Ok(CallerAccess::Operator);
    }
    let grant = token_grant(server, parts, project).await?;
    if grant.project_key() != project {
        let refusal = || {
            ApiError::new(Code::InsufficientScope, "Insufficient scope: the token is for another project.")
        };
        return Err(unknown_project_error(server, parts, project).unwrap_or_else(refusal));
    }
    Ok(CallerAccess::Granted(grant))
}

/// Returns the grant of a request's token.
pub(crate) async fn token_grant(server: &Server, parts: &Parts, project: &str) -> ApiResult<Arc<Grant>> {
    match read_token(server, parts, server.now_ms(project))? {
        RequestToken::Own(grant) => Ok(grant),
        RequestToken::Foreign(token) => Box::pin(external_grant(server, parts, project, token)).await,
    }
}

/// The token of a request.
pub(crate) enum RequestToken<'p> {
    /// A token of our own.
    Own(Arc<Grant>),
    /// An unknown token; the external OAuth server of the project may know it.
    Foreign(&'p str),
}

/// Reads the token of a request and checks whether it is valid at `now_ms`.
pub(crate) fn read_token<'p>(server: &Server, parts: &'p Parts, now_ms: i64) -> ApiResult<RequestToken<'p>> {
    let authorization = single_value(&parts.headers, header::AUTHORIZATION);
    let token = bearer_token(authorization)?;
    match server.auth.authenticate(token, now_ms) {
        Ok(grant) => {
            if let Some(noted) = RequestMetadata::from_parts(parts) {
                noted.set_caller(&grant);
            }
            Ok(RequestToken::Own(grant))
        }
        Err(AuthError::Unknown) => Ok(RequestToken::Foreign(token)),
        Err(error) => Err(error.into()),
    }
}

/// Returns the grant of an unknown token from the external OAuth server that the project names.
async fn external_grant(server: &Server, parts: &Parts, project: &str, token: &str) -> ApiResult<Arc<Grant>> {
    let Some(external) = &server.external else { return Err(AuthError::Unknown.into()) };
    // A project that does not exist has no external server. The error must not reveal that it does not exist.
    let shop = server.shop(project).await.map_err(|_| AuthError::Unknown)?;
    let settings = shop.project();
    let url = settings.get("externalOAuth").and_then(|server| server.get("url")).and_then(Value::as_str);
    let Some(url) = url else { return Err(AuthError::Unknown.into()) };
    // An address with credentials is shown in part.
    let whole = match url.contains(MASK) {
        true => shop.storage().setting(external.settings.url).map_err(storage_failure)?,
        false => None,
    };
    let requested = ExternalServer {
        project_key: project,
        url: whole.as_deref().unwrap_or(url),
        revision: settings.get("version").and_then(Value::as_i64).unwrap_or_default(),
    };
    let correlation = parts.headers.get(&CORRELATION_ID).and_then(|id| id.to_str().ok());
    let header = || match shop.storage().setting(external.settings.header) {
        Ok(Some(header)) => Ok(header.into()),
        Ok(None) => Err(ExternalFailure::NotConfigured),
        Err(error) => {
            tracing::error!(%error, project, "the header for the external OAuth server cannot be read");
            Err(ExternalFailure::NotConfigured)
        }
    };
    let now_ms = server.now_ms(project);
    Ok(external.tokens.authenticate(requested, token, correlation, header, now_ms).await?)
}

impl CallerAccess {
    /// Returns the id, version and hash mark that the operator's headers give for a created resource; nothing for other
    /// callers.
    pub(crate) fn preserved_metadata<'a>(&self, headers: &'a HeaderMap) -> ApiResult<PreservedMetadata<'a>> {
        if !matches!(self, CallerAccess::Operator) {
            return Ok(PreservedMetadata::default());
        }
        let malformed = |name: &str, expected: &str| {
            ApiError::invalid_input(format!("The header {name} must have {expected}."))
        };
        let id = headers.get(ID_HEADER).map(|value| {
            let fits = |id: &&str| {
                (1..=CHOSEN_ID_BYTES_MAX).contains(&id.len())
                    && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            let expected = || format!("1 to {CHOSEN_ID_BYTES_MAX} letters, digits and '-'");
            value.to_str().ok().filter(fits).ok_or_else(|| malformed(ID_HEADER, &expected()))
        });
        let version = headers.get(VERSION_HEADER).map(|value| {
            let version = value.to_str().ok().and_then(|text| text.parse().ok());
            version
                .filter(|version| *version >= 1)
                .ok_or_else(|| malformed(VERSION_HEADER, "a version from 1"))
        });
        let is_hashed = headers.contains_key(HASHED_SECRETS_HEADER);
        Ok(PreservedMetadata { id: id.transpose()?, version: version.transpose()?, is_hashed })
    }

    /// Returns the author of a change, for `createdBy` and `lastModifiedBy`. Changes of the operator have none.
    pub(crate) fn caller(&self, parts: &Parts) -> Caller {
        let headers = &parts.headers;
        let external = headers
            .get("x-external-user-id")
            .and_then(|value| value.to_str().ok())
            .filter(|id| !id.is_empty() && id.chars().count() <= EXTERNAL_USER_ID_CHARS_MAX);
        let granted = match self {
            CallerAccess::Granted(grant) => Some(grant),
            CallerAccess::Operator | CallerAccess::Anybody => None,
        };
        let sent =
            RequestSender { grant: granted.cloned(), correlation: headers.get(&CORRELATION_ID).cloned() };
        let mut caller = Caller {
            external_user_id: external.map(str::to_owned),
            attributed_to: parts
                .extensions
                .get::<RequestAttribution>()
                .map(|RequestAttribution(source)| *source),
            sender: Sender::new(sent),
            ..Caller::default()
        };
        let Some(grant) = granted else { return caller };
        caller.client_id = grant.client_id().map(str::to_owned);
        caller.user_id = grant.operator().map(|operator| operator.id.clone());
        if let Some(user) = grant.external_user_id() {
            // The user that the token proves has priority over the user that the header claims.
            caller.external_user_id = Some(user.to_owned());
        }
        match grant.subject() {
            TokenSubject::Client => {}
            TokenSubject::Customer { id } => caller.customer_id = Some(id.to_string()),
            TokenSubject::Anonymous { id } => caller.anonymous_id = Some(id.to_string()),
        }
        caller
    }

    /// Returns the maximum size of the body, in bytes: `of_client` for API clients, less for customers and anonymous
    /// sessions. From here on the body of a client does not count against the budget of unauthenticated requests.
    pub(crate) fn body_bytes_max(&self, parts: &Parts, of_client: usize) -> usize {
        let is_stranger = match self {
            CallerAccess::Operator | CallerAccess::Anybody => false,
            CallerAccess::Granted(grant) => *grant.subject() != TokenSubject::Client,
        };
        if is_stranger {
            return OWN_BODY_BYTES_MAX.min(of_client);
        }
        if let Some(held) = BodyBudget::from_parts(parts) {
            held.mark_client();
        }
        of_client
    }

    /// Returns the id of the customer, if the caller is one.
    pub(crate) fn customer(&self) -> Option<&str> {
        match self {
            CallerAccess::Granted(grant) => match grant.subject() {
                TokenSubject::Customer { id } => Some(id),
                _ => None,
            },
            CallerAccess::Operator | CallerAccess::Anybody => None,
        }
    }
}
