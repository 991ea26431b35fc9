//! Environment variables combined with the command line.

use crate::harness::{CommandResult, ServerUnderTest, folder, kontor};
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns a command with environment variables.
fn with(data: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Command {
    let mut command = kontor(data);
    command.envs(variables.iter().copied()).args(arguments);
    command
}

/// Runs a command whose settings are invalid, and returns its error.
#[track_caller]
fn refused(data: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let ran = CommandResult::of(with(data, variables, arguments).output().unwrap());
    assert_eq!(ran.status.code(), Some(2), "{ran:#?}");
    ran.err
}

/// The guide for tests in CI starts the container image like this; the image sets `KONTOR_DATA`.
#[test]
fn the_container_image_can_serve_in_memory() {
    let root = folder();
    let data = root.path().join("data");
    for yes in ["true", "1", "yes", "on"] {
        let variables = [
            ("KONTOR_IN_MEMORY", yes),
            ("KONTOR_TEST_CONTROLS", yes),
            ("KONTOR_PROJECT", "shop"),
            ("KONTOR_CLIENT_ID", "ci"),
            ("KONTOR_CLIENT_SECRET", "ci"),
        ];
        let server = ServerUnderTest::start_with(with(&data, &variables, &["serve"]), Stdio::null());
        assert_eq!(server.caller("ci", "ci").get("/shop").0, 200);
        assert!(!data.exists(), "{yes}");
    }
    ServerUnderTest::start_with(with(&data, &[], &["serve", "--in-memory"]), Stdio::null());
    assert!(!data.exists());
    for no in ["false", "0", "no", "off", ""] {
        drop(ServerUnderTest::start_with(
            with(&data, &[("KONTOR_IN_MEMORY", no)], &["serve"]),
            Stdio::null(),
        ));
        assert!(data.exists(), "{no}");
        std::fs::remove_dir_all(&data).unwrap();
    }
}

#[test]
fn the_command_line_wins_over_variables_that_contradict_it() {
    let root = folder();
    let data = root.path().join("data");
    let path = data.to_str().unwrap();
    let in_memory = [("KONTOR_IN_MEMORY", "true")];
    drop(ServerUnderTest::start_with(with(&data, &in_memory, &["serve", "--data", path]), Stdio::null()));
    assert!(data.join("system.db").exists());
    let database = [("KONTOR_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none")];
    drop(ServerUnderTest::start_with(with(&data, &database, &["serve", "--in-memory"]), Stdio::null()));
    // Two flags, or two variables, conflict.
    let said = refused(&data, &[], &["serve", "--in-memory", "--data", path]);
    assert!(said.contains("cannot be used with") && said.contains("'--in-memory'"), "{said}");
    refused(&data, &[database[0], in_memory[0]], &["serve"]);
}

#[test]
fn rejects_invalid_settings_with_the_right_form() {
    let root = folder();
    let data = root.path().join("data");
    let secret = root.path().join("secret");
    std::fs::write(&secret, "hush").unwrap();
    let secret = secret.to_str().unwrap();
    for (variables, right) in [
        (&[("KONTOR_PUBLIC_URL", "shop.example.com")][..], "https://shop.example.com"),
        (&[("KONTOR_CORS_ORIGINS", "https://a.example,b.example")], "https://b.example"),
        (&[("KONTOR_CORS_ORIGINS", "https://a.example/shop")], "as browsers send it: https://a.example\n"),
        (&[("KONTOR_CORS_ORIGINS", "*")], "all origins may call"),
        (&[("KONTOR_AUTH_ALIAS_HOSTS", "https://auth.example.com/oauth")], "port and path: auth.example.com"),
        (&[("KONTOR_IN_MEMORY", "maybe")], "expected true, yes, on or 1"),
        (
            &[("KONTOR_CLIENT_SECRET", "hush"), ("KONTOR_CLIENT_SECRET_FILE", secret)],
            "both KONTOR_CLIENT_SECRET and KONTOR_CLIENT_SECRET_FILE are set: remove one of them",
        ),
    ] {
        let said = refused(&data, variables, &["serve"]);
        assert!(said.contains(right), "{variables:?}: {said}");
        assert!(!said.contains("hush"), "{said}");
        assert!(!data.exists());
    }
    let said = refused(&data, &[], &["pull", "--project", "shop", "--url", "shop.example.com", "-"]);
    assert!(said.contains("https://shop.example.com"), "{said}");
}

#[test]
fn warns_about_misspelt_variables() {
    let data = folder();
    let variables = [("KONTOR_LISTENS", "8990"), ("KONTOR_PORT", "tcp://10.0.0.1:8989")];
    let ran =
        CommandResult::of(with(data.path(), &variables, &["project", "create", "shop"]).output().unwrap());
    let said =
        "kontor: the variable KONTOR_LISTENS has no meaning and is ignored: did you mean KONTOR_LISTEN?\n";
    assert_eq!(ran.err, said);
    ran.ok();
}
