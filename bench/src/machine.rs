//! The machine of the benchmark: its description, and which process runs on which core.

use std::fs;
use std::process::{Command, Stdio};

/// The core that servers run on; `None` if processes cannot be pinned, which makes the figures less reliable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cores {
    pub(crate) server: Option<usize>,
    /// Whether servers may also use the load generator's core.
    is_free: bool,
}

/// The core of the load generator.
const GENERATOR_CORE: usize = 0;
/// The core of the servers.
const SERVER_CORE: usize = 1;

/// Pins this process to the load generator's core, and returns the core for servers.
pub(crate) fn pin_this_process() -> Cores {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let pinned = cores > 1
        && Command::new("taskset")
            .args(["--pid", "--cpu-list", &GENERATOR_CORE.to_string(), &std::process::id().to_string()])
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    if !pinned {
        eprintln!("bench: not pinned to cores (one core, or no `taskset`): throughput says little here");
    }
    Cores { server: pinned.then_some(SERVER_CORE), is_free: false }
}

impl Cores {
    /// The same machine, with servers that run on all cores.
    pub(crate) fn freed(self) -> Self {
        Self { is_free: true, ..self }
    }

    /// Where servers run, as `taskset` writes it.
    pub(crate) fn of_servers(self) -> Option<String> {
        self.server.map(|core| match self.is_free {
            true => format!("{GENERATOR_CORE}-{core}"),
            false => core.to_string(),
        })
    }

    /// A command that runs where servers do.
    pub(crate) fn server_command(self, program: &std::ffi::OsStr) -> Command {
        match self.of_servers() {
            None => Command::new(program),
            Some(cores) => {
                let mut command = Command::new("taskset");
                command.args(["--cpu-list", &cores]).arg(program);
                command
            }
        }
    }

    /// Moves a process that was started by something else, with all its threads, to where servers run.
    pub(crate) fn move_here(self, process: u32) {
        if let Some(cores) = self.of_servers() {
            // Where it cannot be moved it shares the core of the load generator: figures are worth less.
            let _ = Command::new("taskset")
                .args(["--all-tasks", "--pid", "--cpu-list", &cores, &process.to_string()])
                .stdout(Stdio::null())
                .status();
        }
    }

    /// Moves the thread that calls to where servers run.
    pub(crate) fn move_this_thread_to_servers(self) {
        // `PID/task/TID`.
        let thread = fs::read_link("/proc/thread-self").unwrap_or_default();
        if let (Some(cores), Some(thread)) = (self.of_servers(), thread.file_name()) {
            // If the thread cannot be moved, it runs on the load generator's core.
            let mut moving = Command::new("taskset");
            moving.args(["--pid", "--cpu-list", &cores]).arg(thread);
            let _ = moving.stdout(Stdio::null()).status();
        }
    }

    /// A command that runs on all cores, though this process does not.
    pub(crate) fn free_command(self, program: &str) -> Command {
        self.freed().server_command(program.as_ref())
    }
}

/// The machine in one line, with the date.
pub(crate) fn describe(cores: Cores) -> String {
    let date = jiff::Zoned::now().date();
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |line: &str| line.split_once(':').map(|(_, value)| value.trim().to_owned());
    let model = info.lines().find(|line| line.starts_with("model name")).and_then(value);
    let count = info.lines().filter(|line| line.starts_with("processor")).count();
    let memory_kib = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| text.lines().next()?.split_whitespace().nth(1)?.parse::<u64>().ok())
        .unwrap_or(0);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let pinned =
        if cores.server.is_some() { "server and load generator on a core each" } else { "not pinned" };
    format!(
        "{date}, {count} × {}, {} GB of memory, Linux {}, {pinned}",
        model.as_deref().unwrap_or("unknown CPU"),
        memory_kib.div_ceil(1024 * 1024),
        kernel.trim(),
    )
}
