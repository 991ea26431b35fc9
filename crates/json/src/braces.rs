//! Where the objects of a JSON text end: found by its quotes, backslashes and braces alone, 64 bytes in a step. Nothing else of
//! the text is looked at, so that of a text that is no JSON the answer means nothing.
//!
//! The way is that of simdjson (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019): a bit for each byte of a
//! step, and what is between quotes by a sum of bits without carry.

use crate::plain::LANES;
use bytes::Bytes;
use std::sync::Arc;
use wide::u8x16;

/// So many bytes are one step.
const STEP: usize = 64;
/// Each second bit, from the first.
const EVEN: u64 = 0x5555_5555_5555_5555;
/// Objects of so many bytes are shared with the one before them where they are the same.
pub(crate) const SHARED_BYTES_MIN: usize = 256;
/// An object takes about so many bytes.
const OBJECT_BYTES_USUAL: usize = 64;

/// Where an object ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct End {
    /// The byte behind it, in the whole text.
    pub(crate) at: u32,
    /// The place of the next object that is not in this one.
    pub(crate) next: u32,
}

/// Where all objects of a text end.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// In the sequence in which the objects begin.
    pub(crate) all: Vec<End>,
    /// Whether the text has no backslash: each string in it stands for itself.
    pub(crate) is_plain: bool,
    /// The whole document, to say which one it is where a part of it is damaged; empty where nobody reads it as a document.
    pub(crate) document: Bytes,
}

impl Ends {
    /// Those of a text. `None` where a brace or a quote lacks its counterpart, or where more objects than `depth_max` stand in each
    /// other.
    pub(crate) fn of(text: &[u8], depth_max: usize) -> Option<Self> {
        // Each place in the text is a `u32` from here on.
        u32::try_from(text.len()).ok()?;
        let all = Vec::with_capacity(text.len() / OBJECT_BYTES_USUAL + 1);
        let mut finding = Finding {
            ends: Self { all, is_plain: true, document: Bytes::new() },
            open: Vec::with_capacity(depth_max),
            depth_max,
        };
        let (mut quotes, mut at) = (Quotes::default(), 0);
        let (steps, rest) = text.as_chunks::<STEP>();
        for step in steps {
            finding.step(step, at, &mut quotes)?;
            at += STEP;
        }
        let mut last = [b' '; STEP];
        last[..rest.len()].copy_from_slice(rest);
        finding.step(&last, at, &mut quotes)?;
        (finding.open.is_empty() && quotes.between == 0).then_some(finding.ends)
    }
}

/// What is known of quotes behind a step.
#[derive(Default)]
struct Quotes {
    /// All bits where a string goes on, none where it does not.
    between: u64,
    /// 1 where a backslash stands before the next byte and makes it stand for something else.
    escaped: u64,
}

impl Quotes {
    /// The bytes of a step that are between quotes, with the quote before them.
    fn between(&mut self, quotes: u64, backslashes: u64) -> u64 {
        let escaped = self.escaped(backslashes);
        let mut between = quotes & !escaped;
        for by in [1, 2, 4, 8, 16, 32] {
            between ^= between << by;
        }
        between ^= self.between;
        self.between = 0_u64.wrapping_sub(between >> (STEP - 1));
        between
    }

    /// The bytes of a step before which an odd number of backslashes stands.
    fn escaped(&mut self, backslashes: u64) -> u64 {
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        let backslashes = backslashes & !self.escaped;
        let behind = backslashes << 1 | self.escaped;
        let odd_starts = backslashes & !EVEN & !behind;
        let (even_sequences, overflows) = odd_starts.overflowing_add(backslashes);
        self.escaped = u64::from(overflows);
        (EVEN ^ (even_sequences << 1)) & behind
    }
}

/// Where the objects end that are in one that was passed over.
#[derive(Clone)]
pub(crate) struct Inside {
    pub(crate) ends: Arc<Ends>,
    /// The place of the first of them.
    pub(crate) first: usize,
    /// The byte in the whole text with which the object begins.
    pub(crate) start: usize,
}

struct Finding {
    ends: Ends,
    /// The places of the objects that are begun.
    open: Vec<u32>,
    depth_max: usize,
}

impl Finding {
    /// Goes through a step that begins at a byte.
    fn step(&mut self, step: &[u8; STEP], at: usize, quotes: &mut Quotes) -> Option<()> {
        let [mut quoted, mut backslashes, mut begun, mut ended] = [0; 4];
        let (lanes, _) = step.as_chunks::<LANES>();
        for (place, lanes) in lanes.iter().enumerate() {
            let lanes = u8x16::new(*lanes);
            let same =
                |byte: u8| u64::from(lanes.simd_eq(u8x16::splat(byte)).to_bitmask()) << (LANES * place);
            quoted |= same(b'"');
            backslashes |= same(b'\\');
            begun |= same(b'{');
            ended |= same(b'}');
        }
        self.ends.is_plain &= backslashes == 0;
        let between = quotes.between(quoted, backslashes);
        let mut braces = (begun | ended) & !between;
        while braces != 0 {
            let bit = braces & braces.wrapping_neg();
            braces ^= bit;
            let brace = at + bit.trailing_zeros() as usize;
            if begun & bit == 0 { self.end(brace)? } else { self.begin()? }
        }
        Some(())
    }

    fn begin(&mut self) -> Option<()> {
        let all = &mut self.ends.all;
        self.open.push(u32::try_from(all.len()).ok()?);
        all.push(End::default());
        (self.open.len() <= self.depth_max).then_some(())
    }

    fn end(&mut self, brace: usize) -> Option<()> {
        let all = &mut self.ends.all;
        let place = self.open.pop()?;
        let next = u32::try_from(all.len()).ok()?;
        all[place as usize] = End { at: u32::try_from(brace + 1).ok()?, next };
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, a byte after the other.
    fn one_by_one(text: &[u8]) -> Option<Vec<End>> {
        let (mut all, mut open, mut is_between, mut is_escaped) = (Vec::new(), Vec::new(), false, false);
        for (at, byte) in text.iter().enumerate() {
            let escaped = std::mem::take(&mut is_escaped);
            match byte {
                b'\\' => is_escaped = !escaped,
                b'"' if !escaped => is_between = !is_between,
                b'{' if !is_between => {
                    open.push(all.len());
                    all.push(End::default());
                }
                b'}' if !is_between => {
                    let place = open.pop()?;
                    all[place] = End { at: at as u32 + 1, next: all.len() as u32 };
                }
                _ => {}
            }
        }
        (open.is_empty() && !is_between).then_some(all)
    }

    fn found(text: &[u8]) -> Option<Vec<End>> {
        Ends::of(text, 1000).map(|ends| ends.all)
    }

    proptest! {
        #[test]
        fn whatever_the_text_braces_are_found_as_one_by_one(
            pieces in prop::collection::vec(prop_oneof![
                Just("{".to_owned()), Just("}".to_owned()), Just("\"".to_owned()), Just("\\".to_owned()),
                Just("{}".to_owned()), Just("\"\"".to_owned()), "\\\\{1,70}", "[a-z]{0,70}",
            ], 0..60),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(found(text.as_bytes()), one_by_one(text.as_bytes()), "{}", text);
        }

        #[test]
        fn each_object_is_found_in_what_is_written(depth in 0_usize..20, long in 0_usize..100, text in "[\"\\\\{}a]{0,20}") {
            let long = "x".repeat(long);
            let mut value = crate::json!({"end": text});
            for _ in 0..depth {
                value = crate::json!({"before": &long, "in": [value, {"text": text}], "{": {}});
            }
            let text = value.to_string();
            let ends = found(text.as_bytes()).unwrap();
            prop_assert_eq!(ends.len(), 1 + 3 * depth);
            prop_assert_eq!(ends[0], End { at: text.len() as u32, next: ends.len() as u32 });
            prop_assert_eq!(Some(ends), one_by_one(text.as_bytes()));
        }
    }

    #[test]
    fn what_has_no_backslash_is_plain() {
        for (text, is_plain) in [(r#"{"a":"b"}"#, true), (r#"{"a":"\n"}"#, false), ("", true)] {
            assert_eq!(Ends::of(text.as_bytes(), 1).unwrap().is_plain, is_plain, "{text}");
        }
    }

    #[test]
    fn what_stands_alone_or_too_deep_is_told() {
        for text in ["{", "}", "}{", "{\"}", "{\"a\\\"}", "{{{}}}"] {
            assert!(Ends::of(text.as_bytes(), 2).is_none(), "{text}");
        }
        assert!(Ends::of(b"{{}{}}", 2).is_some());
    }
}
