//! A server that one file of Java starts, with its jars.

use crate::{Jars, Java};
use anyhow::{Context as _, bail};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A program that prints a line once its server answers, and ends when its input ends.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// What people call the server.
    pub name: &'static str,
    /// The name of the file.
    pub file: &'static str,
    /// What is in it.
    pub source: &'static str,
    /// What it needs.
    pub jars: Jars,
}

/// A server that runs. Killed when dropped, and gone with this process, however that goes down.
#[derive(Debug)]
pub struct Running(Child);

impl Program {
    /// Starts it, with its file and its log in a folder, and waits until it prints the line that says it is ready. Answers with what it
    /// prints afterwards too, which has to be read: it would stop at a full pipe.
    ///
    /// # Errors
    /// It does not start, or its jars cannot be had.
    pub fn start(
        &self,
        java: &Java,
        options: &[&str],
        folder: &Path,
        arguments: &[String],
        ready: &str,
    ) -> anyhow::Result<(Running, impl Iterator<Item = String> + Send + use<>)> {
        let (source, log) = (folder.join(self.file), folder.join("log"));
        fs_err::write(&source, self.source)?;
        let process = Command::new(java.program())
            .args(options)
            .arg("-cp")
            .arg(self.jars.folder(java)?.join("*"))
            .arg(&source)
            .args(arguments)
            // The end of its input is the end of this process.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs_err::File::create(&log)?.into_file())
            .spawn()
            .with_context(|| format!("{} cannot be run", java.program().display()))?;
        let mut running = Running(process);
        let printed = running.0.stdout.take().context("no standard output")?;
        let mut lines = BufReader::new(printed).lines().map_while(Result::ok);
        if !lines.by_ref().any(|line| line == ready) {
            bail!("{} did not start:\n{}", self.name, fs_err::read_to_string(log)?);
        }
        Ok((running, lines))
    }
}

impl Running {
    /// The id of its process.
    pub fn process(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Gone already where this fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
