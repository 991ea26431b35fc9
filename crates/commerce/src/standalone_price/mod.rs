//! Standalone Price: one price of a SKU, with an optional staged value. Start at [`StandalonePrice`].
//!
//! Source: reference types `StandalonePrice`, `StandalonePriceDraft`, `StandalonePrice…Action`.
//! Conversations: `tests/api/standalone-prices/`.

mod discounted;
mod priced_product;
mod scope;

use crate::discounted_price::EPOCH;
use crate::kinds;
use crate::price::{check_price, has_standalone_prices, money_in, price_of, same_currency};
use kontor_engine::conversion::{self, convert_value};
use kontor_engine::document::{fields, list, text};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Derivation, Document, Effects, IndexValue, PrefetchPlan, Rules,
};
use kontor_enums::ChannelRoleEnum;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;

/// The role of Channels that prices may be bound to.
const CHANNEL_ROLE: &str = ChannelRoleEnum::ProductDistribution.as_str();

pub(crate) struct StandalonePrice;

impl Behaviour for StandalonePrice {
    fn resource(&self) -> &'static str {
        "StandalonePrice"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("changeValue", change_value),
            ("setDiscountedPrice", set_discounted_price),
            ("addPriceTier", add_price_tier),
            ("removePriceTier", remove_price_tier),
            ("setPriceTiers", set_price_tiers),
            ("applyStagedChanges", apply_staged_changes),
            ("removeStagedChanges", remove_staged_changes),
        ]
    }

    fn prefetch(&self, prefetch_plan: &mut PrefetchPlan<'_>) {
        prefetch_plan.id(EPOCH, EPOCH);
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        admit_channel(after, rules)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if list(after, &["tiers"]).is_empty() {
            after.shift_remove("tiers");
        }
        let price = price_of(after)?;
        check_price(after, &price, &Location::Text(""))?;
        if let Some(Value::Object(staged)) = after.get("staged") {
            let staged = money_in(staged, "value")?;
            same_currency(price.value.currency(), staged.currency(), &Location::Text("staged"))?;
        }
        scope::check_price_scope(before, after, &price, rules)?;
        discounted::settle(before, after, rules)
    }

    /// The Product with its SKU gets a new version (reported of the platform).
    fn before_delete(&self, price: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        if let Some(product) = priced_product::product_of(price, rules)?
            && has_standalone_prices(&product)
        {
            effects.touch(kinds::PRODUCT, product);
        }
        Ok(())
    }

    fn index_rows(&self, price: &Document, _: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        scope::index_rows(price)
    }

    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        discounted::discount_messages(before, after)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            discounted::FOLLOW_DISCOUNTS,
            discounted::FOLLOW_PRODUCTS,
            discounted::FOLLOW_VARIANTS,
            discounted::FOLLOW_PRODUCTS_OF_VARIANTS,
            discounted::FOLLOW_CATEGORIES,
            discounted::FOLLOW_CATEGORIES_OF_VARIANTS,
            discounted::FOLLOW_CATEGORIES_ABOVE,
            discounted::FOLLOW_CATEGORIES_ABOVE_VARIANTS,
        ];
        ALL
    }
}

/// A Channel of a price must have the role for it, when the price is written too.
fn admit_channel(price: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(id) = text(price, &["channel", "id"]) else { return Ok(()) };
    let channel = rules
        .find(kinds::CHANNEL, id)?
        .ok_or_else(|| ApiError::referenced_resource_not_found("channel", Some(id), None))?;
    if list(&channel, &["roles"]).iter().any(|role| role == CHANNEL_ROLE) {
        return Ok(());
    }
    let message = format!("Given channel with ID '{id}' does not have the required role '{CHANNEL_ROLE}'.");
    Err(ApiError::new(Code::MissingRoleOnChannel, message)
        .with_field("channel", price.get("channel").cloned())
        .with_field("missingRole", json!(CHANNEL_ROLE)))
}

/// An argument in the shape in which the field of its name is stored.
fn stored_argument(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    name: &str,
) -> ApiResult<Option<Value>> {
    let Some(given) = arguments.get(name) else { return Ok(None) };
    let model = context.rules.model;
    let field = model.object(model.kind(kinds::STANDALONE_PRICE).object).field(name);
    match (model.object(context.action.arguments).field(name), field) {
        (Some(argument), Some(field)) => {
            let place = format!("{}.{name}", context.place);
            convert_value(&argument.shape, field, given.clone(), &place, context.rules).map(Some)
        }
        _ => Err(ApiError::bug(format!("{name} is no argument with the name of a field"))),
    }
}

/// `changeValue`: changes the price itself, or its staged value. Without a staged value, the message has the
/// price itself as its old value, as the field is required (reference type
/// `StandalonePriceValueChangedMessage`).
fn change_value(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let value = stored_argument(context, arguments, "value")?;
    let value = value.ok_or_else(|| ApiError::bug("changeValue without a value"))?;
    let staged = arguments.get("staged") == Some(&json!(true));
    let waiting = context.document.get("staged").filter(|_| staged).map(|waiting| &waiting["value"]);
    if waiting.or(context.document.get("value").filter(|_| !staged)) == Some(&value) {
        return Ok(());
    }
    let old = waiting.or(context.document.get("value")).cloned();
    let message_fields =
        fields([("value", Some(value.clone())), ("staged", Some(json!(staged))), ("oldValue", old)]);
    if staged {
        context.document.insert("staged", json!({"value": value}));
    } else {
        context.document.insert("value", value);
    }
    context.emit("StandalonePriceValueChanged", message_fields)
}

/// `setDiscountedPrice`: sets the price calculated by an external Product Discount.
fn set_discounted_price(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let discounted = stored_argument(context, arguments, "discounted")?;
    if context.document.get("discounted") == discounted.as_ref() {
        return Ok(());
    }
    let message_fields = fields([("discounted", discounted.clone())]);
    match discounted {
        Some(discounted) => {
            discounted::admit_variant(context.document, context.rules)?;
            context.document.insert("discounted", discounted)
        }
        None => context.document.shift_remove("discounted"),
    };
    context.emit("StandalonePriceExternalDiscountSet", message_fields)
}

/// `addPriceTier`. The validation of all tiers refuses a second tier for a quantity with `InvalidField`, as reference
/// type `StandalonePriceAddPriceTierAction` says.
fn add_price_tier(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let rules = context.rules;
    let shapes = rules.model.object_by_name("PriceTierDraft").zip(rules.model.object_by_name("PriceTier"));
    let (Some((sent, stored)), Some(Value::Object(given))) = (shapes, arguments.get("tier")) else {
        return Err(ApiError::bug("an action without a tier, or a model without its shape"));
    };
    let place = format!("{}.tier", context.place);
    let tier = Value::Object(conversion::convert_object(sent, stored, given.clone(), &place, rules)?);
    let tiers = context.document.entry("tiers").or_insert_with(|| json!([]));
    tiers.as_array_mut().ok_or_else(|| ApiError::bug("tiers that are no list"))?.push(tier.clone());
    context.emit("StandalonePriceTierAdded", fields([("tier", Some(tier))]))
}

/// `removePriceTier`: a quantity without a tier is InvalidOperation.
fn remove_price_tier(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let Some(quantity) = arguments.get("minimumQuantity").and_then(Value::as_i64) else {
        return Err(ApiError::bug("removePriceTier without a minimumQuantity"));
    };
    let is_meant = |tier: &Value| tier["minimumQuantity"].as_i64() == Some(quantity);
    let removed = match context.document.get_mut("tiers") {
        Some(Value::Array(tiers)) => tiers.iter().position(is_meant).map(|index| tiers.remove(index)),
        _ => None,
    };
    let Some(removed) = removed else {
        return Err(ApiError::invalid_operation(format!(
            "{}.minimumQuantity: there is no price tier with the minimumQuantity {quantity}.",
            context.place
        )));
    };
    context.emit("StandalonePriceTierRemoved", fields([("removedTier", Some(removed))]))
}

/// `setPriceTiers`: all at once; an empty list removes them.
fn set_price_tiers(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let tiers = stored_argument(context, arguments, "tiers")?.unwrap_or_else(|| json!([]));
    let previous = context.document.get("tiers").cloned().unwrap_or_else(|| json!([]));
    if tiers == previous {
        return Ok(());
    }
    context.document.insert("tiers", tiers.clone());
    let message_fields = fields([("tiers", Some(tiers)), ("previousTiers", Some(previous))]);
    context.emit("StandalonePriceTiersSet", message_fields)
}

/// `applyStagedChanges`: the staged value becomes the price; `InvalidOperation` without a staged value.
fn apply_staged_changes(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    let Some(staged) = context.document.shift_remove("staged") else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Standalone Price has no staged changes to apply.",
            context.place
        )));
    };
    for name in ["value", "discounted"] {
        if let Some(value) = staged.get(name) {
            context.document.insert(name, value.clone());
        }
    }
    context.emit("StandalonePriceStagedChangesApplied", fields([("stagedChanges", Some(staged))]))
}

/// `removeStagedChanges`: changes nothing without a staged value.
fn remove_staged_changes(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    match context.document.shift_remove("staged") {
        Some(staged) => {
            context.emit("StandalonePriceStagedChangesRemoved", fields([("stagedChanges", Some(staged))]))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::{Precondition, trial};

    fn money(cents: i64) -> Value {
        json!({"type": "centPrecision", "currencyCode": "EUR", "centAmount": cents, "fractionDigits": 2})
    }

    fn price(id: &str, more: Value) -> Value {
        let mut price =
            json!({"id": id, "version": 1, "sku": "boots-42", "value": money(100), "active": true});
        price.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        price
    }

    fn draft(more: Value) -> Value {
        let mut draft = json!({"sku": "boots-42", "value": {"currencyCode": "EUR", "centAmount": 100}});
        draft.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        draft
    }

    fn year(from: i32, until: i32) -> Value {
        json!({"validFrom": format!("{from}-01-01T00:00:00.000Z"), "validUntil": format!("{until}-01-01T00:00:00.000Z")})
    }

    #[test]
    fn a_scope_of_a_sku_has_one_price_at_a_time() {
        let shop = TestShop::new().with_document("standalone-price", price("a", year(2026, 2028)));
        let error = shop.create("standalone-price", draft(year(2026, 2028))).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateStandalonePriceScope);
        let fields = &error.objects()[0].fields;
        assert_eq!(fields["conflictingStandalonePrice"], json!({"typeId": "standalone-price", "id": "a"}));
        assert_eq!(fields["sku"], "boots-42");
        let error = shop.create("standalone-price", draft(year(2027, 2029))).unwrap_err();
        assert_eq!(error.code(), Code::OverlappingStandalonePriceValidity);
        assert_eq!(error.objects()[0].fields["conflictingValidUntil"], "2028-01-01T00:00:00.000Z");
        for other in [year(2028, 2029), json!({}), json!({"country": "DE"}), json!({"sku": "boots-43"})] {
            shop.create("standalone-price", draft(other)).unwrap();
        }
    }

    #[test]
    fn no_other_price_may_come_into_the_scope_meanwhile() {
        let shop = TestShop::new().with_document("standalone-price", price("a", year(2026, 2027)));
        let relied_on = shop.rules(|rules| {
            trial::create_document(kinds::STANDALONE_PRICE, draft(json!({})), rules, &mut Effects::default())
                .unwrap();
            trial::take_preconditions(rules)
        });
        assert!(relied_on.iter().any(|held| matches!(
            held, Precondition::IndexedAtMost { path, limit: 2, .. } if path == "scope"
        )));
    }

    #[test]
    fn applying_staged_changes_sets_the_value() {
        let shop = TestShop::new();
        let before = object(price("a", json!({})));
        let change = json!([{"action": "changeValue", "value": {"currencyCode": "EUR", "centAmount": 90}, "staged": true}]);
        let (staged, messages) = shop.update("standalone-price", &before, change).unwrap();
        assert_eq!((&staged["value"], &staged["staged"]["value"]), (&money(100), &money(90)));
        assert_eq!(
            messages,
            [(
                "StandalonePriceValueChanged".to_owned(),
                json!({"value": money(90), "staged": true, "oldValue": money(100)})
            )]
        );
        let apply = json!([{"action": "applyStagedChanges"}]);
        let (applied, messages) = shop.update("standalone-price", &staged, apply.clone()).unwrap();
        assert_eq!(applied["value"], money(90));
        assert!(!applied.contains_key("staged"));
        assert_eq!(messages[0].1["stagedChanges"]["value"], money(90));
        let error = shop.update("standalone-price", &applied, apply).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
    }

    #[test]
    fn a_channel_has_the_role_for_prices() {
        let channel = |id: &str, role: &str| json!({"id": id, "key": id, "roles": [role]});
        let shop = TestShop::new()
            .with_document("channel", channel("shop", "ProductDistribution"))
            .with_document("channel", channel("store", "InventorySupply"));
        shop.create("standalone-price", draft(json!({"channel": {"id": "shop"}}))).unwrap();
        let error = shop.create("standalone-price", draft(json!({"channel": {"id": "store"}}))).unwrap_err();
        assert_eq!(error.code(), Code::MissingRoleOnChannel);
    }
}
