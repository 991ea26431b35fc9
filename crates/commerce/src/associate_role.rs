//! Associate Role: removes duplicates from its permissions.
//!
//! Source: reference types `AssociateRoleDraft`, `AssociateRole…Action`.

use kontor_engine::{Behaviour, Document, Effects, Rules, document};
use kontor_errors::ApiResult;
use kontor_json::Value;

pub(crate) struct AssociateRole;

impl Behaviour for AssociateRole {
    fn resource(&self) -> &'static str {
        "AssociateRole"
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if let Some(Value::Array(permissions)) = after.get_mut("permissions") {
            *permissions = document::without_duplicates(std::mem::take(permissions));
        }
        Ok(())
    }
}
