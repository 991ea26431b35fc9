//! Encryption of single values in documents (secrets), with a key that is in neither the file nor its backups.
//!
//! The engine stores the result of [`SealKey::seal`] instead of such a value. [`SealedValues`] decrypts
//! it when the document is read.

use crate::ReadTransform;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of a key.
pub const SEAL_KEY_BYTES: usize = 32;
/// The prefix of an encrypted value. The number is the format.
const SEALED_PREFIX: &str = "sealed:1:";

/// A key that values are encrypted with (ChaCha20-Poly1305, RFC 8439).
pub struct SealKey(LessSafeKey);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SealKey(…)")
    }
}

impl SealKey {
    /// Returns random bytes for a new key; `None` if the system has none.
    pub fn random_bytes() -> Option<[u8; SEAL_KEY_BYTES]> {
        let mut bytes = [0; SEAL_KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Creates a key from [`SEAL_KEY_BYTES`] bytes; `None` for another length.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        Some(Self(LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, bytes).ok()?)))
    }

    /// Encrypts a text. The result differs each time, and consists of letters, digits and `:-_`. Returns `None` if the
    /// system has no random bytes.
    pub fn seal(&self, text: &str) -> Option<String> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut sealed = text.as_bytes().to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.0.seal_in_place_append_tag(unique, Aad::from(SEALED_PREFIX), &mut sealed).ok()?;
        Some(format!("{SEALED_PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())))
    }

    /// Returns a JSON text with all strings decrypted that this key encrypted. Values encrypted by another key stay
    /// unchanged.
    pub fn unseal_all<'j>(&self, json: &'j [u8]) -> Cow<'j, [u8]> {
        let mut opened = Cow::Borrowed(json);
        let mut from = 0;
        while let Some(found) = memchr::memmem::find(&opened[from..], SEALED_PREFIX.as_bytes()) {
            let start = from + found;
            from = start + SEALED_PREFIX.len();
            let Some(length) = memchr::memchr(b'"', &opened[from..]) else { break };
            if let Some(text) = self.open(&opened[from..from + length]) {
                let end = from + length;
                from = start + text.len();
                opened.to_mut().splice(start..end, text);
            }
        }
        opened
    }

    /// Decrypts the part of a value after the prefix.
    fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let text = self.0.open_in_place(nonce, Aad::from(SEALED_PREFIX), sealed).ok()?;
        // Encrypted values never contain characters that JSON must escape.
        text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte)).then(|| text.to_vec())
    }
}

/// Decrypts sealed values in documents of one kind on reads.
#[derive(Debug)]
pub struct SealedValues {
    /// The key of the values.
    pub key: Arc<SealKey>,
    /// The kind whose documents may contain sealed values.
    pub kind: &'static str,
}

impl ReadTransform for SealedValues {
    fn may_transform(&self, kind: &str) -> bool {
        kind == self.kind
    }

    fn transform(&self, kind: &str, body: &[u8]) -> Option<Bytes> {
        if !self.may_transform(kind) {
            return None;
        }
        match self.key.unseal_all(body) {
            Cow::Borrowed(_) => None,
            Cow::Owned(body) => Some(body.into()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test stops at the first failure.
mod tests {
    use super::*;

    fn key() -> SealKey {
        SealKey::new(&SealKey::random_bytes().unwrap()).unwrap()
    }

    #[test]
    fn decrypts_only_with_its_key() {
        let (key, other) = (key(), key());
        let [one, two] = ["tr6WlNuU-_", "second"].map(|text| key.seal(text).unwrap());
        assert_ne!(one, key.seal("tr6WlNuU-_").unwrap(), "another one each time");
        let stored = format!(r#"{{"value":"{one}","more":["{two}",1],"text":"sealed:1:none"}}"#);
        assert!(!stored.contains("tr6W") && !stored.contains("second"));
        let opened = r#"{"value":"tr6WlNuU-_","more":["second",1],"text":"sealed:1:none"}"#;
        assert_eq!(key.unseal_all(stored.as_bytes()), opened.as_bytes());
        assert_eq!(other.unseal_all(stored.as_bytes()), stored.as_bytes());
        for strange in ["", "sealed:1:", "sealed:1:\"", r#"{"a":"sealed:1:AAAA"}"#] {
            assert_eq!(key.unseal_all(strange.as_bytes()), strange.as_bytes());
        }
    }
}
