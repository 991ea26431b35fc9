//! A server process under measurement: starts it, reads its CPU time and memory from `/proc`, and stops it.

use crate::machine::Cores;
use anyhow::{Context as _, bail};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The text before the address in the line that a server prints when it is ready.
const READY: &str = "listening on http://";
/// How many ticks of `/proc/PID/stat` make a second. It is 100 on all Linux platforms that Kontor runs on.
const TICKS_PER_SECOND: f64 = 100.0;
/// How long a server may take to stop before it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// A running server. Killed when dropped.
pub(crate) struct MeasuredServer {
    child: Child,
    /// Host and port.
    pub(crate) authority: String,
    /// From before the process was started until it said that it is ready.
    pub(crate) ready_after: Duration,
    /// The `Authorization` header of requests.
    pub(crate) authorization: Option<String>,
    /// A process that works for the server, e.g. its database: its CPU time and that of its children counts too.
    pub(crate) helper: Option<i32>,
}

impl MeasuredServer {
    /// Starts a program and waits until it prints its address.
    pub(crate) fn start<A: AsRef<OsStr>>(
        cores: Cores,
        program: &Path,
        arguments: &[A],
    ) -> anyhow::Result<Self> {
        let started = Instant::now();
        let mut child = cores
            .server_command(program.as_os_str())
            .args(arguments)
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let Some(out) = child.stdout.take() else { bail!("{} has no output", program.display()) };
        let mut lines = BufReader::new(out).lines();
        while let Some(line) = lines.next().transpose()? {
            if let Some((_, authority)) = line.split_once(READY) {
                let ready_after = started.elapsed();
                // Drains the output, or the program would block on a full pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self {
                    child,
                    authority: authority.trim().to_owned(),
                    ready_after,
                    authorization: None,
                    helper: None,
                });
            }
        }
        let status = child.wait()?;
        bail!("{} ended before it was ready ({status})", program.display())
    }

    /// Its id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the CPU seconds of the process and its helper: user and system, all threads.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let own = cpu_seconds_of(&self.child.id().to_string())?;
        Ok(own + self.helper.map_or(Ok(0.0), cpu_seconds_of_family)?)
    }

    /// Bytes that the process has had written to disks.
    pub(crate) fn written_bytes(&self) -> anyhow::Result<u64> {
        let text = fs_err::read_to_string(format!("/proc/{}/io", self.child.id()))?;
        let written = text.lines().find_map(|line| line.strip_prefix("write_bytes:")?.trim().parse().ok());
        written.context("no line write_bytes")
    }

    /// Bytes of memory that belong to no file.
    pub(crate) fn anonymous_bytes(&self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let text = fs_err::read_to_string(path)?;
        let kib = text
            .lines()
            .find_map(|line| {
                line.strip_prefix("Anonymous:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
            })
            .context("no line Anonymous")?;
        Ok(kib * 1024)
    }

    /// Stops the server gracefully, as its operator would, and waits for its end.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        std::process::Command::new("kill").arg(self.child.id().to_string()).status()?;
        let request = Instant::now();
        while self.child.try_wait()?.is_none() {
            if request.elapsed() > STOP_TIMEOUT {
                bail!("a server did not stop within {} s", STOP_TIMEOUT.as_secs());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for MeasuredServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Seconds of CPU of a process: its id, or `self`.
pub(crate) fn cpu_seconds_of(process: &str) -> anyhow::Result<f64> {
    // User and system time.
    let fields = fields_of(process)?;
    Ok(fields.iter().skip(11).take(2).sum::<f64>() / TICKS_PER_SECOND)
}

/// The same of a process with all its children, those that have ended too.
fn cpu_seconds_of_family(parent: i32) -> anyhow::Result<f64> {
    let mut ticks = 0.0;
    for process in fs_err::read_dir("/proc")? {
        let name = process?.file_name();
        let Some(name) = name.to_str().filter(|name| name.parse::<i32>().is_ok()) else { continue };
        // It may have ended since.
        let Ok(fields) = fields_of(name) else { continue };
        let is_parent = name == parent.to_string();
        if is_parent || fields.get(1) == Some(&f64::from(parent)) {
            let times = if is_parent { 4 } else { 2 };
            ticks += fields.iter().skip(11).take(times).sum::<f64>();
        }
    }
    Ok(ticks / TICKS_PER_SECOND)
}

/// Returns the fields of `/proc/PID/stat` after the process name, i.e. from the third on. The name is in parentheses
/// and may contain any character.
fn fields_of(process: &str) -> anyhow::Result<Vec<f64>> {
    let stat = fs_err::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("a strange /proc/PID/stat")?;
    Ok(fields.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect())
}
