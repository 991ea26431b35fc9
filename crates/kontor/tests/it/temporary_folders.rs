//! Temporary folders of in-memory servers: other users cannot read them, and none is left behind.

use crate::harness::{CommandResult, ServerUnderTest, folder, kontor, wait_until};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the command of an in-memory server with `all` as the system's folder for temporary files.
fn in_memory(all: &Path) -> Command {
    let mut command = kontor(all);
    command.env_remove("KONTOR_DATA").env("TMPDIR", all).args(["serve", "--in-memory", "--project", "shop"]);
    command.args(["--client-id", "id", "--client-secret", "secret"]);
    command
}

fn folders(all: &Path) -> Vec<PathBuf> {
    fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Collects all files and folders below a folder, with the permissions that other users have on them.
fn modes(folder: &Path, found: &mut Vec<(PathBuf, u32)>) {
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o077;
    found.push((folder.to_owned(), mode(folder)));
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { modes(&path, found) } else { found.push((path.clone(), mode(&path))) }
    }
}

#[test]
fn a_temporary_folder_is_private_and_removed() {
    let all = folder();
    let server = ServerUnderTest::start_with(in_memory(all.path()), Stdio::null());
    assert_eq!(server.client().get("/shop").0, 200);
    let [own] = &folders(all.path())[..] else { panic!("{:?}", folders(all.path())) };
    let mut found = Vec::new();
    modes(own, &mut found);
    assert!(found.len() > 4, "{found:?}");
    assert!(found.iter().all(|(_, others)| *others == 0), "{found:#?}");
    assert!(server.terminate().success());
    assert_eq!(folders(all.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_server_that_does_not_start_leaves_no_folder() {
    let all = folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    for command in ["serve", "demo"] {
        let mut start = kontor(all.path());
        start.env_remove("KONTOR_DATA").env("TMPDIR", all.path()).args([command, "--listen", &listen]);
        if command == "serve" {
            start.arg("--in-memory");
        }
        let said = CommandResult::of(start.output().unwrap()).failed();
        assert!(said.contains("listen"), "{said}");
        assert_eq!(folders(all.path()), Vec::<PathBuf>::new(), "{command}");
    }
}

#[test]
fn removes_folders_of_killed_servers() {
    let all = folder();
    let mut killed = ServerUnderTest::start_with(in_memory(all.path()), Stdio::null());
    killed.kill();
    let left = folders(all.path());
    assert_eq!(left.len(), 1);
    let running = ServerUnderTest::start_with(in_memory(all.path()), Stdio::null());
    wait_until(|| !left[0].exists());
    let next = ServerUnderTest::start_with(in_memory(all.path()), Stdio::null());
    assert_eq!(folders(all.path()).len(), 2, "that of a server that runs stays");
    assert_eq!(running.client().get("/shop").0, 200);
    assert!(next.terminate().success() && running.terminate().success());
    assert_eq!(folders(all.path()), Vec::<PathBuf>::new());
}
