//! Deletes expired tokens, tokens of deleted clients, and expired clients.
//!
//! All of them are refused already; deletion only frees space.

use crate::{
    AuthService, Result,
    store::{SystemChange, SystemChangeResult},
};
use futures_util::future::BoxFuture;

/// The result of one cleanup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweepResult {
    /// Tokens removed.
    pub tokens: usize,
    /// Clients removed because their time of deletion was reached.
    pub clients: usize,
    /// Whether there may be more: call again.
    pub has_more: bool,
}

impl AuthService {
    /// Removes expired tokens and clients of a project, and tokens of deleted clients of any project: at most
    /// `limit_tokens` of each kind of token, so that other writes never wait long. Some 500 are a good chunk.
    pub fn sweep<'a>(
        &'a self,
        project_key: &'a str,
        now_ms: i64,
        limit_tokens: usize,
    ) -> BoxFuture<'a, Result<SweepResult>> {
        Box::pin(async move {
            let due: Vec<_> = {
                let registry = self.shared.registry.read();
                registry.clients(project_key).filter(|client| client.is_due(now_ms)).cloned().collect()
            };
            let mut clients = 0;
            for client in due {
                clients += usize::from(self.remove_client(&client).await?);
            }
            self.shared.unwritten.sweep(project_key, now_ms);
            let change =
                SystemChange::Sweep { project_key: project_key.to_owned(), now_ms, limit: limit_tokens };
            let changed = self.store.change(change, Box::new(|_| ())).await?;
            let removed = if let SystemChangeResult::Swept(removed) = changed { removed } else { [0; 4] };
            Ok(SweepResult {
                tokens: removed.iter().sum(),
                clients,
                has_more: removed.contains(&limit_tokens),
            })
        })
    }
}
