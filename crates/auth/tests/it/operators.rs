//! Operators: sessions and tokens expire, links work once, and a moved system keeps all of it.

use kontor_auth::{
    AuthError, AuthService, LINK_VALIDITY_S, OPERATOR_TOKEN_VALIDITY_S, OperatorAccount, OperatorDraft,
    OperatorLink, RoleAssignment, SESSION_IDLE_S, SESSION_VALIDITY_S, ScopeName, SystemDurability,
    store::SystemContents,
};
use pollster::block_on;
use secrecy::ExposeSecret;

const SECOND_MS: i64 = 1_000;

fn service(folder: &tempfile::TempDir) -> AuthService {
    let file = folder.path().join("system.db");
    let service = AuthService::open(&file, SystemDurability::InMemory).unwrap();
    block_on(service.create_project("shop", "Shop", 0)).unwrap();
    service
}

fn operator(service: &AuthService, role: &str) -> OperatorAccount {
    let roles = vec![RoleAssignment { project: "*".into(), role: role.into() }];
    let draft = OperatorDraft { email: "ann@example.com".into(), roles, ..OperatorDraft::default() };
    block_on(service.create_operator(draft, 0)).unwrap()
}

#[test]
fn a_session_ends_after_twelve_idle_hours_and_after_seven_days() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let ann = operator(&service, "support");
    let (token, _) = block_on(service.begin_operator_session(&ann, 0)).unwrap();
    let is_alive = |token: &str, now_s: i64| {
        block_on(service.operator_session(token, now_s * SECOND_MS)).unwrap().is_some()
    };
    let token = token.expose_secret();
    assert!(!is_alive("ks_other", 0));
    assert!(is_alive(token, SESSION_IDLE_S - 1));
    assert!(is_alive(token, 2 * SESSION_IDLE_S - 2), "its use extends it");
    assert!(!is_alive(token, 4 * SESSION_IDLE_S));
    let (token, _) = block_on(service.begin_operator_session(&ann, 0)).unwrap();
    let token = token.expose_secret();
    let steps = SESSION_VALIDITY_S / (SESSION_IDLE_S - 1);
    assert!((0..=steps).all(|step| is_alive(token, step * (SESSION_IDLE_S - 1))));
    assert!(!is_alive(token, SESSION_VALIDITY_S));
}

#[test]
fn an_access_token_has_the_scopes_of_the_role_and_lives_for_minutes() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let ann = operator(&service, "support");
    let (_, session) = block_on(service.begin_operator_session(&ann, 0)).unwrap();
    let issued = block_on(service.issue_operator_token(&session, "shop", 0)).unwrap();
    let token = issued.access_token.expose_secret();
    let grant = service.authenticate(token, 0).unwrap();
    assert_eq!(grant.operator().unwrap().id, ann.id);
    assert!(grant.client_id().is_none());
    assert!(grant.allows("shop", &[ScopeName::ManageOrders]));
    assert!(!grant.allows("shop", &[ScopeName::ManageProducts]));
    assert!(!grant.allows("other", &[ScopeName::ManageOrders]));
    let end = OPERATOR_TOKEN_VALIDITY_S * SECOND_MS;
    assert!(service.authenticate(token, end - 1).is_ok());
    assert!(matches!(service.authenticate(token, end), Err(AuthError::Expired)));
    assert!(block_on(service.issue_operator_token(&session, "other", 0)).is_err());
    block_on(service.sweep_operators(end)).unwrap();

    let (other, _) = block_on(service.begin_operator_session(&ann, end)).unwrap();
    block_on(service.end_operator_sessions(&ann)).unwrap();
    assert!(
        block_on(service.operator_session(other.expose_secret(), end)).unwrap().is_none(),
        "all have ended"
    );
    assert!(block_on(service.issue_operator_token(&session, "shop", 0)).is_err(), "it has ended");
}

#[test]
fn tokens_end_with_the_role_and_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let ann = operator(&service, "support");
    let token = |ann: &OperatorAccount| {
        let (_, session) = block_on(service.begin_operator_session(ann, 0)).unwrap();
        block_on(service.issue_operator_token(&session, "shop", 0)).unwrap().access_token
    };
    let first = token(&ann);
    assert!(service.authenticate(first.expose_secret(), 0).is_ok());
    let roles = vec![RoleAssignment { project: "shop".into(), role: "read-only".into() }];
    let changed = block_on(service.update_operator(&ann, None, Some(roles))).unwrap();
    assert!(service.authenticate(first.expose_secret(), 0).is_err());
    let stale = block_on(service.update_operator(&ann, Some("Ann".into()), None)).unwrap_err();
    assert_eq!(stale.status(), 409, "another change was faster");
    let second = token(&changed);
    assert!(block_on(service.remove_operator(&changed)).unwrap());
    assert!(service.authenticate(second.expose_secret(), 0).is_err());
    assert!(service.operator_by_email("ann@example.com").unwrap().is_none());
    assert!(!service.has_operators().unwrap());
}

#[test]
fn a_link_works_once_and_for_an_hour() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let set_up = block_on(service.create_set_up_link(0)).unwrap().unwrap();
    let late = LINK_VALIDITY_S * SECOND_MS;
    assert_eq!(service.operator_link(set_up.expose_secret(), late - 1).unwrap(), OperatorLink::SetUp);
    assert!(service.operator_link(set_up.expose_secret(), late).is_err());
    let draft = || OperatorDraft { email: "ann@example.com".into(), ..OperatorDraft::default() };
    let (_, session) = block_on(service.set_up_operators(set_up.expose_secret(), draft(), 1)).unwrap();
    assert!(session.operator.is_administrator());
    assert!(block_on(service.set_up_operators(set_up.expose_secret(), draft(), 1)).is_err());
    assert!(block_on(service.create_set_up_link(0)).unwrap().is_none());

    let link = block_on(service.create_operator_link(&session.operator, 0)).unwrap();
    let sign_in = || block_on(service.use_operator_link(link.expose_secret(), session.operator.clone(), 1));
    assert!(sign_in().is_ok() && sign_in().is_err());
}

#[test]
fn operators_move_with_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let ann = operator(&service, "support");
    let (token, _) = block_on(service.begin_operator_session(&ann, 0)).unwrap();
    let contents = service.contents(&folder.path().join("copy.db")).unwrap();
    contents.write_file(&folder.path().join("moved.db")).unwrap();
    let moved = AuthService::open(&folder.path().join("moved.db"), SystemDurability::InMemory).unwrap();
    assert_eq!(moved.operators().unwrap(), [ann]);
    assert!(block_on(moved.operator_session(token.expose_secret(), 1)).unwrap().is_some());
    let read = SystemContents::from_file(&folder.path().join("moved.db")).unwrap();
    let stored: Vec<&str> = read.operator_rows.iter().map(|row| row.key.as_str()).collect();
    assert!(!stored.contains(&token.expose_secret()), "tokens are stored as hashes");
}
