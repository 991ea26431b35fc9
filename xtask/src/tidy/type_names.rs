//! Names of types that stand twice in a crate: a reader who meets one must know which is meant.
//!
//! Types within functions and in traits are their own place; those of tests are not looked at.

use super::finding::Finding;
use super::source::Source;
use std::collections::BTreeMap;

/// One finding for each name of several types of a crate.
pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut named: BTreeMap<(&str, &str), Vec<(&Source, usize)>> = BTreeMap::new();
    for source in sources {
        let Some((folder, _)) = source.module() else { continue };
        for (name, line) in &source.types {
            named.entry((folder, name)).or_default().push((source, *line));
        }
    }
    let twice = named.into_iter().filter(|(_, places)| places.len() > 1);
    twice.map(|((folder, name), places)| finding(folder, name, &places)).collect()
}

fn finding(folder: &str, name: &str, places: &[(&Source, usize)]) -> Finding {
    let all: Vec<String> = places.iter().map(|(source, line)| format!("{}:{line}", source.path)).collect();
    let (source, line) = places[0];
    Finding {
        path: source.path.clone(),
        line,
        entry: format!("{folder} {name}"),
        problem: format!(
            "`{name}` stands for {} types ({}); call all but one what they are",
            places.len(),
            all.join(", ")
        ),
    }
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
    fn a_name_stands_for_one_type_of_a_crate() {
        let files = [
            ("crates/a/src/shelf.rs", "pub struct Place; enum Found {}"),
            ("crates/a/src/cart/price.rs", "type Place = usize; trait Found {}"),
            ("crates/b/src/shelf.rs", "struct Place;"),
        ];
        assert_eq!(finding_entries(&files), ["crates/a Found", "crates/a Place"]);
    }

    #[test]
    fn types_of_tests_and_of_traits_do_not_count() {
        let files = [
            ("crates/a/src/a.rs", "struct Place; #[cfg(test)] mod tests { struct Place; }"),
            ("crates/a/src/b.rs", "impl Iterator for B { type Place = u8; } #[cfg(test)] struct Place;"),
        ];
        assert_eq!(finding_entries(&files), Vec::<String>::new());
    }
}
