//! Binding predicates to a model: their meaning on documents, and which are refused.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.

mod shop_model;

use kontor_json::{Value as Json, json};
use kontor_model::Shape;
use kontor_query::{
    FieldSource, InputVariables, NameScope, bind_all, evaluate, evaluate_change, evaluate_value,
};
use shop_model::{model, shelf};

const VARIABLES: [(&str, &str); 9] = [
    ("var.name", "Peter"),
    ("var.tags", "a"),
    ("var.tags", "b"),
    ("var.size", "5"),
    ("var.open", "true"),
    ("var.day", "2027-01-31"),
    ("var.lng", "13.4"),
    ("limit", "20"),
    ("var.word", "five"),
];

fn variables() -> InputVariables {
    InputVariables::from_parameters(VARIABLES)
}

/// Whether `predicate` matches `document`, a shelf.
fn matches(predicate: &str, document: &Json) -> bool {
    let scope = NameScope::of_kind(model(), shelf(model()));
    let condition = bind_all([predicate], &scope, &variables()).unwrap_or_else(|error| panic!("{error}"));
    let response = evaluate(&condition, document.to_string().as_bytes());
    assert_eq!(response, evaluate_value(&condition, document), "{predicate} on {document}");
    response
}

fn refused_in(predicate: &str, change: impl FnOnce(NameScope<'_>) -> NameScope<'_>) -> String {
    let scope = change(NameScope::of_kind(model(), shelf(model())));
    let error = bind_all([predicate], &scope, &variables()).expect_err(predicate);
    assert_eq!((error.status(), error.code().name()), (400, "InvalidInput"), "{predicate}");
    let message = error.message().to_owned();
    message.strip_prefix("Malformed parameter: where: ").expect(&message).to_owned()
}

fn refused(predicate: &str) -> String {
    refused_in(predicate, |scope| scope)
}

fn a_shelf() -> Json {
    json!({
        "id": "s1", "version": 3, "createdAt": "2027-01-31T12:00:00.000Z", "key": "shelf-1",
        "name": {"en": "Big shelf", "de-AT": "Großes Regal"}, "size": 5, "open": true, "kind": "Wide",
        "weight": 12.5, "builtOn": "2020-02-29", "opensAt": "08:30:00.000", "tags": ["a", "b"],
        "parent": {"typeId": "shelf", "id": "s0"}, "ancestors": [{"typeId": "shelf", "id": "s0"}],
        "store": {"typeId": "shelf", "key": "main"}, "owner": {"typeId": "customer", "id": "c1"},
        "books": [{"title": "Emma", "pages": 474, "authors": ["Austen"]}, {"title": "Ulysses", "pages": 730}],
        "box": {"city": "Berlin", "lid": {"city": "Bonn"}},
        "place": {"type": "Point", "coordinates": [13.4, 52.5]},
        "price": {"type": "cent", "centAmount": 1999},
        "custom": {"type": {"typeId": "type", "id": "t1"}, "fields": {"colour": "red", "my field": 5}},
        "value": {"a": [{"b": "x"}, {"b": 7}]},
        "masterVariant": {"sku": "m", "attributes": [{"name": "size", "value": "M"}]},
        "variants": [{"sku": "v", "attributes": [{"name": "size", "value": {"key": "L"}}]}],
    })
}

#[test]
fn binds_every_kind_of_field() {
    for predicate in [
        r#"id = "s1""#,
        r#"name(en = "Big shelf" and de-AT = "Großes Regal" and fr is not defined)"#,
        "size = 5 and size = 5.0 and size >= 5 and size < 5.5 and size in (1, 5) and size not in (6)",
        "open = true and open != false",
        r#"kind = "Wide" and kind != "Narrow""#,
        "weight > 12 and weight <= 12.5",
        r#"parent(typeId = "shelf" and id = "s0")"#,
        r#"ancestors(id in ("s0", "s9"))"#,
        r#"store(key = "main")"#,
        r#"owner(typeId = "customer" and id = "c1")"#,
        r#"box(city = "Berlin" and lid(city = "Bonn" and lid is not defined))"#,
        "price(centAmount > 1000 and preciseAmount is not defined)",
        r#"custom(type(id = "t1") and fields(colour = "red" and `my field` = 5))"#,
        r#"value(a(b = "x")) and value(a(b = 7))"#,
        r#"tags = "a" and tags contains all ("b", "a") and tags contains any ("x", "b") and tags is not empty"#,
        r#"books(authors contains any ("Austen"))"#,
        "place within circle(13.4, 52.5, 1)",
        r#"label is not defined and label != "x" and parent is defined"#,
        r#"books(title matches ignore case "EMMA")"#,
    ] {
        assert!(matches(predicate, &a_shelf()), "{predicate}");
        assert!(!matches(&format!("not({predicate})"), &a_shelf()), "{predicate}");
    }
}

#[test]
fn conditions_in_one_pair_of_parentheses_hold_within_one_element() {
    assert!(matches(r#"books(title = "Emma") and books(pages = 730)"#, &a_shelf()));
    assert!(!matches(r#"books(title = "Emma" and pages = 730)"#, &a_shelf()));
    assert!(matches(r#"books(title = "Emma" and pages < 730)"#, &a_shelf()));
    assert!(!matches(r#"value(a(b = "x" and b = 7))"#, &a_shelf()));
}

#[test]
fn several_wheres_must_all_hold() {
    let scope = NameScope::of_kind(model(), shelf(model()));
    let holds = |wheres: [&str; 2]| {
        evaluate_value(&bind_all(wheres, &scope, &InputVariables::none()).unwrap(), &a_shelf())
    };
    assert!(holds(["size = 5 or size = 6", "open = true"]));
    assert!(!holds(["size = 5 or size = 6", "open = false"]));
}

#[test]
fn dates_and_times_are_compared_in_their_stored_form() {
    for predicate in [
        r#"createdAt = "2027-01-31T12:00:00Z""#,
        r#"createdAt = "2027-01-31T13:00:00.000+01:00""#,
        r#"createdAt > "2027-01-31" and createdAt < "2027-02-01""#,
        r#"builtOn = "2020-02-29" and builtOn < "2020-03-01""#,
        r#"opensAt = "08:30:00" and opensAt > "08:29:59.999""#,
        "createdAt >= :day",
        // A date-time without an offset is in UTC.
        r#"createdAt = "2027-01-31T12:00:00""#,
        r#"createdAt in ("2000-01-01T01:01:01", "2027-01-31T12:00:00.000")"#,
    ] {
        assert!(matches(predicate, &a_shelf()), "{predicate}");
    }
    assert!(refused(r#"createdAt > "2027-01-31T12:00:00+99:00""#).contains("a date-time such as"));
    assert_eq!(
        refused(r#"createdAt > "yesterday""#),
        "The field 'createdAt' expects a date-time such as \"2027-01-31T12:00:00.000Z\", but \"yesterday\" is \
         given. (line 1, column 13)"
    );
    assert!(refused(r#"builtOn = "2021-02-29""#).contains("a date such as"));
    assert!(refused(r#"opensAt = "25:00""#).contains("a time such as"));
}

#[test]
fn input_variables_are_read_as_the_field_asks() {
    assert!(matches("size = :size and open = :open", &a_shelf()));
    assert!(matches("tags contains all :tags and tags contains any :tags", &a_shelf()));
    assert!(matches("kind not in :tags and id not in (:name, :size)", &a_shelf()));
    assert!(matches("place within circle(:lng, 52.5, :size)", &a_shelf()));
    // Open JSON has no shape, so the variable may be a number or a text.
    assert!(matches("custom(fields(`my field` = :size))", &a_shelf()));
    assert!(matches("custom(fields(`my field` = :size))", &json!({"custom": {"fields": {"my field": "5"}}})));

    assert_eq!(
        refused("label = :nobody"),
        "Missing parameter value for 'nobody': add 'var.nobody=…'. (line 1, column 9)"
    );
    assert_eq!(
        refused("label = :tags"),
        "The input variable 'tags' is given 2 times where one value is expected. (line 1, column 9)"
    );
    assert_eq!(
        refused("size = :word"),
        "The field 'size' expects a number, but the input variable 'word' is \"five\". (line 1, column 8)"
    );
}

#[test]
fn an_unknown_field_is_named_with_its_place() {
    assert_eq!(refused("foo = 1"), "The field 'foo' does not exist. (line 1, column 1)");
    assert_eq!(
        refused("size = 5 and\n  box(lid(town = 1))"),
        "The field 'town' does not exist in 'box.lid'. (line 2, column 11)"
    );
    assert_eq!(
        refused("creatdAt = 1"),
        "The field 'creatdAt' does not exist. Did you mean 'createdAt'? (line 1, column 1)"
    );
    assert_eq!(
        refused("Parent(id = \"x\")"),
        "The field 'Parent' does not exist. Did you mean 'parent'? (line 1, column 1)"
    );
    assert!(refused("parent(key = \"x\")").contains("The field 'key' does not exist in 'parent'."));
    assert!(refused("store(id = \"x\")").contains("The field 'id' does not exist in 'store'."));
    assert!(refused("price(amount = 1)").contains("The field 'amount' does not exist in 'price'."));
    assert!(refused("custom(colour = 1)").contains("The field 'colour' does not exist in 'custom'."));
    assert!(refused("place(x(y = 1))").contains("The field 'x' does not exist in 'place'."));
}

#[test]
fn a_value_must_be_of_the_shape_of_its_field() {
    assert_eq!(
        refused("size = \"five\""),
        "The field 'size' expects a number, but \"five\" is given. (line 1, column 8)"
    );
    assert_eq!(
        refused("label in (\"a\", 5)"),
        "The field 'label' expects a text between double quotation marks, but 5 is given. (line 1, column 16)"
    );
    assert!(refused("open = \"yes\"").contains("expects true or false"));
    assert!(refused("name(en = 1)").contains("The field 'en' expects a text between double quotation marks"));
    assert!(refused("tags contains any (1)").contains("The field 'tags' expects a text"));
}

#[test]
fn a_quoted_number_or_boolean_is_a_value_of_the_type_of_its_field() {
    for predicate in [
        r#"size = "5""#,
        r#"size in ("4", "5") and size not in ("6", "7")"#,
        r#"size > "4" and size < "5.5" and size != "6""#,
        r#"open = "true" and open != "false""#,
        r#"open in ("true")"#,
    ] {
        assert!(matches(predicate, &a_shelf()), "{predicate}");
    }
    // In open JSON the type of the stored value decides.
    let custom = |value: Json| json!({"custom": {"fields": {"any": value}}});
    for (text, value) in [("5", json!(5)), ("5", json!("5")), ("true", json!(true)), ("true", json!("true"))]
    {
        assert!(matches(&format!("custom(fields(any = \"{text}\"))"), &custom(value.clone())));
        assert!(!matches(&format!("custom(fields(any != \"{text}\"))"), &custom(value)));
    }
    assert!(matches(r#"custom(fields(any > "10"))"#, &custom(json!(11))));
    assert!(!matches(r#"custom(fields(any = "05"))"#, &custom(json!("5"))));
}

#[test]
fn an_operator_must_suit_its_field() {
    let cases = [
        ("parent = \"s0\"", "The field 'parent' does not support the operator '='."),
        ("name != \"x\"", "The field 'name' does not support the operator '!='."),
        ("books > 1", "The field 'books' does not support the operator '>'."),
        ("open < true", "The field 'open' does not support the operator '<'."),
        ("label is empty", "The field 'label' does not support the operator 'is empty'."),
        ("label contains any (\"a\")", "The field 'label' does not support the operator 'contains'."),
        (
            "box(city within circle(1, 2, 3))",
            "The field 'box.city' does not support the operator 'within circle'.",
        ),
        ("size matches ignore case \"x\"", "does not support the operator 'matches ignore case'."),
        ("label(en = \"x\")", "The field 'label' has no fields to ask for in parentheses."),
        ("place within circle(200, 1, 1)", "The longitude 200 is beyond 180."),
        ("label has changed", "in conditions of API Extensions only"),
    ];
    for (predicate, part) in cases {
        let message = refused(predicate);
        assert!(message.contains(part), "{predicate}: {message}");
    }
}

#[test]
fn conditions_on_variants_include_the_master_variant() {
    assert!(matches(r#"variants(sku = "m")"#, &a_shelf()));
    assert!(matches(r#"variants(sku = "v")"#, &a_shelf()));
    assert!(!matches(r#"masterVariant(sku = "v")"#, &a_shelf()));
    assert!(!matches(
        r#"variants(sku = "m" and attributes(name = "size" and value(key = "L")))"#,
        &a_shelf()
    ));
    assert!(matches(r#"variants(sku = "v" and attributes(name = "size" and value(key = "L")))"#, &a_shelf()));
}

#[test]
fn the_value_of_an_attribute_needs_its_name() {
    for predicate in [
        r#"variants(attributes(value = "M"))"#,
        r#"variants(attributes(name = "size" or value = "M"))"#,
        r#"variants(attributes(not(name = "size") and value = "M"))"#,
        r#"masterVariant(attributes(value(key = "M")))"#,
    ] {
        assert!(refused(predicate).contains("needs the name of the attribute"), "{predicate}");
    }
    for predicate in [
        r#"variants(attributes(name = "size" and value = "M"))"#,
        r#"variants(attributes(name in ("size", "colour") and (value = "M" or value = "L")))"#,
        r#"variants(attributes(name = "size"))"#,
    ] {
        assert!(matches(predicate, &a_shelf()), "{predicate}");
    }
    let alone = refused_in(r#"variants(attributes(name = "size"))"#, |scope| scope.with_valued_names());
    assert!(alone.contains("needs the name of the attribute beside its value"), "{alone}");
}

struct Types;

impl FieldSource for Types {
    fn custom_field(&self, of: &str, name: &str) -> Option<Shape> {
        assert_eq!(of, "shelf");
        match name {
            "colour" => Some(Shape::String),
            "count" => Some(Shape::Int),
            "labels" => Some(Shape::List(Box::new(Shape::Localized))),
            _ => None,
        }
    }
}

#[test]
fn custom_fields_are_checked_against_the_types_of_the_project() {
    let in_types = |predicate| refused_in(predicate, |scope| scope.with_custom_fields(&Types));
    assert!(in_types("custom(fields(count = \"five\"))").contains("expects a number"));
    let scope = NameScope::of_kind(model(), shelf(model())).with_custom_fields(&Types);
    let text = r#"custom(fields(colour = "red" and labels(en = "x") and count > 1 and count = "2"))"#;
    let condition = bind_all([text], &scope, &InputVariables::none()).unwrap();
    let fields = json!({"colour": "red", "count": 2, "labels": [{"en": "y"}, {"en": "x"}]});
    assert!(evaluate_value(&condition, &json!({"custom": {"fields": fields}})));
    // A custom field that no Type defines can be tested, and is missing in every document.
    let unheard =
        bind_all(["custom(fields(color is not defined))"], &scope, &InputVariables::none()).unwrap();
    assert!(evaluate_value(&unheard, &json!({"custom": {"fields": fields}})));
}

#[test]
fn a_head_request_may_use_scalars_only() {
    let by_head = |predicate| refused_in(predicate, |scope| scope.with_scalars_only());
    for predicate in [
        r#"name(en = "x")"#,
        "name is defined",
        r#"parent(id = "x")"#,
        "parent is defined",
        "tags is empty",
        r#"tags = "a""#,
        r#"books(title = "x")"#,
        "place within circle(1, 2, 3)",
    ] {
        assert!(by_head(predicate).contains("cannot be asked for by a HEAD request"), "{predicate}");
    }
    let scope = NameScope::of_kind(model(), shelf(model())).with_scalars_only();
    for predicate in [
        r#"key = "x" and kind = "Wide" and open = true and size > 1 and weight < 2.5 and version = 1"#,
        r#"builtOn = "2020-02-29" and opensAt is defined and createdAt > "2020-01-01""#,
        r#"box(city = "Berlin") and price(centAmount = 5) and custom(fields(colour = "red"))"#,
    ] {
        bind_all([predicate], &scope, &InputVariables::none()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn has_changed_is_for_conditions_of_extensions() {
    let scope = NameScope::of_kind(model(), shelf(model())).with_changes();
    let bind = |text: &str| bind_all([text], &scope, &InputVariables::none());
    let condition = bind("box(city has changed) and size has not changed").unwrap();
    let mut after = a_shelf();
    assert_eq!(evaluate_change(&condition, Some(&a_shelf()), &after), Ok(false));
    after["box"]["city"] = json!("Hamburg");
    assert_eq!(evaluate_change(&condition, Some(&a_shelf()), &after), Ok(true));
    after["size"] = json!(6);
    assert_eq!(evaluate_change(&condition, Some(&a_shelf()), &after), Ok(false));
    assert!(bind("books(title has changed)").unwrap_err().message().contains("part of a list"));
    assert!(bind("books has changed").is_ok());
}

#[test]
fn binds_any_name_without_a_model() {
    let bind = |text: &str| bind_all([text], &NameScope::anything(), &InputVariables::none()).unwrap();
    let document = json!({"a": {"b": [{"c": 1}, {"c": "x"}]}, "d": [1, 2]});
    assert!(evaluate_value(&bind(r#"a(b(c = "x")) and d contains all (1, 2)"#), &document));
    assert!(!evaluate_value(&bind("a(b(c = 2)) or e is defined"), &document));
}
