//! Functions and files that are too long to be read at once.

use super::finding::Finding;
use super::source::Source;

/// From the first word of a function to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;
const FILE_LINES_MAX: usize = 500;

/// Functions that are not tests, under the file and their name.
pub(super) fn long_functions(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        for function in source.functions.iter().filter(|function| function.lines > FUNCTION_LINES_MAX) {
            findings.push(Finding {
                path: source.path.clone(),
                line: function.line,
                entry: format!("{} {}", source.path, function.name),
                problem: format!(
                    "`{}` has {} lines, {FUNCTION_LINES_MAX} are enough; give its parts names of their own",
                    function.name, function.lines
                ),
            });
        }
    }
    findings
}

/// Files of any kind of Rust code, under their path.
pub(super) fn long_files(sources: &[Source]) -> Vec<Finding> {
    let long = sources.iter().filter(|source| source.lines > FILE_LINES_MAX);
    long.map(|source| Finding {
        path: source.path.clone(),
        line: FILE_LINES_MAX + 1,
        entry: source.path.clone(),
        problem: format!(
            "has {} lines, {FILE_LINES_MAX} are enough; it has more than one subject",
            source.lines
        ),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function_of(lines: usize) -> String {
        let body = "    let _ = 1;\n".repeat(lines - 2);
        format!("/// Says what it does.\n#[inline]\nfn long() {{\n{body}}}\n")
    }

    #[test]
    fn a_function_counts_from_its_name_to_its_brace() {
        let of = |text: &str| long_functions(&[Source::read("crates/a/src/b.rs", text).unwrap()]);
        assert!(of(&function_of(FUNCTION_LINES_MAX)).is_empty());
        let found = of(&function_of(FUNCTION_LINES_MAX + 1));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].entry.as_str(), found[0].line), ("crates/a/src/b.rs long", 3));
    }

    #[test]
    fn tests_may_be_as_long_as_their_story() {
        let inside = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function_of(FUNCTION_LINES_MAX + 1));
        let source = Source::read("crates/a/src/b.rs", &inside).unwrap();
        assert!(long_functions(&[source]).is_empty());
        let beside = Source::read("crates/a/tests/b.rs", &function_of(FUNCTION_LINES_MAX + 1)).unwrap();
        assert!(long_functions(&[beside]).is_empty());
    }

    #[test]
    fn files_of_tests_count_too() {
        let of =
            |lines: usize| long_files(&[Source::read("crates/a/tests/b.rs", &"\n".repeat(lines)).unwrap()]);
        assert!(of(FILE_LINES_MAX).is_empty());
        assert_eq!(of(FILE_LINES_MAX + 1)[0].entry, "crates/a/tests/b.rs");
    }
}
