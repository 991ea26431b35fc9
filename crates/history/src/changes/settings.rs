//! Change types of settings: Stores, Channels, taxes, shipping, Types and others.

use super::shared_rows::{
    CHANGE_LOCALIZED_NAME, CHANGE_NAME, KEY, SET_LOCALIZED_DESCRIPTION, SET_LOCALIZED_NAME, STORES, copied,
};
use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change, typed};
use crate::list_index::{IndexedList, missing_in};
use crate::recording_rule::{CUSTOM, ElementRule, FieldRow, custom, element_list, list, rust, silent, value};
use kontor_engine::Document;
use kontor_json::{Value, json};

pub(super) const STATE: &[FieldRow] = &[
    value("key", change("changeKey")),
    value("type", typed("changeType", "ChangeStateType")),
    SET_LOCALIZED_NAME,
    SET_LOCALIZED_DESCRIPTION,
    value("initial", change("changeInitial")),
    rust("roles", STATE_ROLES, |sides, recorded| {
        let (before, after) = sides.values("roles");
        crate::compare::whole_list(STATE_ROLES[0], before, after, recorded);
    }),
    list("transitions", change("setTransitions")),
    silent("builtIn"),
];

/// The platform no longer records the last two; requests may still name them.
const STATE_ROLES: &[ChangeName] = &[
    typed("setRoles", "SetStateRoles"),
    typed("addRoles", "AddStateRoles"),
    typed("removeRoles", "RemoveStateRoles"),
];

pub(super) const CHANNEL: &[FieldRow] = &[
    value("key", change("changeKey")),
    rust("roles", CHANNEL_ROLES, channel_roles),
    CHANGE_LOCALIZED_NAME,
    value("description", typed("changeDescription", "ChangeLocalizedDescription")),
    value("address", change("setAddress")),
    value("geoLocation", change("setGeoLocation")),
    value("reviewRatingStatistics", change("changeReviewRatingStatistics")),
    CUSTOM,
];

const CHANNEL_ROLES: &[ChangeName] = &[
    typed("addRoles", "AddChannelRoles"),
    typed("removeRoles", "RemoveChannelRoles"),
    typed("setRoles", "SetChannelRoles"),
];

/// Records roles of a Channel: adding, removing and setting them are different update actions.
fn channel_roles(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("roles");
    let (old, new) = change.lists("roles");
    let (comes, goes) = (!missing_in(new, old).is_empty(), !missing_in(old, new).is_empty());
    if changes.has_action("setRoles") || comes == goes {
        crate::compare::whole_list(CHANNEL_ROLES[2], before, after, changes);
    } else {
        changes.record(CHANNEL_ROLES[usize::from(goes)], before, after);
    }
}

pub(super) const STORE: &[FieldRow] = &[
    SET_LOCALIZED_NAME,
    list("languages", change("setLanguages")),
    list("countries", change("setCountries")),
    list("distributionChannels", change("setDistributionChannels")),
    list("supplyChannels", change("setSupplyChannels")),
    rust("productSelections", PRODUCT_SELECTIONS, product_selections),
    CUSTOM,
];

/// The platform no longer records the last two; requests may still name them.
const PRODUCT_SELECTIONS: &[ChangeName] = &[
    change("setProductSelections"),
    change("changeProductSelectionActive"),
    change("addProductSelection"),
    change("removeProductSelection"),
];
const EACH_PRODUCT_SELECTION: ElementRule = ElementRule {
    by: &["productSelection", "id"],
    listed: Some(PRODUCT_SELECTIONS[0]),
    about: |setting| vec![("productSelection", copied(setting, "productSelection"))],
    rows: &[value("active", PRODUCT_SELECTIONS[1])],
    ..ElementRule::NOTHING
};

fn product_selections(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("productSelections");
    crate::compare::elements(&EACH_PRODUCT_SELECTION, before, after, changes);
}

pub(super) const ZONE: &[FieldRow] = &[
    KEY,
    CHANGE_NAME,
    value("description", change("setDescription")),
    element_list("locations", &LOCATIONS),
];

const LOCATIONS: ElementRule = ElementRule {
    by: &[],
    added: Some(change("addLocation")),
    removed: Some(change("removeLocation")),
    ..ElementRule::NOTHING
};

pub(super) const TAX_CATEGORY: &[FieldRow] =
    &[KEY, CHANGE_NAME, value("description", change("setDescription")), element_list("rates", &TAX_RATES)];

const TAX_RATES: ElementRule = ElementRule {
    added: Some(change("addTaxRate")),
    removed: Some(change("removeTaxRate")),
    replaced: Some(change("replaceTaxRate")),
    changed: Some(change("replaceTaxRate")),
    ..ElementRule::NOTHING
};

pub(super) const SHIPPING_METHOD: &[FieldRow] = &[
    value("key", typed("setKey", "ShippingMethodSetKey")),
    value("name", typed("changeName", "ShippingMethodChangeName")),
    value("localizedName", typed("setLocalizedName", "ShippingMethodSetLocalizedName")),
    value("description", change("setDescription")),
    value("localizedDescription", typed("setLocalizedDescription", "ShippingMethodSetLocalizedDescription")),
    value("taxCategory", typed("changeTaxCategory", "ShippingMethodChangeTaxCategory")),
    rust("zoneRates", ZONE_RATES, zone_rates),
    value("active", typed("changeActive", "ShippingMethodChangeActive")),
    value("isDefault", typed("changeIsDefault", "ShippingMethodChangeIsDefault")),
    value("predicate", typed("setPredicate", "ShippingMethodSetPredicate")),
    STORES,
    custom(
        "custom",
        typed("setCustomType", "ShippingMethodSetCustomType"),
        typed("setCustomField", "ShippingMethodSetCustomField"),
    ),
];

const ZONE_RATES: &[ChangeName] = &[
    typed("addZone", "ShippingMethodAddZone"),
    typed("removeZone", "ShippingMethodRemoveZone"),
    typed("addShippingRate", "ShippingMethodAddShippingRate"),
    typed("removeShippingRate", "ShippingMethodRemoveShippingRate"),
];

/// Records added and removed zones of a Shipping Method, and their rates.
fn zone_rates(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let [add_zone, remove_zone, add_rate, remove_rate] = ZONE_RATES else { return };
    let (old, new) = change.lists("zoneRates");
    let zone = |entry: &Value| entry.get("zone").cloned().unwrap_or_default();
    let (in_old, in_new) = (IndexedList::new(old, &["zone", "id"]), IndexedList::new(new, &["zone", "id"]));
    for (_, entry) in old.iter().enumerate().filter(|(at, entry)| in_new.position(entry, *at).is_none()) {
        changes.record(*remove_zone, Some(&zone(entry)), None);
    }
    for (at, entry) in new.iter().enumerate() {
        let zone = zone(entry);
        let before = in_old.find_element(entry, at);
        if before.is_none() {
            changes.record(*add_zone, None, Some(&zone));
        }
        let before_rates = before.and_then(|before| before.get("shippingRates"));
        let (old, new) = (crate::diff::items(before_rates), crate::diff::items(entry.get("shippingRates")));
        for rate in missing_in(old, new) {
            changes.record_with(*remove_rate, Some(rate), None, [("zone", zone.clone())]);
        }
        for rate in missing_in(new, old) {
            changes.record_with(*add_rate, None, Some(rate), [("zone", zone.clone())]);
        }
    }
}

pub(super) const PRODUCT_TYPE: &[FieldRow] = &[
    KEY,
    CHANGE_NAME,
    value("description", change("changeDescription")),
    element_list("attributes", &ATTRIBUTES),
];

const ATTRIBUTES: ElementRule = ElementRule {
    by: &["name"],
    added: Some(change("addAttributeDefinition")),
    removed: Some(change("removeAttributeDefinition")),
    arranged: Some((change("changeAttributeOrderByName"), |attribute| {
        attribute.get("name").cloned().unwrap_or_default()
    })),
    about: |attribute| vec![("attributeName", copied(attribute, "name"))],
    rows: &[
        value("label", change("changeLabel")),
        value("inputTip", change("setInputTip")),
        value("inputHint", change("changeInputHint")),
        value("attributeConstraint", change("changeAttributeConstraint")),
        value("isSearchable", change("changeIsSearchable")),
        value("savedToLineItem", change("changeSavedToLineItem")),
        rust("type", ATTRIBUTE_ENUMS, attribute_enums),
    ],
    ..ElementRule::NOTHING
};

/// The changes of an enum: plain value added, removed, relabelled, reordered; then the same of localized ones.
type EnumNames = [ChangeName; 8];

const ATTRIBUTE_ENUM_NAMES: EnumNames = [
    change("addPlainEnumValue"),
    change("removeEnumValues"),
    change("changePlainEnumValueLabel"),
    typed("changePlainEnumValueOrder", "ChangePlainEnumValueOrder"),
    change("addLocalizedEnumValue"),
    typed("removeEnumValues", "RemoveLocalizedEnumValues"),
    change("changeLocalizedEnumValueLabel"),
    change("changeLocalizedEnumValueOrder"),
];
const ATTRIBUTE_ENUMS: &[ChangeName] = &ATTRIBUTE_ENUM_NAMES;

const FIELD_ENUM_NAMES: EnumNames = [
    change("addEnumValue"),
    change("removeEnumValues"),
    change("changeEnumValueLabel"),
    change("changeEnumValueOrder"),
    change("addLocalizedEnumValue"),
    typed("removeEnumValues", "RemoveLocalizedEnumValues"),
    change("changeLocalizedEnumValueLabel"),
    change("changeLocalizedEnumValueOrder"),
];
const FIELD_ENUMS: &[ChangeName] = &FIELD_ENUM_NAMES;

fn attribute_enums(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    enum_values(change, &ATTRIBUTE_ENUM_NAMES, changes);
}

fn field_enums(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    enum_values(change, &FIELD_ENUM_NAMES, changes);
}

/// Records changed values of an Enum, also of one in a Set.
fn enum_values(change: &ObjectChange<'_>, names: &EnumNames, changes: &mut ChangeCollector<'_>) {
    let values = |definition: &Document| -> Option<Vec<Value>> {
        let ty = definition.get("type")?;
        let values = ty.get("values").or_else(|| ty.pointer("/elementType/values"))?;
        values.as_array().cloned()
    };
    let (Some(old), Some(new)) = (values(change.before), values(change.after)) else { return };
    let is_localized = old.iter().chain(&new).any(|one| one.get("label").is_some_and(Value::is_object));
    let [added, removed, label, order] = if is_localized {
        [names[4], names[5], names[6], names[7]]
    } else {
        [names[0], names[1], names[2], names[3]]
    };
    let (in_old, in_new) = (IndexedList::new(&old, &["key"]), IndexedList::new(&new, &["key"]));
    let (mut was, mut is) = (Vec::new(), Vec::new());
    for (at, one) in old.iter().enumerate() {
        match in_new.position(one, at) {
            Some(_) => was.push(one.get("key")),
            None => changes.record(removed, Some(one), None),
        }
    }
    for (at, one) in new.iter().enumerate() {
        let before = in_old.find_element(one, at);
        is.extend(before.map(|_| one.get("key")));
        match before {
            None => changes.record(added, None, Some(one)),
            Some(before) if before != one => {
                let key = one.get("key").cloned().unwrap_or_default();
                changes.record_with(label, before.get("label"), one.get("label"), [("valueKey", key)]);
            }
            Some(_) => {}
        }
    }
    if was != is {
        changes.record(order, Some(&Value::Array(old.clone())), Some(&Value::Array(new.clone())));
    }
}

pub(super) const TYPE: &[FieldRow] = &[
    value("key", change("changeKey")),
    CHANGE_LOCALIZED_NAME,
    SET_LOCALIZED_DESCRIPTION,
    silent("resourceTypeIds"),
    element_list("fieldDefinitions", &FIELD_DEFINITIONS),
];

const FIELD_DEFINITIONS: ElementRule = ElementRule {
    by: &["name"],
    added: Some(change("addFieldDefinition")),
    removed: Some(change("removeFieldDefinition")),
    arranged: Some((
        change("changeFieldDefinitionOrder"),
        |field| json!({"name": field.get("name"), "label": field.get("label")}),
    )),
    about: |field| vec![("fieldName", copied(field, "name"))],
    rows: &[
        value("label", change("changeLabel")),
        value("inputHint", change("changeInputHint")),
        rust("type", FIELD_ENUMS, field_enums),
    ],
    ..ElementRule::NOTHING
};
