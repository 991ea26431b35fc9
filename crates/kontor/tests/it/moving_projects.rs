//! `kontor move`: from a data folder to a database and back, while clients write.

use crate::cluster::create_resource;
use crate::harness::{
    ApiCaller, CommandResult, ServerUnderTest, StopGuard, basic, fixture, folder, kontor, run, text,
};
use crate::relay::TcpRelay;
use kontor_json::json;
use kontor_postgres::{Database, DatabaseOptions};
use kontor_storage::{ScanDirection, Sqlite, SqliteOptions, Storage as _};
use kontor_tests_postgres::{PASSWORD, PostgresServer as Postgres};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Number of clients that write meanwhile.
const WRITERS: usize = 6;
/// Number of documents before the move.
const BEFORE: usize = 300;
/// Minimum number of writes before and after the move.
const WRITTEN: usize = 60;
/// The longest time for which writes may be blocked. The goal is a second, but test machines are slow.
const HELD_MS_MAX: u64 = 5_000;
/// The delay before a writer tries the other place.
const PAUSE: Duration = Duration::from_millis(5);

/// Starts a server over a database, without creating a project.
fn serve_only(data: &Path, url: &str) -> ServerUnderTest {
    let mut command = kontor(data);
    command.args(["serve", "--database-url", url]);
    ServerUnderTest::start_with(command, Stdio::null())
}

/// The acknowledged writes of one client.
#[derive(Default)]
struct AcknowledgedWrites {
    /// Keys of the documents that it created.
    created: Vec<String>,
    /// The last acknowledged version of the document that it updates.
    version: u64,
    refused: usize,
    /// The longest time between two acknowledged writes.
    waited: Duration,
}

/// The places that clients write to, and their shared state.
struct WriteLoad<'w> {
    places: [&'w ApiCaller; 2],
    responses: AtomicUsize,
    is_over: AtomicBool,
}

impl WriteLoad<'_> {
    /// Writes until the test is over. Switches to the other place after each failure.
    fn write(&self, name: &str) -> AcknowledgedWrites {
        let (mut wrote, mut at, mut outcome) = (AcknowledgedWrites::default(), 0, Instant::now());
        let made = create_resource(self.places[0], "states", &json!({"key": name, "type": "ProductState"}));
        wrote.version = made["version"].as_u64().unwrap();
        let path = format!("/shop/states/key={name}");
        for number in 0.. {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            let key = format!("{name}-{number}");
            let draft = json!({"key": key, "type": "ProductState"});
            let update = json!({
                "version": wrote.version,
                "actions": [{"action": "setName", "name": {"en": key}}],
            });
            let response = match number % 2 {
                0 => self.places[at].try_post("/shop/states", &draft),
                _ => self.places[at].try_post(&path, &update),
            };
            match response {
                Some((201, _)) => wrote.created.push(key),
                Some((200, response)) => wrote.version = response["version"].as_u64().unwrap(),
                // The new place does not know the project yet, or its server is down.
                Some((503, _)) | None => {
                    wrote.refused += 1;
                    at = 1 - at;
                    sleep(PAUSE);
                    continue;
                }
                Some((status, response)) => panic!("{status} {response}"),
            }
            wrote.waited = wrote.waited.max(outcome.elapsed());
            outcome = Instant::now();
            self.responses.fetch_add(1, Ordering::Relaxed);
        }
        wrote
    }

    fn wait_for_more(&self, more: usize) {
        let before = self.responses.load(Ordering::Relaxed);
        crate::harness::wait_until(|| self.responses.load(Ordering::Relaxed) >= before + more);
    }
}

/// Moves while clients write. Returns their writes, and the output of the command.
fn move_under_load(
    name: &str,
    from: &ApiCaller,
    to: &ApiCaller,
    moving: impl FnOnce() -> CommandResult,
) -> (Vec<AcknowledgedWrites>, String) {
    let writing =
        WriteLoad { places: [from, to], responses: AtomicUsize::new(0), is_over: AtomicBool::new(false) };
    scope(|scope| {
        let writing = &writing;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || writing.write(&format!("{name}{writer}"))))
            .collect();
        let over = StopGuard(&writing.is_over);
        writing.wait_for_more(WRITTEN);
        let said = moving().ok();
        writing.wait_for_more(WRITTEN);
        drop(over);
        let wrote: Vec<AcknowledgedWrites> =
            writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        let waited = wrote.iter().map(|wrote| wrote.waited).max().unwrap();
        let refused: usize = wrote.iter().map(|wrote| wrote.refused).sum();
        eprintln!("{said}refused: {refused}; a writer waited for {waited:?} at most");
        let held = said.split_once("refused for ").and_then(|(_, rest)| rest.split_once(" ms")).unwrap().0;
        assert!(held.parse::<u64>().unwrap() < HELD_MS_MAX, "{said}");
        (wrote, said)
    })
}

/// Asserts that each acknowledged write exists exactly once.
fn assert_writes_exist(client: &ApiCaller, name: &str, wrote: &[AcknowledgedWrites]) {
    for (writer, wrote) in wrote.iter().enumerate() {
        let (status, found) = client.get(&format!("/shop/states/key={name}{writer}"));
        assert_eq!((status, found["version"].as_u64()), (200, Some(wrote.version)), "{found}");
        for key in &wrote.created {
            let (status, found) = client.get(&format!("/shop/states/key={key}"));
            assert_eq!((status, &found["version"]), (200, &json!(1)), "{key}: {found}");
        }
    }
    let predicate = format!("/shop/states?limit=0&where=key%3E%22{name}%22%20and%20key%3C%22{name}:%22");
    let expected: usize = wrote.iter().map(|wrote| wrote.created.len() + 1).sum();
    let (status, found) = client.get(&predicate);
    assert_eq!((status, found["total"].as_u64()), (200, Some(expected as u64)), "{found}");
}

#[test]
fn everything_moves_into_a_database_and_back_while_others_write() {
    let (data, back) = (folder(), folder());
    let postgres = Postgres::start().unwrap();
    let url = postgres.url();
    let old = ServerUnderTest::start(data.path());
    let client = old.client();
    for number in 0..BEFORE {
        create_resource(
            &client,
            "customer-groups",
            &json!({"groupName": format!("g{number}"), "key": format!("g{number}")}),
        );
    }
    let (_, session) = old
        .with_authorization(&basic("id", "secret"))
        .post("/oauth/shop/anonymous/token?grant_type=client_credentials", &json!({}));
    // The new server waits for the projects.
    let other = folder();
    let new = serve_only(other.path(), &url);
    let arrived = new.with_token(client.token());
    // Until then it is not ready, and does not reject tokens as invalid.
    for (status, response) in [
        new.nobody().get("/health/ready"),
        arrived.get("/shop"),
        new.with_authorization(&basic("id", "secret"))
            .post("/oauth/token?grant_type=client_credentials", &json!({})),
    ] {
        assert_eq!(status, 503, "{response}");
    }
    let (wrote, said) = move_under_load("a", &client, &arrived, || run(data.path(), &["move", "--to", &url]));
    assert!(said.contains("moved to ") && !said.contains(PASSWORD), "{said}");
    assert_writes_exist(&arrived, "a", &wrote);
    assert_eq!(new.nobody().get("/health/ready").0, 200);
    assert_eq!(arrived.total("/shop/customer-groups"), BEFORE as u64);
    // Sessions have moved, too.
    let session = session["access_token"].as_str().unwrap();
    assert_eq!(new.with_token(session).get("/shop/me/carts").0, 200);
    // The old server serves nothing any more, and no new server starts in its place.
    for (status, response) in [
        client.get("/shop"),
        client.post("/shop/states", &json!({"key": "late", "type": "ProductState"})),
        old.nobody().get("/health/ready"),
    ] {
        assert_eq!(status, 503, "{response}");
    }
    drop(old);
    for command in [&["export", "--project", "shop"][..], &["serve"], &["backup", "never.tar"]] {
        let said = run(data.path(), command).failed();
        assert!(said.contains("have moved to"), "{said}");
    }
    let again = run(data.path(), &["move", "--to", &url]).ok();
    assert!(again.contains("already"), "{again}");

    // Back, without a restart of the servers: clients reach the next server by the relay's address.
    let (to, alone) = (back.path().join("data"), other.path().join("nobody-is-here"));
    let door = TcpRelay::start(vec![new.address()]);
    let outside = arrived.at_address(door.address());
    let taken_over = Mutex::new(None);
    let (wrote, _) = move_under_load("b", &arrived, &outside, || {
        let moved = run(&alone, &["move", "--database-url", &url, "--to", text(&to)]);
        let server = ServerUnderTest::start(&to);
        door.set_target(0, server.address());
        door.cut();
        *taken_over.lock().unwrap() = Some(server);
        moved
    });
    assert_eq!(arrived.get("/shop").0, 503);
    assert_writes_exist(&outside, "b", &wrote);
    assert_eq!(outside.total("/shop/customer-groups"), BEFORE as u64);
    drop(taken_over);
    let said = run(&alone, &["export", "--project", "shop", "--database-url", &url]).failed();
    assert!(said.contains("have moved to"), "{said}");
    let said = run(&alone, &["move", "--database-url", &url, "--to", text(&to)]).ok();
    assert!(said.contains("already"), "{said}");
    assert_same_contents(&url, &to);
}

/// Compares a database with the folder that it was moved to, and that was written to after the move.
fn assert_same_contents(url: &str, folder: &Path) {
    let database = Database::open(url.parse::<DatabaseOptions>().unwrap()).unwrap();
    let from = database.storage("shop").unwrap();
    let to = Sqlite::open(&folder.join("projects/shop.db"), SqliteOptions::default()).unwrap();
    assert_eq!(from.epoch().unwrap(), to.epoch().unwrap());
    let last = from.last_seq().unwrap();
    assert!(to.last_seq().unwrap() > last);
    // One change log, from the first entry on, without gaps.
    let (changes, copied) =
        (from.changes(0, usize::MAX >> 1).unwrap(), to.changes(0, usize::MAX >> 1).unwrap());
    assert_eq!(changes.len() as u64, last);
    assert!(copied.starts_with(&changes));
    let mut compared = 0;
    from.scan("customer-group", ScanDirection::Ascending, None, &mut |stored| {
        assert_eq!(to.get("customer-group", stored.id).unwrap(), Some(stored.to_stored()));
        compared += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(compared, BEFORE);
}

fn run_sql(url: &str, statement: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(statement).await.unwrap();
    });
}

#[test]
fn completes_an_interrupted_move() {
    let data = folder();
    let postgres = Postgres::start().unwrap();
    let url = postgres.url();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    create_resource(&client, "states", &json!({"key": "open", "type": "ProductState"}));
    let sql = |statement: &str| run_sql(&url, statement);
    drop(Database::open(url.parse::<DatabaseOptions>().unwrap()).unwrap());
    // The move copies and marks, but cannot list the projects in the database.
    sql("ALTER TABLE kontor.projects ADD CONSTRAINT full_up CHECK (key = '')");
    let said = run(data.path(), &["move", "--to", &url]).failed();
    assert!(said.contains("is marked as moved") && said.contains("run the command again"), "{said}");
    assert_eq!(client.get("/shop").0, 503);
    sql("ALTER TABLE kontor.projects DROP CONSTRAINT full_up");
    drop(server);
    let said = run(data.path(), &["move", "--to", &url]).ok();
    assert!(said.contains("is complete now"), "{said}");
    let other = folder();
    let server = serve_only(other.path(), &url);
    assert_eq!(server.with_token(client.token()).get("/shop/states/key=open").0, 200);
}

#[test]
fn rejects_impossible_moves() {
    let (data, other) = (folder(), folder());
    let postgres = Postgres::start().unwrap();
    let url = postgres.url();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let moved = |to: &str| run(data.path(), &["move", "--to", to]).failed();
    assert!(moved(text(other.path())).contains("stop the server and rename it"));
    assert!(moved("postgres://nobody@127.0.0.1:1/none").contains("cannot be used"));
    let project = ["project", "create", "taken", "--database-url", &url];
    run(other.path(), &project).ok();
    assert!(moved(&url).contains("has projects already, 'taken' for one"));
    let full = folder();
    std::fs::create_dir(full.path().join("projects")).unwrap();
    let back = ["move", "--database-url", &url, "--to", text(full.path())];
    assert!(run(other.path(), &back).failed().contains("move into an empty folder"));
    create_resource(&client, "states", &json!({"key": "still", "type": "ProductState"}));
}

/// Returns all stored documents of a project, sorted.
fn documents(data: &Path, place: &[&str], project: &str) -> Vec<String> {
    let export = ["export", "--documents", "--project", project];
    let out = run(data, &[&export[..], place].concat()).ok();
    let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn every_kind_moves_there_and_back_without_a_server() {
    let (data, other) = (folder(), folder());
    for (project, drafts) in [("one", "every-kind.jsonl"), ("two", "bought.jsonl")] {
        run(data.path(), &["project", "create", project]).ok();
        // Failed drafts do not matter here.
        run(data.path(), &["import", "--project", project, text(&fixture(drafts))]);
    }
    run(data.path(), &["client", "create", "--project", "two", "--id", "ci", "--secret", "hush"]).ok();
    let image = Path::new("images/one/sofa.png");
    std::fs::create_dir_all(data.path().join(image).parent().unwrap()).unwrap();
    std::fs::write(data.path().join(image), "drawn").unwrap();
    let stored = |data: &Path, place: &[&str]| ["one", "two"].map(|project| documents(data, place, project));
    let before = stored(data.path(), &[]);
    assert!(before[0].len() > 50 && before[1].len() > 5, "{} {}", before[0].len(), before[1].len());

    let postgres = Postgres::start().unwrap();
    let url = postgres.url();
    let said = run(data.path(), &["move", "--to", &url]).ok();
    assert!(said.contains("projects: 2") && said.contains("images"), "{said}");
    let there = ["--database-url", &url];
    assert_eq!(stored(other.path(), &there), before);
    // Backup and restore work with a database that was moved to.
    let (file, restored) = (other.path().join("all.tar"), other.path().join("restored"));
    run(other.path(), &["backup", text(&file), there[0], there[1]]).ok();
    run(&restored, &["restore", text(&file)]).ok();
    assert_eq!(stored(&restored, &[]), before);

    let back = other.path().join("back");
    // The images stayed in the folder.
    run(data.path(), &["move", "--to", text(&back), there[0], there[1]]).ok();
    assert_eq!(stored(&back, &[]), before);
    assert_eq!(std::fs::read_to_string(back.join(image)).unwrap(), "drawn");
    assert!(run(&back, &["client", "list", "--project", "two"]).ok().contains("ci"));
    assert!(!back.join("arriving").exists());
}
