//! Finds the prefix of a JSON text that needs no escapes.

use wide::u8x16;

/// Bytes compared at once.
pub(crate) const LANES: usize = 16;
/// Bytes in one step through the rest of a text.
const STEP: usize = size_of::<u64>();
/// The value 1 in each byte of a step.
const ONES: u64 = u64::from_le_bytes([1; STEP]);
const HIGHEST_BITS: u64 = ONES << 7;

/// Returns the number of bytes before the first one that needs an escape between quotes: a quote, a backslash
/// or a control character.
pub(crate) fn plain_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(lanes) = bytes[at..].first_chunk::<LANES>() {
        let lanes = u8x16::new(*lanes);
        let is_control = lanes.simd_eq(lanes.min(u8x16::splat(0x1F)));
        let marked = is_control | lanes.simd_eq(u8x16::splat(b'"')) | lanes.simd_eq(u8x16::splat(b'\\'));
        let marked = marked.to_bitmask();
        if marked != 0 {
            return at + marked.trailing_zeros() as usize;
        }
        at += LANES;
    }
    if let Some(step) = bytes[at..].first_chunk::<STEP>() {
        let marked = marked(u64::from_le_bytes(*step));
        if marked != 0 {
            return at + marked.trailing_zeros() as usize / 8;
        }
        at += STEP;
    }
    let is_marked = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    at + bytes[at..].iter().position(is_marked).unwrap_or(bytes.len() - at)
}

/// The number of bytes before the first quote.
pub(crate) fn len_to_quote(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(lanes) = bytes[at..].first_chunk::<LANES>() {
        let quotes = u8x16::new(*lanes).simd_eq(u8x16::splat(b'"')).to_bitmask();
        if quotes != 0 {
            return at + quotes.trailing_zeros() as usize;
        }
        at += LANES;
    }
    at + bytes[at..].iter().position(|byte| *byte == b'"').unwrap_or(bytes.len() - at)
}

/// Returns the highest bit of the first byte that needs an escape. Higher bits may be set, lower ones are
/// not.
fn marked(step: u64) -> u64 {
    let below = |byte: u8, step: u64| step.wrapping_sub(ONES * u64::from(byte)) & !step & HIGHEST_BITS;
    let same = |byte: u8| below(1, step ^ (ONES * u64::from(byte)));
    below(0x20, step) | same(b'"') | same(b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_counted_as_one_by_one(bytes in prop::collection::vec(prop_oneof![
            8 => any::<u8>(),
            1 => prop::sample::select(vec![0, 0x1f, 0x20, b'!', b'"', b'#', b'[', b'\\', b']', 0x7f, 0x80, 0xff]),
        ], 0..90)) {
            let marked = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
            let expected = bytes.iter().position(marked).unwrap_or(bytes.len());
            prop_assert_eq!(plain_len(&bytes), expected);
            let expected = bytes.iter().position(|byte| *byte == b'"').unwrap_or(bytes.len());
            prop_assert_eq!(len_to_quote(&bytes), expected);
        }
    }

    #[test]
    fn each_byte_counts_in_each_place() {
        for byte in 0..=u8::MAX {
            for place in 0..44 {
                let mut bytes = [b'a'; 44];
                bytes[place] = byte;
                let stands_for_itself = byte >= 0x20 && byte != b'"' && byte != b'\\';
                let expected = if stands_for_itself { bytes.len() } else { place };
                assert_eq!(plain_len(&bytes), expected, "{byte} at {place}");
            }
        }
    }
}
