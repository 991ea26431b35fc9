//! Flipped bits in the system file are detected: no read returns a wrong value, and nothing is silently missing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use kontor_auth::{
    AuthError, AuthService, ClientDraft, Error, OAuthRequest, OperatorDraft, RoleAssignment,
    SystemDurability, store::SystemContents, verify_system_file,
};
use pollster::block_on;
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use rusqlite::Connection;
use secrecy::ExposeSecret as _;

/// Number of bits that are flipped, one after the other.
const FLIPS: usize = 300;

/// How many of them may hide data without an error: bits of the few bytes that count the rows of a page, and of its inner
/// pages. `verify_system_file` finds them.
const HIDING_MAX: usize = FLIPS / 100;

const SESSIONS: usize = 60;
const LATER_MS: i64 = 1_000;

fn open(path: &Path) -> Result<AuthService, Error> {
    AuthService::open(path, SystemDurability::InMemory)
}

fn request(query: &str) -> OAuthRequest<'_> {
    OAuthRequest { authorization: Some("Basic YzA6c2VjcmV0"), query, ..OAuthRequest::default() }
}

/// Creates a file with rows in each table. Returns its access tokens.
fn system(path: &Path) -> Vec<String> {
    let auth = open(path).unwrap();
    block_on(auth.create_project("demo", "Demo", 0)).unwrap();
    for number in 0..4 {
        let draft = ClientDraft {
            name: format!("Client {number}"),
            scope: "view_states:demo create_anonymous_token:demo".into(),
            id: Some(format!("c{number}")),
            secret: Some("secret".to_owned().into()),
            ..ClientDraft::default()
        };
        block_on(auth.create_client("demo", draft, 0)).unwrap();
    }
    block_on(auth.delete_client("demo", "c3", 0)).unwrap();
    for name in ["ann", "bob"] {
        let roles = vec![RoleAssignment { project: "*".into(), role: "support".into() }];
        let draft = OperatorDraft { email: format!("{name}@example.com"), roles, ..OperatorDraft::default() };
        let operator = block_on(auth.create_operator(draft, 0)).unwrap();
        block_on(auth.begin_operator_session(&operator, 0)).unwrap();
    }
    let issued = |number: usize| {
        let query = format!("grant_type=client_credentials&anonymous_id=visitor-{number}");
        let issued = block_on(auth.anonymous_token("demo", &request(&query), &|_: &str| 0)).unwrap();
        issued.access_token.expose_secret().to_owned()
    };
    (0..SESSIONS).map(issued).collect()
}

/// The result of each read, by a description of the read.
type ReadResults = BTreeMap<String, Result<String, String>>;

fn read_all(path: &Path, tokens: &[String]) -> ReadResults {
    let mut results = ReadResults::new();
    let auth = match open(path) {
        Ok(auth) => auth,
        Err(error) => {
            results.insert("open".into(), Err(error.to_string()));
            return results;
        }
    };
    results.insert("projects".into(), Ok(format!("{:?}", auth.projects())));
    for (number, token) in tokens.iter().enumerate() {
        let read = match auth.authenticate(token, LATER_MS) {
            Ok(grant) => Ok(format!("{:?} {}", grant.client_id(), grant.scopes())),
            Err(AuthError::Failed(error)) => Err(error.to_string()),
            // Less than the right value, which counts as hidden.
            Err(_) => Ok(String::new()),
        };
        results.insert(format!("token {number}"), read);
    }
    let operators = auth.operators().map(|operators| format!("{operators:?}"));
    results.insert("operators".into(), operators.map_err(|error| error.to_string()));
    drop(auth);
    let contents = SystemContents::from_file(path).map(|contents| format!("{contents:?}"));
    results.insert("contents".into(), contents.map_err(|error| error.to_string()));
    results
}

#[test]
fn no_flipped_bit_changes_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, damaged) = (folder.path().join("whole.db"), folder.path().join("damaged.db"));
    let tokens = system(&whole);
    let verified = verify_system_file(&whole).unwrap();
    assert_eq!((verified.findings.as_slice(), verified.without_checksum), ([].as_slice(), 0));
    assert!(verified.documents > 2 * SESSIONS as u64);
    let expected = read_all(&whole, &tokens);
    assert!(expected.values().all(Result::is_ok), "{expected:?}");
    let bytes = fs::read(&whole).unwrap();
    let mut chance = StdRng::seed_from_u64(47);
    let (mut reported, mut hidden) = (0, BTreeSet::new());
    for _ in 0..FLIPS {
        let (place, bit) = (chance.random_range(0..bytes.len()), chance.random_range(0..8));
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << bit;
        fs::write(&damaged, &bytes).unwrap();
        let found = verify_system_file(&damaged);
        let is_found = found.as_ref().map_or(true, |verified| !verified.findings.is_empty());
        for (read, result) in read_all(&damaged, &tokens) {
            match (&result, expected.get(&read)) {
                (Ok(result), Some(Ok(expected))) if result == expected => {}
                (Ok(result), Some(Ok(expected))) => {
                    let is_shorter = result.len() < expected.len();
                    assert!(is_shorter && is_found, "{read}, byte {place}, bit {bit}: {result:.300}");
                    hidden.insert((place, read.clone()));
                }
                (Ok(result), _) => panic!("{read}: {result}"),
                (Err(error), _) => {
                    assert!(is_found, "byte {place}, bit {bit}: {read} {error}, and nothing was found");
                    reported += 1;
                }
            }
        }
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("damaged.db{suffix}")));
        }
    }
    assert!(reported > FLIPS / 8, "{reported} errors");
    assert!(hidden.iter().map(|(place, _)| place).collect::<BTreeSet<_>>().len() <= HIDING_MAX, "{hidden:?}");
}

/// Changes one row of a closed file as damage would: without its checksum.
fn change(path: &Path, sql: &str) {
    assert_eq!(Connection::open(path).unwrap().execute(sql, []).unwrap(), 1, "{sql}");
}

#[test]
fn a_damaged_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.db");
    let tokens = system(&path);
    let first = "(SELECT hash FROM tokens ORDER BY hash LIMIT 1)";
    change(&path, &format!("UPDATE tokens SET scope = 'manage_project:demo' WHERE hash = {first}"));
    let found = verify_system_file(&path).unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].kind, found[0].id.len()), ("token", 8));

    let auth = open(&path).unwrap();
    assert!(auth.damage().is_none(), "it was not read yet");
    let read: Vec<_> = tokens.iter().map(|token| auth.authenticate(token, LATER_MS)).collect();
    let failed: Vec<_> = read.iter().filter_map(|read| read.as_ref().err()).collect();
    assert!(matches!(failed.as_slice(), [AuthError::Failed(Error::Damaged(_))]), "{failed:?}");
    let damage = auth.damage().unwrap();
    assert!(failed[0].to_string().contains(&found[0].id) && damage.contains(&found[0].id), "{damage}");
}

#[test]
fn a_hash_that_changed_is_reported_by_the_lookup() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.db");
    let tokens = system(&path);
    change(
        &path,
        "UPDATE tokens SET hash = x'00' WHERE hash = (SELECT hash FROM tokens ORDER BY hash LIMIT 1)",
    );
    let auth = open(&path).unwrap();
    let read: Vec<_> = tokens.iter().map(|token| auth.authenticate(token, LATER_MS)).collect();
    let failed: Vec<_> = read.iter().filter_map(|read| read.as_ref().err()).collect();
    assert!(matches!(failed.as_slice(), [AuthError::Failed(Error::Damaged(_))]), "{failed:?}");
}

#[test]
fn a_damaged_row_is_not_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.db");
    system(&path);
    let auth = open(&path).unwrap();
    // While it is open, so that the start does not meet it.
    change(&path, "UPDATE clients SET name = 'Another' WHERE id = 'c0'");
    let refused = block_on(auth.rotate_secret("demo", "c0", None, 0)).unwrap_err();
    assert_eq!(refused.status(), 500, "{refused}");
    assert!(auth.damage().is_some_and(|damage| damage.contains("c0")));
    assert_eq!(verify_system_file(&path).unwrap().findings.len(), 1);
}

#[test]
fn a_damaged_client_prevents_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.db");
    system(&path);
    change(&path, "UPDATE clients SET scope = 'manage_project:demo' WHERE id = 'c1'");
    let error = open(&path).unwrap_err();
    assert!(matches!(error, Error::Damaged(_)) && error.to_string().contains("the client 'c1'"), "{error}");
    let found = verify_system_file(&path).unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].kind, &*found[0].id), ("client", "c1"));
}
