//! Chooses the part of an error's message that distinguishes the refusal from others: [`telling_part`].
//!
//! The part is a short phrase: the words of a message that carry most meaning, without values that differ from run to
//! run. [`telling_path`] and [`telling_value`] are for messages that begin with a path: `actions[0].name: a value is
//! required`.

use crate::names::BoundNames;
use regex::Regex;
use std::sync::LazyLock;

/// The longest phrase that is chosen. A whole sentence would make each change of wording a change of the tests.
const PHRASE_CHARS_MAX: usize = 40;
/// Ids that the server makes up have more characters than words of a conversation.
const ID_CHARS_MIN: usize = 16;
/// A phrase with a lower score says less than the path of the message.
const SCORE_MIN: i32 = 15;

/// Words that say nothing alone.
const FILLERS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "for", "from", "has", "have", "here",
    "in", "is", "it", "its", "of", "on", "one", "or", "so", "that", "the", "there", "they", "this", "to",
    "was", "were", "where", "which", "with", "your",
];
/// Verbs of which a phrase has one, as a rule.
const VERBS: &[&str] = &["are", "can", "cannot", "does", "has", "have", "is", "must", "needs", "was", "were"];
/// Words that another one must follow.
const OPEN_ENDS: &[&str] = &[
    "cannot", "does", "expected", "found", "least", "most", "must", "needs", "neither", "no", "not", "only",
    "than",
];
/// Words that carry the reason of most refusals.
const REASONS: &[&str] = &[
    "already",
    "cannot",
    "different",
    "duplicate",
    "expected",
    "missing",
    "must",
    "neither",
    "no",
    "nobody",
    "none",
    "not",
    "nothing",
    "only",
    "required",
    "several",
    "twice",
    "unknown",
    "without",
];

/// The begin of an id that nothing has.
const NO_ID: &str = "00000000-0000-";
/// A message whose rest repeats the path of the request.
const URI_NOT_FOUND: &str = "URI not found";

#[allow(clippy::expect_used)] // The expressions are constants that the tests below compile.
static UNSTABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["{\n]|://|\d{4}-\d\d-\d\dT|[0-9a-f]{8}-[0-9a-f]{4}-"#).expect("a valid expression")
});
/// Phrases that messages of many reasons share, and positions in the request.
#[allow(clippy::expect_used)]
static COMMON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^.*Syntax error while parsing '[^']*'\. ",
        r"|^Malformed parameter: (?:(?:where|condition|\w*[pP]redicate): )?",
        r"|^Insufficient scope\. (?:One of the following scopes is )?",
        r"|^The Resource | was not found\.$",
        r"|^\w+\[\d+\]: ",
        r"|(?s) \((?:at|line) [^)]*\).*$| at line \d+ column \d+$",
    ))
    .expect("a valid expression")
});
#[allow(clippy::expect_used)]
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([\w.\[\]-]*[\w\]]):(?: |$)").expect("a valid expression"));

/// Returns a part of `message`; `None` if it has none that is the same in each run.
pub(crate) fn telling_part(message: &str, names: &BoundNames) -> Option<String> {
    if message.starts_with(URI_NOT_FOUND) {
        return Some(URI_NOT_FOUND.to_owned());
    }
    let text = stable(message, names);
    let starts = if text.starts_with("unknown ") { 1 } else { usize::MAX };
    match phrase(&text, starts) {
        Some((score, found)) if score >= SCORE_MIN || PATH.captures(&text).is_none() => Some(found),
        _ => path_of(&text),
    }
}

/// Like [`telling_part`], of a message whose path says what is wrong.
pub(crate) fn telling_path(message: &str, names: &BoundNames) -> Option<String> {
    let message = COMMON.replace_all(message, "");
    match PATH.captures(&message) {
        Some(path) if message[path[0].len()..].starts_with("unknown ") => telling_value(&message, names),
        Some(path) => Some(path[0].trim_end().to_owned()),
        None => telling_part(&message, names),
    }
}

/// Like [`telling_part`], of a message about a value: its path, with the begin of the reason.
pub(crate) fn telling_value(message: &str, names: &BoundNames) -> Option<String> {
    let text = stable(message, names);
    let Some(path) = path_of(&text) else { return telling_part(message, names) };
    match phrase(&text, 1) {
        Some((_, found)) if found.len() > path.len() => Some(found),
        _ => Some(path),
    }
}

/// Returns the path that a message begins with, with its colon.
fn path_of(text: &str) -> Option<String> {
    PATH.captures(text).map(|path| path[0].trim_end().to_owned())
}

/// Returns the message without its common parts, and with names in place of ids.
fn stable(message: &str, names: &BoundNames) -> String {
    replace_bound_values(&COMMON.replace_all(message, ""), names)
}

/// Returns a text with names in place of the ids and keys that they are bound to.
pub(crate) fn replace_bound_values(text: &str, names: &BoundNames) -> String {
    let mut text = text.to_owned();
    for (name, value) in names.texts() {
        let is_made_up =
            value.len() >= ID_CHARS_MIN && value.contains(|letter: char| letter.is_ascii_digit());
        if is_made_up || name == "shop" {
            text = text.replace(value, &format!("<{name}>"));
        }
    }
    text
}

/// Whether a text may differ from run to run, or makes a part hard to read.
pub(crate) fn is_unstable(text: &str) -> bool {
    UNSTABLE.is_match(text) && !text.contains(NO_ID)
}

/// Returns the sequence of words that carries most meaning, and its score. It begins with one of the first `starts`
/// words.
fn phrase(text: &str, starts: usize) -> Option<(i32, String)> {
    let words: Vec<&str> = text.split(' ').collect();
    // The words after a colon are the reason.
    let reason = words.iter().rposition(|word| word.ends_with(':')).map_or(0, |colon| colon + 1);
    let reason = if reason + 1 < words.len() || words.len() == 2 { reason } else { 0 };
    let mut best: Option<(i32, String)> = None;
    for start in 0..words.len().min(starts) {
        for end in start..words.len() {
            let sequence = &words[start..=end];
            let found = sequence.join(" ");
            let found = found.trim_end_matches(['.', ',', ';', ':']);
            let ends = end > start && words[end] == "so";
            if is_unstable(words[end]) || found.chars().count() > PHRASE_CHARS_MAX || ends {
                break;
            }
            let is_before_reason = starts > 1 && end < reason && reason < words.len();
            let length = i32::try_from(found.len()).unwrap_or_default();
            let meaning: i32 = sequence.iter().map(|word| weight(word)).sum();
            let score = 10 * meaning - length / 3 - faults(sequence) - 70 * i32::from(is_before_reason);
            if score > best.as_ref().map_or(0, |(other, _)| *other) {
                best = Some((score, found.to_owned()));
            }
            if words[end].ends_with(['.', ';']) || end + 1 == reason && end > 0 {
                break;
            }
        }
    }
    best
}

/// Returns how bad the words are as a phrase: with loose ends, enumerating, or without a verb.
fn faults(words: &[&str]) -> i32 {
    let (Some(first), Some((last, before))) = (words.first(), words.split_last()) else { return 0 };
    let is_loose = is_filler(first) && !VERBS.contains(first);
    let is_open = is_filler(last) || OPEN_ENDS.contains(&last.to_ascii_lowercase().as_str());
    let is_alone = before.is_empty() && !is_name(last);
    let commas = before.iter().map(|word| i32::from(word.ends_with(','))).sum::<i32>();
    let has_verb = words.iter().any(|word| VERBS.contains(word));
    12 * i32::from(is_loose) + 24 * i32::from(is_open) + 10 * i32::from(is_alone) + 5 * commas
        - 20 * i32::from(has_verb)
}

/// Returns how much a word says.
fn weight(word: &str) -> i32 {
    match word.trim_matches(['.', ',', ';', ':', '(', ')']) {
        bare if REASONS.contains(&bare.to_ascii_lowercase().as_str()) || is_name(word) => 3,
        bare if is_filler(bare) => 0,
        "ID" | "id" | "key" | "identifier" => 1,
        _ if word.ends_with(':') => 1,
        _ => 2,
    }
}

/// Whether a word names something of the request: `'note'`, `manage_orders`, `<cart>`.
fn is_name(word: &str) -> bool {
    word.starts_with(['\'', '<', '`']) || word.contains(['_', '/'])
}

fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn names() -> BoundNames {
        let mut names = BoundNames::default();
        names.bind("shop", json!("shop-7"));
        names.bind("maria", json!("01a22c70-ac1c-467e-82e3-7707c93caa24"));
        names
    }

    #[test]
    fn chooses_the_words_with_most_meaning() {
        for (message, part) in [
            ("actions[0]: the Cart is not frozen.", "Cart is not frozen"),
            ("'key' has no changes. (at actions[0])", "'key' has no changes"),
            (
                "actions[0].priceId: the Product has no price with id 'none'.",
                "Product has no price with id 'none'",
            ),
            ("A Quote cannot be requested: the Cart is anonymous.", "Cart is anonymous"),
            (
                "Malformed parameter: where: The field 'key' does not exist. (line 1, column 1)",
                "field 'key' does not exist",
            ),
            (
                "Insufficient scope. One of the following scopes is missing: view_orders.",
                "missing: view_orders",
            ),
            (
                "Insufficient scope. One of the following scopes is missing: manage_checkout_payment_integrations.",
                "manage_checkout_payment_integrations",
            ),
            ("The Resource with key 'nowhere' was not found.", "key 'nowhere'"),
            ("URI not found: /shop-7/graphql", "URI not found"),
        ] {
            assert_eq!(telling_part(message, &names()).as_deref(), Some(part), "{message}");
        }
    }

    #[test]
    fn leaves_out_values_that_differ_from_run_to_run() {
        for (message, part) in [
            ("The Type '01a22c70-0000-467e-82e3-7707c93caa24' is for Channels.", "is for Channels"),
            (
                "The Customer '01a22c70-ac1c-467e-82e3-7707c93caa24' is locked.",
                "Customer '<maria>' is locked",
            ),
            ("Only these: view_states:shop-7", "Only these: view_states:<shop>"),
        ] {
            assert_eq!(telling_part(message, &names()).as_deref(), Some(part), "{message}");
        }
        assert_eq!(telling_part("01a22c70-0000-467e-82e3-7707c93caa24", &names()), None);
    }

    #[test]
    fn a_path_tells_which_value_is_wrong() {
        let path = |message| telling_path(message, &names());
        assert_eq!(
            path("locations[0].country: a value is required").as_deref(),
            Some("locations[0].country:")
        );
        assert_eq!(
            path("actions[0]: expected an object, found 1").as_deref(),
            Some("expected an object, found 1")
        );
        assert_eq!(path("color: unknown field; Draft has key").as_deref(), Some("color: unknown field"));
        let value = |message| telling_value(message, &names());
        let limit = "Malformed parameter: limit: 501 was sent, expected 0 to 500.";
        assert_eq!(value(limit).as_deref(), Some("limit: 501 was sent, expected 0 to 500"));
        assert_eq!(value("limit: \"501\" was sent, expected 0 to 500.").as_deref(), Some("limit:"));
    }
}
