//! Store: its languages, its Channels, and its Product Selections. Start at [`Store`].
//!
//! Source: reference types `StoreDraft`, `Store…Action`, `ProjectNotConfiguredForLanguagesError`,
//! `MissingRoleOnChannelError`.

mod product_selections;

use crate::kinds;
use kontor_engine::document::{is_empty, list, must_field, must_text};
use kontor_engine::{ActionHandler, Behaviour, Document, Effects, IndexValue, Limit, Rules};
use kontor_enums::ChannelRoleEnum;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// Which role the Channels of a list must have.
const ROLES: [(&str, &str); 2] = [
    ("distributionChannels", ChannelRoleEnum::ProductDistribution.as_str()),
    ("supplyChannels", ChannelRoleEnum::InventorySupply.as_str()),
];

/// The limits of a Store (reference type `StoreDraft`), each named after its field.
const LIMITS: &[Limit] = &[
    Limit { name: "distributionChannels", most: 100, counted: None },
    Limit { name: "supplyChannels", most: 100, counted: None },
    Limit { name: "productSelections", most: 100, counted: None },
];

/// The calculated index of Stores by the settings that decide their Products.
pub(crate) const ASSORTMENT: &str = "assortment";
/// There: no Product Selection is active.
pub(crate) const NONE_ACTIVE: &str = "none active";

pub(crate) struct Store;

impl Behaviour for Store {
    fn resource(&self) -> &'static str {
        "Store"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("setProductSelections", product_selections::set),
            ("addProductSelection", product_selections::add),
            ("changeProductSelectionActive", product_selections::change_active),
            ("removeProductSelection", product_selections::remove),
        ]
    }

    fn limits(&self) -> &'static [Limit] {
        LIMITS
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        admit_each_once(after)?;
        LIMITS.iter().try_for_each(|limit| admit_count(after, limit))?;
        admit_languages(before, after, rules)?;
        for (field, role) in ROLES {
            admit_channels(before, after, field, role, rules)?;
        }
        if after.get("storefront").is_some_and(is_empty) {
            after.shift_remove("storefront");
        }
        Ok(())
    }

    fn index_rows(&self, store: &Document, _: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        let is_active = |setting: &Value| setting["active"] == json!(true);
        if list(store, &["productSelections"]).iter().any(is_active) {
            return Ok(Vec::new());
        }
        Ok(vec![(ASSORTMENT.to_owned(), NONE_ACTIVE.into())])
    }
}

/// Refuses duplicates in the lists of a Store.
fn admit_each_once(store: &Document) -> ApiResult<()> {
    for field in ["languages", "countries", "distributionChannels", "supplyChannels"] {
        let mut seen = HashSet::new();
        if let Some(twice) = list(store, &[field]).iter().find(|item| !seen.insert(*item)) {
            return Err(ApiError::duplicate_field(field, twice.clone()));
        }
    }
    let mut seen = HashSet::new();
    let chosen = list(store, &["productSelections"]).iter().map(|setting| &setting["productSelection"]);
    match chosen.into_iter().find(|chosen| !seen.insert(*chosen)) {
        Some(twice) => Err(ApiError::duplicate_field("productSelections", twice.clone())),
        None => Ok(()),
    }
}

/// Refuses a list that exceeds its limit, with the error of the release note of 20 August 2021.
fn admit_count(store: &Document, limit: &Limit) -> ApiResult<()> {
    let count = list(store, &[limit.name]).len() as u64;
    if count <= limit.most {
        return Ok(());
    }
    let exceeded = if limit.name == "productSelections" { "product-selection" } else { "channel" };
    let message = format!("A Store has at most {} {}, not {count}.", limit.most, limit.name);
    Err(ApiError::new(Code::MaxResourceLimitExceeded, message)
        .with_field("exceededResource", json!(exceeded)))
}

/// Languages that are new to the Store must be languages of the Project, when the Store is written too.
fn admit_languages(before: Option<&Document>, store: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let held = before.map_or(&[][..], |before| list(before, &["languages"]));
    let languages = list(store, &["languages"]);
    if languages.iter().all(|language| held.contains(language)) {
        return Ok(());
    }
    // The settings in memory may be outdated, so the stored ones become the precondition.
    let key = must_text(rules.project, &["key"])?;
    let stored = rules.find(kinds::PROJECT, key)?;
    let configured = list(stored.as_deref().unwrap_or(rules.project), &["languages"]);
    if languages.iter().all(|language| configured.contains(language)) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::ProjectNotConfiguredForLanguages,
        format!(
            "The project is not configured for given languages. Given: {}. Configured: {}.",
            Value::Array(languages.to_vec()),
            Value::Array(configured.to_vec())
        ),
    )
    .with_field("languages", json!(languages)))
}

/// Channels that are new to a list must have the role of the list.
fn admit_channels(
    before: Option<&Document>,
    store: &Document,
    field: &str,
    role: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let held = before.map_or(&[][..], |before| list(before, &[field]));
    for channel in list(store, &[field]).iter().filter(|channel| !held.contains(channel)) {
        let id = must_field(channel, "id")?;
        let found = rules
            .find(kinds::CHANNEL, id)?
            .ok_or_else(|| ApiError::referenced_resource_not_found("channel", Some(id), None))?;
        if !list(&found, &["roles"]).iter().any(|held| held == role) {
            return Err(ApiError::new(
                Code::MissingRoleOnChannel,
                format!("Given channel with ID '{id}' does not have the required role '{role}'."),
            )
            .with_field("channel", channel.clone())
            .with_field("missingRole", json!(role)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::Precondition;
    use kontor_engine::trial::take_preconditions;

    fn shop() -> TestShop {
        TestShop::new()
            .with_document(
                "channel",
                json!({"id": "sells", "key": "sells", "roles": ["ProductDistribution"]}),
            )
            .with_document("channel", json!({"id": "keeps", "key": "keeps", "roles": ["InventorySupply"]}))
    }

    #[test]
    fn languages_are_those_of_the_project() {
        let error = shop().create("store", json!({"key": "berlin", "languages": ["en", "fr"]})).unwrap_err();
        assert_eq!(error.code(), Code::ProjectNotConfiguredForLanguages);
        assert_eq!(error.objects()[0].fields["languages"], json!(["en", "fr"]));

        let store = shop().create("store", json!({"key": "berlin", "languages": ["en"]})).unwrap();
        let set = |languages: Value| json!([{"action": "setLanguages", "languages": languages}]);
        assert!(shop().update("store", &store, set(json!(["de"]))).is_ok());
        assert!(shop().update("store", &store, set(json!(["fr"]))).is_err());
    }

    #[test]
    fn languages_are_those_of_the_project_at_the_moment_of_writing() {
        let shop = shop().with_document("project", json!({"id": "shop", "key": "shop", "languages": ["it"]}));
        shop.rules(|rules| {
            let mut store = object(json!({"key": "rome", "languages": ["it"]}));
            Store.settle(None, &mut store, rules, &mut Effects::default()).unwrap();
            assert_eq!(
                take_preconditions(rules),
                [Precondition::Revision { kind: "project".into(), id: "shop".into(), revision: 7 }]
            );
        });
    }

    #[test]
    fn channels_have_the_role_of_their_list() {
        let error = shop()
            .create("store", json!({"key": "berlin", "supplyChannels": [{"key": "sells"}]}))
            .unwrap_err();
        assert_eq!(error.code(), Code::MissingRoleOnChannel);
        assert_eq!(error.objects()[0].fields["channel"], json!({"typeId": "channel", "id": "sells"}));
        assert_eq!(error.objects()[0].fields["missingRole"], "InventorySupply");

        let draft = json!({"key": "berlin", "supplyChannels": [{"key": "keeps"}]});
        let store = shop().create("store", draft).unwrap();
        let add = json!([{"action": "addDistributionChannel", "distributionChannel": {"id": "keeps"}}]);
        let error = shop().update("store", &store, add).unwrap_err();
        assert_eq!(error.objects()[0].fields["missingRole"], "ProductDistribution");
    }

    #[test]
    fn a_channel_that_lost_its_role_does_not_block_other_changes() {
        let shop = shop();
        let store =
            shop.create("store", json!({"key": "berlin", "supplyChannels": [{"key": "keeps"}]})).unwrap();
        let shop =
            shop.with_document("channel", json!({"id": "keeps", "key": "keeps", "roles": ["Primary"]}));
        let rename = json!([{"action": "setName", "name": {"en": "Berlin"}}]);
        assert!(shop.update("store", &store, rename).is_ok());
    }

    #[test]
    fn a_store_has_at_most_100_channels_of_a_role() {
        let keys: Vec<String> = (0..101).map(|number| format!("keeps-{number}")).collect();
        let shop = keys.iter().fold(TestShop::new(), |shop, key| {
            shop.with_document("channel", json!({"id": key, "key": key, "roles": ["InventorySupply"]}))
        });
        let channels: Vec<Value> = keys.iter().map(|key| json!({"key": key})).collect();
        let store =
            shop.create("store", json!({"key": "berlin", "supplyChannels": channels[..100]})).unwrap();
        let add = json!([{"action": "addSupplyChannel", "supplyChannel": channels[100]}]);
        for refused in [
            shop.update("store", &store, add).map(|_| ()),
            shop.create("store", json!({"key": "leipzig", "supplyChannels": channels})).map(|_| ()),
        ] {
            let error = refused.unwrap_err();
            assert_eq!(error.code(), Code::MaxResourceLimitExceeded);
            assert_eq!(error.objects()[0].fields["exceededResource"], "channel");
        }
    }

    #[test]
    fn refuses_duplicate_countries() {
        let error = shop()
            .create("store", json!({"key": "berlin", "countries": [{"code": "DE"}, {"code": "DE"}]}))
            .unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
    }

    #[test]
    fn an_empty_storefront_is_none() {
        let store = shop().create("store", json!({"key": "berlin", "storefront": {}})).unwrap();
        assert!(!store.contains_key("storefront"));
    }
}
