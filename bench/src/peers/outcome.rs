//! The cost of a peer that writes, measured in its own process and printed as JSON.

use crate::process::cpu_seconds_of;
use anyhow::{Context as _, ensure};
use kontor_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The cost of a number of writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerCost {
    pub(crate) writes: f64,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl PeerCost {
    /// Runs a peer to its end and parses its output.
    pub(crate) fn run(mut peer: Command) -> anyhow::Result<Self> {
        let output = peer.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "a peer failed ({})", output.status);
        let outcome: Value = kontor_json::from_slice(&output.stdout)?;
        let number = |name: &str| outcome[name].as_f64().with_context(|| format!("no {name}"));
        Ok(Self {
            writes: number("writes")?,
            seconds: number("seconds")?,
            cpu_seconds: number("cpuSeconds")?,
        })
    }

    pub(crate) fn rate(&self) -> f64 {
        self.writes / self.seconds
    }

    /// Microseconds of CPU for a write.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.writes
    }

    pub(crate) fn line(&self) -> String {
        format!("{:.1} µs CPU, {:.0}/s", self.cpu_us(), self.rate())
    }
}

/// Measures time and CPU in the process of a peer.
pub(super) struct CostMeter {
    started: Instant,
    cpu_seconds: f64,
}

impl CostMeter {
    pub(super) fn start() -> anyhow::Result<Self> {
        Ok(Self { started: Instant::now(), cpu_seconds: cpu_seconds_of("self")? })
    }

    /// Prints the cost of this number of writes.
    pub(super) fn print(self, writes: usize) -> anyhow::Result<()> {
        let (seconds, cpu_seconds) =
            (self.started.elapsed().as_secs_f64(), cpu_seconds_of("self")? - self.cpu_seconds);
        let outcome = json!({"writes": writes, "seconds": seconds, "cpuSeconds": cpu_seconds});
        writeln!(std::io::stdout(), "{outcome}")?;
        Ok(())
    }
}
