//! Digests that show whether the sources of an entry have changed.

use sha2::{Digest as _, Sha256};

/// Returns a digest of lines of text, equal for equal lines on every machine and in every version.
pub(super) fn digest(lines: impl IntoIterator<Item = impl AsRef<str>>) -> u64 {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line.as_ref().as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Returns a short text for a resource used by an entry: its id, and the [`digest`] of the parts that the
/// entry contains.
pub(super) fn known_as(id: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    format!("{id} {:016x}", digest(lines))
}
