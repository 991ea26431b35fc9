//! Descriptions of the model without notes about the implementation, for people who do not read the code.

/// The end of a sentence after which a description continues.
const SENTENCE_END: &str = ". ";
/// The language of the implementation: a sentence that names it is a note for developers.
const IMPLEMENTATION: &str = "Rust";
/// Ends of sentences about the implementation, which are removed without the rest of the sentence.
const NOTES: [&str; 6] = [
    ": checked in Rust",
    ", checked in Rust",
    " (checked in Rust)",
    ": in Rust",
    ", in Rust",
    ": set in Rust",
];

/// Returns a description for people; empty if nothing is left of it.
pub(super) fn for_people(description: &str) -> String {
    if !description.contains(IMPLEMENTATION) {
        return description.to_owned();
    }
    let text = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = text.split(SENTENCE_END).filter_map(|sentence| {
        let sentence = sentence.trim_end_matches('.');
        let without_note = NOTES.iter().find_map(|note| sentence.strip_suffix(note)).unwrap_or(sentence);
        (!without_note.contains(IMPLEMENTATION)).then_some(without_note)
    });
    let kept: Vec<&str> = sentences.filter(|sentence| !sentence.is_empty()).collect();
    match kept.as_slice() {
        [] => String::new(),
        kept => format!("{}.", kept.join(SENTENCE_END)),
    }
}

#[cfg(test)]
mod tests {
    use super::for_people;

    #[test]
    fn notes_about_the_implementation_are_left_out() {
        for (description, expected) in [
            ("A text.", "A text."),
            ("From 1 to 20: checked in Rust.", "From 1 to 20."),
            (
                "Absent: a root. A Category is never below itself: checked in Rust.",
                "Absent: a root. A Category is never below itself.",
            ),
            ("A text, or one for each language. Checked in Rust.", "A text, or one for each language."),
            ("Unique together with `store`:\n  in Rust.", "Unique together with `store`."),
            ("Companies and Divisions in one: which fields belong to which is checked in Rust.", ""),
            ("Becomes `deleteAt`, in Rust.", "Becomes `deleteAt`."),
        ] {
            assert_eq!(for_people(description), expected);
        }
    }
}
