//! Large values in fewer bytes: bodies of documents, and the lists of their rows, which repeat much of themselves. A published
//! Product of 17 KB, both sides of which are the same, takes a tenth of that, and so does everything that is written for it.
//!
//! A value is packed where it is stored and unpacked where it is read; the cache and all callers have it as it is. A packed value
//! is a frame of Zstandard (RFC 8878), which no JSON and no list of rows begins like.

use std::borrow::Cow;

use bytes::Bytes;
use parking_lot::Mutex;
use rusqlite::{Row, types::Type};
use zstd::{bulk::Compressor, bulk::Decompressor, zstd_safe::get_frame_content_size};

use crate::{Commit, Error, Result, Write};

/// How a frame begins.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Less is stored as it is: several such values share a page anyway.
pub(super) const PACKED_BYTES_MIN: usize = 2048;

/// More than any document has; larger values are stored as they are. A damaged frame may say that it needs more memory than there
/// is.
const UNPACKED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The fastest of the usual levels: higher ones take several times as long for a twentieth less.
const LEVEL: i32 = 1;

/// Kept for the next value, because making one costs more than using it. More are made in a rush.
const KEPT_MAX: usize = 4;

static COMPRESSORS: Mutex<Vec<Compressor<'static>>> = Mutex::new(Vec::new());
static DECOMPRESSORS: Mutex<Vec<Decompressor<'static>>> = Mutex::new(Vec::new());

/// The bodies of a commit's documents as they are stored, in the sequence of its writes; `None` for what is stored as it is.
#[derive(Debug, Default)]
pub(super) struct PackedBodies(Vec<Option<Vec<u8>>>);

impl PackedBodies {
    /// Packs those of a commit.
    pub(super) fn of(commit: &Commit) -> Self {
        let packed = |write: &Write| match write {
            Write::Put(put) => pack(&put.body),
            _ => None,
        };
        PackedBodies(commit.writes.iter().map(packed).collect())
    }

    /// The body of a write.
    pub(super) fn at(&self, write: usize) -> Option<&[u8]> {
        self.0.get(write)?.as_deref()
    }
}

/// A value as it is stored: packed where that is worth it.
pub(super) fn stored(value: &[u8]) -> Cow<'_, [u8]> {
    pack(value).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// A value that was stored.
pub(super) fn unpacked(stored: &[u8]) -> Result<Cow<'_, [u8]>> {
    if is_packed(stored) { unpack(stored).map(Cow::Owned) } else { Ok(Cow::Borrowed(stored)) }
}

/// The value of a column.
pub(super) fn column<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Cow<'r, [u8]>> {
    let damaged =
        |error: Error| rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error));
    unpacked(row.get_ref(column)?.as_blob()?).map_err(damaged)
}

/// The value of a column, to be kept.
pub(super) fn bytes(row: &Row<'_>, of: usize) -> rusqlite::Result<Bytes> {
    Ok(Bytes::from(column(row, of)?.into_owned()))
}

/// The frame of a value, where it is worth it.
fn pack(value: &[u8]) -> Option<Vec<u8>> {
    // What begins like a frame would be taken for one.
    let must_be = is_packed(value);
    if (value.len() < PACKED_BYTES_MIN && !must_be) || value.len() as u64 > UNPACKED_BYTES_MAX {
        return None;
    }
    let mut compressor = match COMPRESSORS.lock().pop() {
        Some(compressor) => compressor,
        None => compressor()?,
    };
    let packed = compressor.compress(value).ok();
    keep(&COMPRESSORS, compressor);
    packed.filter(|packed| must_be || packed.len() < value.len() / 8 * 7)
}

/// One whose frames say what their content sums up to, so that a byte that changed on disk is told and not served.
fn compressor() -> Option<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL).ok()?;
    compressor.include_checksum(true).ok()?;
    Some(compressor)
}

fn is_packed(stored: &[u8]) -> bool {
    stored.starts_with(&MAGIC)
}

fn unpack(frame: &[u8]) -> Result<Vec<u8>> {
    let damaged = || Error::Damaged("a packed document");
    let bytes = get_frame_content_size(frame).ok().flatten().filter(|bytes| *bytes <= UNPACKED_BYTES_MAX);
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(damaged)?;
    let mut decompressor = match DECOMPRESSORS.lock().pop() {
        Some(decompressor) => decompressor,
        None => Decompressor::new().map_err(|_| damaged())?,
    };
    let value = decompressor.decompress(frame, bytes);
    keep(&DECOMPRESSORS, decompressor);
    value.map_err(|_| damaged())
}

fn keep<T>(all: &Mutex<Vec<T>>, one: T) {
    let mut all = all.lock();
    if all.len() < KEPT_MAX {
        all.push(one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_itself_takes_less() {
        let value = br#"{"currencyCode":"EUR","centAmount":1000}"#.repeat(100);
        let packed = stored(&value);
        assert!(packed.len() < value.len() / 20, "{} of {} bytes", packed.len(), value.len());
        assert_eq!(unpacked(&packed).unwrap(), value);
    }

    #[test]
    fn what_is_small_or_random_is_stored_as_it_is() {
        let random: Vec<u8> = (0..PACKED_BYTES_MIN).map(|_| rand::random()).collect();
        for value in [&b"{}"[..], b"", &random] {
            assert_eq!(stored(value), value);
            assert_eq!(unpacked(value).unwrap(), value);
        }
    }

    #[test]
    fn what_begins_like_a_frame_comes_back() {
        for value in [&MAGIC[..], &[&MAGIC[..], b"{}"].concat()] {
            assert_ne!(stored(value), value);
            assert_eq!(unpacked(&stored(value)).unwrap(), value);
        }
    }

    #[test]
    fn no_byte_changes_unseen() {
        let value: Vec<u8> =
            (0..500_u32).flat_map(|number| format!("{{\"number\":{number}}}").into_bytes()).collect();
        let packed = stored(&value).into_owned();
        for place in (0..packed.len()).step_by(7) {
            let mut changed = packed.clone();
            changed[place] ^= 1;
            assert!(unpacked(&changed).map_or(true, |read| read == value || read == changed), "at {place}");
        }
    }

    #[test]
    fn damaged_frames_are_told() {
        let mut packed = stored(&[b'a'; 10_000]).into_owned();
        packed.truncate(packed.len() - 1);
        assert!(matches!(unpacked(&packed), Err(Error::Damaged(_))));
        assert!(unpacked(&MAGIC).is_err());
        // Says that it is far larger than a document.
        let enormous = [&MAGIC[..], &[0xE0], &u64::MAX.to_le_bytes()].concat();
        assert!(unpacked(&enormous).is_err());
    }
}
