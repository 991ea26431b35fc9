//! Combines the command line with environment variables. Start at [`read`].
//!
//! - A flag on the command line wins over a variable that conflicts with it: `kontor serve --data DIR` serves the
//!   folder even if `KONTOR_IN_MEMORY` is set.
//! - `KONTOR_DATA` is ignored with `--in-memory` or `KONTOR_IN_MEMORY`: the container image sets it for every command.
//! - `1`, `yes`, `on` and `true` switch a flag on; `0`, `no`, `off`, `false` and an empty value leave it off.
//! - A variable `KONTOR_…` that belongs to no flag causes a warning with the most similar name.

use crate::secret_files::{self, FILE};
use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;

/// The prefix of all variables of Kontor.
const PREFIX: &str = "KONTOR_";
/// Prefixes of variables of the tests and of the test helper, which belong to no flag.
const OTHERS: [&str; 4] = ["KONTOR_BIN", "KONTOR_FAULT", "KONTOR_FUZZED_", "KONTOR_SEARCH_"];
/// Pairs of flags: the variable of the first is ignored when the second is given or set.
const YIELDS: [(&str, &str); 1] = [("data", "in_memory")];
/// A name is suggested if at most one in so many characters differs.
const CHARACTERS_A_DIFFERENCE: usize = 4;

/// Returns the parsed command line and environment, and warnings about unknown variables. Fails if they conflict or a
/// value is invalid.
pub(crate) fn read(
    command: Command,
    arguments: Vec<OsString>,
    variables: &[(String, OsString)],
) -> Result<(ArgMatches, Vec<String>), clap::Error> {
    let mut command = with_boolean_words(command);
    let warnings = unknown_variables(&command, variables);
    let arguments = secret_files::with_secrets_from_files(&command, arguments, |name| value(variables, name))
        .map_err(|error| command.error(ErrorKind::ValueValidation, format!("{error:#}")))?;
    let given = given_flags(&command, &arguments);
    let command = without_conflicting_variables(command, &given, variables);
    Ok((command.try_get_matches_from(arguments)?, warnings))
}

/// Returns the value of a variable. An empty one counts as not set.
fn value(variables: &[(String, OsString)], name: &str) -> Option<OsString> {
    let found = variables.iter().find(|(other, _)| other == name);
    found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
}

fn is_flag(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// Returns the command with boolean flags that accept `yes`, `on`, `1` and so on in their variables.
fn with_boolean_words(command: Command) -> Command {
    let with_words =
        |argument: Arg| if is_flag(&argument) { argument.value_parser(parse_boolean) } else { argument };
    command.mut_args(with_words).mut_subcommands(with_boolean_words)
}

/// Parses the value of a variable that switches a flag on or off.
fn parse_boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "y" | "yes" | "t" | "true" | "on" => Ok(true),
        "" | "0" | "n" | "no" | "f" | "false" | "off" => Ok(false),
        _ => Err("expected true, yes, on or 1; or false, no, off or 0".to_owned()),
    }
}

/// Returns the ids of the flags that are given on the command line itself, not by variables.
fn given_flags(command: &Command, arguments: &[OsString]) -> HashSet<String> {
    // Missing or invalid values are reported later, when the environment is read as well.
    let alone = without_variables(command.clone()).ignore_errors(true);
    let Ok(matches) = alone.try_get_matches_from(arguments) else { return HashSet::new() };
    let mut matches = &matches;
    while let Some((_, inner)) = matches.subcommand() {
        matches = inner;
    }
    let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    matches.ids().filter(is_given).map(|id| id.as_str().to_owned()).collect()
}

fn without_variables(command: Command) -> Command {
    command.mut_args(without_variable).mut_subcommands(without_variables)
}

fn without_variable(argument: Arg) -> Arg {
    argument.env(Resettable::Reset)
}

/// Returns the command without the variables that conflict with the flags in `given`.
fn without_conflicting_variables(
    command: Command,
    given: &HashSet<String>,
    variables: &[(String, OsString)],
) -> Command {
    let mut yields = HashSet::new();
    let is_given = |argument: &Arg| given.contains(argument.get_id().as_str());
    for argument in command.get_arguments() {
        for other in command.get_arg_conflicts_with(argument) {
            for (one, another) in [(argument, other), (other, argument)] {
                if is_given(one) && !is_given(another) {
                    yields.insert(another.get_id().as_str().to_owned());
                }
            }
        }
        let set = argument.get_env().and_then(|name| value(variables, name.to_str()?));
        let is_off =
            set.as_ref().is_none_or(|set| set.to_str().is_some_and(|set| parse_boolean(set) == Ok(false)));
        if is_flag(argument) && !is_given(argument) && is_off {
            // For clap, a flag whose variable is `false` would still conflict with others.
            yields.insert(argument.get_id().as_str().to_owned());
        }
    }
    for (weak, strong) in YIELDS {
        let is_on = command.get_arguments().any(|argument| {
            argument.get_id() == strong
                && !yields.contains(strong)
                && (is_given(argument) || argument.get_env().is_some())
        });
        if is_on && !given.contains(weak) {
            yields.insert(weak.to_owned());
        }
    }
    let yielding = |argument: Arg| match yields.contains(argument.get_id().as_str()) {
        true => without_variable(argument),
        false => argument,
    };
    command.mut_args(yielding).mut_subcommands(|inner| without_conflicting_variables(inner, given, variables))
}

/// Returns a warning for each variable with the prefix of Kontor that belongs to no flag of any command.
fn unknown_variables(command: &Command, variables: &[(String, OsString)]) -> Vec<String> {
    let mut known = BTreeSet::new();
    add_names(command, &mut known);
    let is_unknown = |(name, value): &&(String, OsString)| {
        name.starts_with(PREFIX)
            && !known.contains(name)
            && !OTHERS.iter().any(|other| name.starts_with(other))
            && !is_of_orchestrator(name, &value.to_string_lossy())
    };
    let warning = |(name, _): &(String, OsString)| match nearest(name, &known) {
        Some(nearest) => {
            format!("the variable {name} has no meaning and is ignored: did you mean {nearest}?")
        }
        None => format!("the variable {name} has no meaning and is ignored"),
    };
    variables.iter().filter(is_unknown).map(warning).collect()
}

fn add_names(command: &Command, names: &mut BTreeSet<String>) {
    for argument in command.get_arguments() {
        let Some(name) = argument.get_env().and_then(|name| name.to_str()) else { continue };
        names.insert(name.to_owned());
        if argument.is_hide_env_values_set() {
            names.insert(format!("{name}{FILE}"));
        }
    }
    command.get_subcommands().for_each(|inner| add_names(inner, names));
}

/// True for variables that Kubernetes and container links set for a service named `kontor`: `KONTOR_SERVICE_HOST`,
/// `KONTOR_PORT=tcp://10.0.0.1:8989`.
fn is_of_orchestrator(name: &str, value: &str) -> bool {
    let is_address = value.starts_with("tcp://") || value.starts_with("udp://");
    name.contains("_SERVICE_") || name.contains("_PORT_") || (name.ends_with("_PORT") && is_address)
}

fn nearest<'n>(name: &str, known: &'n BTreeSet<String>) -> Option<&'n String> {
    let distance = |other: &&String| strsim::damerau_levenshtein(name, other);
    let nearest = known.iter().min_by_key(distance)?;
    let characters = name.len().saturating_sub(PREFIX.len());
    (distance(&nearest) <= characters.div_ceil(CHARACTERS_A_DIFFERENCE)).then_some(nearest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::arguments::CliArguments;
    use clap::CommandFactory as _;

    fn warnings(name: &str, value: &str) -> Vec<String> {
        unknown_variables(&CliArguments::command(), &[(name.to_owned(), value.into())])
    }

    #[test]
    fn a_misspelt_variable_is_a_warning_with_the_nearest_name() {
        for (misspelt, meant) in [
            ("KONTOR_IN_MEMROY", "KONTOR_IN_MEMORY"),
            ("KONTOR_LISTENS", "KONTOR_LISTEN"),
            ("KONTOR_CLIENT_SECRET_FILES", "KONTOR_CLIENT_SECRET_FILE"),
            ("KONTOR_CORS_ORIGIN", "KONTOR_CORS_ORIGINS"),
        ] {
            let warnings = warnings(misspelt, "x");
            assert!(warnings[0].ends_with(&format!("did you mean {meant}?")), "{warnings:?}");
        }
        assert_eq!(
            warnings("KONTOR_WEATHER_IN_BERLIN", "x"),
            ["the variable KONTOR_WEATHER_IN_BERLIN has no meaning and is ignored"]
        );
    }

    #[test]
    fn variables_of_others_are_no_mistakes() {
        for (name, value) in [
            ("KONTOR_LISTEN", "8989"),
            ("KONTOR_CLIENT_SECRET_FILE", "/run/secrets/kontor"),
            ("KONTOR_SERVICE_HOST", "10.0.0.1"),
            ("KONTOR_PORT", "tcp://10.0.0.1:8989"),
            ("KONTOR_PORT_8989_TCP_ADDR", "10.0.0.1"),
            ("KONTOR_BIN", "target/debug/kontor"),
            ("PATH", "/bin"),
        ] {
            assert_eq!(warnings(name, value), [""; 0], "{name}");
        }
    }

    #[test]
    fn usual_words_switch_a_flag_on_and_off() {
        for on in ["1", "yes", "on", "true", "True", "YES"] {
            assert_eq!(parse_boolean(on), Ok(true), "{on}");
        }
        for off in ["0", "no", "off", "false", ""] {
            assert_eq!(parse_boolean(off), Ok(false), "{off}");
        }
        assert!(parse_boolean("maybe").is_err());
    }
}
