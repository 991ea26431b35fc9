//! Parsing of filter and facet expressions.

use super::{FilterExpression, FilterItem, unquote_text};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn value(text: &str) -> FilterItem {
    FilterItem::Value(text.to_owned())
}

#[test]
fn parses_values_ranges_and_subtrees() {
    let items = |text: &str| FilterExpression::read(text, "filter").unwrap().items().to_vec();
    assert_eq!(items(r#"a.b: "x","y\"z""#), [value("x"), value("y\"z")]);
    assert_eq!(items("a:true"), [value("true")]);
    assert_eq!(
        items("a:range (1 to 5), (\"z\" to *)"),
        [FilterItem::Range(some("1"), some("5")), FilterItem::Range(some("z"), None)]
    );
    assert_eq!(items(r#"a: subtree("x"), "y""#), [FilterItem::Subtree("x".to_owned()), value("y")]);
    assert_eq!(items("a:exists"), [FilterItem::Exists]);
    assert_eq!(items("a: missing"), [FilterItem::Missing]);
    assert_eq!(items("a"), []);
}

#[test]
fn rejects_malformed_expressions() {
    for text in ["", ":", "a:", "a:\"x", "a:range (1)", "a:range (1 to 2", "a:\"x\" \"y\"", "a b:1", "a:,"] {
        let error = FilterExpression::read(text, "filter").unwrap_err();
        assert_eq!(error.code(), kontor_errors::Code::SyntaxError, "{text}");
    }
}

#[test]
fn quoted_keywords_are_values() {
    let items = |text: &str| FilterExpression::read(text, "filter").unwrap().items().to_vec();
    assert_eq!(items(r#"a:"exists","*","range""#), [value("exists"), value("*"), value("range")]);
    assert_eq!(items(r#"a:range ("*" to *)"#), [FilterItem::Range(some("*"), None)]);
}

#[test]
fn quotes_around_a_value_are_left_out() {
    for (text, meant) in
        [("\"z\"", "z"), ("x\"y", "x\"y"), (r#""x\"y""#, "x\"y"), ("\"a\"b\"", "\"a\"b\""), ("\"", "\"")]
    {
        assert_eq!(unquote_text(text), meant, "{text}");
    }
}
