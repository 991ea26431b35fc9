//! `kontor demo`: the printed requests work, and the shop has data of every kind.

use crate::harness::{folder, kontor};
use kontor_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Requests for the demo's data through different endpoints. `URL` is replaced by the server's; `$TOKEN` is set before.
const CALLS: &[&str] = &[
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/states?limit=3'",
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/products?where=key%3D%22alster-sofa%22&expand=productType'",
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/in-store/key=britain/product-projections/key=alster-sofa?priceCurrency=GBP&priceCountry=GB'",
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/in-store/key=britain/product-tailoring'",
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/in-store/key=america/product-selection-assignments?limit=2&expand=product'",
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/inventory?where=sku%3D%22alster-sofa-oak%22'",
    r#"curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"query": {"fullText": {"field": "name", "language": "en", "value": "chairs"}}, "limit": 3, "facets": [{"distinct": {"name": "woods", "field": "variants.attributes.wood.label", "fieldType": "lenum", "language": "en"}}]}' 'URL/demo/products/search'"#,
    "curl -s -H \"Authorization: Bearer $TOKEN\" 'URL/demo/orders?sort=orderNumber%20asc'",
];

/// Starts a demo and returns its output up to the last sample request.
fn start_demo(data: Option<&std::path::Path>) -> (std::process::Child, Vec<String>) {
    let unused = folder();
    let mut command = kontor(data.unwrap_or(unused.path()));
    if data.is_none() {
        command.env_remove("KONTOR_DATA");
    }
    let mut process = command
        .args(["demo", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = Vec::new();
    for line in BufReader::new(process.stdout.take().unwrap()).lines() {
        lines.push(line.unwrap());
        if lines.last().unwrap().contains("/graphql'") {
            break;
        }
    }
    (process, lines)
}

/// Returns the rest of the line with this label.
fn text_after<'l>(lines: &'l [String], label: &str) -> &'l str {
    lines.iter().find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{label}: {lines:#?}"))
}

/// Runs a call in a shell, after the line that sets the token; needs `sh` and `curl`.
fn run(lines: &[String], call: &str) -> Value {
    let token = lines.iter().map(|line| line.trim()).find(|line| line.starts_with("TOKEN=")).unwrap();
    let call = call.replace("URL", text_after(lines, "kontor listening on "));
    let output = Command::new("sh").args(["-c", &format!("{token}\n{call}")]).output().unwrap();
    assert!(output.status.success(), "{call}: {output:?}");
    kontor_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{call}: {error}: {output:?}"))
}

/// Runs the sample requests as if pasted into a shell.
fn run_printed_calls(lines: &[String]) -> Vec<Value> {
    let calls = lines.iter().map(|line| line.trim()).filter(|line| line.starts_with("curl "));
    calls.map(|call| run(lines, call)).collect()
}

#[test]
fn printed_requests_work_and_the_shop_is_full() {
    let (mut process, lines) = start_demo(None);
    assert!(lines.len() < 16, "few lines are read: {lines:#?}");
    assert!(
        lines[0].starts_with("kontor listening on ") && lines[2].starts_with("Open http://"),
        "{lines:#?}"
    );
    let tried = run_printed_calls(&lines);
    assert_eq!(tried[0]["results"].as_array().unwrap().len(), 3, "{}", tried[0]);
    assert_eq!(tried[1]["data"]["products"]["total"], 264, "{}", tried[1]);

    let responses: Vec<Value> = CALLS.iter().map(|call| run(&lines, call)).collect();
    assert!(responses[0]["total"].as_u64().unwrap() >= 7, "{}", responses[0]);
    let product = &responses[1]["results"][0];
    assert_eq!(product["productType"]["obj"]["key"], "furniture", "{product}");
    let projection = &responses[2];
    assert_eq!(projection["name"], kontor_json::json!({"en": "Alster settee"}), "{projection}");
    assert_eq!(projection["masterVariant"]["price"]["value"]["currencyCode"], "GBP", "{projection}");
    assert_eq!(responses[3]["results"][0]["current"]["name"]["en"], "Alster settee", "{}", responses[3]);
    assert!(responses[4]["results"][0]["product"]["obj"].is_object(), "{}", responses[4]);
    assert_eq!(responses[5]["results"][0]["sku"], "alster-sofa-oak", "{}", responses[5]);
    assert_eq!(responses[6]["results"].as_array().unwrap().len(), 3, "{}", responses[6]);
    assert!(!responses[6]["facets"][0]["buckets"].as_array().unwrap().is_empty(), "{}", responses[6]);

    let orders = responses[7]["results"].as_array().unwrap();
    let states: Vec<&str> = orders.iter().map(|order| order["orderState"].as_str().unwrap()).collect();
    let expected = ["Complete", "Complete", "Confirmed", "Confirmed", "Confirmed", "Open", "Cancelled"];
    assert_eq!(states, expected, "{}", responses[7]);
    assert_eq!(orders[0]["returnInfo"][0]["items"][0]["shipmentState"], "Returned", "{}", orders[0]);

    let (email, password) = text_after(&lines, "a customer:    ").split_once(", password ").unwrap();
    let (id, secret) = (text_after(&lines, "client id:     "), text_after(&lines, "client secret: "));
    let sign_in = format!(
        "curl -s -u '{id}:{secret}' -d grant_type=password -d 'username={email}&password={password}' URL/oauth/demo/customers/token"
    );
    assert!(run(&lines, &sign_in)["access_token"].is_string());

    let image = projection["masterVariant"]["images"][0]["url"].as_str().unwrap();
    let output = Command::new("curl").args(["-s", "-f", image]).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"\x89PNG"), "{image}");
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn a_demo_can_be_started_again_on_its_folder() {
    let data = folder();
    let (mut process, first) = start_demo(Some(data.path()));
    run_printed_calls(&first);
    process.kill().unwrap();
    process.wait().unwrap();
    let (mut process, second) = start_demo(Some(data.path()));
    let tried = run_printed_calls(&second);
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(text_after(&first, "client secret: "), text_after(&second, "client secret: "));
    assert_eq!(tried[1]["data"]["products"]["total"], 264, "{}", tried[1]);
}
