//! Sentences of comments, guides and the model that a newcomer has to read twice.
//!
//! Each rule is a pattern of such sentences, e.g. a relative clause without a noun in front of it ("What is sent …"), or
//! an everyday word where the field has a standard one. A pattern finds some right sentences as well, so the rules have a
//! budget for each part of the tree (`budget`), which only shrinks.

use super::finding::Finding;
use super::prose::Block;
use regex::Regex;

/// A pattern and the advice for a sentence that it finds.
struct Rule {
    name: &'static str,
    pattern: Regex,
    advice: &'static str,
}

/// A sentence that begins with a relative clause.
const HEADLESS: &str = r"(?:^|[.:;] |\) )(?:What|Who|Whoever|Whose|Whatever|Those (?:that|of|which|who)|That which|The one (?:that|who|of))\b";
/// The same clause as an object.
const CLAUSE: &str = concat!(
    r"(?i)\b(?:of what|to what|from what|with what|by what|than what|as what|what (?:comes|becomes) of|whoever|whose turn|",
    r"what is (?:told|said|asked|kept|there|known|meant|read|written))\b|",
    r"(?:^|[.,:;(] |\b(?:for|of|to|by|with|from|as|than|and|or|if|that|is|are|only|all|those) )",
    r"who (?:asks?|reads?|writes?|has|sees|looks|comes|knows|waits|wants)\b",
);
/// Words for people where a program is meant.
const PERSON: &str = r"(?i)\b(?:nobody|somebody|whoever|anybody|he (?:is|has|sees|looks|asks|says|was)|him(?:self)?|they who)\b";
/// Everyday or old-fashioned words where a standard term exists.
const WORD: &str = concat!(
    r"(?i)\b(?:besides?|by and by|anew|goes on|going on with|stands? (?:in|at|on|behind|there|for|beside)|standing|",
    r"(?:comes?|takes?) along|brought along|(?:is|are) (?:told|heard|asked)|is (?:asked for|looked (?:at|for|up))|",
    r"looked whether|it is looked|hears? of|heard of|tells? (?:of|the)|said of|",
    r"as (?:it|they) (?:is|are|was|were) (?:sent|stored|there|said)|lets? go of|has its way|in the sequence of|",
    r"(?:figures?|numbers?) of (?:the )?(?:server|process)|answered (?:at|by|with|as)|",
    r"the answers? (?:is|are|of|to|say|says|has)|an answer\b|answers? (?:to|of|with|is|are|that|for)|passed over|",
    r"taken (?:for|as)|meant by|known by|what for|(?:in|out of) sight|whence|thereby|therein|hence|wherein|such a one|the like)\b",
);

/// All rules, compiled once.
pub(super) struct Rules(Vec<Rule>);

impl Rules {
    /// Fails if a pattern is no regular expression, which is a mistake of this file.
    pub(super) fn compile() -> Result<Self, String> {
        let rules = [
            ("headless", HEADLESS, "begin the sentence with a noun and an active verb: \"Returns the …\""),
            ("clause", CLAUSE, "name the thing: the request, the caller, the stored value"),
            (
                "person",
                PERSON,
                "say which program: the caller, the client, the server, the process, the thread",
            ),
            ("word", WORD, "use the standard term: next to, again, continues, returns, response, request"),
        ];
        let compiled = rules.map(|(name, pattern, advice)| {
            let pattern = Regex::new(pattern).map_err(|error| format!("rule '{name}': {error}"))?;
            Ok(Rule { name, pattern, advice })
        });
        compiled.into_iter().collect::<Result<_, String>>().map(Self)
    }

    /// Returns one finding for each block that at least one rule matches.
    pub(super) fn findings(&self, blocks: &[Block]) -> Vec<Finding> {
        blocks.iter().filter_map(|block| self.finding(block)).collect()
    }

    fn finding(&self, block: &Block) -> Option<Finding> {
        let text = without_code(&block.text);
        let mut matched: Vec<String> = self.0.iter().filter_map(|rule| rule.problem(&text)).collect();
        matched.extend(description_problem(block));
        (!matched.is_empty()).then(|| Finding {
            path: block.path.clone(),
            line: block.line,
            entry: block.text.clone(),
            problem: matched.join("; "),
        })
    }
}

impl Rule {
    fn problem(&self, text: &str) -> Option<String> {
        let found = self
            .pattern
            .find_iter(text)
            .find(|found| self.name != "headless" || !is_question(&text[found.end()..]))?;
        let words = found.as_str().trim_matches([' ', '.', ':', ';', ')']);
        Some(format!("{}: \"{words}\" ({})", self.name, self.advice))
    }
}

/// Returns the problem of a description that is no sentence, or that speaks of the code to users of the API.
fn description_problem(block: &Block) -> Option<String> {
    let text = block.text.as_str();
    let begins = text.starts_with(|first: char| !first.is_lowercase());
    let ends = text.ends_with(['.', ':', '?', '!', ')', '`']);
    let advice = if !begins || !ends {
        "write a sentence: begin with a capital letter and end with a full stop"
    } else if text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "Rust") {
        "say what the API does; its users do not see the code"
    } else {
        return None;
    };
    block.is_description.then(|| format!("description: \"{text}\" ({advice})"))
}

/// Whether the sentence that continues with `rest` ends with a question mark.
fn is_question(rest: &str) -> bool {
    rest.find(['.', ';', ':', '?']).is_some_and(|end| rest[end..].starts_with('?'))
}

/// Replaces code, quotations and links, whose words are not the author's choice.
fn without_code(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['`', '"', '[']) {
        plain.push_str(&rest[..start]);
        let quoted = &rest[start..];
        let end = match quoted.as_bytes()[0] {
            b'[' => quoted
                .find("](")
                .filter(|end| !quoted[1..*end].contains('['))
                .and_then(|end| Some(end + quoted[end..].find(')')?)),
            _ => quoted[1..].find(&quoted[..1]).map(|end| end + 1),
        };
        let skipped = end.map_or(1, |end| end + 1);
        plain.push_str(if end.is_some() { " X " } else { &quoted[..1] });
        rest = &quoted[skipped..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(text: &str) -> Vec<&'static str> {
        let rules = Rules::compile().unwrap();
        let text = without_code(text);
        rules.0.iter().filter(|rule| rule.problem(&text).is_some()).map(|rule| rule.name).collect()
    }

    #[test]
    fn finds_sentences_without_a_subject() {
        assert_eq!(matched("What a field counts."), ["headless"]);
        assert_eq!(matched("Fails. Those that wait are lost."), ["headless"]);
        assert!(matched("What does a field count? One.").is_empty());
    }

    #[test]
    fn finds_persons_and_everyday_words() {
        assert_eq!(matched("Sent to nobody."), ["person"]);
        assert_eq!(matched("Stands beside the file."), ["word"]);
        assert_eq!(matched("Returned for who asks."), ["clause"]);
    }

    #[test]
    fn finds_descriptions_that_are_no_sentences() {
        let problem = |text: &str, is_description| {
            let block = Block { path: String::new(), line: 1, text: text.to_owned(), is_description };
            description_problem(&block).is_some()
        };
        assert!(problem("the price of the variant", true));
        assert!(problem("Checked in Rust.", true));
        assert!(!problem("Returns the price of the variant.", true));
        assert!(!problem("left out of the index", false));
    }

    #[test]
    fn skips_code_quotations_and_links() {
        assert!(matched("Reads `what is told` and \"nobody\" and [beside](beside.md).").is_empty());
        assert_eq!(matched("Reads [0] and nobody."), ["person"]);
    }

    #[test]
    fn accepts_plain_sentences() {
        assert!(matched("Returns the price valid at `now`, or `None`.").is_empty());
        assert!(matched("Retries a commit that lost a race.").is_empty());
    }
}
