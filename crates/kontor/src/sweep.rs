//! Removing tokens that have ended, what is left of deleted clients, and what works beside projects that are gone.

use crate::platform::Platform;
use std::sync::Arc;
use std::time::Duration;

/// How often a server looks for tokens that have ended.
const PERIOD: Duration = Duration::from_secs(3600);
/// Longest that a project which is being made runs before the system knows it: until then it is not taken for one that was removed.
const MAKING_MAX: Duration = Duration::from_secs(60);
/// Most tokens of each kind removed at once, so that writing never waits long.
const CHUNK_TOKENS: usize = 500;

/// Sweeps every project once a period, for as long as the server runs.
pub(crate) async fn run(platform: Arc<Platform>) {
    let mut every = tokio::time::interval(PERIOD);
    loop {
        every.tick().await;
        stop_what_is_gone(&platform).await;
        for project in platform.system.projects() {
            let clock = platform.shops.running(project.key());
            let now = clock.map_or_else(jiff::Timestamp::now, |shop| shop.clock.now());
            loop {
                match platform.system.sweep(project.key(), now.as_millisecond(), CHUNK_TOKENS).await {
                    Ok(swept) if swept.has_more => {}
                    Ok(_) => break,
                    Err(error) => {
                        tracing::warn!(project = project.key(), %error, "tokens that have ended stay for now");
                        break;
                    }
                }
            }
        }
    }
}

/// Stops projects that another process has removed. What is not known for sure waits for the next time.
async fn stop_what_is_gone(platform: &Platform) {
    if let Err(error) = platform.system.catch_up().await {
        tracing::debug!(%error, "it is not known which projects are gone");
        return;
    }
    platform.shops.stop_unless(|key| platform.system.project(key).is_some(), MAKING_MAX).await;
}
