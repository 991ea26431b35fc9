//! The record of notifications that a Subscription has received while others of the same transaction are still
//! undelivered.
//!
//! The storage has one document for all notifications of a transaction, which is deleted once all of them are
//! delivered. Until then this list, a setting of the project, tells which of them need not be sent again, also after
//! a restart.

use crate::SUBSCRIPTION;
use kontor_engine::{Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_storage::Write;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A delivered notification.
pub(crate) struct DeliveredNotification {
    /// The id of the document that contains it.
    pub(crate) kept_in: String,
    pub(crate) name: String,
}

/// The names of delivered notifications whose documents contain undelivered ones.
#[derive(Default)]
pub(crate) struct DeliveredNames {
    names: Arc<HashSet<String>>,
}

/// Returns the name of the setting with the list of a Subscription.
fn setting_of(subscription: &str) -> String {
    format!("{SUBSCRIPTION}/{subscription}/received")
}

/// Returns the write that deletes the list of a Subscription.
pub(crate) fn delete_names(subscription: &str) -> Write {
    Write::Setting { name: setting_of(subscription), value: None }
}

impl DeliveredNames {
    /// Reads the list that an earlier process stored. Blocks the thread.
    pub(crate) fn read(shop: &Shop, subscription: &str) -> ApiResult<Self> {
        let kept = shop.storage().setting(&setting_of(subscription)).map_err(storage_failure)?;
        let names = kept.and_then(|kept| kontor_json::from_str(&kept).ok()).unwrap_or_default();
        Ok(Self { names: Arc::new(names) })
    }

    /// Returns the names.
    pub(crate) fn names(&self) -> Arc<HashSet<String>> {
        Arc::clone(&self.names)
    }

    /// Records deliveries: deletes documents whose notifications are all delivered (`left` counts the undelivered
    /// ones of each document), and stores the names of the others.
    pub(crate) async fn record_deliveries(
        &mut self,
        left: &mut HashMap<String, usize>,
        received: Vec<DeliveredNotification>,
        shop: &Shop,
        subscription: &str,
    ) -> ApiResult<()> {
        if received.is_empty() {
            return Ok(());
        }
        for DeliveredNotification { kept_in, .. } in &received {
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
            // All documents are deleted; later notifications are in new documents.
            self.names = Arc::default();
        }
        let write = match self.names.len() {
            same if same == before => None,
            0 => Some(delete_names(subscription)),
            _ => {
                let value = kontor_json::to_string(&*self.names).ok();
                Some(Write::Setting { name: setting_of(subscription), value })
            }
        };
        shop.delete_delivered(&whole, write).await?;
        left.retain(|_, left| *left > 0);
        Ok(())
    }
}
