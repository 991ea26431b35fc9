//! Finds where each object of a JSON text ends, by its quotes, backslashes and braces alone, 64 bytes in a step.
//! It does not validate: for a text that is not JSON the result means nothing.
//!
//! The algorithm is that of simdjson (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019): a bit mask
//! with one bit a byte, and the bytes between quotes by a carry-less sum of bits. Start at [`ObjectEnds::of`].

use crate::escape_scan::LANES;
use bytes::Bytes;
use std::sync::Arc;
use wide::u8x16;

/// Bytes in one step.
const STEP: usize = 64;
/// Every second bit, from the lowest.
const EVEN: u64 = 0x5555_5555_5555_5555;
/// Minimum size in bytes of an object that is compared with its predecessor and shared with it if both are equal.
pub(crate) const SHARED_BYTES_MIN: usize = 256;
/// The usual size of an object, in bytes.
const OBJECT_BYTES_USUAL: usize = 64;

/// Where an object ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ObjectEnd {
    /// The offset of the byte after the object, in the whole text.
    pub(crate) at: u32,
    /// The index in [`ObjectEnds::all`] of the next object that is not nested in this one.
    pub(crate) next: u32,
}

/// Where all objects of a text end.
#[derive(Debug, Default)]
pub(crate) struct ObjectEnds {
    /// In the order in which the objects begin.
    pub(crate) all: Vec<ObjectEnd>,
    /// Whether the text has no backslash, so that no string in it contains an escape.
    pub(crate) is_plain: bool,
    /// The whole document, so that an error can name its id if a part is damaged; empty if the text is no document.
    pub(crate) document: Bytes,
}

impl ObjectEnds {
    /// Finds the ends of all objects of a text. `None` if a brace or a quote has no counterpart, or if objects are
    /// nested deeper than `depth_max`.
    pub(crate) fn from_text(text: &[u8], depth_max: usize) -> Option<Self> {
        // From here on each offset into the text is a `u32`.
        u32::try_from(text.len()).ok()?;
        let all = Vec::with_capacity(text.len() / OBJECT_BYTES_USUAL + 1);
        let mut finding = ObjectEndFinder {
            ends: Self { all, is_plain: true, document: Bytes::new() },
            open: Vec::with_capacity(depth_max),
            depth_max,
        };
        let (mut quotes, mut at) = (QuoteState::default(), 0);
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

/// The state of strings and escapes at the end of a step.
#[derive(Default)]
struct QuoteState {
    /// All bits set inside of a string, none outside.
    between: u64,
    /// 1 if a backslash escapes the first byte of the next step.
    escaped: u64,
}

impl QuoteState {
    /// Returns the bytes of a step that are inside of strings, including the opening quote.
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

    /// Returns the bytes of a step that follow an odd number of backslashes, i.e. are escaped.
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

/// The ends of the objects nested in one skipped object: a part of the [`ObjectEnds`] of its document.
#[derive(Clone)]
pub(crate) struct NestedEnds {
    pub(crate) ends: Arc<ObjectEnds>,
    /// The index of the first of them in [`ObjectEnds::all`].
    pub(crate) first: usize,
    /// The offset in the whole text at which the object begins.
    pub(crate) start: usize,
}

struct ObjectEndFinder {
    ends: ObjectEnds,
    /// The indexes of the objects that have begun and not ended.
    open: Vec<u32>,
    depth_max: usize,
}

impl ObjectEndFinder {
    /// Processes a step that begins at an offset.
    fn step(&mut self, step: &[u8; STEP], at: usize, quotes: &mut QuoteState) -> Option<()> {
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
            if begun & bit == 0 { self.end(brace)? } else { self.begin_object()? }
        }
        Some(())
    }

    fn begin_object(&mut self) -> Option<()> {
        let all = &mut self.ends.all;
        self.open.push(u32::try_from(all.len()).ok()?);
        all.push(ObjectEnd::default());
        (self.open.len() <= self.depth_max).then_some(())
    }

    fn end(&mut self, brace: usize) -> Option<()> {
        let all = &mut self.ends.all;
        let place = self.open.pop()?;
        let next = u32::try_from(all.len()).ok()?;
        all[place as usize] = ObjectEnd { at: u32::try_from(brace + 1).ok()?, next };
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The reference implementation: one byte after the other.
    fn find_ends_bytewise(text: &[u8]) -> Option<Vec<ObjectEnd>> {
        let (mut all, mut open, mut is_between, mut is_escaped) = (Vec::new(), Vec::new(), false, false);
        for (at, byte) in text.iter().enumerate() {
            let escaped = std::mem::take(&mut is_escaped);
            match byte {
                b'\\' => is_escaped = !escaped,
                b'"' if !escaped => is_between = !is_between,
                b'{' if !is_between => {
                    open.push(all.len());
                    all.push(ObjectEnd::default());
                }
                b'}' if !is_between => {
                    let place = open.pop()?;
                    all[place] = ObjectEnd { at: at as u32 + 1, next: all.len() as u32 };
                }
                _ => {}
            }
        }
        (open.is_empty() && !is_between).then_some(all)
    }

    fn find_object_ends(text: &[u8]) -> Option<Vec<ObjectEnd>> {
        ObjectEnds::from_text(text, 1000).map(|ends| ends.all)
    }

    proptest! {
        #[test]
        fn finds_the_same_ends_as_the_reference(
            pieces in prop::collection::vec(prop_oneof![
                Just("{".to_owned()), Just("}".to_owned()), Just("\"".to_owned()), Just("\\".to_owned()),
                Just("{}".to_owned()), Just("\"\"".to_owned()), "\\\\{1,70}", "[a-z]{0,70}",
            ], 0..60),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(find_object_ends(text.as_bytes()), find_ends_bytewise(text.as_bytes()), "{}", text);
        }

        #[test]
        fn finds_each_object_of_a_written_value(depth in 0_usize..20, long in 0_usize..100, text in "[\"\\\\{}a]{0,20}") {
            let long = "x".repeat(long);
            let mut value = crate::json!({"end": text});
            for _ in 0..depth {
                value = crate::json!({"before": &long, "in": [value, {"text": text}], "{": {}});
            }
            let text = value.to_string();
            let ends = find_object_ends(text.as_bytes()).unwrap();
            prop_assert_eq!(ends.len(), 1 + 3 * depth);
            prop_assert_eq!(ends[0], ObjectEnd { at: text.len() as u32, next: ends.len() as u32 });
            prop_assert_eq!(Some(ends), find_ends_bytewise(text.as_bytes()));
        }
    }

    #[test]
    fn is_plain_without_backslashes() {
        for (text, is_plain) in [(r#"{"a":"b"}"#, true), (r#"{"a":"\n"}"#, false), ("", true)] {
            assert_eq!(ObjectEnds::from_text(text.as_bytes(), 1).unwrap().is_plain, is_plain, "{text}");
        }
    }

    #[test]
    fn rejects_unbalanced_and_too_deep_texts() {
        for text in ["{", "}", "}{", "{\"}", "{\"a\\\"}", "{{{}}}"] {
            assert!(ObjectEnds::from_text(text.as_bytes(), 2).is_none(), "{text}");
        }
        assert!(ObjectEnds::from_text(b"{{}{}}", 2).is_some());
    }
}
