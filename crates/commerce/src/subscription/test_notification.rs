//! The test notification, sent to a new destination before the Subscription is written.

use super::destination::SECRETS;
use kontor_engine::document::{must_get, must_text};
use kontor_engine::{CallTarget, ExtensionCall, ProposedChange, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The timeout of the test notification.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the test notification (of type `ResourceCreated`) for a new destination; `None` if the destination is
/// unchanged.
pub(crate) fn test_notification(
    proposed: &ProposedChange<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Option<ExtensionCall>> {
    let id = must_text(proposed.after, &["id"])?;
    let place = SECRETS.hidden_name(id);
    let kept = proposed.kept_apart.iter().rev().find(|(name, _)| *name == place);
    let destination = must_get(proposed.after, &["destination"])?;
    let is_new = proposed.before.is_none_or(|before| before.get("destination") != Some(destination));
    if !is_new && kept.is_none() {
        return Ok(None);
    }
    let whole = kept.and_then(|(_, whole)| kontor_json::from_str::<Value>(whole.as_deref()?).ok());
    let mut body = json!({
        "notificationType": "ResourceCreated",
        "projectKey": rules.project.get("key"),
        "resource": {"typeId": super::SUBSCRIPTION, "id": id},
        "resourceUserProvidedIdentifiers": {},
        "version": proposed.after.get("version"),
        "modifiedAt": proposed.after.get("lastModifiedAt"),
    });
    if let Some(key) = proposed.after.get("key") {
        body["resourceUserProvidedIdentifiers"]["key"] = key.clone();
    }
    Ok(Some(ExtensionCall {
        target_document: Arc::new(proposed.after.clone()),
        address: CallTarget::Inline(whole.unwrap_or_else(|| destination.clone())),
        body,
        expand: Vec::new(),
        timeout: TIMEOUT,
        wants_actions: false,
        correlation_id: None,
    }))
}
