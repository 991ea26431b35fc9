//! A background job that removes expired tokens and the rest of deleted clients, and stops projects that are gone.

use crate::platform::Platform;
use std::sync::Arc;
use std::time::Duration;

/// How often the job runs.
const PERIOD: Duration = Duration::from_secs(3600);
/// How long a new project may run before the system lists it; until then it does not count as removed.
const MAKING_MAX: Duration = Duration::from_secs(60);
/// How many tokens of each kind are removed at once, so that other writes never wait long.
const CHUNK_TOKENS: usize = 500;

/// Sweeps every project once per period, as long as the server runs.
pub(crate) async fn run(platform: Arc<Platform>) {
    let mut every = tokio::time::interval(PERIOD);
    loop {
        every.tick().await;
        stop_removed_projects(&platform).await;
        if let Err(error) = platform.auth.sweep_operators(jiff::Timestamp::now().as_millisecond()).await {
            tracing::warn!(%error, "expired sessions of operators could not be removed");
        }
        for project in platform.auth.projects() {
            let clock = platform.shops.running_shop(project.key());
            let now = clock.map_or_else(jiff::Timestamp::now, |shop| shop.clock.now());
            loop {
                match platform.auth.sweep(project.key(), now.as_millisecond(), CHUNK_TOKENS).await {
                    Ok(swept) if swept.has_more => {}
                    Ok(_) => break,
                    Err(error) => {
                        tracing::warn!(project = project.key(), %error, "expired tokens could not be removed");
                        break;
                    }
                }
            }
        }
    }
}

/// Stops projects that another process has removed. If the list of projects cannot be read, the next run does it.
async fn stop_removed_projects(platform: &Platform) {
    if let Err(error) = platform.auth.catch_up().await {
        tracing::debug!(%error, "the list of projects could not be refreshed");
        return;
    }
    platform.shops.stop_unless(|key| platform.auth.project(key).is_some(), MAKING_MAX).await;
}
