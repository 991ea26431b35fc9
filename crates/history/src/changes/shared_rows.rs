//! Rows of the tables that many kinds share, e.g. key, name, addresses, validity.

use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change, typed};
use crate::list_index::missing_in;
use crate::recording_rule::{CUSTOM, ElementRule, FieldRow, custom, value};
use kontor_engine::Document;
use kontor_json::{Value, json};
use std::collections::HashMap;

/// Returns a copy of a field; null if it is missing.
pub(crate) fn copied(object: &Document, field: &str) -> Value {
    object.get(field).cloned().unwrap_or_default()
}

/// Returns `{id, name}` of an object, as changes inside of it contain it.
pub(crate) fn id_and_name(object: &Document) -> Value {
    json!({"id": copied(object, "id"), "name": copied(object, "name")})
}

fn about_asset(asset: &Document) -> Vec<(&'static str, Value)> {
    vec![("asset", id_and_name(asset))]
}

fn name_of(element: &Value) -> Value {
    element.get("name").cloned().unwrap_or_default()
}

/// The Assets of a resource or a variant.
pub(crate) const ASSETS: ElementRule = ElementRule {
    added: Some(change("addAsset")),
    removed: Some(change("removeAsset")),
    arranged: Some((change("changeAssetOrder"), name_of)),
    about: about_asset,
    rows: &[
        value("name", change("changeAssetName")),
        value("key", change("setAssetKey")),
        value("description", change("setAssetDescription")),
        value("tags", change("setAssetTags")),
        value("sources", change("setAssetSources")),
        custom("custom", change("setAssetCustomType"), change("setAssetCustomField")),
    ],
    ..ElementRule::NOTHING
};

/// The changes of a validity period.
pub(crate) struct ValidityChanges {
    pub(crate) from: ChangeName,
    pub(crate) until: ChangeName,
    pub(crate) both: ChangeName,
}

const VALIDITY: ValidityChanges = ValidityChanges {
    from: change("setValidFrom"),
    until: change("setValidUntil"),
    both: change("setValidFromAndUntil"),
};

impl ValidityChanges {
    /// Records the change of the begin; of both if the end differs too.
    pub(crate) fn record_start(&self, object_change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
        if object_change.differ("validUntil") || changes.has_action(self.both.change) {
            self.record_both(object_change, changes);
        } else {
            let (before, after) = object_change.values("validFrom");
            changes.record(self.from, before, after);
        }
    }

    /// Records the change of the end, if the begin is unchanged.
    pub(crate) fn record_end(&self, object_change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
        if object_change.differ("validFrom") {
            return;
        }
        if changes.has_action(self.both.change) {
            self.record_both(object_change, changes);
        } else {
            let (before, after) = object_change.values("validUntil");
            changes.record(self.until, before, after);
        }
    }

    fn record_both(&self, change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
        let of = |object: &Document| {
            let fields = ["validFrom", "validUntil"].into_iter();
            let set =
                fields.filter_map(|field| object.get(field).map(|value| (field.to_owned(), value.clone())));
            Value::Object(set.collect())
        };
        changes.record(self.both, Some(&of(change.before)), Some(&of(change.after)));
    }
}

fn valid_from(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    VALIDITY.record_start(change, changes);
}

fn valid_until(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    VALIDITY.record_end(change, changes);
}

const VALIDITY_NAMES: &[ChangeName] = &[VALIDITY.from, VALIDITY.until, VALIDITY.both];
/// The begin of the validity period.
pub(crate) const VALID_FROM: FieldRow = crate::recording_rule::rust("validFrom", VALIDITY_NAMES, valid_from);
/// The end of the validity period.
pub(crate) const VALID_UNTIL: FieldRow =
    crate::recording_rule::rust("validUntil", VALIDITY_NAMES, valid_until);

/// The addresses of a Customer or a Business Unit.
pub(crate) const ADDRESSES: ElementRule = ElementRule {
    added: Some(change("addAddress")),
    removed: Some(change("removeAddress")),
    changed: Some(change("changeAddress")),
    rows: &[crate::recording_rule::rust("custom", ADDRESS_CUSTOM, address_custom)],
    ..ElementRule::NOTHING
};

const ADDRESS_CUSTOM: &[ChangeName] = &[change("setAddressCustomType"), change("setAddressCustomField")];

fn address_custom(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("custom");
    let address = Value::Object(change.after.clone());
    changes.with_context(vec![("address", address)], |changes| {
        crate::compare::custom_fields(ADDRESS_CUSTOM[0], ADDRESS_CUSTOM[1], before, after, changes);
    });
}

/// Returns the address with an id, after or before the change.
fn address_of_id(id: &Value, changes: &ChangeCollector<'_>) -> Option<Value> {
    let in_list = |document: &Document| {
        let all = crate::diff::items(document.get("addresses"));
        all.iter().find(|address| address.get("id") == Some(id)).cloned()
    };
    in_list(changes.document.after).or_else(|| in_list(changes.document.before))
}

/// Records the addresses that have gained or lost a use, e.g. for shipping.
fn address_ids(
    field: &str,
    added: ChangeName,
    removed: ChangeName,
    change: &ObjectChange<'_>,
    changes: &mut ChangeCollector<'_>,
) {
    let (before, after) = change.values(field);
    let (old, new) = change.lists(field);
    // An index of both sides' addresses: a search for each of many ids would be quadratic.
    let mut addresses: HashMap<&Value, &Value> = HashMap::new();
    for document in [changes.document.before, changes.document.after] {
        let all = crate::diff::items(document.get("addresses")).iter().rev();
        addresses.extend(all.filter_map(|address| Some((address.get("id")?, address))));
    }
    for (name, these, those) in [(removed, old, new), (added, new, old)] {
        for id in missing_in(these, those) {
            let address = addresses.get(id).copied().cloned().unwrap_or_default();
            changes.record_with(name, before, after, [("address", address)]);
        }
    }
}

fn default_address(
    field: &str,
    name: ChangeName,
    change: &ObjectChange<'_>,
    changes: &mut ChangeCollector<'_>,
) {
    let (before, after) = change.values(field);
    let (before, after) =
        (before.and_then(|id| address_of_id(id, changes)), after.and_then(|id| address_of_id(id, changes)));
    changes.record(name, before.as_ref(), after.as_ref());
}

const SHIPPING_IDS: &[ChangeName] = &[change("addShippingAddressId"), change("removeShippingAddressId")];
const BILLING_IDS: &[ChangeName] = &[change("addBillingAddressId"), change("removeBillingAddressId")];
const DEFAULT_SHIPPING: &[ChangeName] = &[change("setDefaultShippingAddress")];
const DEFAULT_BILLING: &[ChangeName] = &[change("setDefaultBillingAddress")];

/// The ids of addresses with this use.
pub(crate) const SHIPPING_ADDRESS_IDS: FieldRow =
    crate::recording_rule::rust("shippingAddressIds", SHIPPING_IDS, |sides, recorded| {
        address_ids("shippingAddressIds", SHIPPING_IDS[0], SHIPPING_IDS[1], sides, recorded);
    });
/// See [`SHIPPING_ADDRESS_IDS`].
pub(crate) const BILLING_ADDRESS_IDS: FieldRow =
    crate::recording_rule::rust("billingAddressIds", BILLING_IDS, |sides, recorded| {
        address_ids("billingAddressIds", BILLING_IDS[0], BILLING_IDS[1], sides, recorded);
    });
/// See [`SHIPPING_ADDRESS_IDS`].
pub(crate) const DEFAULT_SHIPPING_ADDRESS_ID: FieldRow =
    crate::recording_rule::rust("defaultShippingAddressId", DEFAULT_SHIPPING, |sides, recorded| {
        default_address("defaultShippingAddressId", DEFAULT_SHIPPING[0], sides, recorded);
    });
/// See [`SHIPPING_ADDRESS_IDS`].
pub(crate) const DEFAULT_BILLING_ADDRESS_ID: FieldRow =
    crate::recording_rule::rust("defaultBillingAddressId", DEFAULT_BILLING, |sides, recorded| {
        default_address("defaultBillingAddressId", DEFAULT_BILLING[0], sides, recorded);
    });

/// The key of a resource.
pub(crate) const KEY: FieldRow = value("key", change("setKey"));
/// A localized name that `changeName` changes.
pub(crate) const CHANGE_LOCALIZED_NAME: FieldRow = value("name", typed("changeName", "ChangeLocalizedName"));
/// A localized name that `setName` changes.
pub(crate) const SET_LOCALIZED_NAME: FieldRow = value("name", typed("setName", "SetLocalizedName"));
/// A localized description.
pub(crate) const SET_LOCALIZED_DESCRIPTION: FieldRow =
    value("description", typed("setDescription", "SetLocalizedDescription"));
/// The State of a workflow.
pub(crate) const STATE: FieldRow = value("state", change("transitionState"));
/// The Stores of a resource.
pub(crate) const STORES: FieldRow = crate::recording_rule::list("stores", change("setStores"));
/// The Store of a resource.
pub(crate) const STORE: FieldRow = value("store", change("setStore"));
/// The references in a predicate.
pub(crate) const REFERENCES: FieldRow = crate::recording_rule::list("references", change("setReferences"));
/// A name that is not localized.
pub(crate) const CHANGE_NAME: FieldRow = value("name", change("changeName"));

/// The rows of a Customer Group: key, name and custom fields.
pub(crate) const GROUP: &[FieldRow] = &[KEY, CHANGE_NAME, CUSTOM];

/// Records an address as a whole, or its custom fields if nothing else differs.
pub(crate) fn address(
    field: &str,
    names: &'static [ChangeName],
    change: &ObjectChange<'_>,
    changes: &mut ChangeCollector<'_>,
) {
    let (before, after) = change.values(field);
    match change.objects(field) {
        Some(address) if address.names().all(|name| name == "custom" || !address.differ(name)) => {
            let (before, after) = address.values("custom");
            crate::compare::custom_fields(names[1], names[2], before, after, changes);
        }
        _ => changes.record(names[0], before, after),
    }
}

/// Returns the tax mode of the Order.
pub(crate) fn tax_mode(changes: &ChangeCollector<'_>) -> Value {
    copied(changes.document.after, "taxMode")
}

/// Records a tax rate, or one that was set together with an amount.
pub(crate) fn tax_rate(
    names: &'static [ChangeName],
    change: &ObjectChange<'_>,
    changes: &mut ChangeCollector<'_>,
) {
    let (before, after) = change.values("taxRate");
    let mode = tax_mode(changes);
    let name = names[usize::from(mode == "ExternalAmount")];
    changes.record_with(name, before, after, [("taxMode", mode)]);
}

/// Returns the identifier of a variant: its SKU, otherwise its key, otherwise its id.
pub(crate) fn identifier(variant: &Document) -> String {
    let text = |name: &str| variant.get(name).and_then(Value::as_str).map(str::to_owned);
    text("sku").or_else(|| text("key")).unwrap_or_else(|| copied(variant, "id").to_string())
}
