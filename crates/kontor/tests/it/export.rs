//! `kontor export`: exported drafts, as a file and as a folder, can be imported again.

use crate::harness::{ServerUnderTest, drafts, fixture, folder, run, text};
use kontor_json::{Value, json};
use std::fs;

/// Parses drafts, without the name of the project, which differs.
fn comparable(lines: Vec<String>) -> Vec<Value> {
    let mut values: Vec<Value> = lines.iter().map(|line| kontor_json::from_str(line).unwrap()).collect();
    for value in &mut values {
        if value["kind"] == "project" {
            value["draft"]["name"] = Value::Null;
        }
    }
    values
}

#[test]
fn an_export_is_imported_elsewhere_and_exported_the_same() {
    let data = folder();
    let shop = fixture("shop");
    for project in ["one", "two", "three"] {
        run(data.path(), &["project", "create", project]).ok();
    }
    run(data.path(), &["import", "--project", "one", text(&shop)]).failed();
    let lines = data.path().join("one.jsonl");
    run(data.path(), &["export", "--project", "one", text(&lines)]).ok();
    run(data.path(), &["import", "--project", "two", text(&lines)]).ok();
    let expected = comparable(drafts(data.path(), "one"));
    assert!(expected.len() > 20, "{expected:#?}");
    assert_eq!(comparable(drafts(data.path(), "two")), expected);

    // A named file is read without an extension, too.
    let bare = data.path().join("shop-of-one");
    fs::rename(&lines, &bare).unwrap();
    run(data.path(), &["project", "create", "four"]).ok();
    run(data.path(), &["import", "--project", "four", text(&bare)]).ok();
    assert_eq!(comparable(drafts(data.path(), "four")), expected);

    let files = data.path().join("files");
    fs::create_dir(&files).unwrap();
    run(data.path(), &["export", "--project", "one", text(&files)]).ok();
    assert!(files.join("tax-categories.json").exists());
    run(data.path(), &["import", "--project", "three", text(&files)]).ok();
    assert_eq!(comparable(drafts(data.path(), "three")), expected);
}

#[test]
fn references_are_by_key_and_nothing_secret_is_in_it() {
    let data = folder();
    let shop = fixture("shop");
    run(data.path(), &["project", "create", "one"]).ok();
    run(data.path(), &["client", "create", "--project", "one", "--id", "ci", "--secret", "hush"]).ok();
    run(data.path(), &["import", "--project", "one", text(&shop)]).failed();
    let out = run(data.path(), &["export", "--project", "one"]).ok();
    assert!(!out.contains("hush") && !out.contains("api-client"), "{out}");
    assert!(!out.contains("\"version\"") && !out.contains("createdAt"), "{out}");
    let only = run(data.path(), &["export", "--project", "one", "--kind", "channel"]).ok();
    let channels: Vec<Value> = only.lines().map(|line| kontor_json::from_str(line).unwrap()).collect();
    assert_eq!(channels.len(), 2);
    let graz = channels.iter().find(|line| line["draft"]["key"] == "graz").unwrap();
    assert_eq!(graz["draft"]["custom"]["type"]["key"], "counter");
    assert_eq!(graz["draft"]["custom"]["fields"]["near"][0]["key"], "lyon");
    let stored = run(data.path(), &["export", "--project", "one", "--kind", "channel", "--documents"]).ok();
    assert!(stored.contains("\"resource\":{\"id\":"), "{stored}");
    assert!(
        run(data.path(), &["export", "--project", "one", "--kind", "api-client"])
            .failed()
            .contains("api-client")
    );
}

/// Drafts of resources without their own path or draft: approval rules of a business unit, product selection
/// assignments.
const COMPANY: &str = r#"
{"kind": "product-selection-assignment", "draft": {"productSelection": {"typeId": "product-selection", "key": "summer"}, "product": {"typeId": "product", "key": "saw"}, "variantSelection": {"type": "includeOnly", "skus": ["saw-1"]}}}
{"kind": "product-selection-assignment", "draft": {"productSelection": {"typeId": "product-selection", "key": "all-but"}, "product": {"typeId": "product", "key": "saw"}}}
{"kind": "product-selection-assignment", "draft": {"productSelection": {"typeId": "product-selection", "key": "summer"}, "product": {"typeId": "product", "key": "axe"}}}
{"kind": "approval-rule", "draft": {"key": "large", "name": "Large", "status": "Active", "predicate": "lineItemCount(true) > 100", "approvers": {"tiers": [{"and": [{"or": [{"associateRole": {"typeId": "associate-role", "key": "boss"}}]}]}]}, "requesters": [{"associateRole": {"typeId": "associate-role", "key": "boss"}}], "businessUnit": {"typeId": "business-unit", "key": "acme"}}}
{"kind": "approval-rule", "draft": {"name": "Without a key", "status": "Inactive", "predicate": "1 = 1", "approvers": {"tiers": [{"and": [{"or": [{"associateRole": {"typeId": "associate-role", "key": "boss"}}]}]}]}, "requesters": [{"associateRole": {"typeId": "associate-role", "key": "boss"}}], "businessUnit": {"typeId": "business-unit", "key": "sales"}}}
{"kind": "approval-rule", "draft": {"key": "large", "name": "Of another unit", "status": "Active", "predicate": "1 = 1", "approvers": {"tiers": [{"and": [{"or": [{"associateRole": {"typeId": "associate-role", "key": "boss"}}]}]}]}, "requesters": [{"associateRole": {"typeId": "associate-role", "key": "boss"}}], "businessUnit": {"typeId": "business-unit", "key": "sales"}}}
{"kind": "associate-role", "draft": {"key": "boss"}}
{"kind": "business-unit", "draft": {"key": "sales", "unitType": "Division", "name": "Sales", "parentUnit": {"typeId": "business-unit", "key": "acme"}}}
{"kind": "business-unit", "draft": {"key": "acme", "unitType": "Company", "name": "Acme"}}
{"kind": "product-selection", "draft": {"key": "summer", "name": {"en": "Summer"}, "mode": "Individual"}}
{"kind": "product-selection", "draft": {"key": "all-but", "name": {"en": "All but"}, "mode": "IndividualExclusion"}}
{"kind": "product-type", "draft": {"key": "tool", "name": "Tool", "description": "Tools"}}
{"kind": "product", "draft": {"key": "saw", "productType": {"typeId": "product-type", "key": "tool"}, "name": {"en": "Saw"}, "slug": {"en": "saw"}, "masterVariant": {"sku": "saw-1"}}}
{"kind": "product", "draft": {"key": "axe", "productType": {"typeId": "product-type", "key": "tool"}, "name": {"en": "Axe"}, "slug": {"en": "axe"}}}
"#;

#[test]
fn exports_approval_rules_and_product_selection_assignments() {
    let data = folder();
    for project in ["one", "two", "three"] {
        run(data.path(), &["project", "create", project]).ok();
    }
    let lines = data.path().join("company.jsonl");
    fs::write(&lines, COMPANY).unwrap();
    run(data.path(), &["import", "--project", "one", text(&lines)]).ok();
    let expected = comparable(drafts(data.path(), "one"));
    let count = |kind: &str| expected.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!((count("approval-rule"), count("product-selection-assignment")), (3, 3), "{expected:#?}");
    let large = expected.iter().find(|line| line["draft"]["name"] == "Large").unwrap();
    assert_eq!(large["draft"]["businessUnit"]["key"], "acme");

    // A second import, and imports elsewhere from a file and from a folder.
    run(data.path(), &["import", "--project", "one", text(&lines)]).ok();
    assert_eq!(comparable(drafts(data.path(), "one")), expected);
    let exported = data.path().join("one.jsonl");
    run(data.path(), &["export", "--project", "one", text(&exported)]).ok();
    run(data.path(), &["import", "--project", "two", text(&exported)]).ok();
    assert_eq!(sorted(drafts(data.path(), "two")), sorted(drafts(data.path(), "one")));
    let files = data.path().join("files");
    fs::create_dir(&files).unwrap();
    run(data.path(), &["export", "--project", "one", text(&files)]).ok();
    run(data.path(), &["import", "--project", "three", text(&files)]).ok();
    assert_eq!(sorted(drafts(data.path(), "three")), sorted(drafts(data.path(), "one")));

    fs::write(&lines, r#"{"kind": "approval-rule", "draft": {"name": "a"}}"#).unwrap();
    assert!(
        run(data.path(), &["import", "--project", "one", text(&lines)]).failed().contains("businessUnit")
    );
}

/// Sorts drafts. An export sorts by id, and ids differ between projects.
fn sorted(lines: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = comparable(lines).iter().map(Value::to_string).collect();
    lines.sort();
    lines
}

/// A product type nested in itself, and products that are older than the catalog model of their project.
#[test]
fn imports_products_older_than_the_catalog_model() {
    let (data, elsewhere) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let post = |path: &str, body: Value| {
        let (status, response) = client.post(path, &body);
        assert!(status < 300, "{path}: {response}");
        response
    };
    let text_of = |name: &str| json!({"name": name, "label": {"en": name}, "type": {"name": "text"}, "isRequired": false});
    let made = post(
        "/shop/product-types",
        json!({"key": "part", "name": "Part", "description": "", "attributes": [text_of("aa")]}),
    );
    let own = json!({"typeId": "product-type", "id": made["id"]});
    post(
        "/shop/product-types/key=part",
        json!({"version": 1, "actions": [
            {"action": "addAttributeDefinition", "attribute": {"name": "parts", "label": {"en": "Parts"}, "isRequired": false,
                "type": {"name": "set", "elementType": {"name": "nested", "typeReference": own}}}},
            {"action": "addAttributeDefinition", "attribute": text_of("zz")},
        ]}),
    );
    let product = |key: &str| json!({"key": key, "productType": {"key": "part"}, "name": {"en": key}, "slug": {"en": key}});
    let mut older = product("older");
    older["masterVariant"] = json!({"sku": "older-1", "attributes": [
        {"name": "aa", "value": "x"}, {"name": "parts", "value": [[{"name": "aa", "value": "inside"}]]}]});
    older["variants"] = json!([{"sku": "older-2"}]);
    post("/shop/products", older);
    let version = client.get("/shop").1["version"].clone();
    post(
        "/shop",
        json!({"version": version, "actions": [
        {"action": "setProductCatalogModel", "productCatalogModel": "Modular"}]}),
    );
    post("/shop/products", product("newer"));
    post(
        "/shop/variants",
        json!({"key": "newer-1", "sku": "newer-1", "product": {"typeId": "product", "key": "newer"}}),
    );
    drop(server);

    let lines = elsewhere.path().join("shop.jsonl");
    run(data.path(), &["export", "--project", "shop", text(&lines)]).ok();
    let copy = elsewhere.path().join("copy");
    run(&copy, &["project", "create", "shop"]).ok();
    let said = run(&copy, &["import", "--project", "shop", text(&lines)]).ok();
    assert_eq!(drafts(&copy, "shop"), drafts(data.path(), "shop"), "{said}");
    // A second import, and one after an import that was interrupted before the older products.
    run(&copy, &["import", "--project", "shop", text(&lines)]).ok();
    assert_eq!(drafts(&copy, "shop"), drafts(data.path(), "shop"));
    let half = elsewhere.path().join("half");
    run(&half, &["project", "create", "shop"]).ok();
    let settings = elsewhere.path().join("project.json");
    fs::write(&settings, json!({"productCatalogModel": "Modular"}).to_string()).unwrap();
    run(&half, &["import", "--project", "shop", text(&settings)]).ok();
    run(&half, &["import", "--project", "shop", text(&lines)]).ok();
    assert_eq!(drafts(&half, "shop"), drafts(data.path(), "shop"));
}
