//! Resources named in generic code: what one kind needs is said in the model or in `commerce`, never by its name.

use super::finding::Finding;
use super::model::Directive;
use super::source::Source;
use std::collections::BTreeMap;

/// Crates that know no resource.
const GENERIC: &[&str] = &[
    "model",
    "query",
    "engine",
    "rest",
    "http",
    "graphql",
    "openapi",
    "storage",
    "search",
    "indexing",
    "search-service",
    "opensearch",
    "outbound",
];
/// Where a face may differ from the model by name.
const EXCEPTIONS: &str = "crates/graphql/src/exceptions/";
/// Parts of resources that the model does not list as kinds.
const PARTS: &[&str] = &["variant", "variants", "master-variant", "sku", "skus"];
/// Words that concern all resources although they name one, e.g. the project, or the messages and custom fields that any
/// resource can have. Names made only of these and of words of Rust, HTTP or databases are no findings.
const OF_ALL: &[&str] = &[
    "api-client",
    "associate",
    "business-unit",
    "channel",
    "customer",
    "extension",
    "application",
    "message",
    "order",
    "project",
    "session",
    "state",
    "transaction",
    "store",
    "subscription",
    "type",
    "variant",
    "zone",
];

/// The names of kinds and of their parts, each as its words in small letters.
pub(super) struct Names(BTreeMap<Vec<String>, String>);

impl Names {
    /// The kinds of the model, by `typeId`, path and name.
    pub(super) fn from_directives(directives: &[Directive]) -> Self {
        let kinds =
            directives.iter().filter(|directive| matches!(directive.name.as_str(), "resource" | "later"));
        let kinds = kinds.flat_map(|directive| {
            let shown = directive.text("typeId").unwrap_or(&directive.owner);
            let names = [Some(shown), directive.text("path"), Some(&directive.owner)];
            names.into_iter().flatten().map(|name| (name.to_owned(), shown.to_owned()))
        });
        Self::from(kinds.chain(PARTS.iter().map(|part| ((*part).to_owned(), (*part).to_owned()))))
    }

    fn from(names: impl Iterator<Item = (String, String)>) -> Self {
        Self(
            names.map(|(name, shown)| (words(&name), shown)).filter(|(words, _)| !words.is_empty()).collect(),
        )
    }

    /// The names in a text or in a name of Rust.
    fn names_in<'n>(&'n self, text: &str) -> impl Iterator<Item = &'n str> {
        let words = words(text);
        let found: Vec<&str> = (0..words.len())
            .filter_map(|start| {
                // The longest of those that begin here, or a category of products would be a product.
                (start + 1..=words.len())
                    .rev()
                    .find_map(|end| self.0.get(&words[start..end]))
                    .map(String::as_str)
            })
            .collect();
        found.into_iter()
    }
}

/// One finding for each name in each file of a generic crate.
pub(super) fn findings(sources: &[Source], names: &Names) -> Vec<Finding> {
    let mut findings = BTreeMap::new();
    for source in sources.iter().filter(|source| is_generic(&source.path)) {
        for (written, lines) in source.texts.iter().chain(&source.names) {
            for name in names.names_in(written).filter(|name| !OF_ALL.contains(name)) {
                let entry = format!("{} {name}", source.path);
                findings
                    .entry(entry.clone())
                    .or_insert_with(|| finding(source, written, lines.first, name, entry));
            }
        }
    }
    findings.into_values().collect()
}

fn finding(source: &Source, written: &str, line: usize, name: &str, entry: String) -> Finding {
    let problem = format!(
        "generic code names the resource '{name}' in `{}`; the model or crates/commerce says what it needs",
        written.replace('\n', " ")
    );
    Finding { path: source.path.clone(), line, entry, problem }
}

fn is_generic(path: &str) -> bool {
    GENERIC.iter().any(|name| {
        path.strip_prefix("crates/")
            .is_some_and(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with("/src/")))
    }) && !path.starts_with(EXCEPTIONS)
}

/// Words in small letters: `productTypes`, `ProductTypes`, `product_types` and `product-types` have the same two.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut follows = false;
    let mut was_small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            follows = false;
        } else {
            if !follows || (letter.is_uppercase() && was_small) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
            follows = true;
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_entries(path: &str, text: &str) -> Vec<String> {
        let named = |name: &str, shown: &str| (name.to_owned(), shown.to_owned());
        let names = Names::from(
            [
                named("product", "product"),
                named("products", "product"),
                named("product-type", "product-type"),
                named("state", "state"),
            ]
            .into_iter(),
        );
        let source = Source::read(path, text).unwrap();
        findings(&[source], &names).into_iter().map(|finding| finding.entry).collect()
    }

    #[test]
    fn generic_code_names_no_resource_in_texts_or_names() {
        let text = "fn of_products() { kind(\"productType\", \"counting a Product-type\") }";
        let both = ["crates/engine/src/a.rs product", "crates/engine/src/a.rs product-type"];
        assert_eq!(finding_entries("crates/engine/src/a.rs", text), both);
        assert_eq!(finding_entries("crates/commerce/src/a.rs", text), Vec::<String>::new());
        assert_eq!(finding_entries("crates/graphql/src/exceptions/a.rs", text), Vec::<String>::new());
    }

    #[test]
    fn comments_tests_and_what_concerns_all_resources_may() {
        let text = "//! Products.\n/// Product.\nstruct State;\n#[cfg(test)]\nmod tests { const A: &str = \"product\"; }";
        assert_eq!(finding_entries("crates/engine/src/a.rs", text), Vec::<String>::new());
        assert_eq!(
            finding_entries("crates/engine/tests/a.rs", "const A: &str = \"product\";"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_longer_name_is_not_the_shorter_one_in_it() {
        assert_eq!(words("byProduct-typesOf"), ["by", "product", "types", "of"]);
        assert_eq!(
            finding_entries("crates/query/src/a.rs", "struct ProductTypeId;"),
            ["crates/query/src/a.rs product-type"]
        );
        assert_eq!(finding_entries("crates/query/src/a.rs", "struct Production;"), Vec::<String>::new());
    }
}
