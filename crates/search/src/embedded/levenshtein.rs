//! Fuzzy search: a Levenshtein automaton that finds words within a small edit distance in a dictionary without
//! visiting all of it. Start at [`LevenshteinAutomaton::build`].
//!
//! The dictionary is a tree of bytes. The prefix of a word gives a lower bound of its distance; a branch
//! above the maximum is skipped. Only the cells near the diagonal of the usual table are stored, so that a
//! state is a few bytes.

use tantivy_fst::Automaton;

/// The greatest supported distance.
pub(super) const MOST_MAX: usize = 2;
/// Cells of a row that can be within the distance: [`MOST_MAX`] on each side of the diagonal, and the diagonal.
const CELLS: usize = 2 * MOST_MAX + 1;
/// A distance above every maximum.
const FAR: u8 = MOST_MAX as u8 + 1;

/// Finds words whose distance from one of the searched words is at most a maximum; a swap of neighbours counts as one
/// edit.
pub(super) struct LevenshteinAutomaton<'a> {
    /// The prefix of each word in the dictionary.
    base: &'a [u8],
    words: [Vec<char>; 2],
    most: u8,
}

/// The state after the bytes read so far.
#[derive(Debug, Clone, Copy)]
pub(super) enum LevenshteinState {
    /// No searched word has this prefix.
    Nothing,
    /// The number of bytes read of the prefix before words.
    Before(usize),
    /// Characters of a word, and the first bytes of the next.
    Word { rows: [Distances; 2], chars: usize, last: char, begun: PartialCharacter },
}

/// Two rows of the table of one word: the distances of its prefixes from the text read so far, and from that
/// text without its last character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distances {
    now: [u8; CELLS],
    before: [u8; CELLS],
}

/// The first bytes of an incomplete character, and its length in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartialCharacter {
    bytes: [u8; 4],
    count: usize,
    of: usize,
}

impl<'a> LevenshteinAutomaton<'a> {
    /// Builds the automaton; `None` if `most` exceeds [`MOST_MAX`].
    pub(super) fn build(base: &'a [u8], words: [&str; 2], most: u8) -> Option<Self> {
        let words = words.map(|word| word.chars().collect());
        (usize::from(most) <= MOST_MAX).then_some(Self { base, words, most })
    }

    fn initial_state(&self) -> LevenshteinState {
        let mut now = [FAR; CELLS];
        for (at, cell) in now[MOST_MAX..].iter_mut().enumerate() {
            *cell = at as u8;
        }
        let rows = Distances { now, before: [FAR; CELLS] };
        LevenshteinState::Word { rows: [rows; 2], chars: 0, last: '\0', begun: PartialCharacter::default() }
    }

    /// Returns the rows of a word after one more character.
    fn next(word: &[char], rows: &Distances, chars: usize, (last, letter): (char, char)) -> Distances {
        let mut now = [FAR; CELLS];
        for at in 0..CELLS {
            // The length of the word's prefix that this cell is about.
            let Some(length) = (chars + 1 + at).checked_sub(MOST_MAX).filter(|length| *length <= word.len())
            else {
                continue;
            };
            let mut cell = rows.now.get(at + 1).map_or(FAR, |left_out| left_out + 1);
            if length > 0 {
                cell = cell.min(rows.now[at] + u8::from(word[length - 1] != letter));
                if at > 0 {
                    cell = cell.min(now[at - 1] + 1);
                }
            }
            if length > 1 && chars > 0 && word[length - 2] == letter && word[length - 1] == last {
                cell = cell.min(rows.before[at] + 1);
            }
            now[at] = cell.min(FAR);
        }
        Distances { now, before: rows.now }
    }
}

impl PartialCharacter {
    /// Adds a byte; returns the character once it is complete. `None` for invalid UTF-8.
    fn push_byte(mut self, byte: u8) -> Option<Result<char, Self>> {
        if self.count == 0 {
            self.of = match byte {
                0..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => return None,
            };
        }
        *self.bytes.get_mut(self.count)? = byte;
        self.count += 1;
        if self.count < self.of {
            return Some(Err(self));
        }
        std::str::from_utf8(&self.bytes[..self.count]).ok()?.chars().next().map(Ok)
    }
}

impl Automaton for LevenshteinAutomaton<'_> {
    type State = LevenshteinState;

    fn start(&self) -> LevenshteinState {
        if self.base.is_empty() { self.initial_state() } else { LevenshteinState::Before(0) }
    }

    fn is_match(&self, state: &LevenshteinState) -> bool {
        let LevenshteinState::Word { rows, chars, begun, .. } = state else { return false };
        begun.count == 0
            && self.words.iter().zip(rows).any(|(word, rows)| {
                let at = (word.len() + MOST_MAX).checked_sub(*chars);
                at.and_then(|at| rows.now.get(at)).is_some_and(|far| *far <= self.most)
            })
    }

    fn can_match(&self, state: &LevenshteinState) -> bool {
        match state {
            LevenshteinState::Nothing => false,
            LevenshteinState::Before(_) => true,
            LevenshteinState::Word { rows, .. } => {
                rows.iter().any(|rows| rows.now.iter().any(|far| *far <= self.most))
            }
        }
    }

    fn accept(&self, state: &LevenshteinState, byte: u8) -> LevenshteinState {
        match state {
            LevenshteinState::Nothing => LevenshteinState::Nothing,
            LevenshteinState::Before(count) if self.base.get(*count) != Some(&byte) => {
                LevenshteinState::Nothing
            }
            LevenshteinState::Before(count) if count + 1 == self.base.len() => self.initial_state(),
            LevenshteinState::Before(count) => LevenshteinState::Before(count + 1),
            LevenshteinState::Word { rows, chars, last, begun } => match begun.push_byte(byte) {
                None => LevenshteinState::Nothing,
                Some(Err(begun)) => LevenshteinState::Word { rows: *rows, chars: *chars, last: *last, begun },
                Some(Ok(letter)) => {
                    let [one, other] = &self.words;
                    let next = |word: &[char], rows| Self::next(word, rows, *chars, (*last, letter));
                    let rows = [next(one, &rows[0]), next(other, &rows[1])];
                    LevenshteinState::Word {
                        rows,
                        chars: chars + 1,
                        last: letter,
                        begun: PartialCharacter::default(),
                    }
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::edit_distance;
    use super::*;
    use proptest::prelude::*;

    fn finds(near: &LevenshteinAutomaton<'_>, bytes: &[u8]) -> bool {
        let mut state = near.start();
        for byte in bytes {
            assert!(!near.is_match(&state) || near.can_match(&state));
            if !near.can_match(&state) {
                return false;
            }
            state = near.accept(&state, *byte);
        }
        near.is_match(&state)
    }

    #[test]
    fn requires_the_prefix_before_words() {
        let near = LevenshteinAutomaton::build(b"name\0", ["shoe", "shoe"], 1).unwrap();
        assert!(finds(&near, b"name\0shoes") && finds(&near, b"name\0hsoe"));
        assert!(!finds(&near, b"nome\0shoes") && !finds(&near, b"shoe") && !finds(&near, b"name\0boot"));
        assert!(LevenshteinAutomaton::build(b"", ["shoe", "shoe"], 3).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn finds_exactly_the_words_within_the_distance(
            requested in "[abä€𝄞]{0,7}", stem in "[abä€𝄞]{0,5}", other in "[abä€𝄞]{0,8}", most in 0..=MOST_MAX,
        ) {
            let near = LevenshteinAutomaton::build(b"", [&requested, &stem], u8::try_from(most).unwrap()).unwrap();
            let is_near = |word: &str| {
                let word: Vec<char> = word.chars().collect();
                edit_distance(&word, &other, most, &mut Vec::new()).is_some()
            };
            prop_assert_eq!(finds(&near, other.as_bytes()), is_near(&requested) || is_near(&stem));
        }
    }
}
