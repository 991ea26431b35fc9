//! Expressions as they are written.

use super::expression::{Expression, Item, Token, read};

fn quoted(text: &str) -> Token {
    Token::Quoted(text.to_owned())
}

fn bare(text: &str) -> Token {
    Token::Bare(text.to_owned())
}

#[test]
fn values_ranges_and_subtrees_stand_behind_a_path() {
    let items = |text: &str| read(text, "filter").map(|Expression { items, .. }| items).unwrap();
    assert_eq!(items(r#"a.b: "x","y\"z""#), [Item::Value(quoted("x")), Item::Value(quoted("y\"z"))]);
    assert_eq!(items("a:true"), [Item::Value(bare("true"))]);
    assert_eq!(
        items("a:range (1 to 5), (\"z\" to *)"),
        [Item::Range(Some(bare("1")), Some(bare("5"))), Item::Range(Some(quoted("z")), None)]
    );
    assert_eq!(items(r#"a: subtree("x"), "y""#), [Item::Subtree(quoted("x")), Item::Value(quoted("y"))]);
    assert_eq!(items("a:exists"), [Item::Exists]);
    assert_eq!(items("a: missing"), [Item::Missing]);
    assert_eq!(items("a"), []);
}

#[test]
fn what_cannot_be_read_is_refused() {
    for text in ["", ":", "a:", "a:\"x", "a:range (1)", "a:range (1 to 2", "a:\"x\" \"y\"", "a b:1", "a:,"] {
        assert!(read(text, "filter").is_err(), "{text}");
    }
}
