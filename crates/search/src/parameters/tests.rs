//! Parsing of filter and facet expressions.

use super::{Expression, Item, unquoted};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn value(text: &str) -> Item {
    Item::Value(text.to_owned())
}

#[test]
fn values_ranges_and_subtrees_stand_behind_a_path() {
    let items = |text: &str| Expression::read(text, "filter").unwrap().items().to_vec();
    assert_eq!(items(r#"a.b: "x","y\"z""#), [value("x"), value("y\"z")]);
    assert_eq!(items("a:true"), [value("true")]);
    assert_eq!(
        items("a:range (1 to 5), (\"z\" to *)"),
        [Item::Range(some("1"), some("5")), Item::Range(some("z"), None)]
    );
    assert_eq!(items(r#"a: subtree("x"), "y""#), [Item::Subtree("x".to_owned()), value("y")]);
    assert_eq!(items("a:exists"), [Item::Exists]);
    assert_eq!(items("a: missing"), [Item::Missing]);
    assert_eq!(items("a"), []);
}

#[test]
fn what_cannot_be_read_is_refused() {
    for text in ["", ":", "a:", "a:\"x", "a:range (1)", "a:range (1 to 2", "a:\"x\" \"y\"", "a b:1", "a:,"] {
        let error = Expression::read(text, "filter").unwrap_err();
        assert_eq!(error.code(), kontor_errors::Code::SyntaxError, "{text}");
    }
}

#[test]
fn what_looks_like_a_word_of_the_language_is_a_value_in_quotes() {
    let items = |text: &str| Expression::read(text, "filter").unwrap().items().to_vec();
    assert_eq!(items(r#"a:"exists","*","range""#), [value("exists"), value("*"), value("range")]);
    assert_eq!(items(r#"a:range ("*" to *)"#), [Item::Range(some("*"), None)]);
}

#[test]
fn quotes_around_a_value_are_left_out() {
    for (text, meant) in
        [("\"z\"", "z"), ("x\"y", "x\"y"), (r#""x\"y""#, "x\"y"), ("\"a\"b\"", "\"a\"b\""), ("\"", "\"")]
    {
        assert_eq!(unquoted(text), meant, "{text}");
    }
}
