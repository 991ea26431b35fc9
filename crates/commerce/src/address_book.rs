//! Addresses of a Customer or of a Business Unit, and their uses (default address, billing, shipping). Start at
//! [`add`].
//!
//! Source: reference types `CustomerDraft`, `BusinessUnitDraft`, `BaseAddress` (the platform makes the `id`),
//! `Customer…Address…Action`, `BusinessUnit…Address…Action`.

use kontor_engine::document::{fields, list, must_field, text};
use kontor_engine::{ActionContext, Document, Rules, conversion};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The names of the Messages about addresses of one resource type.
pub(crate) struct AddressMessageNames {
    /// The noun in error messages.
    noun: &'static str,
    added: &'static str,
    changed: &'static str,
    removed: &'static str,
    /// The message names of each use, in the order of [`USES`].
    used: [AddressPurposeMessages; 2],
}

struct AddressPurposeMessages {
    added: &'static str,
    removed: &'static str,
    default_set: &'static str,
}

pub(crate) const CUSTOMER: AddressMessageNames = AddressMessageNames {
    noun: "Customer",
    added: "CustomerAddressAdded",
    changed: "CustomerAddressChanged",
    removed: "CustomerAddressRemoved",
    used: [
        AddressPurposeMessages {
            added: "CustomerShippingAddressAdded",
            removed: "CustomerShippingAddressRemoved",
            default_set: "CustomerDefaultShippingAddressSet",
        },
        AddressPurposeMessages {
            added: "CustomerBillingAddressAdded",
            removed: "CustomerBillingAddressRemoved",
            default_set: "CustomerDefaultBillingAddressSet",
        },
    ],
};
pub(crate) const BUSINESS_UNIT: AddressMessageNames = AddressMessageNames {
    noun: "Business Unit",
    added: "BusinessUnitAddressAdded",
    changed: "BusinessUnitAddressChanged",
    removed: "BusinessUnitAddressRemoved",
    used: [
        AddressPurposeMessages {
            added: "BusinessUnitShippingAddressAdded",
            removed: "BusinessUnitShippingAddressRemoved",
            default_set: "BusinessUnitDefaultShippingAddressSet",
        },
        AddressPurposeMessages {
            added: "BusinessUnitBillingAddressAdded",
            removed: "BusinessUnitBillingAddressRemoved",
            default_set: "BusinessUnitDefaultBillingAddressSet",
        },
    ],
};

/// The use of an address.
#[derive(Clone, Copy)]
pub(crate) enum AddressPurpose {
    Shipping,
    Billing,
}

/// One use of addresses: its fields.
struct AddressPurposeFields {
    role: &'static str,
    ids: &'static str,
    default_id: &'static str,
    /// Fields of the draft: positions, and one position.
    draft_list: &'static str,
    draft_default: &'static str,
}

const USES: [AddressPurposeFields; 2] = [
    AddressPurposeFields {
        role: "Shipping",
        ids: "shippingAddressIds",
        default_id: "defaultShippingAddressId",
        draft_list: "shippingAddresses",
        draft_default: "defaultShippingAddress",
    },
    AddressPurposeFields {
        role: "Billing",
        ids: "billingAddressIds",
        default_id: "defaultBillingAddressId",
        draft_list: "billingAddresses",
        draft_default: "defaultBillingAddress",
    },
];

/// Assigns an `id` to each address of a draft, and converts positions into ids. The default address is the first of its
/// use.
pub(crate) fn complete(customer: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if let Some(Value::Array(addresses)) = customer.get_mut("addresses") {
        for address in addresses.iter_mut().filter_map(Value::as_object_mut) {
            address.shift_insert(0, "id", json!(rules.new_id()));
        }
    }
    let mut refused: Option<ApiError> = None;
    let mut refuse = |error: ApiError| {
        refused = Some(match refused.take() {
            Some(earlier) => earlier.merge(error),
            None => error,
        });
    };
    for used in &USES {
        let mut ids: Vec<Value> = Vec::new();
        // Positions, as a draft may name as many as it has addresses.
        let mut seen = HashSet::new();
        for position in list(draft, &[used.draft_list]) {
            match id_at(customer, position, used.draft_list) {
                Ok(id) if seen.insert(position.as_u64()) => ids.push(id),
                Ok(_) => {}
                Err(error) => refuse(error),
            }
        }
        match draft.get(used.draft_default).map(|position| id_at(customer, position, used.draft_default)) {
            Some(Ok(id)) => {
                ids.retain(|other| *other != id);
                ids.insert(0, id.clone());
                customer.insert(used.default_id, id);
            }
            Some(Err(error)) => refuse(error),
            None => {}
        }
        customer.insert(used.ids, Value::Array(ids));
    }
    refused.map_or(Ok(()), Err)
}

/// The id of the address at a position that a draft names.
///
/// 400 `InvalidOperation`: there is none. The platform returns one error for each such position (recorded of default addresses).
fn id_at(customer: &Document, position: &Value, field: &str) -> ApiResult<Value> {
    let addresses = list(customer, &["addresses"]);
    let index = position.as_u64().and_then(|position| usize::try_from(position).ok());
    let address = index.and_then(|index| addresses.get(index)).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{field}: {position} was sent, expected a position in addresses, which has {}.",
            addresses.len()
        ))
    })?;
    Ok(address["id"].clone())
}

/// Keys differ among the addresses of one Customer.
pub(crate) fn admit_keys(customer: &Document) -> ApiResult<()> {
    let mut seen = HashSet::new();
    let mut keys = list(customer, &["addresses"]).iter().filter_map(|address| address.get("key"));
    match keys.find(|key| !seen.insert(*key)) {
        Some(twice) => Err(ApiError::duplicate_field("addresses.key", twice.clone())),
        None => Ok(()),
    }
}

/// `addAddress`.
pub(crate) fn add(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
) -> ApiResult<()> {
    let id = context.rules.new_id();
    let address = stored(context, arguments, &id)?;
    context.emit(book.added, fields([("address", Some(address.clone()))]))?;
    addresses(context.document)?.push(address);
    Ok(())
}

/// `changeAddress`: the address is another one, its `id` and its uses stay.
pub(crate) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
) -> ApiResult<()> {
    let (index, old) = find_address(context, arguments, book)?;
    let address = stored(context, arguments, must_field(&old, "id")?)?;
    if address == old {
        return Ok(());
    }
    let mut fields = fields([("address", Some(address.clone()))]);
    fields.insert("addressRoles", roles(context.document, &old));
    context.emit(book.changed, fields)?;
    addresses(context.document)?[index] = address;
    Ok(())
}

/// `removeAddress`: also removes the address from all its uses.
pub(crate) fn remove(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
) -> ApiResult<()> {
    let (index, old) = find_address(context, arguments, book)?;
    let mut fields = fields([("address", Some(old.clone()))]);
    fields.insert("addressRoles", roles(context.document, &old));
    context.emit(book.removed, fields)?;
    addresses(context.document)?.remove(index);
    for used in &USES {
        unuse(context.document, used, &old["id"]);
    }
    Ok(())
}

/// `addShippingAddressId`, `addBillingAddressId`.
pub(crate) fn use_for(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
    purpose: AddressPurpose,
) -> ApiResult<()> {
    let (used, told) = (&USES[purpose as usize], &book.used[purpose as usize]);
    let (_, address) = find_address(context, arguments, book)?;
    if push_id(context.document, used, &address["id"])? {
        context.emit(told.added, fields([("address", Some(address))]))?;
    }
    Ok(())
}

/// `removeShippingAddressId`, `removeBillingAddressId`: a default address is then no longer the default.
pub(crate) fn stop_using(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
    purpose: AddressPurpose,
) -> ApiResult<()> {
    let (used, told) = (&USES[purpose as usize], &book.used[purpose as usize]);
    let (_, address) = find_address(context, arguments, book)?;
    if !list(context.document, &[used.ids]).contains(&address["id"]) {
        return Err(ApiError::invalid_operation(format!(
            "{}: the address {} is not among {}.",
            context.place, address["id"], used.ids
        )));
    }
    unuse(context.document, used, &address["id"]);
    context.emit(told.removed, fields([("address", Some(address))]))
}

/// `setDefaultShippingAddress`, `setDefaultBillingAddress`: without an address the default is removed.
pub(crate) fn set_default(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
    purpose: AddressPurpose,
) -> ApiResult<()> {
    let (used, told) = (&USES[purpose as usize], &book.used[purpose as usize]);
    if !arguments.contains_key("addressId") && !arguments.contains_key("addressKey") {
        if context.document.shift_remove(used.default_id).is_some() {
            context.emit(told.default_set, Document::new())?;
        }
        return Ok(());
    }
    let (_, address) = find_address(context, arguments, book)?;
    put_first(context.document, used, &address["id"])?;
    let old = context.document.insert(used.default_id, address["id"].clone());
    if old.as_ref() != Some(&address["id"]) {
        context.emit(told.default_set, fields([("address", Some(address))]))?;
    }
    Ok(())
}

/// Converts the address of an action into its stored form, with the given id.
fn stored(context: &ActionContext<'_, '_>, arguments: &Document, id: &str) -> ApiResult<Value> {
    let model = context.rules.model;
    let shapes = model.object_by_name("BaseAddress").zip(model.object_by_name("Address"));
    let (Some((input, output)), Some(Value::Object(given))) = (shapes, arguments.get("address")) else {
        return Err(ApiError::bug(
            "an action without its address, or a model without the shapes of addresses",
        ));
    };
    let mut given = given.clone();
    given.insert("id", json!(id));
    let place = format!("{}.address", context.place);
    conversion::convert_object(input, output, given, &place, context.rules).map(Value::Object)
}

/// The address that an action names by `addressId` or `addressKey`, with its position.
fn find_address(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    book: &AddressMessageNames,
) -> ApiResult<(usize, Value)> {
    let (field, argument) = match (text(arguments, &["addressId"]), text(arguments, &["addressKey"])) {
        (Some(id), _) => ("id", id),
        (None, Some(key)) => ("key", key),
        (None, None) => {
            return Err(ApiError::invalid_operation(format!(
                "{}: addressId or addressKey is required.",
                context.place
            )));
        }
    };
    let addresses = list(context.document, &["addresses"]);
    match addresses.iter().position(|address| address[field] == argument) {
        Some(index) => Ok((index, addresses[index].clone())),
        None => Err(ApiError::invalid_operation(format!(
            "{}: the {} has no address with {field} '{argument}'.",
            context.place, book.noun
        ))),
    }
}

fn addresses(customer: &mut Document) -> ApiResult<&mut Vec<Value>> {
    match customer.entry("addresses").or_insert_with(|| json!([])) {
        Value::Array(addresses) => Ok(addresses),
        _ => Err(ApiError::bug("addresses that are no list")),
    }
}

/// Adds an id to a use; returns false if it was there already.
fn push_id(customer: &mut Document, used: &AddressPurposeFields, id: &Value) -> ApiResult<bool> {
    match customer.entry(used.ids).or_insert_with(|| json!([])) {
        Value::Array(ids) if ids.contains(id) => Ok(false),
        Value::Array(ids) => {
            ids.push(id.clone());
            Ok(true)
        }
        _ => Err(ApiError::bug("ids of addresses that are no list")),
    }
}

/// Moves the default address to the front of the ids of its use.
fn put_first(customer: &mut Document, used: &AddressPurposeFields, id: &Value) -> ApiResult<()> {
    push_id(customer, used, id)?;
    if let Some(Value::Array(ids)) = customer.get_mut(used.ids)
        && let Some(index) = ids.iter().position(|other| other == id)
    {
        ids[..=index].rotate_right(1);
    }
    Ok(())
}

fn unuse(customer: &mut Document, used: &AddressPurposeFields, id: &Value) {
    if let Some(Value::Array(ids)) = customer.get_mut(used.ids) {
        ids.retain(|other| other != id);
    }
    if customer.get(used.default_id) == Some(id) {
        customer.shift_remove(used.default_id);
    }
}

fn roles(customer: &Document, address: &Value) -> Value {
    let used = USES.iter().filter(|used| list(customer, &[used.ids]).contains(&address["id"]));
    used.map(|used| json!(used.role)).collect()
}

#[cfg(test)]
mod tests;
