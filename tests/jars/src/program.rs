//! Starts a Java server from one source file and its jars.

use crate::{Jars, Java};
use anyhow::{Context as _, bail};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A Java program that prints a line when its server is ready, and ends when its standard input is closed.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The name of the server in messages, e.g. `Kafka`.
    pub name: &'static str,
    /// The file name of the source.
    pub file: &'static str,
    /// The Java source.
    pub source: &'static str,
    /// The jars on its class path.
    pub jars: Jars,
}

/// A running server. Killed when dropped; it also ends with this process, even if this process crashes.
#[derive(Debug)]
pub struct RunningProgram(Child);

impl Program {
    /// Starts the program, writes its source and its log to a folder, and waits for the line `ready`. Also returns the
    /// lines that it prints later: the caller must read them, or the server blocks on a full pipe.
    ///
    /// # Errors
    /// It does not start, or its jars cannot be downloaded.
    pub fn start(
        &self,
        java: &Java,
        options: &[&str],
        folder: &Path,
        arguments: &[String],
        ready: &str,
    ) -> anyhow::Result<(RunningProgram, impl Iterator<Item = String> + Send + use<>)> {
        let (source, log) = (folder.join(self.file), folder.join("log"));
        fs_err::write(&source, self.source)?;
        let process = Command::new(java.program())
            .args(options)
            .arg("-cp")
            .arg(self.jars.folder(java)?.join("*"))
            .arg(&source)
            .args(arguments)
            // The pipe is closed when this process ends, which ends the server.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs_err::File::create(&log)?.into_file())
            .spawn()
            .with_context(|| format!("{} cannot be run", java.program().display()))?;
        let mut running = RunningProgram(process);
        let printed = running.0.stdout.take().context("no standard output")?;
        let mut lines = BufReader::new(printed).lines().map_while(Result::ok);
        if !lines.by_ref().any(|line| line == ready) {
            bail!("{} did not start:\n{}", self.name, fs_err::read_to_string(log)?);
        }
        Ok((running, lines))
    }
}

impl RunningProgram {
    /// The process id.
    pub fn process(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // This fails if the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
