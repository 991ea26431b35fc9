//! Compression of large values: bodies of documents, and lists of their index rows, which repeat themselves. A
//! published Product of 17 KB with equal sides takes a tenth of that, on disk and in the write-ahead log. Start at
//! [`compress_body`].
//!
//! A value is compressed before it is written, and decompressed after it is read; the cache and all callers have it
//! uncompressed. A compressed value is a Zstandard frame (RFC 8878), which JSON and lists of rows never begin like.
//!
//! Bodies of some thousand bytes (e.g. Carts and Orders) consist mostly of field names that all documents share. They
//! are compressed with a dictionary of these, which halves the result and the time.

use std::{borrow::Cow, sync::LazyLock};

use parking_lot::Mutex;
use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::get_frame_content_size,
};

use crate::{Commit, Error, Result, Write};

/// The first bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The prefix of a frame compressed with the first dictionary: an empty frame that decoders skip (RFC 8878, section
/// 3.1.2). The lower half of its first byte is the number of the dictionary.
const WITH_DICTIONARY: [u8; 8] = [0x51, 0x2A, 0x4D, 0x18, 0, 0, 0, 0];

/// The first dictionary: text that documents of a shop have in common, the most frequent at the end. It must never
/// change, since values compressed with it could not be read any more; another dictionary gets another number.
const DICTIONARY: &[u8] = include_bytes!("compression/dictionary_1.txt");

/// Smaller values are stored uncompressed: several share a page anyway.
pub(super) const PACKED_BYTES_MIN: usize = 2048;

/// The sizes in bytes of bodies that are compressed with the dictionary. For larger ones, Zstandard copies its tables
/// for each value, and they repeat themselves enough.
const WITH_DICTIONARY_BYTES: std::ops::RangeInclusive<usize> = 1024..=8192;

/// Maximum bytes of a compressed value, more than any document has. A damaged frame may claim more than there is
/// memory.
const UNPACKED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The fastest of the usual levels: higher ones take several times as long to save a twentieth more.
const LEVEL: i32 = 1;

/// With a dictionary, the rest is text that differs in each document. The usual levels encode it by an entropy code,
/// which takes as long as everything else.
const LEVEL_WITH_DICTIONARY: i32 = -1;

/// Maximum number of idle compressors of a pool, because creating one costs more than using it. Under load more are
/// created.
const KEPT_MAX: usize = 4;

static COMPRESSORS: CompressorPool<Compressor<'static>> = CompressorPool::new();
static DECOMPRESSORS: CompressorPool<Decompressor<'static>> = CompressorPool::new();
static COMPRESSORS_WITH_DICTIONARY: CompressorPool<Compressor<'static>> = CompressorPool::new();
static DECOMPRESSORS_WITH_DICTIONARY: CompressorPool<Decompressor<'static>> = CompressorPool::new();
static COMPRESSION_DICTIONARY: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL_WITH_DICTIONARY));
static DECOMPRESSION_DICTIONARY: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

/// The compressed bodies of a commit, in the order of its writes; `None`: stored uncompressed.
#[derive(Debug, Default)]
pub(super) struct CompressedBodies(Vec<Option<Vec<u8>>>);

impl CompressedBodies {
    /// Compresses the bodies of a commit.
    pub(super) fn compress(commit: &Commit) -> Self {
        let packed = |write: &Write| match write {
            Write::Put(put) => try_compress_body(&put.body),
            _ => None,
        };
        CompressedBodies(commit.writes.iter().map(packed).collect())
    }

    /// Returns the compressed body of a write.
    pub(super) fn body_of_write(&self, write: usize) -> Option<&[u8]> {
        self.0.get(write)?.as_deref()
    }
}

/// Returns a body in its stored form: compressed if that saves enough.
pub(super) fn compress_body(body: &[u8]) -> Cow<'_, [u8]> {
    try_compress_body(body).map_or(Cow::Borrowed(body), Cow::Owned)
}

/// Returns any other value in its stored form: compressed if that saves enough.
pub(super) fn compress_value(value: &[u8]) -> Cow<'_, [u8]> {
    try_compress(value).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// Decompresses a stored value if necessary.
pub(super) fn decompress(stored: &[u8]) -> Result<Cow<'_, [u8]>> {
    if is_compressed(stored) { decompress_frame(stored).map(Cow::Owned) } else { Ok(Cow::Borrowed(stored)) }
}

/// Compresses a body if that saves enough.
fn try_compress_body(body: &[u8]) -> Option<Vec<u8>> {
    if !WITH_DICTIONARY_BYTES.contains(&body.len()) {
        return try_compress(body);
    }
    let make = || with_checksum(Compressor::with_prepared_dictionary(&COMPRESSION_DICTIONARY).ok()?);
    let frame =
        COMPRESSORS_WITH_DICTIONARY.with_pooled(make, |compressor| compressor.compress(body).ok())??;
    (frame.len() < size_limit(body))
        .then(|| [&WITH_DICTIONARY[..], &frame].concat())
        .or_else(|| try_compress(body))
}

/// Compresses a value if that saves enough.
fn try_compress(value: &[u8]) -> Option<Vec<u8>> {
    // A value that begins like a frame must be compressed: otherwise it would be decompressed when read.
    let must_be = is_compressed(value);
    if (value.len() < PACKED_BYTES_MIN && !must_be) || value.len() as u64 > UNPACKED_BYTES_MAX {
        return None;
    }
    let make = || with_checksum(Compressor::new(LEVEL).ok()?);
    let packed = COMPRESSORS.with_pooled(make, |compressor| compressor.compress(value).ok())??;
    (must_be || packed.len() < size_limit(value)).then_some(packed)
}

/// Returns the size below which the compressed value is used: seven eighths.
fn size_limit(value: &[u8]) -> usize {
    value.len() / 8 * 7
}

/// Adds checksums to frames, so that a byte that changed on disk causes an error.
fn with_checksum(mut compressor: Compressor<'static>) -> Option<Compressor<'static>> {
    compressor.include_checksum(true).ok()?;
    Some(compressor)
}

fn is_compressed(stored: &[u8]) -> bool {
    stored.starts_with(&MAGIC) || stored.starts_with(&WITH_DICTIONARY)
}

fn decompress_frame(stored: &[u8]) -> Result<Vec<u8>> {
    let damaged = || Error::Damaged("a packed document");
    let with_dictionary = stored.strip_prefix(&WITH_DICTIONARY);
    let frame = with_dictionary.unwrap_or(stored);
    let bytes = get_frame_content_size(frame).ok().flatten().filter(|bytes| *bytes <= UNPACKED_BYTES_MAX);
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(damaged)?;
    let value = match with_dictionary {
        Some(_) => DECOMPRESSORS_WITH_DICTIONARY.with_pooled(
            || Decompressor::with_prepared_dictionary(&DECOMPRESSION_DICTIONARY).ok(),
            |decompressor| decompressor.decompress(frame, bytes),
        ),
        None => DECOMPRESSORS
            .with_pooled(|| Decompressor::new().ok(), |decompressor| decompressor.decompress(frame, bytes)),
    };
    value.ok_or_else(damaged)?.map_err(|_| damaged())
}

/// A pool of compressors, each used by one caller at a time.
struct CompressorPool<T>(Mutex<Vec<T>>);

impl<T> CompressorPool<T> {
    const fn new() -> Self {
        CompressorPool(Mutex::new(Vec::new()))
    }

    /// Runs `work` with an idle or new one; `None` if none can be created.
    fn with_pooled<R>(&self, make: impl FnOnce() -> Option<T>, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        // The lock is not held during the work.
        let kept = self.0.lock().pop();
        let mut one = kept.or_else(make)?;
        let result = work(&mut one);
        let mut all = self.0.lock();
        if all.len() < KEPT_MAX {
            all.push(one);
        }
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compresses_repetitive_values() {
        let value = br#"{"currencyCode":"EUR","centAmount":1000}"#.repeat(100);
        let packed = compress_value(&value);
        assert!(packed.len() < value.len() / 20, "{} of {} bytes", packed.len(), value.len());
        assert_eq!(decompress(&packed).unwrap(), value);
    }

    #[test]
    fn compresses_small_bodies_with_the_dictionary() {
        let price = r#""totalPrice":{"type":"centPrecision","currencyCode":"EUR","centAmount":1000,"fractionDigits":2}"#;
        let text = |name: &str| {
            format!(
                "{{\"id\":\"{name}\",\"version\":1,{price},\"cartState\":\"Active\",\"note\":\"{}\"}}",
                name.repeat(1000 / name.len())
            )
        };
        for name in ["f3a1b0c2d4e5", "äöü"] {
            let body = text(name).into_bytes();
            assert!(WITH_DICTIONARY_BYTES.contains(&body.len()), "{} bytes", body.len());
            let packed = compress_body(&body);
            assert!(packed.starts_with(&WITH_DICTIONARY) && packed.len() < 200, "{} bytes", packed.len());
            assert_eq!(decompress(&packed).unwrap(), body);
        }
    }

    #[test]
    fn dictionary_is_unchanged() {
        let sum = DICTIONARY.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(
            (DICTIONARY.len(), sum),
            (22_246, 5_409_440_821_847_258_702),
            "what was packed with it could not be read any more"
        );
    }

    #[test]
    fn stores_small_or_random_values_uncompressed() {
        let random: Vec<u8> = (0..PACKED_BYTES_MIN).map(|_| rand::random()).collect();
        for value in [&b"{}"[..], b"", &random] {
            assert_eq!(compress_value(value), value);
            assert_eq!(decompress(value).unwrap(), value);
        }
    }

    #[test]
    fn restores_values_that_begin_like_a_frame() {
        for begin in [&MAGIC[..], &WITH_DICTIONARY] {
            for value in [begin, &[begin, b"{}"].concat(), &begin.repeat(300)] {
                for stored in [compress_value(value), compress_body(value)] {
                    assert_ne!(stored, value);
                    assert_eq!(decompress(&stored).unwrap(), value);
                }
            }
        }
    }

    #[test]
    fn detects_changed_bytes() {
        let value: Vec<u8> =
            (0..500_u32).flat_map(|number| format!("{{\"number\":{number}}}").into_bytes()).collect();
        for packed in [compress_value(&value), compress_body(&value)] {
            no_byte_changes_unseen_in(&packed, &value);
        }
    }

    fn no_byte_changes_unseen_in(packed: &[u8], value: &[u8]) {
        for place in (0..packed.len()).step_by(7) {
            let mut changed = packed.to_owned();
            changed[place] ^= 1;
            assert!(decompress(&changed).map_or(true, |read| read == value || read == changed), "at {place}");
        }
    }

    #[test]
    fn rejects_damaged_frames() {
        let mut packed = compress_value(&[b'a'; 10_000]).into_owned();
        packed.truncate(packed.len() - 1);
        assert!(matches!(decompress(&packed), Err(Error::Damaged(_))));
        assert!(decompress(&MAGIC).is_err());
        // Claims to be far larger than a document.
        let enormous = [&MAGIC[..], &[0xE0], &u64::MAX.to_le_bytes()].concat();
        assert!(decompress(&enormous).is_err());
    }
}
