//! Reads secrets from files, as container platforms provide them: `KONTOR_CLIENT_SECRET_FILE` names a file with the
//! value of `KONTOR_CLIENT_SECRET`. This works for every flag whose value is hidden in `--help`.

use anyhow::{Context as _, bail};
use clap::Command;
use std::ffi::OsString;
use std::path::PathBuf;

/// The suffix of a variable with the path of a file.
pub(crate) const FILE: &str = "_FILE";

/// Returns the command line with the secrets from files appended. A secret on the command line wins. Fails if both
/// variables of a secret are set, because one of them may be out of date.
pub(crate) fn with_secrets_from_files(
    command: &Command,
    mut arguments: Vec<OsString>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> anyhow::Result<Vec<OsString>> {
    let mut chosen = command;
    for argument in arguments.iter().skip(1) {
        chosen = argument.to_str().and_then(|name| chosen.find_subcommand(name)).unwrap_or(chosen);
    }
    let mut secrets = Vec::new();
    for flag in chosen.get_arguments().filter(|flag| flag.is_hide_env_values_set()) {
        let (Some(long), Some(name)) = (flag.get_long(), flag.get_env().and_then(|name| name.to_str()))
        else {
            continue;
        };
        let flag = format!("--{long}");
        let with_value = format!("{flag}=");
        let is_given = |argument: &OsString| {
            argument.to_str().is_some_and(|text| text == flag || text.starts_with(&with_value))
        };
        let file = variable(&format!("{name}{FILE}")).filter(|file| !file.is_empty());
        let Some(file) = file.map(PathBuf::from) else { continue };
        if arguments.iter().any(is_given) {
            continue;
        }
        if variable(name).is_some() {
            bail!("both {name} and {name}{FILE} are set: remove one of them");
        }
        let secret = std::fs::read_to_string(&file)
            .with_context(|| format!("{name}{FILE}: {} cannot be read", file.display()))?;
        // Editors end files with a line break.
        secrets.push(OsString::from(format!("{with_value}{}", secret.trim_end_matches(['\r', '\n']))));
    }
    arguments.append(&mut secrets);
    Ok(arguments)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::arguments::CliArguments;
    use clap::CommandFactory as _;

    #[test]
    fn a_secret_comes_from_a_file_unless_it_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, "hush\n").unwrap();
        let command = CliArguments::command();
        let of = |given: &[&str], name: &str| {
            let arguments = given.iter().map(OsString::from).collect();
            let found = |requested: &str| (requested == name).then(|| file.clone().into_os_string());
            with_secrets_from_files(&command, arguments, found).unwrap().pop().unwrap().into_string().unwrap()
        };
        let serve = ["kontor", "--log", "info", "serve"];
        assert_eq!(of(&serve, "KONTOR_CLIENT_SECRET_FILE"), "--client-secret=hush");
        assert_eq!(of(&serve, "KONTOR_TEST_TOKEN_FILE"), "--test-token=hush");
        assert_eq!(of(&["kontor", "client", "create"], "KONTOR_CLIENT_SECRET_FILE"), "--secret=hush");
        assert_eq!(
            of(&["kontor", "serve", "--client-secret=x"], "KONTOR_CLIENT_SECRET_FILE"),
            "--client-secret=x"
        );
        assert_eq!(of(&["kontor", "project", "list"], "KONTOR_CLIENT_SECRET_FILE"), "list");
        let arguments = serve.map(OsString::from).to_vec();
        let both = with_secrets_from_files(&command, arguments, |_| Some(file.clone().into_os_string()))
            .unwrap_err();
        assert!(both.to_string().ends_with("_FILE are set: remove one of them"), "{both}");
    }
}
