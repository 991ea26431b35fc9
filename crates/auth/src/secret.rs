//! Client secrets and tokens: generated at random, returned once, stored as SHA-256 only.
//!
//! A fast hash is enough, because secrets have at least 144 random bits; a password of a person would need a slow
//! one.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngCore;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A client secret or token in the clear. Neither `Debug` nor `Display` shows it; read it with
/// [`ExposeSecret::expose_secret`] at the one place that writes the response.
pub type Secret = SecretString;

/// Random bytes of a client id: 24 characters, as the platform's.
const CLIENT_ID_BYTES: usize = 18;
/// Random bytes of a client secret: 32 characters, as the platform's.
const CLIENT_SECRET_BYTES: usize = 24;
/// Random bytes of a token: 32 characters, as the platform's.
const TOKEN_BYTES: usize = 24;
/// Random bytes of the tokens of operators: those of their sessions and links live longer than an access token.
const OPERATOR_TOKEN_BYTES: usize = 32;

/// The SHA-256 of a secret or token.
///
/// Not itself a secret, but nothing to log either, so `Debug` shows the first bytes only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(
    /// The 32 bytes.
    pub [u8; 32],
);

impl SecretHash {
    pub(crate) fn from_secret(secret: &str) -> Self {
        SecretHash(Sha256::digest(secret).into())
    }

    /// Returns the hash in hexadecimal digits, as a key of a table.
    pub(crate) fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Parses hexadecimal digits.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut hash = [0; 32];
        if digits.len() != 2 * hash.len() || !text.is_ascii() {
            return None;
        }
        for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
        }
        Some(SecretHash(hash))
    }

    /// Compares in constant time.
    pub(crate) fn equals(&self, other: &SecretHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl std::fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02x}{:02x}…", self.0[0], self.0[1])
    }
}

/// Returns a new client id.
pub(crate) fn random_client_id() -> String {
    random_argument::<CLIENT_ID_BYTES>()
}

/// Returns a new client secret.
pub(crate) fn random_client_secret() -> Secret {
    random_argument::<CLIENT_SECRET_BYTES>().into()
}

/// Returns a new token, and the hash under which it is stored.
pub(crate) fn random_token() -> (Secret, SecretHash) {
    let token: Secret = random_text::<TOKEN_BYTES>().into();
    let hash = SecretHash::from_secret(token.expose_secret());
    (token, hash)
}

/// Returns a new token of an operator that begins with `prefix`, and the hash under which it is stored.
pub(crate) fn random_operator_token(prefix: &str) -> (Secret, SecretHash) {
    let token: Secret = format!("{prefix}{}", random_text::<OPERATOR_TOKEN_BYTES>()).into();
    let hash = SecretHash::from_secret(token.expose_secret());
    (token, hash)
}

/// Returns a random text that works as a command line argument: a leading dash would read as a flag.
fn random_argument<const BYTES: usize>() -> String {
    loop {
        let text = random_text::<BYTES>();
        if !text.starts_with('-') {
            return text;
        }
    }
}

fn random_text<const BYTES: usize>() -> String {
    let mut bytes = [0; BYTES];
    // The thread's generator is cryptographically secure and seeded by the system.
    rand::rng().fill_bytes(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_secrets_and_tokens_have_the_lengths_that_clients_know() {
        assert_eq!(random_client_id().len(), 24);
        assert_eq!(random_client_secret().expose_secret().len(), 32);
        assert_eq!(random_token().0.expose_secret().len(), 32);
        assert_ne!(random_token().1, random_token().1);
    }

    #[test]
    fn no_id_and_no_secret_reads_as_a_flag() {
        for _ in 0..2_000 {
            assert!(!random_client_id().starts_with('-'));
            assert!(!random_client_secret().expose_secret().starts_with('-'));
        }
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let (token, hash) = random_token();
        let shown = format!("{token:?} {hash:?}");
        assert!(!shown.contains(token.expose_secret()), "{shown}");
        assert!(shown.len() < 64, "{shown}");
    }

    #[test]
    fn a_hash_is_equal_to_that_of_the_same_secret_only() {
        assert!(SecretHash::from_secret("a").equals(&SecretHash::from_secret("a")));
        assert!(!SecretHash::from_secret("a").equals(&SecretHash::from_secret("b")));
    }

    #[test]
    fn a_hash_is_read_back_from_its_digits() {
        let (token, hash) = random_operator_token("op_");
        assert_eq!(token.expose_secret().len(), "op_".len() + 43);
        assert_eq!(SecretHash::from_hex(&hash.to_hex()), Some(hash));
        for other in ["", "0", "zz", &"é".repeat(32), &"0".repeat(66)] {
            assert_eq!(SecretHash::from_hex(other), None, "{other}");
        }
    }
}
