//! Selects the stemmer of a language, and applies it to words.

use super::light_stemmer;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use tantivy_stemmers::algorithms;

/// Longer words are not stemmed: they are no words of a language.
const STEMMED_CHARS_MAX: usize = 64;

/// The stemmer of one language.
pub(super) struct WordStemmer {
    how: StemmingAlgorithm,
    articles: &'static [&'static str],
}

enum StemmingAlgorithm {
    /// A Snowball stemmer of tantivy.
    Snowball(Stemmer),
    /// A stemmer that tantivy lacks, or a light one of our own.
    Function(fn(&str) -> Cow<'_, str>),
    /// No stemmer: words stay as they are.
    None,
}

impl WordStemmer {
    /// Returns the stemmer of a Locale: `de`, `de-AT`, `DE_at`.
    pub(super) fn for_language(language: Option<&str>) -> Self {
        let language = language
            .and_then(|locale| locale.split(['-', '_']).next())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let how = match language.as_str() {
            "ar" => snowball(Algorithm::Arabic),
            "ca" => StemmingAlgorithm::Function(algorithms::catalan),
            "cs" => StemmingAlgorithm::Function(algorithms::czech_dolamic_light),
            "da" => snowball(Algorithm::Danish),
            "de" => snowball(Algorithm::German),
            "el" => snowball(Algorithm::Greek),
            "en" => snowball(Algorithm::English),
            "es" => snowball(Algorithm::Spanish),
            "eu" => StemmingAlgorithm::Function(algorithms::basque),
            "fi" => snowball(Algorithm::Finnish),
            "fr" => snowball(Algorithm::French),
            "hi" => StemmingAlgorithm::Function(algorithms::hindi_lightweight),
            "hu" => snowball(Algorithm::Hungarian),
            "hy" => StemmingAlgorithm::Function(algorithms::armenian_mkrtchyan),
            "id" => StemmingAlgorithm::Function(algorithms::indonesian_tala),
            "it" => snowball(Algorithm::Italian),
            "lv" => StemmingAlgorithm::Function(light_stemmer::stem_latvian),
            "nl" => snowball(Algorithm::Dutch),
            "no" | "nb" | "nn" => snowball(Algorithm::Norwegian),
            "pl" => StemmingAlgorithm::Function(algorithms::polish_yarovoy),
            "pt" => snowball(Algorithm::Portuguese),
            "ro" => snowball(Algorithm::Romanian),
            "ru" => snowball(Algorithm::Russian),
            "sk" => StemmingAlgorithm::Function(light_stemmer::stem_slovak),
            "sv" => snowball(Algorithm::Swedish),
            "tr" => snowball(Algorithm::Turkish),
            // Persian has few endings, and the folding of letters handles most of it. Chinese, Japanese, Korean and
            // Thai are split by their script.
            _ => StemmingAlgorithm::None,
        };
        let articles: &'static [&'static str] = match language.as_str() {
            "fr" | "ca" => {
                &["l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"]
            }
            "it" => &[
                "l", "un", "d", "all", "dall", "dell", "nell", "sull", "coll", "gl", "agl", "dagl", "degl",
                "negl", "sugl", "c", "m", "s", "t", "v", "quest", "quell",
            ],
            _ => &[],
        };
        Self { how, articles }
    }

    /// Removes an article that is joined to a lower-cased word: `l'armoire`.
    pub(super) fn without_article<'a>(&self, word: &'a str) -> &'a str {
        match word.split_once('\'') {
            Some((article, rest)) if !rest.is_empty() && self.articles.contains(&article) => rest,
            _ => word,
        }
    }

    /// Returns the stem of a lower-cased word.
    pub(super) fn apply<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.chars().nth(STEMMED_CHARS_MAX).is_some() || !word.chars().any(char::is_alphabetic) {
            return Cow::Borrowed(word);
        }
        match &self.how {
            StemmingAlgorithm::Snowball(stemmer) => stemmer.stem(word),
            StemmingAlgorithm::Function(stem) => stem(word),
            StemmingAlgorithm::None => Cow::Borrowed(word),
        }
    }
}

fn snowball(algorithm: Algorithm) -> StemmingAlgorithm {
    StemmingAlgorithm::Snowball(Stemmer::create(algorithm))
}
