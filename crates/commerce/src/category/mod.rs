//! Category: a tree without cycles; each node stores its path from the root. A Category may be limited to some Stores.
//!
//! Source: reference types `Category`, `CategoryDraft`, `CategoryChangeParentAction`. The reference does not
//! describe the children of a deleted Category; the maintainers of the public sync library do: they are
//! deleted too.

mod ancestors;
mod store_propagation;
mod stores;
mod tree_lock;

use crate::asset::admit_assets;
use kontor_engine::document::list;
use kontor_engine::{
    ActionHandler, Behaviour, ChangeFilter, Dependents, Derivation, Document, Effects, Limit, Rules, TaskStep,
};
use kontor_errors::ApiResult;
use kontor_json::json;

const CATEGORY: &str = "category";

pub(crate) struct Category;

impl Behaviour for Category {
    fn resource(&self) -> &'static str {
        "Category"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("setStores", stores::set),
            ("addStore", stores::add),
            ("removeStore", stores::remove),
            ("setStoresWithDescendants", store_propagation::set),
            ("addStoreWithDescendants", store_propagation::add),
            ("removeStoreWithDescendants", store_propagation::remove),
        ]
    }

    fn limits(&self) -> &'static [Limit] {
        &[store_propagation::DESCENDANTS]
    }

    fn background_step(&self) -> Option<TaskStep> {
        Some(store_propagation::step)
    }

    fn before_delete(&self, category: &Document, rules: &Rules<'_>, _: &mut Effects) -> ApiResult<()> {
        stores::admit_deletion(category, rules)
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if !after.contains_key("orderHint") {
            after.insert("orderHint", json!(order_hint(&rules.new_id())));
        }
        Ok(())
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        admit_assets(list(after, &["assets"]), "assets")?;
        ancestors::settle(before, after, rules)?;
        stores::settle(before, after, rules)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "ancestors",
            source: "Category",
            dependents: Dependents::ReferringAt {
                path: "parent.id",
                when: ChangeFilter::Fields(&["ancestors"]),
            },
            derive: ancestors::follow_parent,
        }];
        ALL
    }
}

/// Derives a number between 0 and 1 from the last 32 bits of an id, which are random.
fn order_hint(id: &str) -> String {
    let random = id.chars().rev().filter_map(|digit| digit.to_digit(16)).take(8);
    let value = random.fold(0_u64, |value, digit| value << 4 | u64::from(digit));
    // Nine decimal digits: 32 bits by them fit in 64.
    format!("0.{:09}", (value * 1_000_000_000) >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;
    use kontor_json::Value;

    #[test]
    fn an_order_hint_is_spread_between_0_and_1() {
        assert_eq!(order_hint("018f3c1e-0000-7000-8000-0000ffffffff"), "0.999999999");
        assert_eq!(order_hint("018f3c1e-0000-7000-8000-ffff00000000"), "0.000000000");
        assert_eq!(order_hint("018f3c1e-0000-7000-8000-000000000008"), "0.500000000");
        assert_eq!(order_hint(""), "0.000000000");
    }

    #[test]
    fn an_order_hint_is_made_where_none_is_given() {
        let shop = TestShop::new();
        let create = |hint: Value| {
            let draft = json!({"name": {"en": "Books"}, "slug": {"en": "books"}, "orderHint": hint});
            shop.create("category", draft).unwrap()["orderHint"].clone()
        };
        assert_eq!(create(json!("0.25")), json!("0.25"));
        let made: f64 = create(Value::Null).as_str().unwrap().parse().unwrap();
        assert!((0.0..=1.0).contains(&made), "{made}");
    }

    #[test]
    fn keys_of_assets_differ() {
        let shop = TestShop::new();
        let asset = |key: &str| json!({"key": key, "name": {"en": "x"}, "sources": [{"uri": "https://example.com/1"}]});
        let draft =
            json!({"name": {"en": "Books"}, "slug": {"en": "books"}, "assets": [asset("one"), asset("two")]});
        let before = shop.create("category", draft).unwrap();
        let add = json!([{"action": "addAsset", "asset": asset("two")}]);
        assert_eq!(shop.update("category", &before, add).unwrap_err().code(), Code::DuplicateField);
        let id = &before["assets"][0]["id"];
        let rename = json!([{"action": "setAssetKey", "assetId": id, "assetKey": "two"}]);
        assert_eq!(shop.update("category", &before, rename).unwrap_err().code(), Code::DuplicateField);
    }
}
