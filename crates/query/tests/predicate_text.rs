//! The text form of predicates: parsing, printing, and refusals.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.

use kontor_query::limits::{PREDICATE_BYTES_MAX, PREDICATE_DEPTH_MAX};
use kontor_query::{
    Comparison, ExactNumber, Literal, Operand, Predicate, PredicateExpression, PredicateName, PredicateTest,
    PredicateValues, Span,
};
use proptest::prelude::*;

/// Parses `text` and prints it in the normal form.
fn read(text: &str) -> String {
    Predicate::parse(text, "where").unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

/// Returns the error message for `text`.
fn refused(text: &str) -> String {
    let error = Predicate::parse(text, "where").expect_err(text);
    assert_eq!((error.status(), error.code().name()), (400, "InvalidInput"), "{text}");
    error.message().to_owned()
}

/// Parses the predicate of a discount and prints it.
fn read_dotted(text: &str) -> String {
    Predicate::parse_dotted(text, "predicate").unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

#[test]
fn every_form_of_discount_predicates_is_read() {
    for (text, read) in [
        ("1 = 1", "true"),
        ("1=1", "true"),
        ("1 = 2", "false"),
        ("true", "true"),
        (r#"sku = "AB-12" and variant.id = 1"#, r#"sku = "AB-12" and `variant.id` = 1"#),
        (r#"categories.id contains "a""#, r#"`categories.id` contains all ("a")"#),
        ("numbers contains -2", "numbers contains all (-2)"),
        (r#"categories.id = ("a", "b")"#, r#"`categories.id` = ("a", "b")"#),
        (r#"categories.id != ("a")"#, r#"`categories.id` != ("a")"#),
        (r#"attributes.`the-size` in ("L")"#, r#"`attributes.the-size` in ("L")"#),
        ("customerGroup.id is not defined", "`customerGroup.id` is not defined"),
        (r#"not (price > "10.50 EUR" or 1 = 0)"#, r#"not(price > "10.50 EUR" or false)"#),
    ] {
        assert_eq!(read_dotted(text), read, "{text}");
    }
    for text in ["", "1", "1 =", "sku.", r#"sku = "a" and"#, "1 = 1 1"] {
        Predicate::parse_dotted(text, "predicate").expect_err(text);
    }
    // None of these is allowed in a `where`.
    for text in ["true", "variant.id = 1", r#"sku = ("a")"#] {
        Predicate::parse(text, "where").expect_err(text);
    }
}

#[test]
fn every_form_of_the_documentation_is_read() {
    for text in [
        r#"name = "Peter""#,
        r#"name != "Peter""#,
        "age < 42",
        "age > 42",
        "age <= 42",
        "age >= 42.5",
        "age = -1",
        "initial = true",
        r#"name = "Peter" and age < 42"#,
        r#"name = "Peter" or age < 42"#,
        r#"not(name = "Peter" and age < 42)"#,
        "age in (42, 43, 44)",
        r#"age not in (42, "43", true)"#,
        r#"tags contains all ("a", "b")"#,
        r#"tags contains any ("a", "b")"#,
        "tags is empty",
        "tags is not empty",
        "name is defined",
        "name is not defined",
        r#"dog(age < 7 and name = "Beethoven")"#,
        "geoLocation within circle(13.3777, 52.51627, 1000)",
        "cartState in :states",
        "cartState in (:first, :second)",
        "roles contains any :roles",
        "firstName = :name",
        "geoLocation within circle(:lng, :lat, :radius)",
        r#"email matches ignore case "A@example.com""#,
        "orderState has changed",
        "orderState has not changed",
        r#"masterData(current(variants(attributes(name = "size" and value = "M"))))"#,
        r#"custom(fields(`my field` = "x"))"#,
        r#"slug(en-US = "men-jeans")"#,
    ] {
        assert_eq!(read(text), text);
    }
}

#[test]
fn white_space_and_the_case_of_keywords_do_not_matter() {
    assert_eq!(
        read("  a=1 AND\n\tb<>2 Or NOT( c IS NOT Defined )"),
        "a = 1 and b != 2 or not(c is not defined)"
    );
    assert_eq!(read("tags CONTAINS ANY(\"a\",\"b\")"), "tags contains any (\"a\", \"b\")");
    assert_eq!(read("a = TRUE"), "a = true");
}

#[test]
fn and_binds_closer_than_or() {
    assert_eq!(read("a=1 or b=2 and c=3"), read("a=1 or (b=2 and c=3)"));
    assert_ne!(read("a=1 or b=2 and c=3"), read("(a=1 or b=2) and c=3"));
    assert_eq!(read("not a=1 and b=2"), "not(a = 1) and b = 2");
    assert_eq!(read("((a=1)) and (b=2 and (c=3))"), "a = 1 and b = 2 and c = 3");
}

#[test]
fn keywords_are_names_where_a_name_is_expected() {
    assert_eq!(read(r#"name(is="Peysa" or in = "x")"#), r#"name(is = "Peysa" or in = "x")"#);
    assert_eq!(read("and=1 and or=2"), "and = 1 and or = 2");
    assert_eq!(read("`not` = 1"), "`not` = 1");
}

#[test]
fn texts_have_the_escapes_of_json() {
    let text = |literal: &str| {
        let predicate = Predicate::parse(&format!("a = {literal}"), "where").unwrap();
        match predicate.expression() {
            PredicateExpression::Field(
                _,
                PredicateTest::Compare(_, Operand { value: Literal::Text(text), .. }),
            ) => text.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text(r#""say \"hi\" \\ \/""#), r#"say "hi" \ /"#);
    assert_eq!(text(r#""\u00e4\uD83D\uDE00\n""#), "ä😀\n");
    assert_eq!(text("\"ä\n`\""), "ä\n`");
    assert!(refused(r#"a = "x\q""#).contains("Invalid escape"));
    assert!(refused(r#"a = "\uD83Dx""#).contains("Invalid escape"));
}

#[test]
fn a_message_names_the_place_and_what_was_expected() {
    let cases = [
        (
            "id in ()",
            "Malformed parameter: where: Syntax error while parsing 'where'. Invalid input ')', expected \
             StringLiteral, NumberLiteral, boolean or inputParam (line 1, column 8):\nid in ()\n       ^",
        ),
        (
            "",
            "Malformed parameter: where: Syntax error while parsing 'where'. Unexpected end of input, expected \
             not or conditional expression (line 1, column 1):\n\n^",
        ),
        (
            "invalid",
            "Malformed parameter: where: Syntax error while parsing 'where'. Unexpected end of input, expected \
             comparison operator, not, in, contains, is, within, matches, has or '(' (line 1, column \
             8):\ninvalid\n       ^",
        ),
        (
            r#"firstName ilike "sofia%""#,
            "Malformed parameter: where: Syntax error while parsing 'where'. Invalid input 'ilike', expected \
             comparison operator, not, in, contains, is, within, matches, has or '(' (line 1, column \
             11):\nfirstName ilike \"sofia%\"\n          ^",
        ),
        (
            r#"key in ("a-18"-wave")"#,
            "Malformed parameter: where: Syntax error while parsing 'where'. Invalid input '-wave', expected \
             comma or ')' (line 1, column 15):\nkey in (\"a-18\"-wave\")\n              ^",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refused(text), message);
    }
    let expectations = [
        ("a = b", "Invalid input 'b', expected input parameter or primitive value (line 1, column 5)"),
        ("a = 'b'", "Invalid input ''', expected input parameter or primitive value (line 1, column 5)"),
        ("a = 1.", "Invalid input '1', expected input parameter or primitive value (line 1, column 5)"),
        (
            "a = 12abc",
            "Invalid input '12abc', expected input parameter or primitive value (line 1, column 5)",
        ),
        ("a = \"b", "Unexpected end of input, expected '\"' (line 1, column 7)"),
        ("a = :", "Unexpected end of input, expected the name of an input variable (line 1, column 6)"),
        ("a is null", "Invalid input 'null', expected defined or empty (line 1, column 6)"),
        ("a not 1", "Invalid input '1', expected in (line 1, column 7)"),
        ("a contains (1)", "Invalid input '(', expected all or any (line 1, column 12)"),
        ("a = 1 b = 2", "Invalid input 'b', expected and, or or end of input (line 1, column 7)"),
        ("name())))", "Invalid input ')', expected not or conditional expression (line 1, column 6)"),
        ("a(b = 1", "Unexpected end of input, expected and, or or ')' (line 1, column 8)"),
        ("a within square", "Invalid input 'square', expected circle (line 1, column 10)"),
        ("a within circle(1, 2)", "Invalid input ')', expected comma (line 1, column 21)"),
        (
            "a = 1 and\nb ~ 2",
            "expected comparison operator, not, in, contains, is, within, matches, has or '(' (line 2, column 3)",
        ),
        ("`a = 1", "expected a field name and a closing backtick (line 1, column 2)"),
    ];
    for (text, part) in expectations {
        let message = refused(text);
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn limits_the_depth_of_a_predicate() {
    let nested = |levels: usize| format!("{}a=1{}", "a(".repeat(levels), ")".repeat(levels));
    assert!(Predicate::parse(&nested(PREDICATE_DEPTH_MAX), "where").is_ok());
    for text in
        [nested(1000), "(".repeat(30_000), "a(".repeat(30_000), "not ".repeat(15_000), "not(".repeat(15_000)]
    {
        assert!(refused(&text).contains("Conditions nest deeper than 64 levels"));
    }
}

#[test]
fn limits_the_length_of_a_predicate() {
    let long = format!("a=1{}", " or a=1".repeat(9_000));
    assert!(long.len() < PREDICATE_BYTES_MAX && Predicate::parse(&long, "where").is_ok());
    let message = refused(&format!("a = \"{}\"", "x".repeat(100_000)));
    assert_eq!(
        message,
        "Malformed parameter: where: The predicate has 100006 bytes; at most 65536 are allowed."
    );
    assert!(refused(&format!("a in ({}1)", "1,".repeat(20_000))).contains("at most 10000 values"));
}

fn name() -> impl Strategy<Value = PredicateName> {
    let text = prop_oneof![
        "[a-zA-Z][a-zA-Z0-9_-]{0,8}",
        "[0-9a-f]{8}-[0-9a-f]{4}",
        "[^`]{1,5}",
        Just("not".to_owned()),
        Just("is".to_owned()),
    ];
    text.prop_map(|text| PredicateName { text, span: Span::default() })
}

fn operand() -> impl Strategy<Value = Operand> {
    let literal = prop_oneof![
        ".{0,12}".prop_map(Literal::Text),
        any::<i64>().prop_map(|integer| Literal::Number(ExactNumber::Integer(integer))),
        any::<f64>().prop_filter_map("finite", ExactNumber::from_decimal).prop_map(Literal::Number),
        any::<bool>().prop_map(Literal::Boolean),
        "[a-zA-Z0-9]{1,6}".prop_map(Literal::Variable),
    ];
    literal.prop_map(|value| Operand { value, span: Span::default() })
}

fn values() -> impl Strategy<Value = PredicateValues> {
    prop_oneof![
        prop::collection::vec(operand(), 1..4).prop_map(PredicateValues::Listed),
        "[a-z]{1,6}".prop_map(|name| PredicateValues::Variable(Operand {
            value: Literal::Variable(name),
            span: Span::default()
        })),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop::sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ])
}

fn expression() -> impl Strategy<Value = PredicateExpression> {
    let leaf = (
        name(),
        prop_oneof![
            (comparison(), operand())
                .prop_map(|(comparison, operand)| PredicateTest::Compare(comparison, operand)),
            (any::<bool>(), values()).prop_map(|(negated, values)| PredicateTest::In { negated, values }),
            (any::<bool>(), values()).prop_map(|(all, values)| PredicateTest::Contains { all, values }),
            any::<bool>().prop_map(|negated| PredicateTest::Defined { negated }),
            any::<bool>().prop_map(|negated| PredicateTest::Empty { negated }),
            any::<bool>().prop_map(|negated| PredicateTest::Changed { negated }),
            operand().prop_map(PredicateTest::MatchesIgnoreCase),
            [operand(), operand(), operand()]
                .prop_map(|circle| PredicateTest::WithinCircle(Box::new(circle))),
        ],
    );
    let leaf = leaf.prop_map(|(name, test)| PredicateExpression::Field(name, test));
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(PredicateExpression::all),
            prop::collection::vec(inner.clone(), 2..4).prop_map(PredicateExpression::any),
            inner.clone().prop_map(|inner| PredicateExpression::Not(Box::new(inner))),
            (name(), inner).prop_map(|(name, inner)| PredicateExpression::Field(
                name,
                PredicateTest::Nested(Box::new(inner))
            )),
        ]
    })
}

proptest! {
    #[test]
    fn a_predicate_printed_and_read_again_is_itself(expression in expression()) {
        let printed = expression.to_string();
        let read = Predicate::parse(&printed, "where")
            .map_err(|error| TestCaseError::fail(format!("{printed}\n{error}")))?;
        prop_assert_eq!(read.expression(), &expression, "{}", printed);
    }

    #[test]
    fn parsing_never_panics(text in "(\\PC|[()\"`:,<>=! \\\\]|and|or|not|in|is|contains|circle){0,60}") {
        let _ = Predicate::parse(&text, "where");
    }
}
