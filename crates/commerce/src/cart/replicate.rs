//! A Cart with the content of another one.
//!
//! Source: operation "Replicate Cart" (what is kept, what is up to date, that what cannot be bought any more goes), reference
//! types `ReplicaCartDraft`, `ReplicaMyCartDraft`.

use super::items::{CUSTOM, LINES};
use super::{anew, customer, items, prices, product, states};
use kontor_engine::document::text;
use kontor_engine::{Document, EndpointHandler, Meant, Reply, Rules, Serving};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// `POST /carts/replicate`, `POST /me/carts/replicate`.
pub(super) const REPLICATE: EndpointHandler = EndpointHandler { find, act };

/// What a replica does not have, beside what each document has of its own.
const LEFT: [&str; 13] = [
    "id",
    "version",
    "createdAt",
    "createdBy",
    "lastModifiedAt",
    "lastModifiedBy",
    "key",
    "paymentInfo",
    "freezeStrategy",
    "lock",
    "taxedPrice",
    "taxedShippingPrice",
    "refusedGifts",
];

fn find(input: &Document, rules: &Rules<'_>) -> ApiResult<Meant> {
    let type_id = text(input, &["reference", "typeId"]).unwrap_or_default();
    let id = text(input, &["reference", "id"]).unwrap_or_default();
    match rules.peek_type("cart", id)? {
        Some(_) if type_id == "cart" => Ok(Meant { id: id.to_owned(), version: None, proof: None }),
        _ => Err(ApiError::referenced_resource_not_found(type_id, Some(id), None)),
    }
}

fn act(serving: &mut Serving<'_, '_>, input: &Document) -> ApiResult<Reply> {
    let rules = serving.rules;
    let kind = rules.model.kind_by_type_id("cart").ok_or_else(|| ApiError::bug("the model has no Cart"))?;
    let mut replica = serving.document.clone();
    for name in LEFT {
        replica.shift_remove(name);
    }
    replica.insert("cartState".into(), json!("Active"));
    replica.insert("refusedGifts".into(), json!([]));
    replica.extend(input.get("key").map(|key| ("key".to_owned(), key.clone())));
    customer::take_group(&mut replica, rules)?;
    begin_items(&mut replica, rules)?;
    if let Some(Value::Object(info)) = replica.get_mut("shippingInfo") {
        info.shift_remove("deliveries");
    }
    serving.make_like(kind, replica)?;
    Ok(Reply::Made)
}

/// Items of their own, as new as if they were added now. Gifts come by themselves.
fn begin_items(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let state = states::initial(rules)?;
    let store = text(cart, &["store", "key"]).map(str::to_owned);
    LINES.all_mut(cart)?.retain(|line| line["lineItemMode"] != "GiftLineItem");
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(cart)? {
            item.insert("id".into(), json!(rules.new_id()));
            item.insert("state".into(), states::all_in(&state, items::quantity(item)));
            item.insert("discountedPricePerQuantity".into(), json!([]));
            item.shift_remove("reservation");
        }
    }
    for line in LINES.each_mut(cart)? {
        if let Some(sold) = product::Sold::of_line(line, rules)? {
            sold.show(line, store.as_deref(), rules)?;
        }
    }
    anew::choose_prices(cart)?;
    anew::choose_tax_rates(cart)?;
    prices::choose_or_drop(cart, rules)
}
