//! Missing files of a data folder: nothing else is served instead, and no file is overwritten.

use crate::harness::{ServerUnderTest, folder, run, serve, text};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

fn start_fails(mut command: Command) -> String {
    crate::harness::CommandResult::of(command.args(["--listen", "127.0.0.1:0"]).output().unwrap()).failed()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn rejects_a_folder_without_its_system_file() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    fs::remove_file(data.path().join("system.db")).unwrap();
    for _ in 0..2 {
        let said = start_fails(serve(data.path()));
        assert!(said.contains("system.db is missing or empty") && said.contains("shop.db"), "{said}");
        assert!(names_in(&data.path().join("projects")).contains(&"shop.db".to_owned()));
    }
}

#[test]
fn rejects_missing_and_empty_project_files() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    run(data.path(), &["project", "create", "other"]).ok();
    let file = data.path().join("projects/shop.db");
    fs::remove_file(&file).unwrap();
    for content in [None, Some("")] {
        if let Some(content) = content {
            fs::write(&file, content).unwrap();
        }
        let said = start_fails(serve(data.path()));
        assert!(said.contains("missing or empty") && said.contains("projects/shop.db"), "{said}");
        assert!(!said.contains("other.db"), "{said}");
        run(data.path(), &["export", "--project", "shop"]).failed();
    }
    // After the project is removed, the others are served.
    run(data.path(), &["project", "remove", "shop", "--yes"]).ok();
    let server = ServerUnderTest::start_with(serve_only(data.path()), std::process::Stdio::null());
    assert_eq!(server.nobody().get("/health").0, 200);
}

fn serve_only(data: &Path) -> Command {
    let mut command = crate::harness::kontor(data);
    command.arg("serve");
    command
}

#[test]
fn serves_other_projects_next_to_a_damaged_one() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    run(data.path(), &["project", "create", "other"]).ok();
    let file = data.path().join("projects/shop.db");
    let whole = fs::read(&file).unwrap();
    let damages = ["no database ".repeat(1_000).into_bytes(), whole[..whole.len() / 2].to_vec()];
    for damaged in damages {
        fs::write(&file, damaged).unwrap();
        // Whether `--project` names it or not.
        for command in [serve_only(data.path()), serve(data.path())] {
            let is_named = command.get_args().any(|argument| argument == "shop");
            let log = data.path().join("log");
            let server = ServerUnderTest::start_with(command, fs::File::create(&log).unwrap().into());
            let (status, said) = server.nobody().get("/health/ready");
            assert_eq!(status, 503, "{said}");
            // The reason is logged once, not for each request.
            let logged = fs::read_to_string(&log).unwrap();
            assert!(logged.contains("shop") && !logged.contains("request failed"), "{logged}");
            let reasons = said["reasons"].to_string();
            assert!(reasons.contains("'shop'") && !reasons.contains("other"), "{said}");
            assert_eq!(server.nobody().get("/health/live").0, 200);
            if is_named {
                let (status, said) = server.client().get("/shop/states");
                assert_eq!((status, &said["errors"][0]["code"]), (503, &"OverCapacity".into()), "{said}");
            }
        }
    }
}

#[test]
fn renamed_files_overwrite_nothing() {
    let data = folder();
    run(data.path(), &["project", "create", "kept"]).ok();
    let projects = data.path().join("projects");
    for content in ["first", "second", "third"] {
        // The state after a kill in the middle of a removal.
        fs::write(projects.join("shop.db"), content).unwrap();
        run(data.path(), &["project", "list"]).ok();
    }
    let contents: Vec<String> = ["shop.removed", "shop.removed-2", "shop.removed-3"]
        .map(|name| fs::read_to_string(projects.join(name)).unwrap())
        .into();
    assert_eq!(contents, ["first", "second", "third"]);
}

#[test]
fn others_cannot_read_a_data_folder() {
    let data = folder();
    let mode = |path: &str| fs::metadata(data.path().join(path)).unwrap().permissions().mode() & 0o777;
    run(data.path(), &["project", "create", "shop"]).ok();
    fs::set_permissions(data.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for file in ["system.db", "projects/shop.db"] {
        fs::set_permissions(data.path().join(file), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let _server = ServerUnderTest::start(data.path());
    assert_eq!(
        (mode(""), mode("system.db"), mode("projects"), mode("projects/shop.db")),
        (0o700, 0o600, 0o700, 0o600)
    );
}

#[test]
fn rejects_backups_with_invalid_project_files() {
    let (data, elsewhere) = (folder(), folder());
    run(data.path(), &["project", "create", "shop"]).ok();
    let file = elsewhere.path().join("all.tar");
    run(data.path(), &["backup", text(&file)]).ok();
    let unpacked = elsewhere.path().join("unpacked");
    tar::Archive::new(fs::File::open(&file).unwrap()).unpack(&unpacked).unwrap();
    for garbage in [Some(b"no database".as_slice()), None] {
        let tampered = elsewhere.path().join("tampered.tar");
        write_backup(&unpacked, garbage, &tampered);
        let restored = elsewhere.path().join("restored");
        let said = run(&restored, &["restore", text(&tampered)]).failed();
        assert!(said.contains("projects/shop.db"), "{said}");
        assert!(!restored.join("system.db").exists());
    }
}

/// Writes a backup with matching checksums, whose project file is something else or missing, with the `system.db` of the folder.
pub(crate) fn write_backup(unpacked: &Path, project: Option<&[u8]>, to: &Path) {
    use sha2::{Digest as _, Sha256};
    let mut archive = tar::Builder::new(fs::File::create(to).unwrap());
    let mut contents: kontor_json::Value =
        kontor_json::from_slice(&fs::read(unpacked.join("backup.json")).unwrap()).unwrap();
    let system = fs::read(unpacked.join("system.db")).unwrap();
    let mut append = |name: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        archive.append_data(&mut header, name, bytes).unwrap();
    };
    let sum =
        |bytes: &[u8]| -> String { Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect() };
    let files = contents["files"].as_object_mut().unwrap();
    files.shift_remove("projects/shop.db");
    if let Some(project) = project {
        append("projects/shop.db", project);
        files.insert("projects/shop.db", sum(project).into());
    }
    append("system.db", &system);
    files.insert("system.db", sum(&system).into());
    append("backup.json", contents.to_string().as_bytes());
    archive.finish().unwrap();
}
