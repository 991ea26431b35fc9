//! Checks the npm packages: the command by `npx`, the library by its own tests and by the samples of each test runner.

use super::{Installation, create_subfolder, server, skip_unmade};
use crate::dist::copy_folder;
use crate::dist::step::Step;
use crate::run::{root, run_quietly};
use std::path::Path;

/// The samples, whose command is `npm test`.
const EXAMPLES: [&str; 3] = ["vitest", "jest", "playwright"];

pub(super) fn check(installation: &Installation) -> Result<Step, String> {
    let release = installation.release;
    let packages = [
        installation.find_artifact(&format!("kontor-{}.tgz", release.version)),
        installation.find_artifact(&format!("kontor-{}-{}.tgz", release.platform.name, release.version)),
    ];
    let [Some(library), Some(binary)] = packages else { return Ok(skip_unmade()) };
    let npm = |folder: &Path, arguments: &[&str]| {
        run_quietly(installation.new_command("npm").args(arguments).current_dir(folder))
    };
    let install = |folder: &Path| {
        let [library, binary] = [&library, &binary].map(|path| path.to_string_lossy().into_owned());
        npm(folder, &["install", "--no-audit", "--no-fund", "--loglevel=error", &library, &binary])
    };
    let project = create_subfolder(&installation.folder, "project")?;
    npm(&project, &["init", "--yes"])?;
    install(&project)?;
    copy_folder(&root().join("packages/npm/kontor/test"), &project.join("test"))?;
    run_quietly(installation.new_command("node").args(["--test", "test/"]).current_dir(&project))?;
    let npx = || {
        let mut command = installation.new_command("npx");
        command.arg("kontor").current_dir(&project);
        command
    };
    let version = run_quietly(npx().arg("--version"))?;
    if !version.contains(&release.version) {
        return Err(format!("expected the version {}, not {version}", release.version));
    }
    // npx gives no signal on, so the server is started by the command that npx runs.
    let command = project.join("node_modules/.bin/kontor");
    server::exercise_server(installation.new_command(&command), npx())?;
    for example in EXAMPLES {
        let folder = installation.folder.join(example);
        copy_folder(&root().join("examples").join(example), &folder)?;
        install(&folder)?;
        npm(&folder, &["test"]).map_err(|error| format!("examples/{example}: {error}"))?;
    }
    Ok(Step::Done)
}
