//! `--strict`: unknown fields are rejected, with their paths, instead of ignored; and so are texts that the reference
//! excludes but the platform accepts.

use crate::harness::{ServerUnderTest, folder, serve};
use kontor_json::json;
use std::process::Stdio;

#[test]
fn strict_mode_rejects_unknown_fields() {
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--strict");
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    let draft = json!({"name": {"en": "Books"}, "slug": {"en": "books"}, "assets": [
        {"name": {"en": "Cover"}, "sources": [{"uri": "https://example.com/a", "size": 3}]},
    ]});
    let (status, refusal) = client.post("/shop/categories", &draft);
    assert_eq!(status, 400, "{refusal}");
    let detail = refusal["errors"][0]["detailedErrorMessage"].as_str().unwrap();
    assert!(detail.starts_with("assets[0].sources[0].size: unknown field; AssetSource has uri"), "{detail}");

    let draft = json!({"currency": "EUR", "customLineItems": [
        {"name": {"en": "Fee"}, "slug": "/fee", "money": {"currencyCode": "EUR", "centAmount": 1}},
    ]});
    let (status, refusal) = client.post("/shop/carts", &draft);
    assert_eq!(
        (status, &refusal["errors"][0]["field"]),
        (400, &json!("customLineItems[0].slug")),
        "{refusal}"
    );
}
