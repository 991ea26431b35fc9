//! Imports Orders of other systems (reference: OrderImport). An existing Order stays unchanged: patches change
//! Orders.

use super::product_variant::find_product_and_variant;
use super::{ResourceImport, version};
use crate::difference::contains_value;
use crate::outcome::{ImportFailure, ImportResult};
use crate::references;
use kontor_engine::Document;
use kontor_engine::document::must_get;
use kontor_json::{Name, Value, json};

/// Calculated fields of a custom line item.
const WORKED_OUT: [&str; 3] = ["totalPrice", "taxedPrice", "discountedPricePerQuantity"];
/// Fields of Deliveries and Parcels that the server sets.
const GIVEN: [&str; 2] = ["id", "createdAt"];

pub(super) async fn import_order(import: ResourceImport<'_>) -> ImportResult<i64> {
    let draft = draft(&import)?;
    let Some(before) = references::find_by_key(import.shop, "order", import.text(&["orderNumber"])?)? else {
        return import.create("order", draft).await.map(|created| version(&created));
    };
    let is_other = |(name, sent): (&Name, &Value)| {
        let is_held = before.get(name).is_some_and(|before| contains_value(before, sent, &import.references));
        (!is_held).then(|| name.to_string())
    };
    let others: Vec<String> = draft.iter().filter_map(is_other).collect();
    if others.is_empty() { Ok(version(&before)) } else { Err(ImportFailure::immutable_fields(&others)) }
}

/// Returns the `OrderImportDraft` of the sent resource.
fn draft(import: &ResourceImport<'_>) -> ImportResult<Document> {
    let mut draft = import.draft.clone();
    if let Some(customer) = draft.shift_remove("customer") {
        draft.insert("customerId", id_of(import, &customer));
    }
    for line in objects_of_list(&mut draft, "lineItems") {
        add_variant_to_line(import, line)?;
    }
    for item in objects_of_list(&mut draft, "customLineItems") {
        for field in WORKED_OUT {
            item.shift_remove(field);
        }
        if let Some(Value::Object(mut rate)) = item.shift_remove("externalTaxRate") {
            rate.entry("includedInPrice").or_insert(json!(false));
            item.entry("taxRate").or_insert(Value::Object(rate));
        }
    }
    if let Some(Value::Object(shipping)) = draft.get_mut("shippingInfo") {
        for delivery in objects_of_list(shipping, "deliveries") {
            without_given_fields(delivery);
            objects_of_list(delivery, "parcels").for_each(without_given_fields);
        }
    }
    Ok(draft)
}

/// Adds the product variant to a line item.
fn add_variant_to_line(import: &ResourceImport<'_>, line: &mut Document) -> ImportResult<()> {
    let product = line.shift_remove("product");
    let Some(Value::Object(variant)) = line.get_mut("variant") else { return Ok(()) };
    if let Some(named) = variant.shift_remove("productVariant") {
        let key = named["key"].as_str().unwrap_or_default();
        let of = product.as_ref().and_then(|product| product["key"].as_str());
        let (product, found) = find_product_and_variant(import.shop, of, key)?;
        variant.insert("id", found.staged["id"].clone());
        line.insert("productId", must_get(&product, &["id"])?.clone());
    } else if let Some(product) = product {
        line.insert("productId", id_of(import, &product));
    }
    Ok(())
}

/// Returns the id of a reference's target.
fn id_of(import: &ResourceImport<'_>, reference: &Value) -> Value {
    let sent = crate::typed_value::reference(reference);
    json!(sent.and_then(|sent| import.references.id(sent)))
}

fn without_given_fields(document: &mut Document) {
    for field in GIVEN {
        document.shift_remove(field);
    }
}

/// Iterates over the objects of a list.
fn objects_of_list<'d>(document: &'d mut Document, list: &str) -> impl Iterator<Item = &'d mut Document> {
    let items = document.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut)
}
