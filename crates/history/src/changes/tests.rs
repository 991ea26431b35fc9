use super::*;
use crate::diff::ObjectChange;
use kontor_json::{Value, json};
use std::collections::BTreeSet;

/// Returns the recorded changes of a document of a kind.
fn recorded_changes(kind: &str, before: Value, after: Value, actions: &[&str]) -> Vec<Value> {
    let kind = by_type_id(kind).unwrap();
    let (before, after) = (before.as_object().unwrap(), after.as_object().unwrap());
    let actions: Vec<String> = actions.iter().map(ToString::to_string).collect();
    let mut told = ChangeCollector::new(ObjectChange { before, after }, &actions);
    document(kind.rows, &mut told);
    kontor_json::from_slice(&told.changes.end()).unwrap()
}

fn names(changes: &[Value]) -> Vec<&str> {
    changes.iter().map(|change| change["change"].as_str().unwrap()).collect()
}

#[test]
fn records_both_values_of_a_field() {
    let changes = recorded_changes(
        "category",
        json!({"version": 1, "key": "a"}),
        json!({"version": 2, "key": "b"}),
        &[],
    );
    assert_eq!(
        changes,
        [json!({"type": "SetKeyChange", "change": "setKey", "previousValue": "a", "nextValue": "b"})]
    );
}

#[test]
fn records_a_field_without_a_row_as_unknown() {
    let changes = recorded_changes("category", json!({}), json!({"novelty": 1}), &[]);
    assert_eq!(changes, [json!({"type": "UnknownChange", "change": "unknown", "nextValue": 1})]);
}

#[test]
fn records_patterns_of_a_cart_discount() {
    let lines = json!({"type": "lineItems", "predicate": "1=1"});
    let pattern =
        json!({"type": "pattern", "triggerPattern": [], "targetPattern": [], "selectionMode": "Cheapest"});
    let changes =
        recorded_changes("cart-discount", json!({"target": lines}), json!({"target": pattern}), &[]);
    assert_eq!(names(&changes), ["changeTarget"]);
    assert_eq!(changes[0]["nextValue"]["type"], "pattern");
}

#[test]
fn records_custom_fields_one_by_one_and_another_type_as_a_whole() {
    let custom =
        |id: &str, fields: Value| json!({"custom": {"type": {"typeId": "type", "id": id}, "fields": fields}});
    let (before, after) = (custom("t", json!({"a": 1, "b": 2})), custom("t", json!({"a": 1, "c": 3})));
    let changes = recorded_changes("category", before.clone(), after, &[]);
    assert_eq!(names(&changes), ["setCustomField", "setCustomField"]);
    assert_eq!(changes[0]["name"], "b");
    assert_eq!(changes[1]["customTypeId"], "t");
    assert_eq!(names(&recorded_changes("category", before, custom("u", json!({})), &[])), ["setCustomType"]);
}

#[test]
fn records_added_removed_changed_and_moved_assets() {
    let asset = |id: &str, name: &str| json!({"id": id, "name": {"en": name}});
    let before = json!({"assets": [asset("1", "one"), asset("2", "two"), asset("3", "three")]});
    let after = json!({"assets": [asset("3", "drei"), asset("1", "one"), asset("4", "four")]});
    let changes = recorded_changes("category", before, after, &[]);
    assert_eq!(names(&changes), ["removeAsset", "changeAssetName", "addAsset", "changeAssetOrder"]);
    assert_eq!(changes[1]["asset"]["id"], "3");
}

#[test]
fn records_both_sides_of_a_product() {
    let data = |name: &str, sku: &str| json!({"name": {"en": name}, "categories": [], "masterVariant": {"id": 1, "sku": sku, "prices": []}, "variants": []});
    let catalog = |published: bool, current: Value, staged: Value| json!({"masterData": {"published": published, "current": current, "staged": staged}});
    let changes = recorded_changes(
        "product",
        catalog(false, data("a", "s"), data("a", "s")),
        catalog(false, data("a", "s"), data("b", "t")),
        &[],
    );
    assert_eq!(names(&changes), ["changeName", "setSku"]);
    assert_eq!(
        (changes[0]["catalogData"].as_str(), changes[1]["variant"].as_str()),
        (Some("staged"), Some("t"))
    );
    let published = recorded_changes(
        "product",
        catalog(false, data("a", "s"), data("b", "s")),
        catalog(true, data("b", "s"), data("b", "s")),
        &["publish"],
    );
    assert_eq!(names(&published), ["publish", "changeName"]);
}

#[test]
fn records_prices_as_a_list_and_their_changes_one_by_one() {
    let price = |id: &str, cents: i64| json!({"id": id, "value": {"centAmount": cents}});
    let product = |prices: Value| {
        let data = json!({"masterVariant": {"id": 1, "prices": prices}, "variants": []});
        json!({"masterData": {"published": false, "current": data, "staged": data}})
    };
    let changes = recorded_changes(
        "product",
        product(json!([price("1", 1)])),
        product(json!([price("1", 2), price("2", 3)])),
        &[],
    );
    assert_eq!(names(&changes), ["setPrices", "changePrice", "setPrices", "changePrice"]);
    assert_eq!(
        (&changes[0]["addedItems"], &changes[0]["removedItems"]),
        (&json!([price("2", 3)]), &json!([]))
    );
    assert_eq!(changes[1]["priceId"], "1");
}

/// Reference types `AddPriceChange` and others: "no longer triggered".
#[test]
fn records_an_added_element_as_the_whole_list() {
    let unit = |associates: Value| json!({"unitType": "Company", "associates": associates});
    let ann = json!({"customer": {"typeId": "customer", "id": "ann"}});
    let changes = recorded_changes("business-unit", unit(json!([])), unit(json!([ann])), &["addAssociate"]);
    assert_eq!(names(&changes), ["setAssociates"]);
    let state = |roles: Value| json!({"key": "open", "roles": roles});
    let roles = (state(json!([])), state(json!(["ReviewIncludedInStatistics"])));
    assert_eq!(
        names(&recorded_changes("state", roles.0.clone(), roles.1.clone(), &["addRoles"])),
        ["setRoles"]
    );
    assert_eq!(names(&recorded_changes("state", roles.1, roles.0, &["removeRoles"])), ["setRoles"]);
    let store = |selections: Value| json!({"productSelections": selections});
    let summer = json!({"productSelection": {"typeId": "product-selection", "id": "s"}, "active": true});
    let actions = ["removeProductSelection"];
    assert_eq!(
        names(&recorded_changes("store", store(json!([summer])), store(json!([])), &actions)),
        ["setProductSelections"]
    );
}

#[test]
fn records_a_replaced_tax_rate() {
    let rate = |id: &str| json!({"id": id, "amount": 0.19});
    let changes = recorded_changes(
        "tax-category",
        json!({"rates": [rate("1"), rate("2")]}),
        json!({"rates": [rate("3"), rate("2")]}),
        &["replaceTaxRate"],
    );
    assert_eq!(names(&changes), ["replaceTaxRate"]);
}

#[test]
fn records_the_new_state_of_line_items() {
    let state =
        |id: &str, quantity: i64| json!({"quantity": quantity, "state": {"typeId": "state", "id": id}});
    let order = |states: Value| json!({"lineItems": [{"id": "l", "name": {"en": "Hat"}, "variant": {"id": 1, "sku": "hat"}, "state": states}]});
    let changes = recorded_changes(
        "order",
        order(json!([state("a", 3)])),
        order(json!([state("a", 2), state("b", 1)])),
        &[],
    );
    assert_eq!(names(&changes), ["transitionLineItemState"]);
    assert_eq!(
        (&changes[0]["stateId"], &changes[0]["variant"], &changes[0]["lineItemId"]),
        (&json!("b"), &json!("hat"), &json!("l"))
    );
}

#[test]
fn records_properties_of_custom_objects_by_path() {
    let changes = recorded_changes(
        "key-value-document",
        json!({"value": {"a": 1, "deep": {"b": 2, "c": 3}}}),
        json!({"value": {"a": 2, "deep": {"b": 2, "d": 4}}}),
        &[],
    );
    assert_eq!(names(&changes), ["setProperty", "removeProperty", "addProperty"]);
    assert_eq!(changes[2]["path"], "deep.d");
}

#[test]
fn each_kind_has_a_path_and_a_name_of_its_own() {
    let mut seen = std::collections::HashSet::new();
    for kind in KINDS {
        assert!(
            seen.insert(kind.path) && (kind.path == kind.type_id || seen.insert(kind.type_id)),
            "{}",
            kind.path
        );
    }
}

/// The model describes the changes for the OpenAPI document.
#[test]
fn the_model_declares_every_change() {
    let model = kontor_model::Model::embedded().unwrap();
    let values = |name: &str| -> BTreeSet<String> {
        let (_, found) = model.enums().find(|(_, values)| values.name == name).unwrap();
        found.values.iter().map(|value| value.value.clone()).collect()
    };
    let (_, declared) = model.unions().find(|(_, union)| union.name == "Change").unwrap();
    let declared: BTreeSet<String> = declared.members.iter().map(|(name, _)| name.clone()).collect();
    let recorded: Vec<ChangeName> = KINDS.iter().flat_map(RecordedKind::recorded_changes).collect();
    let mut types: BTreeSet<String> =
        recorded.iter().map(|name| format!("{}Change", name.own_type())).collect();
    let mut names: BTreeSet<String> = recorded.iter().map(|name| name.change.to_owned()).collect();
    // The change of a field without a row.
    types.insert("UnknownChange".to_owned());
    names.insert("unknown".to_owned());
    names.extend(NOT_RECORDED.iter().map(ToString::to_string));
    assert_eq!(declared.symmetric_difference(&types).collect::<Vec<_>>(), Vec::<&String>::new());
    let named = values("UpdateType");
    assert_eq!(named.symmetric_difference(&names).collect::<Vec<_>>(), Vec::<&String>::new());
    let mut derived: BTreeSet<String> = PLATFORM_INITIATED.iter().map(ToString::to_string).collect();
    derived.insert(crate::query_params::EXCLUDE_ALL.to_owned());
    assert_eq!(values("PlatformInitiatedChange"), derived);
    assert_eq!(values("Source"), crate::query_params::SOURCES.map(str::to_owned).into());
    let kinds: BTreeSet<String> = KINDS.iter().map(|kind| kind.type_id.to_owned()).collect();
    assert_eq!(values("ChangeHistoryResourceType"), kinds);
}
