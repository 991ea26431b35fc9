//! Export and import: the imported project has the same documents as the exported one.

use crate::harness::{ServerUnderTest, fixture, folder, run, text};
use kontor_json::{Map, Value, json};
use kontor_model::{Model, Operation};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Fields whose values differ between projects.
const OWN: &[&str] =
    &["id", "version", "createdAt", "lastModifiedAt", "createdBy", "lastModifiedBy", "password"];
/// Fields with ids of addresses, which are generated again on import.
const ADDRESSES: &[&str] =
    &["shippingAddressIds", "billingAddressIds", "defaultShippingAddressId", "defaultBillingAddressId"];

/// The stored documents of a project by resource type, without fields of [`OWN`], and with names instead of ids.
pub(crate) fn documents(data: &Path, project: &str) -> BTreeMap<String, BTreeSet<String>> {
    let out = run(data, &["export", "--project", project, "--documents"]).ok();
    let lines: Vec<Value> = out.lines().map(|line| kontor_json::from_str(line).unwrap()).collect();
    let name = |line: &Value| {
        let document = &line["resource"];
        // Resources without key are identified by another user-defined name.
        let names = ["/key", "/email", "/current/sku", "/slug/en", "/masterData/current/slug/en", "/name"];
        let name = names.iter().find_map(|path| document.pointer(path)?.as_str())?;
        Some((document["id"].as_str()?.to_owned(), format!("{} {name}", line["kind"])))
    };
    // A custom object may have an id as its key, so its key does not replace its id.
    let names: HashMap<String, String> =
        lines.iter().filter(|line| line["kind"] != "key-value-document").filter_map(name).collect();
    let mut documents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in &lines {
        let document = comparable(&line["resource"], &names);
        let kind = line["kind"].as_str().unwrap().to_owned();
        let is_new = documents.entry(kind).or_default().insert(document.to_string());
        assert!(is_new, "two documents are alike: {document}");
    }
    documents
}

fn comparable(value: &Value, names: &HashMap<String, String>) -> Value {
    let named = |text: &str| {
        let mut text = text.to_owned();
        for (id, name) in names {
            text = text.replace(id, name);
        }
        text
    };
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<(String, Value)> = Vec::new();
            for (name, value) in fields {
                let value = match name.as_str() {
                    "id" if value.as_str().is_some_and(|id| names.contains_key(id)) => {
                        comparable(value, names)
                    }
                    // The id of a variant within its product.
                    "id" if value.is_number() => value.clone(),
                    name if ADDRESSES.contains(&name) => Value::from(value.as_array().map_or(1, Vec::len)),
                    name if OWN.contains(&name) => continue,
                    _ => comparable(value, names),
                };
                sorted.push((named(name), value));
            }
            sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
            sorted.into_iter().collect::<Map>().into()
        }
        Value::Array(items) => items.iter().map(|item| comparable(item, names)).collect(),
        // The URL of an MCP server contains the host of the request.
        Value::String(text) => Value::from(named(text.find("/mcp/").map_or(text, |at| &text[at..]))),
        scalar => scalar.clone(),
    }
}

#[track_caller]
pub(crate) fn assert_same(
    found: &BTreeMap<String, BTreeSet<String>>,
    expected: &BTreeMap<String, BTreeSet<String>>,
) {
    let none = BTreeSet::new();
    for kind in expected.keys().chain(found.keys()) {
        let (found, expected) = (found.get(kind).unwrap_or(&none), expected.get(kind).unwrap_or(&none));
        let missing: Vec<&String> = expected.difference(found).collect();
        let extra: Vec<&String> = found.difference(expected).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{kind}: expected {missing:#?}, found {extra:#?}");
    }
}

/// Fills a project from a fixture, exports it as a file and as a folder, imports both, and compares. Returns the
/// resource types in the fixture.
fn export_and_import(file: &str) -> BTreeSet<String> {
    let data = folder();
    for project in ["one", "two", "three"] {
        run(data.path(), &["project", "create", project, "--name", "Shop"]).ok();
    }
    run(data.path(), &["import", "--project", "one", text(&fixture(file))]).ok();
    let without_key = |documents: BTreeMap<String, BTreeSet<String>>| {
        let plain = |document: &String| {
            ["one", "two", "three"].iter().fold(document.clone(), |text, key| {
                let text = text.replace(&format!("\"key\":\"{key}\""), "\"key\":\"\"");
                // URLs of MCP servers contain the project key.
                text.replace(&format!("\"/mcp/projects/{key}/"), "\"/mcp/projects//")
            })
        };
        documents
            .into_iter()
            .map(|(kind, documents)| (kind, documents.iter().map(plain).collect()))
            .collect::<BTreeMap<_, BTreeSet<_>>>()
    };
    let stored = documents(data.path(), "one");
    assert_set(&stored["project"], &fixture(file));
    run(data.path(), &["import", "--project", "one", text(&fixture(file))]).ok();
    assert_same(&documents(data.path(), "one"), &stored);
    let expected = without_key(stored);

    let lines = data.path().join("shop.jsonl");
    run(data.path(), &["export", "--project", "one", text(&lines)]).ok();
    run(data.path(), &["import", "--project", "two", text(&lines)]).ok();
    assert_same(&without_key(documents(data.path(), "two")), &expected);
    // A second import changes nothing.
    run(data.path(), &["import", "--project", "two", text(&lines)]).ok();
    assert_same(&without_key(documents(data.path(), "two")), &expected);

    let files = data.path().join("files");
    fs::create_dir(&files).unwrap();
    run(data.path(), &["export", "--project", "one", text(&files)]).ok();
    run(data.path(), &["import", "--project", "three", text(&files)]).ok();
    assert_same(&without_key(documents(data.path(), "three")), &expected);
    expected.into_keys().collect()
}

/// Asserts that the project has the settings of the fixture: settings lost by every import would show no difference.
#[track_caller]
fn assert_set(project: &BTreeSet<String>, fixture: &Path) {
    let found: Value = kontor_json::from_str(project.first().unwrap()).unwrap();
    let lines = fs::read_to_string(fixture).unwrap();
    let lines = lines.lines().map(|line| kontor_json::from_str::<Value>(line).unwrap());
    for line in lines.filter(|line| line["kind"] == "project") {
        assert_covers(&found, &line["draft"]);
    }
}

#[track_caller]
fn assert_covers(found: &Value, set: &Value) {
    match set {
        Value::Object(fields) => fields.iter().for_each(|(name, set)| assert_covers(&found[name], set)),
        set => assert_eq!(found, set),
    }
}

#[test]
fn imports_every_exported_kind() {
    let mut kinds = export_and_import("every-kind.jsonl");
    kinds.extend(export_and_import("modular.jsonl"));
    kinds.extend(export_and_import("bought.jsonl"));
    let model = Model::embedded().unwrap();
    for (_, kind) in model.kinds().filter(|(_, kind)| kind.is_served && kind.external_store.is_none()) {
        // The platform creates messages and projections; resources without a query cannot be exported.
        let comes_from_users = kind.allows(Operation::Create) && kind.allows(Operation::Query)
            || kind.exports_stored
            || kind.type_id == "product-selection-assignment";
        assert!(!comes_from_users || kinds.contains(&kind.type_id), "no {} in the fixtures", kind.type_id);
    }
}

#[test]
fn imports_cyclic_references() {
    export_and_import("circles.jsonl");
}

/// Stored documents, without the times of their changes.
fn stored_documents(data: &Path, project: &str) -> BTreeMap<String, Value> {
    let out = run(data, &["export", "--project", project, "--documents"]).ok();
    let document = |line: &str| {
        let mut line: Value = kontor_json::from_str(line).unwrap();
        let document = line["resource"].as_object_mut().unwrap();
        // The addresses of customers and business units get new ids with each creation.
        for own in ["createdAt", "lastModifiedAt", "addresses"].iter().chain(ADDRESSES) {
            document.shift_remove(*own);
        }
        let name = format!("{} {}", line["kind"], line["resource"]["id"]);
        (name, line["resource"].clone())
    };
    out.lines().map(document).filter(|(name, _)| !name.ends_with("null")).collect()
}

#[test]
fn exports_ids_versions_and_passwords_into_a_private_file() {
    let data = folder();
    for project in ["one", "two", "three"] {
        run(data.path(), &["project", "create", project]).ok();
    }
    run(data.path(), &["import", "--project", "one", text(&fixture("every-kind.jsonl"))]).ok();
    let file = data.path().join("secrets.jsonl");
    fs::write(&file, "readable by all").unwrap();
    let secrets = ["export", "--project", "one", "--with-secrets"];
    run(data.path(), &[&secrets[..], &[text(&file)]].concat()).ok();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(run(data.path(), &secrets).failed().contains("only its owner may read"));
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("$argon2id$") && !written.contains("secret of jane"));

    run(data.path(), &["import", "--project", "two", text(&file)]).ok();
    let files = data.path().join("files");
    fs::create_dir(&files).unwrap();
    run(data.path(), &[&secrets[..], &[text(&files)]].concat()).ok();
    for file in fs::read_dir(&files).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    run(data.path(), &["import", "--project", "three", text(&files)]).ok();
    let expected = stored_documents(data.path(), "one");
    for project in ["two", "three"] {
        let found = stored_documents(data.path(), project);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for kind in ["customer", "channel", "key-value-document", "zone", "store", "customer-group"] {
            for (name, expected) in expected.iter().filter(|(name, _)| name.contains(&format!("\"{kind}\"")))
            {
                assert_eq!(&found[name], expected, "{name}");
            }
        }
    }

    let server = ServerUnderTest::start(data.path());
    run(data.path(), &["client", "create", "--project", "two", "--id", "two", "--secret", "two"]).ok();
    let sign_in = json!({"email": "jane@example.com", "password": "secret of jane"});
    let (status, _) = server.caller("two", "two").post("/two/login", &sign_in);
    assert_eq!(status, 200);
}

#[test]
fn variants_keep_their_numbers() {
    let data = folder();
    for project in ["one", "two", "three"] {
        run(data.path(), &["project", "create", project]).ok();
    }
    // Number 2 is missing, and most before 9. Numbers determine the order, not the lines.
    let numbered = |sku: &str, number: i64| {
        let draft = json!({"product": {"typeId": "product", "key": "saw"}, "sku": sku});
        json!({"kind": "variant", "draft": draft, "variantId": number})
    };
    let lines = fs::read_to_string(fixture("modular.jsonl")).unwrap();
    let lines = lines
        .replace(r#""sku": "saw-2"}}"#, r#""sku": "saw-2"}, "variantId": 3}"#)
        .replace(r#""draft": {"key": "saw-small""#, r#""variantId": 1, "draft": {"key": "saw-small""#);
    let file = data.path().join("shop.jsonl");
    fs::write(&file, format!("{}\n{lines}", numbered("saw-5", 9))).unwrap();

    let numbers = |project: &str| -> BTreeMap<String, i64> {
        let out =
            run(data.path(), &["export", "--project", project, "--kind", "variant", "--documents"]).ok();
        let lines = out.lines().map(|line| kontor_json::from_str::<Value>(line).unwrap());
        let number = |variant: Value| {
            Some((variant["current"]["sku"].as_str()?.to_owned(), variant["variantId"].as_i64()?))
        };
        lines.filter_map(|line| number(line["resource"].clone())).collect()
    };
    let expected: BTreeMap<String, i64> =
        [("plane-1", 1), ("saw-1", 1), ("saw-2", 3), ("saw-5", 9)].map(|(sku, id)| (sku.into(), id)).into();
    run(data.path(), &["import", "--project", "one", "--parallel", "8", text(&file)]).ok();
    assert_eq!(numbers("one"), expected);
    // A second import, and imports elsewhere from a file and from a folder.
    run(data.path(), &["import", "--project", "one", text(&file)]).ok();
    assert_eq!(numbers("one"), expected);
    run(data.path(), &["export", "--project", "one", text(&file)]).ok();
    run(data.path(), &["import", "--project", "two", "--parallel", "8", text(&file)]).ok();
    assert_eq!(numbers("two"), expected);
    let files = data.path().join("files");
    fs::create_dir(&files).unwrap();
    run(data.path(), &["export", "--project", "one", text(&files)]).ok();
    run(data.path(), &["import", "--project", "three", text(&files)]).ok();
    assert_eq!(numbers("three"), expected);

    // A rejected draft leaves no fillers behind.
    fs::write(&file, numbered("saw-1", 12).to_string()).unwrap();
    run(data.path(), &["import", "--project", "three", text(&file)]).failed();
    let out = run(data.path(), &["export", "--project", "three", "--kind", "variant", "--documents"]).ok();
    assert_eq!(out.lines().count(), expected.len());
}
