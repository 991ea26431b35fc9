//! `kontor completions` and `kontor man`: files that are made from the description of the command line.

use crate::arguments::CliArguments;
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::io::{self, Write as _};

/// Prints the completions for a shell. Fails if standard output cannot be written.
pub(crate) fn print_completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CliArguments::command(), "kontor", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

/// Prints the manual page: the program, then each command with its flags. Fails if standard output cannot be written.
pub(crate) fn print_manual() -> anyhow::Result<()> {
    let mut page = Vec::new();
    let mut command = CliArguments::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let name = format!("kontor {}", subcommand.get_name());
        let manual = clap_mangen::Man::new(subcommand.clone().display_name(name));
        manual.render_synopsis_section(&mut page)?;
        manual.render_description_section(&mut page)?;
        manual.render_options_section(&mut page)?;
    }
    Ok(io::stdout().write_all(&page)?)
}
