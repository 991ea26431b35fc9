//! Tests the functions of the page that shows the document, with Node.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use std::process::Command;

/// Runs a function of the page with Node. Returns its result, or the message that it throws.
fn call(function: &str, arguments: &str) -> String {
    let page = kontor_openapi::page();
    let start = page.find(&format!("function {function}(")).unwrap();
    let code = &page[start..];
    let code = &code[..code.find("\n}\n").unwrap() + 2];
    let script = format!(
        "{code}\ntry {{ process.stdout.write({function}({arguments})); }} catch (e) {{ process.stdout.write('! ' + e.message); }}"
    );
    let ran = Command::new("node").args(["-e", &script]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn signs_in_to_the_project_of_the_client() {
    for (typed, scope, expected) in [
        ("", "manage_project:shop view_states:shop", "shop"),
        ("shop", "manage_orders:shop:berlin", "shop"),
        ("sohp", "manage_project:shop", "! This client is of the project 'shop', and not of 'sohp'."),
        ("", "customer_id:abc manage_my_orders:shop", "shop"),
        ("shop", "", "shop"),
    ] {
        assert_eq!(call("projectOf", &format!("'{typed}', '{scope}'")), expected, "{typed}, {scope}");
    }
}
