//! Constants that exist twice: a limit that is changed in one place only is two limits.
//!
//! Names of fields and paths are the API's own words and may be repeated; all other values exist once in the product.
//! Rows of the tables of exceptions do not count as constants.

use super::finding::Finding;
use super::source::{Constant, Source};
use std::collections::BTreeMap;

/// Where a face may differ from the model by name.
const EXCEPTIONS: &str = "crates/graphql/src/exceptions/";
/// A longer value is left out of the list.
const LISTED_CHARS_MAX: usize = 40;

/// Constants of one name and one value.
pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut named: BTreeMap<(&str, &str), Vec<(&Source, &Constant)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| is_product(&source.path)) {
        for constant in source.constants.iter().filter(|constant| !is_word(&constant.value)) {
            named.entry((&constant.name, &constant.value)).or_default().push((source, constant));
        }
    }
    let twice = named.into_iter().filter(|(_, places)| places.len() > 1);
    twice.map(|((name, value), places)| finding(name, value, &places)).collect()
}

fn finding(name: &str, value: &str, places: &[(&Source, &Constant)]) -> Finding {
    let all: Vec<String> =
        places.iter().map(|(source, constant)| format!("{}:{}", source.path, constant.line)).collect();
    let (source, constant) = places[0];
    Finding {
        path: source.path.clone(),
        line: constant.line,
        entry: match value.len() {
            0..=LISTED_CHARS_MAX => format!("{name} = {value}"),
            _ => name.to_owned(),
        },
        problem: format!("`{name}` stands {} times ({}); keep one and use it", places.len(), all.join(", ")),
    }
}

fn is_product(path: &str) -> bool {
    path.starts_with("crates/") && !path.starts_with(EXCEPTIONS)
}

/// True for a word of the API, for the first numbers, and for the content of a file (`include_str!`).
fn is_word(value: &str) -> bool {
    let text = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    text.is_some_and(|text| text.chars().all(|letter| letter.is_alphanumeric() || "-_.".contains(letter)))
        || value.starts_with("include_")
        || matches!(value, "0" | "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_entries(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::read(path, text).unwrap()).collect();
        findings(&sources).into_iter().map(|finding| finding.entry).collect()
    }

    #[test]
    fn one_name_with_one_value_stands_once() {
        let files = [
            ("crates/a/src/limits.rs", "const LIMIT_MAX: usize = 500; const FEW: &[u8] = &[1];"),
            ("crates/b/src/limits.rs", "const LIMIT_MAX: usize = 500; const FEW: &[u8] = &[2];"),
        ];
        assert_eq!(finding_entries(&files), ["LIMIT_MAX = 500"]);
    }

    #[test]
    fn words_of_the_api_and_constants_of_tests_may_be_said_again() {
        let files = [
            ("crates/a/src/a.rs", "const KEY: &str = \"typeId\"; #[cfg(test)] const MANY: u8 = 200;"),
            ("crates/b/src/a.rs", "const KEY: &str = \"typeId\"; #[cfg(test)] const MANY: u8 = 200;"),
        ];
        assert_eq!(finding_entries(&files), Vec::<String>::new());
    }
}
