//! `cargo xtask bench`: builds the server and the harness, and measures.

use crate::run::{run, target};

/// Measures; arguments go to the harness.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    run("cargo", &["build", "--release", "--package", "kontor"])?;
    run("cargo", &["build", "--release", "--package", "kontor-bench"])?;
    let target = target()?;
    let built = |name: &str| target.join("release").join(name).to_string_lossy().into_owned();
    let places =
        [("--server", built("kontor")), ("--scratch", target.join("bench").to_string_lossy().into_owned())];
    let is_given = |flag: &str| {
        arguments.iter().any(|argument| argument == flag || argument.starts_with(&format!("{flag}=")))
    };
    let places = places.iter().filter(|(flag, _)| !is_given(flag));
    let mut all = vec!["run"];
    all.extend(places.flat_map(|(flag, place)| [*flag, place.as_str()]));
    all.extend(arguments.iter().map(String::as_str));
    run(&built("kontor-bench"), &all)
}
