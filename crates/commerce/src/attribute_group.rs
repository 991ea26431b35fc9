//! Attribute Group: a list of Attribute names without duplicates.
//!
//! Source: reference types `AttributeGroup`, `AttributeGroupDraft`. Conversations: `tests/api/attribute-groups/`.

use kontor_engine::document::list;
use kontor_engine::{Behaviour, Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult};
use std::collections::HashSet;

pub(crate) struct AttributeGroup;

impl Behaviour for AttributeGroup {
    fn resource(&self) -> &'static str {
        "AttributeGroup"
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let mut seen = HashSet::new();
        match list(after, &["attributes"]).iter().find(|attribute| !seen.insert(&attribute["key"])) {
            Some(twice) => Err(ApiError::duplicate_field("attributes.key", twice["key"].clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_shop::TestShop;
    use kontor_errors::Code;
    use kontor_json::json;

    #[test]
    fn each_attribute_is_in_a_group_once() {
        let shop = TestShop::new();
        let draft = |keys: &[&str]| {
            let attributes: Vec<_> = keys.iter().map(|key| json!({"key": key})).collect();
            json!({"name": {"en": "Group"}, "attributes": attributes})
        };
        let group = shop.create("attribute-group", draft(&["size", "colour"])).unwrap();
        assert_eq!(
            shop.create("attribute-group", draft(&["a", "a"])).unwrap_err().code(),
            Code::DuplicateField
        );
        let add = json!([{"action": "addAttribute", "attribute": {"key": "size"}}]);
        let (after, _) = shop.update("attribute-group", &group, add).unwrap();
        assert_eq!(after, group, "one that is there stays where it is");
    }
}
