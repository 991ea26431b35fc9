//! Interprets introspection responses, defensively: only the service's own scopes count.
//!
//! Source: document A, "External OAuth server", rules 3 and 4; RFC 7662, section 2.2.

use std::sync::Arc;

use kontor_json::{Map, Value};

use crate::{ExternalFailure, Grant, IntrospectionReply, ScopeSet, TokenSubject};

/// Times beyond this are milliseconds: as seconds they would be in the year 5138. RFC 7662 has seconds, but a server
/// that passes the service's own introspection on has milliseconds.
const SECONDS_MAX: f64 = 1e11;

/// The prefix of the scope that names the external server's own user.
const EXTERNAL_USER_WORD: &str = "external_user_id:";

/// The interpretation of a response.
#[derive(Debug)]
pub(crate) enum IntrospectionVerdict {
    /// The token is not valid.
    Inactive,
    /// The token is valid and has this grant.
    Active(Grant),
}

/// Interprets a response received at a time.
pub(crate) fn interpret_response(
    reply: &IntrospectionReply,
    project_key: &str,
    now_ms: i64,
) -> Result<IntrospectionVerdict, ExternalFailure> {
    if reply.status != 200 {
        return Err(ExternalFailure::InvalidResponse);
    }
    let response: Map = kontor_json::from_slice(&reply.body).map_err(|_| ExternalFailure::InvalidResponse)?;
    match response.get("active") {
        Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => return Ok(IntrospectionVerdict::Inactive),
        _ => return Err(ExternalFailure::InvalidResponse),
    }
    let scope = match response.get("scope") {
        None | Some(Value::Null) => "",
        Some(Value::String(scope)) => scope,
        Some(_) => return Err(ExternalFailure::InvalidResponse),
    };
    let expires_at_ms = match response.get("exp") {
        None | Some(Value::Null) => i64::MAX,
        Some(exp) => milliseconds(exp.as_f64().ok_or(ExternalFailure::InvalidResponse)?),
    };
    // Contradictory subjects count as none.
    let Some(subject) = subject_of(scope) else { return Ok(IntrospectionVerdict::Inactive) };
    if expires_at_ms <= now_ms {
        return Ok(IntrospectionVerdict::Inactive);
    }
    Ok(IntrospectionVerdict::Active(Grant {
        client: None,
        operator: None,
        scopes: Arc::new(own_scopes(scope, project_key)),
        subject,
        external_user_id: external_user_of(scope),
        store_key: None,
        issued_at_ms: now_ms,
        expires_at_ms,
    }))
}

fn milliseconds(exp: f64) -> i64 {
    // `as` ends at the bounds of the type, which is as good as any other time so far away.
    if exp > SECONDS_MAX { exp as i64 } else { (exp * 1_000.0) as i64 }
}

/// Returns the subject of the token; `None` if the scope names two.
fn subject_of(scope: &str) -> Option<TokenSubject> {
    let mut subjects = scope.split_whitespace().filter_map(TokenSubject::from_scope_word);
    let first = subjects.next().unwrap_or(TokenSubject::Client);
    subjects.all(|other| other == first).then_some(first)
}

/// Returns the external user in the scope, in addition to Customers and sessions; the first of several.
fn external_user_of(scope: &str) -> Option<String> {
    let mut users = scope.split_whitespace().filter_map(|word| word.strip_prefix(EXTERNAL_USER_WORD));
    users.find(|id| !id.is_empty()).map(str::to_owned)
}

/// Returns the scopes of this project among the words of a scope.
fn own_scopes(scope: &str, project_key: &str) -> ScopeSet {
    let own: Vec<_> =
        scope.split_whitespace().filter(|word| ScopeSet::parse(word, project_key).is_ok()).collect();
    // Each word is a scope, so all of them together are.
    ScopeSet::parse(&own.join(" "), project_key).unwrap_or_else(|_| ScopeSet::empty(project_key))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_772_366_400_000;

    fn parse_reply(status: u16, body: &str) -> Result<IntrospectionVerdict, ExternalFailure> {
        let reply = IntrospectionReply { status, body: body.as_bytes().to_vec() };
        interpret_response(&reply, "demo", NOW_MS)
    }

    fn grant(body: &str) -> Grant {
        match parse_reply(200, body).unwrap() {
            IntrospectionVerdict::Active(grant) => grant,
            IntrospectionVerdict::Inactive => panic!("inactive: {body}"),
        }
    }

    #[test]
    fn only_scopes_of_the_project_count() {
        let grant = grant(
            r#"{"active": true, "scope": "openid view_states:demo manage_all:demo view_states:other view_orders:demo:berlin customer_id:c1"}"#,
        );
        assert_eq!(grant.scopes().to_string(), "view_states:demo view_orders:demo:berlin");
        assert_eq!(grant.subject(), &TokenSubject::Customer { id: "c1".into() });
        assert_eq!((grant.client_id(), grant.project_key()), (None, "demo"));
    }

    #[test]
    fn the_scope_may_name_a_user_of_the_server() {
        let named =
            grant(r#"{"active": true, "scope": "view_states:demo external_user_id:u:1 customer_id:c1"}"#);
        assert_eq!(named.external_user_id(), Some("u:1"));
        assert_eq!(grant(r#"{"active": true, "scope": "external_user_id:"}"#).external_user_id(), None);
    }

    #[test]
    fn a_token_without_scopes_may_do_nothing() {
        assert!(grant(r#"{"active": true}"#).scopes().is_empty());
    }

    #[test]
    fn two_subjects_are_none() {
        for scope in ["customer_id:a customer_id:b", "customer_id:a anonymous_id:a"] {
            let body = format!(r#"{{"active": true, "scope": "{scope}"}}"#);
            assert!(matches!(parse_reply(200, &body), Ok(IntrospectionVerdict::Inactive)), "{scope}");
        }
        assert_eq!(
            grant(r#"{"active": true, "scope": "anonymous_id:a anonymous_id=a"}"#).subject(),
            &TokenSubject::Anonymous { id: "a".into() }
        );
    }

    #[test]
    fn the_end_is_in_seconds_or_as_the_service_itself_says_it() {
        for exp in ["1772366460", "1772366460000", "1772366460.0"] {
            let grant = grant(&format!(r#"{{"active": true, "exp": {exp}}}"#));
            assert_eq!(grant.expires_at_ms(), NOW_MS + 60_000, "{exp}");
        }
        for exp in ["0", "-1", "1772366400", "-1e300"] {
            let body = format!(r#"{{"active": true, "exp": {exp}}}"#);
            assert!(matches!(parse_reply(200, &body), Ok(IntrospectionVerdict::Inactive)), "{exp}");
        }
    }

    #[test]
    fn fails_on_a_malformed_response() {
        for (status, body) in [
            (500, r#"{"active": true}"#),
            (302, r#"{"active": true}"#),
            (201, r#"{"active": true}"#),
            (200, ""),
            (200, "true"),
            (200, "<html>"),
            (200, "{}"),
            (200, r#"{"active": "true"}"#),
            (200, r#"{"active": true, "scope": ["view_states:demo"]}"#),
            (200, r#"{"active": true, "exp": "soon"}"#),
        ] {
            assert_eq!(
                parse_reply(status, body).unwrap_err(),
                ExternalFailure::InvalidResponse,
                "{status} {body}"
            );
        }
        assert!(matches!(
            parse_reply(200, r#"{"active": false, "scope": 1}"#),
            Ok(IntrospectionVerdict::Inactive)
        ));
    }
}
