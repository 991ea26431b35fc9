//! Names of types and files that have no noun, names of functions that say nothing, and type names that several crates use.

use super::finding::Finding;
use super::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Participles, pronouns, adverbs and prepositions. A name is odd if all of its words are in this list.
const STOP_WORDS: &[&str] = &[
    "acting",
    "addressed",
    "after",
    "again",
    "ahead",
    "alike",
    "along",
    "anew",
    "answering",
    "apart",
    "asked",
    "asking",
    "asks",
    "attempt",
    "awaited",
    "became",
    "become",
    "before",
    "begin",
    "behind",
    "beside",
    "bounds",
    "brake",
    "by",
    "chosen",
    "circle",
    "doing",
    "early",
    "endings",
    "entered",
    "fate",
    "fates",
    "found",
    "freshness",
    "given",
    "glance",
    "guarded",
    "happened",
    "heads",
    "heard",
    "held",
    "here",
    "hold",
    "holds",
    "how",
    "inside",
    "judge",
    "keeps",
    "kept",
    "late",
    "left",
    "lent",
    "looked",
    "meant",
    "moving",
    "named",
    "near",
    "newest",
    "noted",
    "once",
    "packed",
    "plain",
    "plainly",
    "read",
    "ready",
    "recalling",
    "room",
    "said",
    "seen",
    "serving",
    "shown",
    "sight",
    "spoken",
    "standing",
    "taken",
    "telling",
    "tells",
    "there",
    "thing",
    "things",
    "together",
    "told",
    "turns",
    "twice",
    "unread",
    "unwritten",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whose",
    "why",
    "written",
];
/// Words that say as little in the name of a function. `has` needs the thing: `has_scope`.
const FUNCTION_STOP_WORDS: &[&str] = &[
    "about", "act", "answer", "ask", "askers", "at", "below", "both", "concerns", "done", "each", "ended",
    "ends", "every", "goes", "has", "keep", "made", "make", "nothing", "of", "on", "one", "only", "other",
    "others", "over", "own", "passes", "place", "places", "question", "same", "says", "stood", "tell",
    "through", "under", "until", "up", "use", "used", "uses", "whole", "with", "within", "without",
];
/// Words of [`STOP_WORDS`] that are verbs: `read_after` says what the function does.
const VERBS: &[&str] = &["begin", "read"];
/// File names that Rust gives.
const RUST_FILES: &[&str] = &["lib", "main", "mod", "build", "tests"];

/// Returns one finding for each odd name of a type, file or function.
pub(super) fn odd_names(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let stem =
            source.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
        if !RUST_FILES.contains(&stem) && is_odd(stem.split('_')) {
            findings.push(finding(source, 1, "file", stem));
        }
        for (name, line) in &source.types {
            let words = words(name);
            if is_odd(words.iter().map(String::as_str)) {
                findings.push(finding(source, *line, "type", name));
            }
        }
        for function in source.functions.iter().filter(|function| is_odd_function(&function.name)) {
            findings.push(finding(source, function.line, "function", &function.name));
        }
    }
    findings
}

fn finding(source: &Source, line: usize, kind: &str, name: &str) -> Finding {
    Finding {
        path: source.path.clone(),
        line,
        entry: format!("{} {name}", source.path),
        problem: match kind {
            "function" => {
                format!("the function name `{name}` says nothing; begin with a verb, e.g. `validate_draft`")
            }
            _ => format!("the {kind} name `{name}` has no noun; name the thing, e.g. `ExtensionClient`"),
        },
    }
}

/// Returns one finding for each type name that several crates use, under the name.
pub(super) fn shared_type_names(sources: &[Source]) -> Vec<Finding> {
    let mut places: BTreeMap<&str, BTreeMap<&str, (&Source, usize)>> = BTreeMap::new();
    for source in sources {
        let Some((folder, _)) = source.module() else { continue };
        for (name, line) in &source.types {
            places.entry(name).or_default().entry(folder).or_insert((source, *line));
        }
    }
    let shared = places.into_iter().filter(|(_, places)| places.len() > 1);
    shared
        .map(|(name, places)| {
            let crates: BTreeSet<&str> = places.keys().copied().collect();
            let crates = crates.into_iter().collect::<Vec<_>>().join(", ");
            let (source, line) = places.into_values().next_back().unwrap_or((&sources[0], 1));
            let problem = format!("`{name}` is a type in {crates}; name each for its part, or explain in xtask/words.toml why they share it");
            Finding { path: source.path.clone(), line, entry: name.to_owned(), problem }
        })
        .collect()
}

fn is_odd<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| STOP_WORDS.contains(&word))
}

fn is_odd_function(name: &str) -> bool {
    name.split('_').all(|word| {
        let is_stop_word = STOP_WORDS.contains(&word) || FUNCTION_STOP_WORDS.contains(&word);
        is_stop_word && !VERBS.contains(&word)
    })
}

/// The words of a name in camel case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if !letter.is_uppercase() => word.push(letter),
            _ => words.push(letter.to_lowercase().collect()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source::read(path, text).unwrap()
    }

    fn entries(findings: Vec<Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| finding.entry).collect()
    }

    #[test]
    fn finds_names_without_a_noun() {
        let sources = [source("crates/a/src/told.rs", "struct Asked; struct AskedFor; struct PriceFound;")];
        assert_eq!(entries(odd_names(&sources)), ["crates/a/src/told.rs told", "crates/a/src/told.rs Asked"]);
    }

    #[test]
    fn accepts_the_file_names_of_rust_and_compounds() {
        let sources =
            [source("crates/a/src/lib.rs", ""), source("crates/a/src/read_request.rs", "struct ReadPlan;")];
        assert!(odd_names(&sources).is_empty());
    }

    #[test]
    fn finds_functions_that_say_nothing() {
        let text = "fn told() {} fn has() {} fn goes_through() {} fn read_after() {} fn has_scope() {}";
        let names = ["told", "has", "goes_through"].map(|name| format!("crates/a/src/x.rs {name}"));
        assert_eq!(entries(odd_names(&[source("crates/a/src/x.rs", text)])), names);
    }

    #[test]
    fn finds_names_that_two_crates_use() {
        let sources = [
            source("crates/a/src/x.rs", "pub struct Place;"),
            source("crates/b/src/y.rs", "enum Place {}"),
            source("crates/b/src/z.rs", "struct Other;"),
        ];
        assert_eq!(entries(shared_type_names(&sources)), ["Place"]);
    }
}
