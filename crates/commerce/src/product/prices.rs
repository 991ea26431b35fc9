//! Actions on prices that are embedded in variants. Start at [`add`].
//!
//! Source: reference types `Product…Price…Action` and the `ProductPrice…Message` types.

use super::sides::{CURRENT, STAGED, data, data_mut, is_staged, set_or_remove, sides_of_action};
use super::variant_edits::{change, find_mut, id_of, identified_variant_id, list_mut};
use crate::variant_list::variants;
use kontor_engine::document::{list, must_text, text, without_nulls};
use kontor_engine::{ActionContext, Document, Rules, conversion};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The `ResourceTypeId` of custom fields of prices.
const CUSTOM_OF: &str = "product-price";

/// `addPrice`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let price = price_of(arguments.get("price"), &format!("{}.price", context.place), context.rules)?;
    let price = Value::Object(price);
    change(context, arguments, |variant| {
        list_mut(variant, "prices")?.push(price.clone());
        Ok(true)
    })?;
    let fields = json!({"variantId": id, "price": price, "staged": is_staged(arguments)});
    context.emit("ProductPriceAdded", without_nulls(fields))
}

/// `setPrices`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let mut prices = Vec::new();
    for (index, draft) in list(arguments, &["prices"]).iter().enumerate() {
        let place = format!("{}.prices[{index}]", context.place);
        prices.push(Value::Object(price_of(Some(draft), &place, context.rules)?));
    }
    let prices = Value::Array(prices);
    change(context, arguments, |variant| {
        variant.insert("prices", prices.clone());
        Ok(true)
    })?;
    let fields = json!({"variantId": id, "prices": prices, "staged": is_staged(arguments)});
    context.emit("ProductPricesSet", without_nulls(fields))
}

/// `changePrice`: the price is another one, its `id` stays.
pub(super) fn change_price(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let at = identified_price(context, arguments)?;
    let mut price = price_of(arguments.get("price"), &format!("{}.price", context.place), context.rules)?;
    price.insert("id", json!(at.id));
    let old = |side| Some(Value::Object(price_on(context.document, side, &at.id)?.clone()));
    let (old_staged, old_current) = (old(STAGED), old(CURRENT));
    let changed = in_price(context, arguments, &at, |old| {
        let changed = *old != price;
        old.clone_from(&price);
        Ok(changed)
    })?;
    if !changed {
        return Ok(());
    }
    let mut fields = without_nulls(json!({
        "variantId": at.variant_id,
        "oldPrice": old_current.or_else(|| old_staged.clone()),
        "newPrice": price,
        "staged": is_staged(arguments),
    }));
    if let Some(old) = old_staged {
        fields.insert("oldStagedPrice", old);
    }
    context.emit("ProductPriceChanged", fields)
}

/// `removePrice`: removes the price with an id, or (older clients) a price equal to the given one, from the variant.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let at = match (arguments.get("priceId"), arguments.get("price")) {
        (None, Some(draft)) => find_equal_price(context, arguments, draft)?,
        _ => identified_price(context, arguments)?,
    };
    let mut removed = None;
    for side in sides_of_action(arguments) {
        if let Some(variant) = find_mut(data_mut(context.document, side)?, at.variant_id) {
            let prices = list_mut(variant, "prices")?;
            if let Some(index) = prices.iter().position(|price| price["id"] == at.id.as_str()) {
                let price = prices.remove(index);
                removed.get_or_insert(price);
            }
        }
    }
    let fields = json!({"variantId": at.variant_id, "price": removed, "staged": is_staged(arguments)});
    context.emit("ProductPriceRemoved", without_nulls(fields))
}

/// `setPriceKey`.
pub(super) fn set_key(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let at = identified_price(context, arguments)?;
    let old = sides_of_action(arguments)
        .iter()
        .find_map(|side| price_on(context.document, side, &at.id))
        .and_then(|price| price.get("key").cloned());
    let key = arguments.get("key");
    if in_price(context, arguments, &at, |price| Ok(set_or_remove(price, "key", key)))? {
        let mut fields = without_nulls(json!({"variantId": at.variant_id, "priceId": at.id}));
        fields.extend(old.map(|old| ("oldKey".to_owned(), old)));
        fields.extend(key.map(|key| ("key".to_owned(), key.clone())));
        fields.insert("staged", json!(is_staged(arguments)));
        context.emit("ProductPriceKeySet", fields)?;
    }
    Ok(())
}

/// `setDiscountedPrice`: sets a discount that an external system calculates.
pub(super) fn set_discounted(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let at = identified_price(context, arguments)?;
    let discounted = match arguments.get("discounted") {
        Some(Value::Object(draft)) => {
            let rules = context.rules;
            let shapes = rules
                .model
                .object_by_name("DiscountedPriceDraft")
                .zip(rules.model.object_by_name("DiscountedPrice"));
            let (draft_shape, shape) =
                shapes.ok_or_else(|| ApiError::bug("the model has no DiscountedPrice"))?;
            let place = format!("{}.discounted", context.place);
            Some(Value::Object(conversion::convert_object(draft_shape, shape, draft.clone(), &place, rules)?))
        }
        _ => None,
    };
    let changed = in_price(context, arguments, &at, |price| {
        Ok(set_or_remove(price, "discounted", discounted.as_ref()))
    })?;
    if !changed {
        return Ok(());
    }
    let mut fields = without_nulls(json!({"variantId": at.variant_id}));
    let all =
        sides_of_action(arguments).iter().filter_map(|side| data(context.document, side)).flat_map(variants);
    if let Some(variant) = all.into_iter().find(|variant| id_of(variant) == at.variant_id) {
        fields.extend(variant.get("key").map(|key| ("variantKey".to_owned(), key.clone())));
        fields.extend(variant.get("sku").map(|sku| ("sku".to_owned(), sku.clone())));
    }
    fields.insert("priceId", json!(at.id));
    fields.extend(discounted.map(|discounted| ("discounted".to_owned(), discounted)));
    fields.insert("staged", json!(is_staged(arguments)));
    context.emit("ProductPriceExternalDiscountSet", fields)
}

/// `setProductPriceCustomType`.
pub(super) fn set_custom_type(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let at = identified_price(context, arguments)?;
    let custom = crate::custom_fields::custom_of(context, arguments, CUSTOM_OF)?;
    let old = price_of_sides(context.document, arguments, &at.id)
        .and_then(|price| text(price, &["custom", "type", "id"]))
        .map(|id| json!(id));
    if !in_price(context, arguments, &at, |price| Ok(set_or_remove(price, "custom", custom.as_ref())))? {
        return Ok(());
    }
    let mut fields = price_message_fields(&at, arguments);
    match custom {
        Some(custom) => {
            fields.insert("customField", custom);
            fields.extend(old.map(|old| ("oldTypeId".to_owned(), old)));
            context.emit("ProductPriceCustomFieldsSet", fields)
        }
        None => context.emit("ProductPriceCustomFieldsRemoved", fields),
    }
}

/// `setProductPriceCustomField`.
pub(super) fn set_custom_field(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let at = identified_price(context, arguments)?;
    let name = must_text(arguments, &["name"])?;
    let value_of = |document: &Document| {
        let price = price_of_sides(document, arguments, &at.id)?;
        kontor_engine::document::get(price, &["custom", "fields", name]).cloned()
    };
    let old = value_of(context.document);
    let (place, rules) = (context.place, context.rules);
    if !in_price(context, arguments, &at, |price| {
        crate::custom_fields::set_custom_field(price, arguments, place, rules)
    })? {
        return Ok(());
    }
    let mut fields = price_message_fields(&at, arguments);
    fields.insert("name", json!(name));
    let message = match (old, value_of(context.document)) {
        (_, None) => "ProductPriceCustomFieldRemoved",
        (old, Some(new)) => {
            fields.insert("value", new);
            if old.is_some() { "ProductPriceCustomFieldChanged" } else { "ProductPriceCustomFieldAdded" }
        }
    };
    context.emit(message, fields)
}

/// A price, and the variant that it belongs to.
struct PriceLocation {
    variant_id: i64,
    id: String,
}

fn price_message_fields(at: &PriceLocation, arguments: &Document) -> Document {
    without_nulls(json!({"priceId": at.id, "variantId": at.variant_id, "staged": is_staged(arguments)}))
}

/// Returns the stored form of a price, from a draft validated by the model.
fn price_of(draft: Option<&Value>, place: &str, rules: &Rules<'_>) -> ApiResult<Document> {
    let Some(Value::Object(draft)) = draft else { return Err(ApiError::bug("an action without a price")) };
    let shapes = rules.model.object_by_name("PriceDraft").zip(rules.model.object_by_name("Price"));
    let (draft_shape, shape) = shapes.ok_or_else(|| ApiError::bug("the model has no Price"))?;
    conversion::convert_object(draft_shape, shape, draft.clone(), place, rules)
}

/// The price that the argument `priceId` identifies, on one of the sides that the action is about.
fn identified_price(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<PriceLocation> {
    let Some(id) = text(arguments, &["priceId"]) else {
        return Err(ApiError::invalid_json(format!("{}.priceId: a value is required", context.place)));
    };
    let mut all =
        sides_of_action(arguments).iter().filter_map(|side| data(context.document, side)).flat_map(variants);
    let found = all.find(|variant| list(variant, &["prices"]).iter().any(|price| price["id"] == id));
    found.map(|variant| PriceLocation { variant_id: id_of(variant), id: id.to_owned() }).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}.priceId: the Product has no price with id '{id}'.",
            context.place
        ))
    })
}

/// Returns the price of the identified variant that equals a draft.
fn find_equal_price(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    draft: &Value,
) -> ApiResult<PriceLocation> {
    let variant_id = identified_variant_id(context, arguments)?;
    let wanted = price_of(Some(draft), &format!("{}.price", context.place), context.rules)?;
    let same = |price: &Document| {
        let mut compared = price.clone();
        compared.insert("id", wanted["id"].clone());
        compared.shift_remove("discounted");
        compared == wanted
    };
    let mut all =
        sides_of_action(arguments).iter().filter_map(|side| data(context.document, side)).flat_map(variants);
    let variant = all.find(|variant| id_of(variant) == variant_id);
    let mut prices =
        variant.into_iter().flat_map(|variant| list(variant, &["prices"])).filter_map(Value::as_object);
    let id = prices.find(|price| same(price)).and_then(|price| text(price, &["id"])).map(str::to_owned);
    id.map(|id| PriceLocation { variant_id, id }).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}.price: the variant with id {variant_id} has no such price.",
            context.place
        ))
    })
}

fn price_on<'d>(product: &'d Document, side: &str, id: &str) -> Option<&'d Document> {
    let prices = variants(data(product, side)?).flat_map(|variant| list(variant, &["prices"]));
    prices.filter_map(Value::as_object).find(|price| text(price, &["id"]) == Some(id))
}

/// The price on the first side that the action is about and that has it.
fn price_of_sides<'d>(product: &'d Document, arguments: &Document, id: &str) -> Option<&'d Document> {
    sides_of_action(arguments).iter().find_map(|side| price_on(product, side, id))
}

/// Does a change in a price, on each side that the action is about and that has it.
fn in_price(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    at: &PriceLocation,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    let mut changed = false;
    for side in sides_of_action(arguments) {
        let Some(variant) = find_mut(data_mut(context.document, side)?, at.variant_id) else { continue };
        let prices = list_mut(variant, "prices")?.iter_mut().filter_map(Value::as_object_mut);
        for price in prices.filter(|price| text(price, &["id"]) == Some(&at.id)) {
            changed |= change(price)?;
        }
    }
    Ok(changed)
}
