//! The hash function by which Kafka clients choose the partition of a key.
//!
//! Source: `org.apache.kafka.common.utils.Utils.murmur2` and `toPositive` of the Java client. Other clients with the
//! same default agree with it.

const SEED: u32 = 0x9747_b28c;
const FACTOR: u32 = 0x5bd1_e995;

/// Returns the partition of a key; `partitions` must not be 0.
pub(super) fn partition(key: &[u8], partitions: usize) -> usize {
    (murmur2(key) & 0x7fff_ffff) as usize % partitions
}

fn murmur2(key: &[u8]) -> u32 {
    // Lengths in Java have 32 bits.
    let mut hash = SEED ^ (key.len() as u32);
    let (words, rest) = key.as_chunks();
    for word in words {
        let mixed = u32::from_le_bytes(*word).wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR) ^ (mixed ^ (mixed >> 24)).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        hash ^= rest.iter().rev().fold(0, |word: u32, byte| (word << 8) | u32::from(*byte));
        hash = hash.wrapping_mul(FACTOR);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(FACTOR);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_hash_of_other_clients() {
        // From the tests of the Java client.
        for (key, expected) in [
            ("21", -973_932_308_i32),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()).cast_signed(), expected, "{key}");
        }
        assert_eq!(partition(b"21", 1), 0);
    }
}
