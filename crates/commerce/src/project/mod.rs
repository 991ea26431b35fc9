//! Project: actions on settings that depend on other resources, and the masked authorization header. Start at
//! [`Project`].
//!
//! Source: reference types `Project…Action`, `LanguageUsedInStoresError`, `CartClassificationType`.

mod external_oauth;
mod search_indexing;

pub use external_oauth::{EXTERNAL_OAUTH_HEADER, EXTERNAL_OAUTH_URL};
pub use search_indexing::PROJECTION_SEARCH;

use kontor_engine::document::{get, list, must_get};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Choice, Document, Effects, IndexValue, Precondition,
    RefusalReason, Rules,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use std::collections::HashSet;

/// The path of the languages of Stores.
const STORES: (&str, &str) = ("store", "languages");

/// The field of `carts` for discounts on the total price that leave external taxes unchanged.
const KEEPS_EXTERNAL_TAX: &str = "totalPriceDiscountDoesNotReduceExternalTax";

pub(crate) struct Project;

impl Behaviour for Project {
    fn resource(&self) -> &'static str {
        "Project"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("changeLanguages", change_languages),
            ("changeCartsConfiguration", change_carts),
            ("changeProductSearchIndexingEnabled", search_indexing::change_products),
            ("changeOrderSearchStatus", search_indexing::change_orders),
            ("changeCustomerSearchStatus", search_indexing::change_customers),
            ("changeBusinessUnitSearchStatus", search_indexing::change_business_units),
            ("changeCartDiscountVisualizationSearchStatus", search_indexing::change_visualization),
        ]
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice { name: PROJECTION_SEARCH, is_of_older_projects: true }]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        for field in ["languages", "countries", "currencies"] {
            admit_each_once(field, list(after, &[field]).iter())?;
        }
        let classes = list(after, &["shippingRateInputType", "values"]).iter().map(|class| &class["key"]);
        admit_each_once("shippingRateInputType.values.key", classes)?;
        if let Some(before) = before {
            keep_languages_of_stores(before, after, rules);
        }
        external_oauth::keep_header_apart(before, after, effects)
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Precondition(Precondition::NotReferenced { kind, path, .. })
                if (kind.as_str(), path.as_str()) == STORES =>
            {
                Some(ApiError::new(
                    Code::LanguageUsedInStores,
                    "Language(s) in use by a store cannot be deleted. Remove them in all the stores of this \
                     project first.",
                ))
            }
            _ => None,
        }
    }
}

/// `changeLanguages`: at least one. Stores are checked after all actions.
fn change_languages(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let languages = must_get(arguments, &["languages"])?.clone();
    if languages.as_array().is_none_or(Vec::is_empty) {
        return Err(ApiError::invalid_operation(format!(
            "{}: a Project has at least one language.",
            context.place
        )));
    }
    context.document.insert("languages", languages);
    Ok(())
}

/// `changeCartsConfiguration`: replaces all fields of the action. It has no field for external taxes, which stay.
fn change_carts(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut carts = must_get(arguments, &["cartsConfiguration"])?.clone();
    if let Some(keeps) = get(context.document, &["carts", KEEPS_EXTERNAL_TAX]) {
        carts[KEEPS_EXTERNAL_TAX] = keeps.clone();
    }
    context.document.insert("carts", carts);
    Ok(())
}

/// Requires that no Store has a removed language when the change is written.
fn keep_languages_of_stores(before: &Document, after: &Document, rules: &Rules<'_>) {
    let kept = list(after, &["languages"]);
    let gone = list(before, &["languages"]).iter().filter(|language| !kept.contains(language));
    for gone in gone.filter_map(Value::as_str) {
        rules.require(Precondition::NotReferenced {
            kind: STORES.0.to_owned(),
            path: STORES.1.to_owned(),
            value: IndexValue::Text(gone.to_owned()),
        });
    }
}

fn admit_each_once<'a>(field: &str, mut values: impl Iterator<Item = &'a Value>) -> ApiResult<()> {
    let mut seen = HashSet::new();
    match values.find(|value| !seen.insert(*value)) {
        Some(twice) => Err(ApiError::duplicate_field(field, twice.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_engine::trial::take_preconditions;
    use kontor_json::json;

    fn change(languages: Value) -> Value {
        json!([{"action": "changeLanguages", "languages": languages}])
    }

    #[test]
    fn a_language_used_by_a_store_cannot_be_removed() {
        let shop = TestShop::new();
        let (after, requested) = shop.rules(|rules| {
            let (after, _) = shop
                .update_with(
                    "project",
                    &shop.project,
                    change(json!(["en", "fr"])),
                    rules,
                    &mut Effects::default(),
                )
                .unwrap();
            (after, take_preconditions(rules))
        });
        assert_eq!(after["languages"], json!(["en", "fr"]));
        let not_german = Precondition::NotReferenced {
            kind: "store".into(),
            path: "languages".into(),
            value: IndexValue::Text("de".into()),
        };
        assert_eq!(requested, std::slice::from_ref(&not_german));
        let error = Project.refusal_error(RefusalReason::Precondition(&not_german)).unwrap();
        assert_eq!(error.code(), Code::LanguageUsedInStores);
    }

    #[test]
    fn only_that_refusal_is_about_stores() {
        let other = Precondition::Exists { kind: "store".into(), id: "s".into() };
        assert_eq!(Project.refusal_error(RefusalReason::Precondition(&other)), None);
    }

    #[test]
    fn a_project_has_languages_and_each_once() {
        let shop = TestShop::new();
        let error = shop.update("project", &shop.project, change(json!([]))).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
        let error = shop.update("project", &shop.project, change(json!(["en", "de", "en"]))).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
    }

    #[test]
    fn keys_of_a_classification_differ() {
        let shop = TestShop::new();
        let with = |keys: [&str; 2]| {
            let values: Vec<Value> =
                keys.iter().map(|key| json!({"key": key, "label": {"en": "x"}})).collect();
            json!([{
                "action": "setShippingRateInputType",
                "shippingRateInputType": {"type": "CartClassification", "values": values},
            }])
        };
        assert!(shop.update("project", &shop.project, with(["light", "heavy"])).is_ok());
        let error = shop.update("project", &shop.project, with(["light", "light"])).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
    }

    #[test]
    fn an_unsupported_creator_role_is_refused() {
        let shop = TestShop::new();
        let set = json!([{
            "action": "setMyBusinessUnitAssociateRoleOnCreation",
            "associateRole": {"typeId": "associate-role", "key": "buyer"},
        }]);
        let error = shop.update("project", &shop.project, set).unwrap_err();
        assert_eq!(error.code(), Code::ReferencedResourceNotFound);
    }
}
