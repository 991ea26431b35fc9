//! Which notifications a Subscription has received although others that are kept with them were not.
//!
//! The storage keeps notifications of one transaction in one document, which goes when all of them were received. Until then this
//! list, a setting of the project, says which of them need not be sent again: also after a restart.

use crate::SUBSCRIPTION;
use kontor_engine::{Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_storage::Write;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A notification that was received.
pub(crate) struct Received {
    /// The document that keeps it.
    pub(crate) kept_in: String,
    pub(crate) name: String,
}

/// The names of notifications that were received while others of their documents were not.
#[derive(Default)]
pub(crate) struct ReceivedNames {
    names: Arc<HashSet<String>>,
}

/// The setting that keeps the names of a Subscription.
fn setting_of(subscription: &str) -> String {
    format!("{SUBSCRIPTION}/{subscription}/received")
}

/// What forgets the names that are kept of a Subscription.
pub(crate) fn forgotten(subscription: &str) -> Write {
    Write::Setting { name: setting_of(subscription), value: None }
}

impl ReceivedNames {
    /// Reads the names that an earlier process kept. Holds the thread.
    pub(crate) fn read(shop: &Shop, subscription: &str) -> ApiResult<Self> {
        let kept = shop.storage().setting(&setting_of(subscription)).map_err(storage_failure)?;
        let names = kept.and_then(|kept| kontor_json::from_str(&kept).ok()).unwrap_or_default();
        Ok(Self { names: Arc::new(names) })
    }

    /// The names.
    pub(crate) fn names(&self) -> Arc<HashSet<String>> {
        Arc::clone(&self.names)
    }

    /// Takes what was received: forgets documents all of whose notifications were, of which so many were `left`, and keeps the
    /// names of others.
    pub(crate) async fn take(
        &mut self,
        left: &mut HashMap<String, usize>,
        received: Vec<Received>,
        shop: &Shop,
        subscription: &str,
    ) -> ApiResult<()> {
        if received.is_empty() {
            return Ok(());
        }
        for Received { kept_in, .. } in &received {
            if let Some(left) = left.get_mut(kept_in) {
                *left -= 1;
            }
        }
        let is_whole = |(id, left): (&String, &usize)| (*left == 0).then(|| id.clone());
        let whole: Vec<String> = left.iter().filter_map(is_whole).collect();
        let before = self.names.len();
        let of_others = received.into_iter().filter(|received| left.get(&received.kept_in) != Some(&0));
        let of_others: Vec<String> = of_others.map(|received| received.name).collect();
        if !of_others.is_empty() {
            Arc::make_mut(&mut self.names).extend(of_others);
        } else if left.values().all(|left| *left == 0) {
            // What comes next is kept in other documents.
            self.names = Arc::default();
        }
        let write = match self.names.len() {
            same if same == before => None,
            0 => Some(forgotten(subscription)),
            _ => {
                let value = kontor_json::to_string(&*self.names).ok();
                Some(Write::Setting { name: setting_of(subscription), value })
            }
        };
        shop.delivered(&whole, write).await?;
        left.retain(|_, left| *left > 0);
        Ok(())
    }
}
