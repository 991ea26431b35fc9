//! The subjects of the newest commits: `area: imperative`, at most 72 characters (CONTRIBUTING.md, "Commits").
//!
//! Only commits that can still be reworded are checked: those that the upstream branch does not have yet, or the newest
//! ones where there is no upstream branch.

use std::path::Path;
use std::process::Command;

/// A longer subject is cut in most lists of commits.
const SUBJECT_CHARACTERS_MAX: usize = 72;
/// How many commits are checked where no upstream branch says which ones are new.
const NEWEST: &str = "-10";
/// Third persons and past forms that begin subjects by mistake: "adds a test".
const NOT_IMPERATIVE: &[&str] =
    &["added", "adds", "adding", "changed", "changes", "fixed", "fixes", "removed", "removes"];

/// Returns one problem for each new commit whose subject does not follow the form. A folder without a repository, e.g.
/// unpacked from an archive, has none.
pub(super) fn problems(root: &Path) -> Vec<String> {
    let new = subjects(root, &["@{upstream}..HEAD"]).or_else(|| subjects(root, &[NEWEST]));
    new.unwrap_or_default().lines().filter_map(problem_of).collect()
}

/// Returns the subjects of commits, or `None` if git does not know the range.
fn subjects(root: &Path, range: &[&str]) -> Option<String> {
    let log = ["log", "--no-merges", "--format=%s"];
    let output = Command::new("git").args(log).args(range).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn problem_of(subject: &str) -> Option<String> {
    let characters = subject.chars().count();
    let reason = if characters > SUBJECT_CHARACTERS_MAX {
        format!("has {characters} characters, {SUBJECT_CHARACTERS_MAX} are allowed")
    } else if !is_area_and_imperative(subject) {
        "does not follow `area: imperative`, e.g. `engine: retry commits refused by a precondition`"
            .to_owned()
    } else {
        return None;
    };
    Some(format!("the subject of the commit \"{subject}\" {reason} [commit-subjects]"))
}

/// Whether the subject names crates or folders, then begins with a verb in lower case.
fn is_area_and_imperative(subject: &str) -> bool {
    let Some((areas, rest)) = subject.split_once(": ") else { return false };
    let is_area = |area: &str| {
        let area = area.trim();
        !area.is_empty()
            && area
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_./ ".contains(&byte))
    };
    let verb = rest.split(' ').next().unwrap_or_default();
    areas.split(',').all(is_area)
        && verb.starts_with(|letter: char| letter.is_ascii_lowercase())
        && !NOT_IMPERATIVE.contains(&verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_an_area_and_an_imperative() {
        for subject in
            ["engine: retry commits refused by a precondition", "http, engine: keep reasons", "docs/api: add"]
        {
            assert_eq!(problem_of(subject), None, "{subject}");
        }
    }

    #[test]
    fn finds_subjects_of_another_form() {
        for subject in ["Mend doc links", "engine: Retry commits", "engine: fixes a race", "engine"] {
            assert!(problem_of(subject).unwrap().contains("does not follow"), "{subject}");
        }
        assert!(problem_of(&format!("engine: {}", "a".repeat(65))).unwrap().contains("73 characters"));
    }
}
