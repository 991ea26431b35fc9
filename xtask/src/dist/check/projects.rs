//! Checks the wheel, the Maven repository and the Go module, by the tests of each package and its sample.

use super::{Installation, create_subfolder, server, skip_unmade};
use crate::dist::copy_folder;
use crate::dist::step::Step;
use crate::dist::sums::list_files;
use crate::run::{root, run_quietly};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs the wheel and pytest into an empty virtual environment.
pub(super) fn check_python(installation: &Installation) -> Result<Step, String> {
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let Some(wheel) = list_files(&installation.release.out)?.into_iter().find(is_wheel) else {
        return Ok(skip_unmade());
    };
    let programs = installation.folder.join("venv/bin");
    run_quietly(installation.new_command("python3").args(["-m", "venv", "venv"]))?;
    let mut pip = installation.new_command(programs.join("pip"));
    run_quietly(pip.args(["install", "--quiet", "pytest"]).arg(installation.release.out.join(wheel)))?;
    let binary = programs.join("kontor");
    server::exercise_server(installation.new_command(&binary), installation.new_command(&binary))?;
    for tests in ["packages/python/tests", "examples/pytest"] {
        let folder = installation.folder.join(tests);
        copy_folder(&root().join(tests), &folder)?;
        run_quietly(installation.new_command(programs.join("pytest")).arg("--quiet").current_dir(&folder))?;
    }
    Ok(Step::Done)
}

/// Runs the sample with the packages of the repository. Other packages are downloaded once to a repository of this check.
pub(super) fn check_java(installation: &Installation) -> Result<Step, String> {
    let Some(repository) = installation.find_artifact("maven") else { return Ok(skip_unmade()) };
    let local = installation.release.work.with_file_name("dist-check-maven");
    let ours = local.join("dev/kontor");
    if ours.exists() {
        std::fs::remove_dir_all(&ours).map_err(|error| format!("{}: {error}", ours.display()))?;
    }
    let maven = |folder: &Path, goal: &[&str]| {
        let mut maven = installation.new_command("mvn");
        maven.args(["--batch-mode", "--no-transfer-progress"]).args(goal).current_dir(folder);
        maven.arg(format!("-Dmaven.repo.local={}", local.display()));
        maven.arg(format!("-Dkontor.repository={}", repository.display()));
        run_quietly(&mut maven)
    };
    let example = installation.folder.join("example");
    copy_folder(&root().join("examples/junit"), &example)?;
    let said = maven(&example, &["test"])?;
    if !said.contains("Tests run: 3, Failures: 0, Errors: 0, Skipped: 0") {
        return Err(format!("expected three tests of examples/junit\n{said}"));
    }
    let sources = installation.folder.join("sources");
    copy_folder(&root().join("packages/java"), &sources)?;
    let binary = format!("-Dkontor.bin={}", installation.release.binary.display());
    maven(&sources, &["test", "--projects", "kontor-junit", &binary])?;
    Ok(Step::Done)
}

/// Runs the sample with the module of the proxy, and no other.
pub(super) fn check_go(installation: &Installation) -> Result<Step, String> {
    let Some(proxy) = installation.find_artifact("go") else { return Ok(skip_unmade()) };
    let cache = create_subfolder(&installation.folder, "modules")?;
    let go = |folder: &Path, arguments: &[&str]| {
        let mut go: Command = installation.new_command("go");
        go.args(arguments)
            .current_dir(folder)
            .env("GOMODCACHE", &cache)
            .env("GOFLAGS", "-mod=mod -modcacherw");
        go.env("GOPROXY", format!("file://{}", proxy.display()))
            .env("GONOSUMDB", "*")
            .env("GOTOOLCHAIN", "local");
        go.env("KONTOR_BIN", &installation.release.binary);
        run_quietly(&mut go)
    };
    for project in ["examples/go", "packages/go"] {
        let folder = installation.folder.join(project);
        copy_folder(&root().join(project), &folder)?;
        go(&folder, &["test", "-count=1", "./..."])?;
    }
    Ok(Step::Done)
}
