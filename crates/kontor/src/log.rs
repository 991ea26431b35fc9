//! Sets up logging to standard error, as text or JSON, and hands spans to the trace exporter.

use crate::arguments::LogArguments;
use crate::trace_export::TraceExporter;
use anyhow::{Context as _, bail};
use kontor_http::traces;
use std::io::IsTerminal as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

/// The prefix of the names of Kontor's own crates.
const OWN: &str = "kontor";
/// Cargo's list of all crates in this program. Used to find typos in log filters.
const CRATES: &str = include_str!("../../../Cargo.lock");
/// The log levels, from least to most output.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Starts logging with the filter of the command line, else `usual`, and sends traces if there is a collector.
pub(crate) fn start(
    arguments: &LogArguments,
    usual: &str,
    traces: Option<&TraceExporter>,
) -> anyhow::Result<()> {
    let filter = parse_filter(arguments.log.as_deref().unwrap_or(usual))?;
    let err = std::io::stderr;
    let lines = fmt::layer().with_writer(err);
    let lines = if arguments.log_json {
        lines.json().with_filter(filter).boxed()
    } else {
        // Colours only on a terminal, and not with NO_COLOR (no-color.org).
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        lines.with_ansi(err().is_terminal() && !is_plain).with_filter(filter).boxed()
    };
    let spans = traces.map(|traces| {
        let ours = Targets::new().with_target(traces::TARGET, LevelFilter::TRACE);
        tracing_opentelemetry::layer().with_tracer(traces.tracer()).with_filter(ours)
    });
    tracing_subscriber::registry().with(lines).with(spans).init();
    Ok(())
}

/// Parses a log filter. Rejects a misspelt level or crate, which would otherwise match nothing and silence the log.
fn parse_filter(text: &str) -> anyhow::Result<EnvFilter> {
    for directive in text.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
        let is_level = LEVELS.iter().any(|level| level.eq_ignore_ascii_case(directive));
        if !is_level && !directive.contains(['=', '[']) && !directive.starts_with(OWN) {
            bail!(
                "--log: '{directive}' is not a level. Expected one of {}, or MODULE=LEVEL such as \
                 kontor_engine=debug, several separated by commas",
                LEVELS.join(", ")
            );
        }
        let target = directive.split(['=', '[']).next().unwrap_or_default();
        let name = target.split("::").next().unwrap_or_default();
        if !is_level && !name.is_empty() && !crate_names().any(|known| known == name) {
            let ours: Vec<String> = crate_names().filter(|known| known.starts_with(OWN)).collect();
            bail!(
                "--log: there is no module '{name}'. Expected one of {}, or a library that they use such as hyper",
                ours.join(", ")
            );
        }
    }
    EnvFilter::try_new(text).with_context(|| format!("--log: '{text}' is invalid"))
}

/// Returns the names of [`CRATES`] with `_` instead of `-`, as log targets spell them.
fn crate_names() -> impl Iterator<Item = String> {
    let name = |line: &'static str| line.strip_prefix("name = \"")?.strip_suffix('"');
    CRATES.lines().filter_map(name).map(|name| name.replace('-', "_"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rejects_misspelt_levels() {
        for right in [
            "info",
            "WARN",
            "kontor_engine=debug",
            "info,kontor_http=trace",
            "kontor_http",
            "",
            "hyper=debug",
            "kontor_http::requests=off",
        ] {
            assert!(parse_filter(right).is_ok(), "{right}");
        }
        for wrong in ["inof", "info,debg", "kontor_engine=debg", "hyper=b=c"] {
            let said = format!("{:#}", parse_filter(wrong).unwrap_err());
            assert!(said.starts_with("--log: '"), "{said}");
        }
    }

    #[test]
    fn rejects_misspelt_modules_and_lists_the_known_ones() {
        for wrong in [
            "kontor_engin=debug",
            "info,kontor_htp",
            "kontr_http::requests=trace",
            "kontor_engin[request]=debug",
        ] {
            let said = format!("{:#}", parse_filter(wrong).unwrap_err());
            assert!(said.contains("kontor, kontor_auth, ") && said.contains(", kontor_engine, "), "{said}");
        }
    }
}
