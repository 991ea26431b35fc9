//! Secrets of people: hashed with argon2id before any rule sees them, verified in a separate thread.
//!
//! A field with `@secret` reaches rules as a hash (PHC text). The behaviour stores it; a document never contains it.
//! A secret to be verified is sent in a field without `@secret`.

use crate::document::Document;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Argon2, password_hash};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Model, ObjectId, Shape};
use rand::RngCore;
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Maximum length of a secret in bytes, since the time of hashing grows with it.
const SECRET_BYTES_MAX: usize = 1024;
/// Random bytes of a salt (RFC 9106, section 3.1).
const SALT_BYTES: usize = 16;

/// Limits concurrent hashes to one for each core: each takes 19 MiB and tens of milliseconds (parameters of RFC 9106
/// as OWASP recommends them, the defaults of the library).
static AT_A_TIME: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));

/// The hash that the secret of an unknown person is compared with, so that the response takes as long as for a known
/// one.
static NOBODYS: LazyLock<Option<String>> = LazyLock::new(|| hash("nobody").ok());

/// Replaces the secrets among the fields of an object, and of the objects in it, by hashes.
pub(crate) async fn hash_fields(model: &Model, shape: ObjectId, fields: &mut Document) -> ApiResult<()> {
    for field in &model.object(shape).fields {
        if let (Shape::Object(inner), Some(Value::Object(object))) =
            (&field.shape, fields.get_mut(&field.name))
        {
            Box::pin(hash_fields(model, *inner, object)).await?;
        }
    }
    for field in model.object(shape).fields.iter().filter(|field| field.secret) {
        let Some(Value::String(secret)) = fields.get(&field.name) else { continue };
        if secret.is_empty() || secret.len() > SECRET_BYTES_MAX {
            // The error must not repeat the value.
            return Err(ApiError::invalid_input(format!(
                "{}: expected 1 to {SECRET_BYTES_MAX} bytes.",
                field.name
            )));
        }
        let secret = secret.clone();
        let hashed = run_on_blocking_thread(move || hash(&secret)).await?.map_err(|error| {
            tracing::error!(%error, "a secret could not be hashed");
            ApiError::internal()
        })?;
        fields.insert(&field.name, Value::String(hashed));
    }
    Ok(())
}

/// Refuses secrets among the fields of an object that are not hashes in the form of [`hash_fields`].
pub(crate) fn check_hashes(model: &Model, shape: ObjectId, fields: &Document) -> ApiResult<()> {
    for field in model.object(shape).fields.iter().filter(|field| field.secret) {
        let Some(given) = fields.get(&field.name) else { continue };
        let is_hash = given.as_str().is_some_and(|text| {
            text.len() <= SECRET_BYTES_MAX
                && PasswordHash::new(text).is_ok_and(|hash| hash.algorithm == argon2::ARGON2ID_IDENT)
        });
        if !is_hash {
            // The error must not repeat the value.
            return Err(ApiError::invalid_input(format!(
                "{}: expected an argon2id hash as PHC text.",
                field.name
            )));
        }
    }
    Ok(())
}

/// Returns the hash of a person's password outside of the model, e.g. of an operator.
///
/// # Errors
/// Only if hashing fails. The caller checks the length.
pub fn hash_password(password: String) -> BoxFuture<'static, ApiResult<String>> {
    Box::pin(async move {
        run_on_blocking_thread(move || hash(&password)).await?.map_err(|error| {
            tracing::error!(%error, "a password could not be hashed");
            ApiError::internal()
        })
    })
}

/// Returns true if `given` is the password of `hashed`. Without a hash it returns false, after the same time. Fails if
/// the thread that computes the hash ends early.
pub fn verify_password(given: String, hashed: Option<String>) -> BoxFuture<'static, ApiResult<bool>> {
    Box::pin(verify(given, hashed))
}

/// Returns true if `given` is the secret of `hashed`. Without a hash it returns false, after the same time.
pub(crate) async fn verify(given: String, hashed: Option<String>) -> ApiResult<bool> {
    if given.len() > SECRET_BYTES_MAX {
        return Ok(false);
    }
    run_on_blocking_thread(move || {
        let is_known = hashed.is_some();
        let hashed = hashed.or_else(|| NOBODYS.clone()).unwrap_or_default();
        let Ok(parsed) = PasswordHash::new(&hashed) else { return false };
        Argon2::default().verify_password(given.as_bytes(), &parsed).is_ok() && is_known
    })
    .await
}

fn hash(secret: &str) -> Result<String, password_hash::Error> {
    let mut random = [0; SALT_BYTES];
    rand::rng().fill_bytes(&mut random);
    let salt = SaltString::encode_b64(&random)?;
    Ok(Argon2::default().hash_password(secret.as_bytes(), &salt)?.to_string())
}

/// Runs slow work on a thread that serves no sockets.
async fn run_on_blocking_thread<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
    let _permit = AT_A_TIME.acquire().await.map_err(|_| ApiError::bug("the turns of secrets are closed"))?;
    tokio::task::spawn_blocking(run).await.map_err(|error| {
        tracing::error!(%error, "hashing a secret failed unexpectedly");
        ApiError::internal()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn verifies_only_the_right_secret() {
        let hashed = hash("hunter2").unwrap();
        assert!(hashed.starts_with("$argon2id$") && !hashed.contains("hunter2"));
        assert_ne!(hashed, hash("hunter2").unwrap(), "each has a salt of its own");
        assert!(verify("hunter2".into(), Some(hashed.clone())).await.unwrap());
        assert!(!verify("hunter3".into(), Some(hashed)).await.unwrap());
        assert!(
            !verify("nobody".into(), None).await.unwrap(),
            "an unknown person has no secret, not even that one"
        );
        assert!(!verify("x".repeat(1_000_000), None).await.unwrap());
    }
}
