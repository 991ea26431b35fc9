//! Imports Categories (reference: CategoryImport).

use super::asset;
use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.compare_optional_fields(&[
        ("name", "changeName", "name"),
        ("slug", "changeSlug", "slug"),
        ("parent", "changeParent", "parent"),
        ("orderHint", "changeOrderHint", "orderHint"),
    ]);
    difference.compare_fields(&[
        ("description", "setDescription", "description"),
        ("externalId", "setExternalId", "externalId"),
        ("metaTitle", "setMetaTitle", "metaTitle"),
        ("metaDescription", "setMetaDescription", "metaDescription"),
        ("metaKeywords", "setMetaKeywords", "metaKeywords"),
    ]);
    let actions = asset::actions(
        difference.before.get("assets"),
        difference.draft.get("assets"),
        &kontor_json::Map::new(),
        difference.references,
    );
    difference.actions.extend(actions);
    difference.compare_custom_fields();
    Ok(())
}
