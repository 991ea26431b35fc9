//! Structured logs on standard error.

use crate::arguments::LogArguments;
use tracing_subscriber::EnvFilter;

/// Starts logging. A filter that cannot be read counts as not given.
pub(crate) fn start(arguments: &LogArguments, usual: &str) {
    let filter = arguments.log.as_deref().and_then(|filter| EnvFilter::try_new(filter).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new(usual));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if arguments.log_json {
        subscriber.json().init();
    } else {
        subscriber.init();
    }
}
