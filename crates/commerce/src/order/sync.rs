//! `updateSyncInfo`: records that an Order was synchronized with an external system.
//!
//! Source: reference type `OrderUpdateSyncInfoAction`.

use super::list_of;
use kontor_engine::document::{fields, list, must_text};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ChannelRoleEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `updateSyncInfo`: one entry for each Channel.
///
/// 400 `InvalidInput`: the Channel has neither the role `OrderExport` nor `OrderImport`.
pub(super) fn update(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = must_text(arguments, &["channel", "id"])?;
    let channel = context.rules.peek_type("channel", id)?;
    let roles = channel.as_ref().map_or(&[][..], |channel| list(channel, &["roles"]));
    if !roles.iter().any(|role| {
        role == ChannelRoleEnum::OrderExport.as_str() || role == ChannelRoleEnum::OrderImport.as_str()
    }) {
        return Err(ApiError::invalid_input(format!(
            "{}.channel: the Channel '{id}' has neither the role OrderExport nor OrderImport.",
            context.place
        )));
    }
    let now = context.rules.time();
    let info = fields([
        ("channel", arguments.get("channel").cloned()),
        ("externalId", arguments.get("externalId").cloned()),
        ("syncedAt", arguments.get("syncedAt").cloned().or_else(|| Some(json!(now)))),
    ]);
    let all = list_of(context.document, "syncInfo")?;
    all.retain(|other| other["channel"] != info["channel"]);
    all.push(Value::Object(info));
    Ok(())
}
