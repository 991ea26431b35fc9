//! Samples of shell commands that do not work where they are pasted.
//!
//! They have to work in bash and zsh, with any curl of the last ten years: zsh reads `#` as the name of a command and an unquoted
//! `?` or `*` as a pattern of file names; `curl --json` came with 7.82.

use super::finding::Finding;
use super::links::Pages;

/// Pages that users read.
const FOR_USERS: [&str; 4] = ["README.md", "docs/guide/", "deploy/", "examples/"];
/// Kinds of blocks that are pasted into a shell.
const SHELLS: [&str; 4] = ["sh", "bash", "zsh", "shell"];
/// Commands that samples begin with, also in blocks that do not say their kind.
const COMMANDS: [&str; 6] = ["kontor ", "curl ", "cargo ", "docker ", "sudo ", "export "];
/// Commands that go on until they are stopped: what stands below one of them in the same block is not run.
const STAYING: [&str; 3] = ["kontor serve", "kontor demo", "cargo run"];

/// Lines of samples that do not work, under the page and the line.
pub(super) fn findings(pages: &Pages) -> Vec<Finding> {
    let is_for_users = |path: &str| FOR_USERS.iter().any(|start| path.starts_with(start));
    let mut findings = Vec::new();
    for (path, text) in pages.iter().filter(|(path, _)| is_for_users(path)) {
        for (line, text, problem) in problems(text) {
            findings.push(Finding {
                path: path.clone(),
                line,
                entry: format!("{path} {}", text.trim()),
                problem: problem.to_owned(),
            });
        }
    }
    findings
}

/// The lines of a page that break when pasted, each with the reason.
fn problems(page: &str) -> Vec<(usize, &str, &'static str)> {
    let mut found = Vec::new();
    let mut kind = None;
    // The quotation mark of a text that continues in the next line.
    let mut quote = None;
    let mut stays = false;
    for (index, line) in page.lines().enumerate() {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            kind = if kind.is_none() { Some(fence.trim()) } else { None };
            (quote, stays) = (None, false);
            continue;
        }
        let Some(kind) = kind else { continue };
        let is_command = COMMANDS.iter().any(|command| line.starts_with(command));
        if !SHELLS.contains(&kind) && !(kind.is_empty() && (is_command || quote.is_some())) {
            continue;
        }
        if stays && !line.trim().is_empty() {
            found.push((index + 1, line, "stands below a command that does not end: begin another block"));
            stays = false;
        }
        let (bare, open) = unquoted(line, quote);
        quote = open;
        stays |= SHELLS.contains(&kind)
            && STAYING.iter().any(|command| bare.starts_with(command))
            && !bare.trim_end().ends_with(['\\', '&']);
        if let Some(problem) = problem(&bare) {
            found.push((index + 1, line, problem));
        }
    }
    found
}

/// The problem of a line's text outside of quotation marks.
fn problem(bare: &str) -> Option<&'static str> {
    let words: Vec<&str> = bare.split_whitespace().collect();
    if words.iter().any(|word| word.starts_with('#')) {
        return Some("zsh takes a comment for a command: say it in the text");
    }
    if words.contains(&"--json") && words.contains(&"curl") {
        return Some("curl before 7.82 has no --json: say -H 'Content-Type: application/json' -d");
    }
    if words.iter().any(|word| word.contains("://") && word.contains(['?', '*', '['])) {
        return Some("zsh takes ? and * for patterns of file names: put the address in quotation marks");
    }
    None
}

/// A line without what is in quotation marks, and the quotation mark that is still open at its end.
fn unquoted(line: &str, mut quote: Option<char>) -> (String, Option<char>) {
    let mut bare = String::new();
    let mut is_escaped = false;
    for one in line.chars() {
        match (quote, one) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(one),
            (Some(open), one) if open == one => quote = None,
            (Some(_), _) => {}
            (None, one) => bare.push(one),
        }
        if is_escaped && quote.is_none() {
            bare.push(one);
        }
    }
    (bare, quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(block: &str) -> Vec<usize> {
        problems(block).into_iter().map(|(line, ..)| line).collect()
    }

    #[test]
    fn comments_are_found_and_what_only_looks_like_one_is_not() {
        assert_eq!(lines("```sh\nkontor project list   # all of them\n# more\n```"), [2, 3]);
        assert_eq!(lines("```\nkontor project list   # all of them\n```"), [2]);
        assert!(lines("```sh\ncurl -d '{\"a\": \"# b\"}' http://a/#b\n```").is_empty());
        assert!(lines("```yaml\na: 1   # one\n```\nkontor # no block").is_empty());
    }

    #[test]
    fn json_is_said_as_every_curl_understands_it() {
        assert_eq!(lines("```sh\ncurl http://a --json '{}'\n```"), [2]);
        assert!(lines("```sh\nkontor client list --json\ncurl -d '--json' http://a\n```").is_empty());
    }

    #[test]
    fn patterns_are_in_quotation_marks() {
        assert_eq!(lines("```sh\ncurl http://a/b?limit=1\n```"), [2]);
        assert!(lines("```sh\ncurl 'http://a/b?limit=1' -d '{\n \"path\": \"http://*\"\n}'\n```").is_empty());
    }

    #[test]
    fn nothing_stands_below_a_command_that_does_not_end() {
        assert_eq!(lines("```sh\nkontor serve --in-memory\n\ncurl http://a\n```"), [4]);
        assert!(lines("```sh\nkontor serve \\\n  --in-memory\n```\n```sh\nkontor demo\n```").is_empty());
    }
}
