//! Text analysis, the tokenizer: splits a text into the terms that full-text search compares.
//!
//! A text is split into words (Unicode Standard Annex 29), each word is converted to lower case and to its
//! compatibility form (NFKC), reduced to its stem if its language has a stemmer, and stripped of the marks of
//! Latin and Greek letters. A word that differs from its stem yields both terms at the same position:
//! prefixes and misspellings are compared with written words, not with stems.
//!
//! Scripts without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese) are split into characters and pairs
//! of characters, whatever the language of the field.
//!
//! | | indexed terms ([`terms`]) | query terms ([`query_terms`]) |
//! |---|---|---|
//! | `running`, `en` | `run`, `running` at position 0 | stem `run`, surface `running` |
//! | `運動鞋`, `zh` | `運`, `運動` at 0; `動`, `動鞋` at 1; `鞋` at 2 | `運動`, `動鞋` |
//! | `鞋`, `zh` | `鞋` at 0 | `鞋` |
//!
//! There are no stop words: a shop sells `The Who` and `It`.

mod fold;
mod light_stemmer;
mod word_stemmer;

pub use fold::fold_case;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;
use word_stemmer::WordStemmer;

/// Number of significant characters of a word. The rest is cut off, in indexed texts as in queries.
const WORD_CHARS_MAX: usize = 128;

/// A term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The compared text.
    pub text: String,
    /// The position of its word in the text, from 0. Never less than that of the term before.
    pub position: usize,
    /// The offset of its word in the text, in bytes.
    pub offset_from: usize,
    /// The offset of the end of its word, in bytes.
    pub offset_to: usize,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The indexed term of the word in all its forms.
    pub stem: String,
    /// The word itself, folded. Equal to the stem in languages without a stemmer.
    pub surface: String,
}

/// Returns the terms under which a text is indexed. `language` is a Locale, e.g. `de` or `de-AT`; the part before the
/// hyphen selects the stemmer. `None` and languages without a stemmer: folded words.
pub fn terms(language: Option<&str>, text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    each_term(language, text, |term| terms.push(term));
    terms
}

/// Calls `each` with the terms of a text, in order.
pub(crate) fn each_term(language: Option<&str>, text: &str, mut each: impl FnMut(Term)) {
    let stem = WordStemmer::for_language(language);
    let mut position = 0;
    for run in runs(text) {
        let (offset_from, offset_to) = (run.from, run.from + run.text.len());
        let mut push = |text: String, position: usize| {
            each(Term { text, position, offset_from, offset_to });
        };
        if run.is_unspaced {
            let letters = letters(run.text);
            for (index, letter) in letters.iter().enumerate() {
                push(letter.clone(), position + index);
                if let Some(next) = letters.get(index + 1) {
                    push(format!("{letter}{next}"), position + index);
                }
            }
            position += letters.len();
        } else if let Some(word) = word(&stem, run.text) {
            let is_stemmed = word.stem != word.surface;
            push(word.stem, position);
            if is_stemmed {
                push(word.surface, position);
            }
            position += 1;
        }
    }
}

/// Returns the terms of a query text, in order. Empty for a text without letters and digits.
pub fn query_terms(language: Option<&str>, text: &str) -> Vec<QueryTerm> {
    let stem = WordStemmer::for_language(language);
    let mut terms = Vec::new();
    let plain = |text: String| QueryTerm { stem: text.clone(), surface: text };
    for run in runs(text) {
        if run.is_unspaced {
            let letters = letters(run.text);
            match letters.as_slice() {
                [single] => terms.push(plain(single.clone())),
                several => {
                    terms.extend(several.windows(2).map(|pair| plain(pair.concat())));
                }
            }
        } else {
            terms.extend(word(&stem, run.text));
        }
    }
    terms
}

/// Returns how many characters of a term may differ for a requested `level`: none of one or two characters,
/// one of up to five. Reference type `SearchFuzzyValue`.
pub fn fuzziness(level: u8, term: &str) -> u8 {
    match term.chars().count() {
        0..=2 => 0,
        3..=5 => level.min(1),
        _ => level.min(2),
    }
}

/// A word, or consecutive letters of a script without spaces.
struct TextRun<'a> {
    text: &'a str,
    from: usize,
    is_unspaced: bool,
}

fn runs(text: &str) -> Vec<TextRun<'_>> {
    let mut runs: Vec<TextRun<'_>> = Vec::new();
    for (from, word) in text.unicode_word_indices() {
        let is_unspaced = word.chars().next().is_some_and(is_unspaced);
        if let Some(last) = runs.last_mut()
            && is_unspaced
            && last.is_unspaced
            && last.from + last.text.len() == from
            && let Some(joined) = text.get(last.from..from + word.len())
        {
            last.text = joined;
        } else {
            runs.push(TextRun { text: word, from, is_unspaced });
        }
    }
    runs
}

/// Folds a word, and returns it with its stem.
fn word(stem: &WordStemmer, text: &str) -> Option<QueryTerm> {
    let lower: String = if text.is_ascii() {
        // Fast path for ASCII words, which need only a change of case.
        text[..text.len().min(WORD_CHARS_MAX)].to_ascii_lowercase()
    } else {
        fold::fold_case(&text.nfkc().collect::<String>())
            .chars()
            .map(|letter| if matches!(letter, '\u{2019}' | '\u{ff07}') { '\'' } else { letter })
            .take(WORD_CHARS_MAX)
            .collect()
    };
    let lower = stem.without_article(&lower);
    let surface = fold::fold_marks(lower);
    let stemmed = fold::fold_marks(&stem.apply(lower));
    let stem = if stemmed.is_empty() { surface.clone() } else { stemmed };
    (!surface.is_empty()).then_some(QueryTerm { stem, surface })
}

/// Returns the letters of a run, each with its marks.
fn letters(run: &str) -> Vec<String> {
    run.graphemes(true)
        .map(|letter| fold::fold_case(&letter.nfkc().collect::<String>()))
        .filter(|letter| !letter.is_empty())
        .collect()
}

/// Whether a letter is of a script that is written without spaces, or (Hangul) joins particles to words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}'       // Thai, Lao
        | '\u{1000}'..='\u{109f}'     // Burmese
        | '\u{1100}'..='\u{11ff}'     // Hangul Jamo
        | '\u{1780}'..='\u{17ff}'     // Khmer
        | '\u{2e80}'..='\u{2fdf}'     // Han radicals
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'     // Hiragana, Katakana
        | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}'     // Han
        | '\u{ac00}'..='\u{d7ff}'     // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}'     // half-width forms
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Document B, "Languages with analyzers".
    const LANGUAGES: [&str; 30] = [
        "ar", "ca", "cs", "da", "de", "el", "en", "es", "eu", "fa", "fi", "fr", "hi", "hu", "hy", "id", "it",
        "ko", "lv", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sv", "th", "tr", "zh",
    ];

    fn stems(language: &str, text: &str) -> Vec<String> {
        query_terms(Some(language), text).into_iter().map(|term| term.stem).collect()
    }

    fn finds(language: &str, text: &str, requested: &str) -> bool {
        let terms = terms(Some(language), text);
        let query = query_terms(Some(language), requested);
        !query.is_empty() && query.iter().all(|word| terms.iter().any(|term| term.text == word.stem))
    }

    #[test]
    fn forms_of_a_word_find_each_other() {
        let mut missed = Vec::new();
        for (language, written, requested) in [
            ("ar", "الكتب", "كتب"),
            ("ca", "sabates", "sabata"),
            ("cs", "židle", "židlí"),
            ("da", "bogen", "bøger"),
            ("de", "Häuser", "Haus"),
            ("de-AT", "Stühle", "Stuhl"),
            ("el", "τραπέζι", "τραπέζια"),
            ("en", "Running shoes", "shoe run"),
            ("en-GB", "Men’s T-Shirts", "men t shirt"),
            ("es", "zapatos", "zapato"),
            ("eu", "liburuak", "liburuek"),
            ("fa", "كتاب", "کتاب"),
            ("fi", "kengät", "kengän"),
            ("fr", "l’armoire", "armoires"),
            ("hi", "लड़कों", "लड़का"),
            ("hu", "könyvek", "könyv"),
            ("hy", "կոշիկներ", "կոշիկները"),
            ("id", "bukunya", "buku"),
            ("it", "dell'orologio", "orologi"),
            ("ja", "ランニングシューズ", "シューズ"),
            ("ko", "운동화를", "운동화"),
            ("lv", "krēsli", "krēsls"),
            ("nl", "stoelen", "stoel"),
            ("no", "stolene", "stol"),
            ("pl", "stołami", "stoły"),
            ("pt", "sapatos", "sapato"),
            ("ro", "scaunele", "scaun"),
            ("ru", "стулья", "стульями"),
            ("sk", "stoličky", "stolička"),
            ("sv", "stolarna", "stol"),
            ("th", "รองเท้าวิ่ง", "รองเท้า"),
            ("tr", "kitaplar", "kitap"),
            ("zh", "运动鞋", "鞋"),
        ] {
            if !finds(language, written, requested) {
                missed.push((written, stems(language, written), stems(language, requested)));
            }
        }
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn a_language_without_a_stemmer_folds() {
        assert!(finds("xx", "Café ÅNGSTRÖM", "cafe angstrom"));
        assert_eq!(stems("xx", "running"), ["running"]);
        assert_eq!(query_terms(None, "Größe").first().map(|term| term.stem.clone()), Some("grosse".into()));
    }

    #[test]
    fn yields_the_word_and_its_stem() {
        let terms = terms(Some("en"), "Running fast");
        let seen: Vec<_> = terms
            .iter()
            .map(|term| (term.text.as_str(), term.position, term.offset_from, term.offset_to))
            .collect();
        assert_eq!(seen, [("run", 0, 0, 7), ("running", 0, 0, 7), ("fast", 1, 8, 12)]);
    }

    #[test]
    fn queries_scripts_without_spaces_in_pairs() {
        assert_eq!(stems("zh", "运动鞋 abc"), ["运动", "动鞋", "abc"]);
        let terms: Vec<_> = terms(Some("zh"), "运动鞋").into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["运", "运动", "动", "动鞋", "鞋"]);
        assert!(!finds("zh", "运鞋动", "运动"));
    }

    #[test]
    fn fuzziness_grows_with_the_term() {
        assert_eq!(
            [fuzziness(2, "ab"), fuzziness(2, "abc"), fuzziness(2, "abcde"), fuzziness(2, "abcdef")],
            [0, 1, 1, 2]
        );
        assert_eq!([fuzziness(0, "abcdef"), fuzziness(1, "abcdef")], [0, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn any_text_has_terms_and_finds_itself(text in "\\PC{0,40}|[a-zé'’ß ]{0,30}|[а-яёα-ωϊ ]{0,30}|[ا-ی ]{0,30}|[ऀ-ॿ ]{0,20}|[ա-և ]{0,20}") {
            for language in LANGUAGES {
                let terms = terms(Some(language), &text);
                prop_assert!(terms.is_sorted_by_key(|term| term.position));
                for request in query_terms(Some(language), &text) {
                    prop_assert!(terms.iter().any(|term| term.text == request.stem), "{language} {request:?}");
                    prop_assert!(terms.iter().any(|term| term.text == request.surface));
                }
                for term in terms {
                    prop_assert!(text.get(term.offset_from..term.offset_to).is_some());
                    prop_assert!(!term.text.is_empty());
                }
            }
        }
    }
}
