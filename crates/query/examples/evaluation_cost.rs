//! Measures the evaluation of a condition on a document of 2 KB, in microseconds of one core.
//!
//! `cargo run --release -p kontor-query --example evaluation_cost`

#![allow(clippy::print_stdout, clippy::expect_used)] // A program for people to run by hand.

use kontor_json::json;
use kontor_query::{Condition, ConditionValue, ExactNumber, Range, ValueCheck, evaluate, evaluate_value};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: u32 = 200_000;

fn main() {
    let address = |index: u32| {
        json!({"id": format!("address-{index}"), "streetName": "Beispielstraße", "streetNumber": "12",
            "postalCode": format!("{}", 10_000 + index), "city": "Berlin", "country": "DE",
            "firstName": "Erika", "lastName": "Mustermann", "email": "erika@example.com"})
    };
    let document = json!({
        "id": "6f0d8a7c-9d66-4a3b-9c57-0b7a3f5f9f6e", "version": 12,
        "createdAt": "2026-01-01T10:00:00.000Z", "lastModifiedAt": "2026-05-01T10:00:00.000Z",
        "key": "customer-1000", "email": "erika@example.com", "firstName": "Erika", "lastName": "Mustermann",
        "addresses": (0..8).map(address).collect::<Vec<_>>(),
        "isEmailVerified": true, "authenticationMode": "Password", "stores": [],
        "custom": {"type": {"typeId": "type", "id": "5c6ebad0"}, "fields": {"points": 1200, "tier": "gold"}},
        "vatId": "DE123456789"
    });
    let bytes = document.to_string().into_bytes();
    println!("document: {} bytes", bytes.len());

    let text =
        |name: &str, text: &str| Condition::check(name, ValueCheck::Equals(ConditionValue::text(text)));
    let points = ValueCheck::Range(Range::Greater, ConditionValue::Number(ExactNumber::Integer(1000)));
    let cases = [
        ("first field", text("id", "x")),
        ("last field", text("vatId", "DE123456789")),
        ("not this one", text("vatId", "DE999999999")),
        ("missing field", text("title", "Dr.")),
        (
            "custom field",
            Condition::nested("custom", Condition::nested("fields", Condition::check("points", points))),
        ),
        ("address by code", Condition::element("addresses", text("postalCode", "10007"))),
        (
            "five fields",
            Condition::all(vec![
                text("firstName", "Erika"),
                text("lastName", "Mustermann"),
                text("authenticationMode", "Password"),
                Condition::not(text("email", "max@example.com")),
                text("vatId", "DE123456789"),
            ]),
        ),
    ];
    println!(
        "{:<16} {:>10} {:>14} {:>22}",
        "condition", "raw bytes", "parsed before", "parse with kontor_json"
    );
    for (name, condition) in &cases {
        let raw = cost_us(|| evaluate(condition, black_box(&bytes)));
        let parsed = cost_us(|| evaluate_value(condition, black_box(&document)));
        let parsing = cost_us(|| {
            let document = kontor_json::from_slice(black_box(&bytes)).expect("the document above is JSON");
            evaluate_value(condition, &document)
        });
        println!("{name:<16} {raw:>10.3} {parsed:>14.3} {parsing:>22.3}");
    }
}

fn cost_us(mut evaluate: impl FnMut() -> bool) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(evaluate());
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS)
}
