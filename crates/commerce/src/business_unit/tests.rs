//! Tests of the rules of Business Units, without a server.

use super::BusinessUnit;
use crate::test_shop::{TestShop, object};
use kontor_engine::{Behaviour, DeriveOutcome, Document};
use kontor_errors::Code;
use kontor_json::{Value, json};

fn unit(key: &str, parent: Option<&str>, top: &str, associates: Value) -> Value {
    let mut unit = json!({"id": key, "key": key, "name": key, "status": "Active", "addresses": [],
        "associates": associates, "topLevelUnit": {"typeId": "business-unit", "key": top}});
    let (unit_type, store, others) = match parent {
        Some(parent) => {
            unit["parentUnit"] = json!({"typeId": "business-unit", "key": parent});
            ("Division", "FromParent", "ExplicitAndFromParent")
        }
        None => ("Company", "Explicit", "Explicit"),
    };
    unit["unitType"] = json!(unit_type);
    unit["storeMode"] = json!(store);
    unit["associateMode"] = json!(others);
    unit["approvalRuleMode"] = json!(others);
    unit
}

fn associate(customer: &str, role: &str, inheritance: &str) -> Value {
    json!({"customer": {"typeId": "customer", "id": customer}, "associateRoleAssignments": [
        {"associateRole": {"typeId": "associate-role", "key": role}, "inheritance": inheritance}]})
}

/// acme, below it sales, below it emea; and bolt.
fn shop() -> TestShop {
    let who = json!([associate("maria", "admin", "Enabled"), associate("noah", "buyer", "Disabled")]);
    TestShop::new()
        .with_document(
            "associate-role",
            json!({"id": "admin", "key": "admin", "permissions": ["UpdateAssociates"]}),
        )
        .with_document(
            "associate-role",
            json!({"id": "buyer", "key": "buyer", "permissions": ["ViewMyCarts"]}),
        )
        .with_document("business-unit", unit("acme", None, "acme", who))
        .with_document("business-unit", unit("sales", Some("acme"), "acme", json!([])))
        .with_document(
            "business-unit",
            unit("emea", Some("sales"), "acme", json!([associate("maria", "buyer", "Disabled")])),
        )
        .with_document("business-unit", unit("bolt", None, "bolt", json!([])))
}

fn permissions(shop: &TestShop, unit: &str, who: &str) -> Option<Vec<String>> {
    let kind = shop.model().kind_by_type_id("business-unit").unwrap();
    shop.rules(|rules| {
        let unit = rules.find_key(kind, unit).unwrap().unwrap();
        Some(rules.permissions_in(&unit, who).unwrap()?.into_iter().collect())
    })
}

#[test]
fn permissions_come_from_the_unit_and_from_above() {
    let shop = shop();
    assert_eq!(permissions(&shop, "acme", "noah").unwrap(), ["ViewMyCarts"]);
    assert_eq!(permissions(&shop, "emea", "maria").unwrap(), ["UpdateAssociates", "ViewMyCarts"]);
    assert_eq!(permissions(&shop, "sales", "noah"), None, "what is not Enabled stays where it is");
    assert_eq!(permissions(&shop, "bolt", "maria"), None);
}

#[test]
fn inheritance_ends_at_a_unit_that_does_not_inherit() {
    let mut sales = unit("sales", Some("acme"), "acme", json!([]));
    sales["associateMode"] = json!("Explicit");
    let shop = shop().with_document("business-unit", sales);
    assert_eq!(permissions(&shop, "emea", "maria").unwrap(), ["ViewMyCarts"]);
}

#[test]
fn units_below_follow_their_parent() {
    let shop = shop();
    let derivation = &BusinessUnit.derivations()[0];
    let moved = object(unit("sales", Some("acme"), "old", json!([])));
    let (sales, fate) = shop.derive(derivation, moved.clone());
    assert_eq!(fate, DeriveOutcome::Keep);
    assert_eq!(sales["topLevelUnit"]["key"], "acme");
    assert_eq!(sales["inheritedStores"], json!([]));
    assert_eq!(
        sales["inheritedAssociates"],
        json!([{"associateRoleAssignments": [{"associateRole": {"typeId": "associate-role", "key": "admin"},
            "source": {"typeId": "business-unit", "key": "acme"}}], "customer": {"typeId": "customer", "id": "maria"}}])
    );
    let told = BusinessUnit.messages_of_change(&moved, &sales);
    assert_eq!(told[0].0, "BusinessUnitTopLevelUnitSet");
    assert_eq!(told[0].1["oldTopLevelUnit"]["key"], "old");
}

fn change_parent(shop: &TestShop, unit: &str, parent: &str) -> Result<Document, Code> {
    let kind = shop.model().kind_by_type_id("business-unit").unwrap();
    let before = shop.rules(|rules| rules.find_key(kind, unit).unwrap().unwrap());
    let action =
        json!([{"action": "changeParentUnit", "parentUnit": {"typeId": "business-unit", "key": parent}}]);
    shop.update("business-unit", &before, action).map(|(after, _)| after).map_err(|error| error.code())
}

#[test]
fn a_hierarchy_has_no_circles() {
    let shop = shop();
    for parent in ["sales", "emea"] {
        assert_eq!(change_parent(&shop, "sales", parent), Err(Code::InvalidOperation), "{parent}");
    }
    assert_eq!(change_parent(&shop, "emea", "acme").unwrap()["parentUnit"]["key"], "acme");
}

#[test]
fn a_hierarchy_is_not_too_deep() {
    let mut shop = shop();
    let mut above = "acme".to_owned();
    for level in 2..=super::hierarchy::LEVELS_MAX {
        let key = format!("level-{level}");
        shop.put_document("business-unit", object(unit(&key, Some(&above), "acme", json!([]))));
        above = key;
    }
    let draft = |parent: &str| {
        json!({"key": "one-more", "unitType": "Division", "name": "More",
            "parentUnit": {"typeId": "business-unit", "key": parent}})
    };
    let error = shop.create("business-unit", draft(&above)).unwrap_err();
    assert_eq!(error.code(), Code::InvalidOperation);
    // A moved unit still has the units below it.
    assert_eq!(
        change_parent(&shop, "sales", "level-8"),
        Ok(change_parent(&shop, "sales", "level-8").unwrap())
    );
    assert_eq!(change_parent(&shop, "sales", "level-9"), Err(Code::InvalidOperation));
}
