//! `kontor import`: the report, repeated imports, and imports or servers that are killed.

use crate::harness::{ServerUnderTest, drafts, fixture, folder, kontor, run, text, wait_until};
use kontor_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Number of drafts in a file that is big enough to be interrupted.
const MANY: u64 = 600;
/// Number of created resources when the import or server is killed.
const CUT_AT: u64 = 60;

fn import(data: &Path, project: &str, more: &[&str]) -> crate::harness::CommandResult {
    let shop = fixture("shop");
    let mut arguments = vec!["import", "--project", project, text(&shop)];
    arguments.extend(more);
    run(data, &arguments)
}

/// Returns the numbers of a resource type in the report: created, present, refused.
fn counts(report: &str, type_id: &str) -> Vec<u64> {
    let line = report.lines().find(|line| line.split_whitespace().next() == Some(type_id));
    line.unwrap_or_else(|| panic!("no {type_id}: {report}"))
        .split_whitespace()
        .skip(1)
        .map(|n| n.parse().unwrap())
        .collect()
}

#[test]
fn imports_a_folder_in_the_order_of_its_references() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let report = import(data.path(), "shop", &[]).failed();
    for (type_id, expected) in [
        ("project", [3, 0, 0]),
        ("state", [3, 0, 1]),
        ("type", [1, 0, 0]),
        ("channel", [2, 0, 0]),
        ("store", [1, 0, 1]),
        ("category", [4, 0, 0]),
        ("zone", [2, 0, 0]),
        ("tax-category", [2, 0, 0]),
        ("customer-group", [1, 0, 0]),
        ("key-value-document", [2, 0, 0]),
        ("review", [2, 0, 1]),
        ("payment", [3, 0, 0]),
    ] {
        assert_eq!(counts(&report, type_id), expected, "{type_id}: {report}");
    }
    assert!(report.contains("product-prices.json (1 draft): 'product-price' is not served yet"), "{report}");
    assert!(report.contains("prices.csv"), "{report}");
    assert!(report.contains("refused: stores.json[1] (italy): ProjectNotConfiguredForLanguages"), "{report}");

    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let (_, project) = client.get("/shop");
    assert_eq!(project["languages"], json!(["en", "de-AT", "fr"]));
    assert_eq!((&project["key"], &project["currencies"]), (&json!("shop"), &json!(["EUR", "CHF"])));
    let (_, cups) = client.get("/shop/categories/key=espresso-cups?expand=parent");
    assert_eq!(cups["parent"]["obj"]["key"], "cups");
    let (_, open) = client.get("/shop/states/key=open?expand=transitions%5B*%5D");
    assert_eq!(open["transitions"][0]["obj"]["key"], "blocked", "{open}");
    assert_eq!(open.get("createdBy"), None);
}

#[test]
fn an_import_can_be_repeated() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    import(data.path(), "shop", &[]).failed();
    let before = drafts(data.path(), "shop");
    let report = import(data.path(), "shop", &[]).failed();
    for type_id in [
        "project",
        "state",
        "category",
        "zone",
        "tax-category",
        "customer-group",
        "key-value-document",
        "payment",
    ] {
        assert_eq!(counts(&report, type_id)[0], 0, "{type_id}: {report}");
    }
    assert_eq!(drafts(data.path(), "shop"), before);
}

#[test]
fn expected_failures_succeed_and_others_fail() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let expected = fixture("shop.expected.txt");
    import(data.path(), "shop", &["--expect", text(&expected)]).ok();
    let list = data.path().join("list.txt");
    fs::write(&list, "stores.json 1 italy ProjectNotConfiguredForLanguages\nzones.json 0 - InvalidField\n")
        .unwrap();
    let said = import(data.path(), "shop", &["--expect", text(&list)]).failed();
    assert!(said.contains("not expected: states.json 3 lost ReferencedResourceNotFound"), "{said}");
    assert!(said.contains("not refused: zones.json 0 - InvalidField"), "{said}");
    assert!(!said.contains("not expected: stores.json"), "{said}");
}

#[test]
fn imports_equally_with_and_without_a_server() {
    let data = folder();
    run(data.path(), &["project", "create", "alone"]).ok();
    let alone = import(data.path(), "alone", &[]).failed();
    let _server = ServerUnderTest::start(data.path());
    let served = import(data.path(), "shop", &["--parallel", "4"]).failed();
    let report = |said: &str| {
        said.split_once("created")
            .unwrap()
            .1
            .lines()
            .filter(|line| !line.contains("so far"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(report(&alone), report(&served));
    let without_name = |lines: Vec<String>| {
        lines.into_iter().filter(|line| !line.contains("\"project\"")).collect::<Vec<_>>()
    };
    assert_eq!(without_name(drafts(data.path(), "alone")), without_name(drafts(data.path(), "shop")));
}

#[test]
fn imports_a_file_as_the_given_kind() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let file = data.path().join("anything.json");
    fs::write(&file, r#"[{"name": "North", "locations": []}]"#).unwrap();
    let said = run(data.path(), &["import", "--project", "shop", text(&file)]).failed();
    assert!(said.contains("--kind"), "{said}");
    let report = run(data.path(), &["import", "--project", "shop", "--kind", "zone", text(&file)]).ok();
    assert_eq!(counts(&report, "zone"), [1, 0, 0]);
    fs::write(&file, "[{]").unwrap();
    let said = run(data.path(), &["import", "--project", "shop", "--kind", "zone", text(&file)]).failed();
    assert!(said.contains("anything.json is not JSON"), "{said}");
    let said = run(data.path(), &["import", "--project", "nowhere", "--kind", "zone", text(&file)]).failed();
    assert!(said.contains("is not JSON"), "{said}");
}

#[test]
fn suggests_kinds_and_projects_for_misspelt_ones() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let file = data.path().join("zones.json");
    fs::write(&file, "[]").unwrap();
    for command in ["import", "export"] {
        let said = run(data.path(), &[command, "--project", "shop", "--kind", "zoen", text(&file)]).failed();
        assert!(said.contains("there is no kind 'zoen'. Did you mean 'zone'?"), "{said}");
        let said = run(data.path(), &[command, "--project", "shpo", text(&file)]).failed();
        assert!(said.contains("no project 'shpo' here; --project is one of shop"), "{said}");
    }
    assert!(run(data.path(), &["export", "--project", "shop", "--kind", "Zones"]).ok().is_empty());
}

#[test]
fn completes_an_interrupted_cycle() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    // The state after a kill between creating a state and setting its transitions.
    let (status, _) = server.client().post("/shop/states", &json!({"key": "open", "type": "PaymentState"}));
    assert_eq!(status, 201);
    import(data.path(), "shop", &[]).failed();
    let (_, open) = server.client().get("/shop/states/key=open");
    assert_eq!(open["transitions"].as_array().map(Vec::len), Some(2), "{open}");
}

/// Writes drafts without keys: only their content differs, and pairs of them are equal.
fn write_drafts_without_keys(folder: &Path) -> std::path::PathBuf {
    let drafts: Vec<Value> =
        (0..MANY).map(|n| json!({"amountPlanned": {"currencyCode": "EUR", "centAmount": n / 2}})).collect();
    let file = folder.join("payments.json");
    fs::write(&file, Value::Array(drafts).to_string()).unwrap();
    file
}

fn wait_for_some(server: &ServerUnderTest) {
    let client = server.client();
    wait_until(|| client.total("/shop/payments") >= CUT_AT);
}

#[test]
fn continues_a_killed_import() {
    let (data, files) = (folder(), folder());
    let file = write_drafts_without_keys(files.path());
    let server = ServerUnderTest::start(data.path());
    let arguments = ["import", "--project", "shop", text(&file)];
    let mut cut =
        kontor(data.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_some(&server);
    cut.kill().unwrap();
    cut.wait().unwrap();
    let report = run(data.path(), &arguments).ok();
    let counts = counts(&report, "payment");
    assert!(counts[1] >= CUT_AT, "{report}");
    assert!(counts[0] > 0, "the import ran through before it was killed: {report}");
    assert_eq!(counts[0] + counts[1], MANY, "{report}");
    assert_eq!(server.client().total("/shop/payments"), MANY);
    // More than one page of an export.
    let exported = drafts(data.path(), "shop").iter().filter(|line| line.contains("\"payment\"")).count();
    assert_eq!(exported as u64, MANY);
}

#[test]
fn continues_an_import_whose_server_is_killed() {
    let (data, files) = (folder(), folder());
    let file = write_drafts_without_keys(files.path());
    let mut server = ServerUnderTest::start(data.path());
    let arguments = ["import", "--project", "shop", text(&file)];
    let cut =
        kontor(data.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_some(&server);
    server.kill();
    let cut = crate::harness::CommandResult::of(cut.wait_with_output().unwrap());
    cut.failed();
    // Now without a server, in the process of the import.
    let report = run(data.path(), &arguments).ok();
    assert!(counts(&report, "payment")[1] >= CUT_AT, "{report}");
    let server = ServerUnderTest::start(data.path());
    assert_eq!(server.client().total("/shop/payments"), MANY);
}
