//! `kontor demo`.

use crate::harness::{folder, kontor};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// What a demo prints, up to its last line to try.
fn hints(data: Option<&std::path::Path>) -> (std::process::Child, Vec<String>) {
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
        if lines.last().unwrap().contains("customers/token") {
            break;
        }
    }
    (process, lines)
}

/// Runs the lines as a person would who pastes them; needs `sh` and `curl`.
fn answers(lines: &[String]) -> Vec<Value> {
    let (tokens, calls): (Vec<&str>, Vec<&str>) = lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| line.starts_with("TOKEN=") || line.starts_with("curl "))
        .partition(|line| line.starts_with("TOKEN="));
    assert_eq!((tokens.len(), calls.len() >= 3), (1, true), "{lines:#?}");
    let run = |call: &&str| {
        let output = Command::new("sh").args(["-c", &format!("{}\n{call}", tokens[0])]).output().unwrap();
        assert!(output.status.success(), "{call}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    calls.iter().map(run).collect()
}

#[test]
fn the_lines_to_try_work_and_the_shop_is_full() {
    let (mut process, lines) = hints(None);
    let answers = answers(&lines);
    assert!(answers[0]["total"].as_u64().unwrap() >= 7, "{}", answers[0]);
    assert!(answers[1]["total"].as_u64().unwrap() >= 4, "{}", answers[1]);
    assert_eq!(answers[2]["name"], "friends");
    assert_eq!(answers[3]["name"], "friends and family");
    let product = &answers[4]["results"][0];
    assert_eq!(product["key"], "alster-sofa", "{}", answers[4]);
    assert_eq!(product["productType"]["obj"]["key"], "furniture", "{product}");
    let projection = &answers[5];
    assert_eq!(projection["name"], serde_json::json!({"en": "Alster settee"}), "{projection}");
    assert_eq!(projection["masterVariant"]["price"]["value"]["currencyCode"], "GBP", "{projection}");
    assert_eq!(answers[6]["results"][0]["current"]["name"]["en"], "Alster settee", "{}", answers[6]);
    assert_eq!(answers[7]["results"][0]["product"]["typeId"], "product", "{}", answers[7]);
    assert!(answers[7]["results"][0]["product"]["obj"].is_object(), "{}", answers[7]);
    assert_eq!(answers[8]["data"]["products"]["total"], 264, "{}", answers[8]);
    assert_eq!(answers[9]["results"][0]["sku"], "alster-sofa-oak", "{}", answers[9]);
    assert_eq!(answers[10]["results"].as_array().unwrap().len(), 3, "{}", answers[10]);
    assert!(!answers[10]["facets"][0]["buckets"].as_array().unwrap().is_empty(), "{}", answers[10]);
    assert!(answers[11]["access_token"].is_string(), "{}", answers[11]);

    let image = projection["masterVariant"]["images"][0]["url"].as_str().unwrap();
    let output = Command::new("curl").args(["-s", "-f", image]).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"\x89PNG"), "{image}");
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn a_demo_can_be_started_again_on_its_folder() {
    let data = folder();
    let (mut process, first) = hints(Some(data.path()));
    answers(&first);
    process.kill().unwrap();
    process.wait().unwrap();
    let (mut process, second) = hints(Some(data.path()));
    let answers = answers(&second);
    process.kill().unwrap();
    process.wait().unwrap();
    let secret = |lines: &[String]| {
        lines.iter().find_map(|line| line.strip_prefix("client secret: ").map(str::to_owned)).unwrap()
    };
    assert_ne!(secret(&first), secret(&second));
    assert_eq!(answers[2]["name"], "friends-2");
    assert_eq!(answers[8]["data"]["products"]["total"], 264, "{}", answers[8]);
}
