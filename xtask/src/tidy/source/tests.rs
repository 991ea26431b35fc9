use super::*;

#[test]
fn a_file_that_only_tests_have_is_a_test() {
    let read = |path: &str, text: &str| Source::read(path, text).unwrap();
    let parent = read("crates/a/src/lib.rs", "#[cfg(test)]\nmod shop;\nmod sold;");
    let text = "const SHOP: &str = \"a shop\";";
    let sources =
        without_tests(vec![parent, read("crates/a/src/shop.rs", text), read("crates/a/src/sold.rs", text)]);
    assert_eq!(sources.iter().map(|source| source.texts.len()).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(sources[1].lines, 1);
}

#[test]
fn texts_and_names_are_those_of_code() {
    let text = "/// A doc.\n#[serde(rename = \"no\")]\nfn f() -> String {\n format!(\"yes {x}\")\n}";
    let source = Source::read("crates/a/src/a.rs", text).unwrap();
    assert_eq!(source.texts.keys().collect::<Vec<_>>(), ["yes {x}"]);
    assert_eq!(source.texts["yes {x}"].first, 4);
    assert!(source.names.contains_key("format") && !source.names.contains_key("serde"));
}

#[test]
fn a_file_that_is_no_rust_says_where() {
    let problem = Source::read("crates/a/src/a.rs", "fn f() {\n  let = ;\n}").err().unwrap();
    assert!(problem.starts_with("crates/a/src/a.rs:2: "), "{problem}");
}
