//! That other systems know an Order.
//!
//! Source: reference type `OrderUpdateSyncInfoAction`.

use super::list_of;
use kontor_engine::document::fields;
use kontor_engine::{Acting, Document};
use kontor_errors::ApiResult;
use serde_json::{Value, json};

/// `updateSyncInfo`: one of each Channel.
pub(super) fn update(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let now = acting.rules.time();
    let info = fields([
        ("channel", arguments.get("channel").cloned()),
        ("externalId", arguments.get("externalId").cloned()),
        ("syncedAt", arguments.get("syncedAt").cloned().or_else(|| Some(json!(now)))),
    ]);
    let all = list_of(acting.document, "syncInfo")?;
    all.retain(|other| other["channel"] != info["channel"]);
    all.push(Value::Object(info));
    Ok(())
}
