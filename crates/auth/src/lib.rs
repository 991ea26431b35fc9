//! OAuth 2.0: API clients, tokens, scopes, introspection, revocation.
//!
//! Start at [`AuthService`]: the system file with projects, API Clients and tokens. `http` passes the parts of a
//! request ([`OAuthRequest`]) to the endpoints under `/oauth` ([`AuthService::token`], [`AuthService::introspect`],
//! [`AuthService::revoke`]) and sends the `to_json` of the result, or [`OAuthError::body`]. For every other
//! request it turns the header `Authorization` into a [`Grant`] ([`bearer_token`], [`AuthService::authenticate`])
//! and checks the scopes of the operation ([`Grant::require`]).
//!
//! [`ExternalTokenValidator`] validates tokens of an external server. `operators` has the accounts of the console.
//!
//! **Invariants.** Secrets and tokens are stored as hashes only and never logged. Acknowledged changes are on
//! disk. Revoked and deleted credentials are refused from the acknowledgement on. The caller passes the time,
//! because every project may have a clock of its own. There is no HTTP in this crate.

mod anonymous;
mod api_clients;
mod auth_service;
mod authenticate;
mod cache_revision;
mod catch_up;
mod client;
mod error;
mod external;
mod file;
mod grant;
mod introspect;
mod introspection;
mod introspection_response;
mod issue;
mod limits;
mod login_rate_limit;
mod oauth_error;
mod oauth_request;
mod operator_row;
mod operators;
mod password;
mod project;
mod projects;
mod refresh;
mod registry;
mod revoke;
mod scope;
mod scope_set;
mod scope_text;
mod secret;
pub mod store;
mod subject;
mod sweep;
mod system_move;
mod token_endpoint;
mod token_rate_limit;
mod token_response;
mod volatile_tokens;

pub use anonymous::ANONYMOUS_ID_CHARS_MAX;
pub use api_clients::{
    ACCESS_TOKEN_VALIDITY_S, CLIENT_ID_BYTES_MAX, CLIENT_NAME_CHARS_MAX, CLIENT_SCOPE_BYTES_MAX, ClientDraft,
    CreatedClient, DELETE_DAYS, REFRESH_TOKEN_VALIDITY_S,
};
pub use auth_service::AuthService;
pub use authenticate::{AuthError, bearer_token};
pub use client::{ACCESS_TOKEN_VALIDITY_S_DEFAULT, ApiClient, REFRESH_TOKEN_VALIDITY_S_DEFAULT};
pub use error::{Error, Result};
pub use external::{
    EXTERNAL_TOKEN_BYTES_MAX, EXTERNAL_TOKEN_CACHED_MS_MAX, EXTERNAL_TOKENS_CACHED_MAX, ExternalServer,
    ExternalTokenValidator, INTROSPECTIONS_MAX,
};
pub use file::{SystemDurability, verify_system_file};
pub use grant::{Grant, GrantedOperator, insufficient_scope};
pub use introspect::Introspection;
pub use introspection::{
    ExternalFailure, INTROSPECTION_BYTES_MAX, INTROSPECTION_DEADLINE, IntrospectionCall,
    IntrospectionEndpoint, IntrospectionFuture, IntrospectionReply,
};
pub use limits::{REFRESH_TOKENS_MAX, TOKENS_CACHED_MAX};
pub use login_rate_limit::{LoginAttempt, account_in};
pub use oauth_error::OAuthError;
pub use oauth_request::{FORM_BYTES_MAX, OAuthRequest};
pub use operators::{
    ADMINISTRATOR, ALL_PROJECTS, LINK_VALIDITY_S, OPERATOR_EMAIL_CHARS_MAX, OPERATOR_NAME_CHARS_MAX,
    OPERATOR_PASSWORD_CHARS_MIN, OPERATOR_TOKEN_VALIDITY_S, OperatorAccount, OperatorDraft, OperatorLink,
    OperatorRole, OperatorSession, RoleAssignment, SESSION_IDLE_S, SESSION_VALIDITY_S,
    check_operator_password, is_administrator,
};
pub use password::{CustomerLogin, Customers, VerifiedCustomer};
pub use project::{PROJECT_KEY_CHARS, Project, check_project_key};
pub use scope::{ScopeName, every_scope};
pub use scope_set::{ScopeError, ScopeSet};
pub use secret::Secret;
pub use subject::TokenSubject;
pub use sweep::SweepResult;
pub use token_endpoint::ProjectClock;
pub use token_rate_limit::TOKEN_REQUESTS_A_SECOND_DEFAULT;
pub use token_response::TokenResponse;
pub use volatile_tokens::{VOLATILE_TOKEN_VALIDITY_S, VOLATILE_TOKENS_MAX};
