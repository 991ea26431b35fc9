//! Where images are kept, and how they get there.

use crate::decode::{decode, in_size, measure};
use crate::name;
use crate::size::{ALL, SMALL, Size};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use image::{DynamicImage, ImageFormat};
use kontor_errors::{ApiError, ApiResult};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, ObjectStore, ObjectStoreExt as _, RetryConfig};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Largest image in bytes (reference: "Upload Product image", 10 MB).
pub const IMAGE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Images of up to so many pixels are there in all sizes when their upload is answered.
const AT_ONCE_PIXELS_MAX: u64 = 1_000_000;
/// Images that are decoded at a time: each may take hundreds of megabytes.
const DECODED_MAX: usize = 2;
/// A bucket that does not answer a request within this time is asked again.
const BUCKET_ANSWERS_WITHIN: &str = "10 seconds";
/// How often it is asked again, so that whoever uploads does not wait for minutes.
const BUCKET_RETRIES_MAX: usize = 2;
/// After this time it is not asked again.
const BUCKET_RETRIED_FOR_MAX: Duration = Duration::from_secs(15);

/// Images of all projects.
#[derive(Clone)]
pub struct Images {
    store: Arc<dyn ObjectStore>,
    turns: Arc<Semaphore>,
}

/// An image that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// What the original is called.
    pub name: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// All sizes are there.
    pub is_complete: bool,
}

/// An image to be sent.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The file.
    pub bytes: Bytes,
    /// `image/jpeg` and the like.
    pub content_type: &'static str,
}

/// The place for images cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is no place that is known.
    #[error("'{0}' is no place for images; expected s3://BUCKET or s3://BUCKET/PREFIX")]
    Place(String),
    /// It is none that can be used.
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

impl Images {
    /// Kept as long as the process runs.
    pub fn in_memory() -> Self {
        Self::over(Arc::new(InMemory::new()))
    }

    /// Kept in a folder, which must be there.
    pub fn in_folder(folder: &std::path::Path) -> Result<Self, StoreError> {
        Ok(Self::over(Arc::new(LocalFileSystem::new_with_prefix(folder)?)))
    }

    /// Kept in a bucket that speaks S3: `s3://BUCKET/PREFIX`. Where it is and who asks comes from the usual
    /// environment: `AWS_ENDPOINT`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ALLOW_HTTP`.
    pub fn in_bucket(url: &str) -> Result<Self, StoreError> {
        let place = url.strip_prefix("s3://").ok_or_else(|| StoreError::Place(url.to_owned()))?;
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            return Err(StoreError::Place(url.to_owned()));
        }
        // The client asks for whatever the process has chosen; if it has not, this is it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), BUCKET_ANSWERS_WITHIN)
            .with_retry(RetryConfig {
                max_retries: BUCKET_RETRIES_MAX,
                retry_timeout: BUCKET_RETRIED_FOR_MAX,
                ..RetryConfig::default()
            })
            .build()?;
        Ok(Self::over(Arc::new(PrefixStore::new(store, prefix))))
    }

    fn over(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, turns: Arc::new(Semaphore::new(DECODED_MAX)) }
    }

    /// Takes an image. What is none, or too large, is InvalidInput; nothing is kept of it.
    pub async fn accept(&self, project: &str, given_name: &str, bytes: Bytes) -> ApiResult<Accepted> {
        let (format, width, height) = measure(&bytes)?;
        let turn = self.turn().await?;
        let sizes: &'static [Size] =
            if u64::from(width) * u64::from(height) <= AT_ONCE_PIXELS_MAX { &ALL } else { &[SMALL] };
        let original = bytes.clone();
        let (pixels, made) = blocking(move || {
            let pixels = decode(&original, format)?;
            let made = make(&pixels, sizes, format)?;
            Ok((pixels, made))
        })
        .await?;
        let name = name::new(given_name, format);
        self.put(project, &name, bytes.clone()).await?;
        self.put_all(project, &name, &bytes, made).await?;
        let is_complete = sizes.len() == ALL.len();
        if !is_complete {
            let (images, project, name) = (self.clone(), project.to_owned(), name.clone());
            tokio::spawn(async move { images.follow(&project, &name, bytes, pixels, format, turn).await });
        }
        Ok(Accepted { name, width, height, is_complete })
    }

    /// Makes the sizes that an upload did not wait for.
    async fn follow(
        &self,
        project: &str,
        name: &str,
        original: Bytes,
        pixels: DynamicImage,
        format: ImageFormat,
        turn: OwnedSemaphorePermit,
    ) {
        let made = blocking(move || {
            let others: Vec<Size> = ALL.into_iter().filter(|size| *size != SMALL).collect();
            make(&pixels, &others, format)
        })
        .await;
        drop(turn);
        let put = match made {
            Ok(made) => self.put_all(project, name, &original, made).await,
            Err(error) => Err(error),
        };
        if let Err(error) = put {
            tracing::error!(project, name, %error, "sizes of an image could not be made; they are when asked for");
        }
    }

    /// An image by its name, in whatever size the name means; `None`: there is none.
    pub async fn get(&self, project: &str, name: &str) -> ApiResult<Option<Kept>> {
        let Some(format) = name::format_of(name).filter(|_| name::is_one(name)) else { return Ok(None) };
        let content_type = format.to_mime_type();
        if let Some(bytes) = self.read(project, name).await? {
            return Ok(Some(Kept { bytes, content_type }));
        }
        let Some((original, size)) = name::original(name) else { return Ok(None) };
        let Some(bytes) = self.read(project, &original).await? else { return Ok(None) };
        let _turn = self.turn().await?;
        let whole = bytes.clone();
        let made = blocking(move || {
            let (format, ..) = measure(&whole)?;
            in_size(&decode(&whole, format)?, size, format)
        })
        .await?;
        let bytes = made.map_or(bytes, Bytes::from);
        self.put(project, name, bytes.clone()).await?;
        Ok(Some(Kept { bytes, content_type }))
    }

    /// Removes an image in all sizes.
    pub async fn remove(&self, project: &str, name: &str) {
        for name in ALL.into_iter().map(|size| name::sized(name, size)).chain([name.to_owned()]) {
            // What is not there need not be removed; what stays is an address that nobody knows.
            let _ = self.store.delete(&place(project, &name)).await;
        }
    }

    /// Removes all images of a project.
    pub async fn forget(&self, project: &str) -> ApiResult<()> {
        let all: Vec<Path> = self
            .store
            .list(Some(&Path::from(project)))
            .map_ok(|meta| meta.location)
            .try_collect()
            .await
            .map_err(failure)?;
        for image in all {
            self.store.delete(&image).await.map_err(failure)?;
        }
        Ok(())
    }

    async fn turn(&self) -> ApiResult<OwnedSemaphorePermit> {
        Arc::clone(&self.turns).acquire_owned().await.map_err(|_| ApiError::internal())
    }

    async fn read(&self, project: &str, name: &str) -> ApiResult<Option<Bytes>> {
        match self.store.get(&place(project, name)).await {
            Ok(found) => found.bytes().await.map(Some).map_err(failure),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }

    async fn put(&self, project: &str, name: &str, bytes: Bytes) -> ApiResult<()> {
        self.store.put(&place(project, name), bytes.into()).await.map(drop).map_err(failure)
    }

    /// Puts sizes; one that is no smaller than the original is the original.
    async fn put_all(
        &self,
        project: &str,
        name: &str,
        original: &Bytes,
        made: Vec<(Size, Option<Vec<u8>>)>,
    ) -> ApiResult<()> {
        for (size, bytes) in made {
            let bytes = bytes.map_or_else(|| original.clone(), Bytes::from);
            self.put(project, &name::sized(name, size), bytes).await?;
        }
        Ok(())
    }
}

fn make(
    pixels: &DynamicImage,
    sizes: &[Size],
    format: ImageFormat,
) -> ApiResult<Vec<(Size, Option<Vec<u8>>)>> {
    sizes.iter().map(|size| Ok((*size, in_size(pixels, *size, format)?))).collect()
}

fn place(project: &str, name: &str) -> Path {
    Path::from_iter([project, name])
}

/// Runs what computes for long away from the threads that serve requests.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> ApiResult<T> + Send + 'static) -> ApiResult<T> {
    match tokio::task::spawn_blocking(run).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(%error, "an image could not be worked on");
            Err(ApiError::internal())
        }
    }
}

fn failure(error: object_store::Error) -> ApiError {
    tracing::error!(%error, "the place for images cannot be used");
    ApiError::internal()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // What cannot be had fails the test.

    use super::*;
    use image::RgbImage;
    use kontor_errors::Code;
    use std::io::Cursor;

    fn drawn(width: u32, height: u32, format: ImageFormat) -> Bytes {
        let pixels = RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 90]));
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgb8(pixels).write_to(&mut bytes, format).unwrap();
        bytes.into_inner().into()
    }

    async fn dimensions(images: &Images, name: &str) -> (u32, u32) {
        let kept = images.get("shop", name).await.unwrap().unwrap();
        let (_, width, height) = measure(&kept.bytes).unwrap();
        (width, height)
    }

    #[tokio::test]
    async fn a_small_image_is_there_in_all_sizes() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif] {
            let images = Images::in_memory();
            let accepted = images.accept("shop", "table", drawn(800, 400, format)).await.unwrap();
            assert_eq!((accepted.width, accepted.height, accepted.is_complete), (800, 400, true));
            for (size, expected) in [
                ("thumb", (50, 25)),
                ("small", (150, 75)),
                ("medium", (400, 200)),
                ("large", (700, 350)),
                ("zoom", (800, 400)),
            ] {
                let name = accepted.name.replace('.', &format!("-{size}."));
                assert_eq!(dimensions(&images, &name).await, expected, "{name}");
            }
            let kept = images.get("shop", &accepted.name).await.unwrap().unwrap();
            assert_eq!(kept.content_type, format.to_mime_type());
            assert!(images.get("other", &accepted.name).await.unwrap().is_none());
        }
    }

    #[tokio::test]
    async fn the_sizes_of_a_large_image_follow() {
        let folder = tempfile::tempdir().unwrap();
        let images = Images::in_folder(folder.path()).unwrap();
        let accepted = images.accept("shop", "sky.jpeg", drawn(1600, 1200, ImageFormat::Jpeg)).await.unwrap();
        assert!(!accepted.is_complete);
        // Whether it was made meanwhile or is made now.
        let zoom = accepted.name.replace('.', "-zoom.");
        assert_eq!(dimensions(&images, &zoom).await, (1400, 1050));
        images.forget("shop").await.unwrap();
    }

    /// Where `KONTOR_TEST_BUCKET` names a bucket, with the variables that [`Images::in_bucket`] reads. Any server that
    /// speaks S3 will do; `docs/guide/images.md` says how to start one.
    #[tokio::test]
    async fn a_bucket_keeps_images_as_a_folder_does() {
        let Ok(url) = std::env::var("KONTOR_TEST_BUCKET") else { return };
        let images = Images::in_bucket(&url).unwrap();
        let project = "kept-in-a-bucket";
        let accepted = images.accept(project, "table", drawn(800, 400, ImageFormat::Png)).await.unwrap();
        let small = accepted.name.replace('.', "-small.");
        let kept = images.get(project, &small).await.unwrap().unwrap();
        assert_eq!(measure(&kept.bytes).unwrap(), (ImageFormat::Png, 150, 75));
        assert!(images.get("other", &small).await.unwrap().is_none());
        images.remove(project, &small).await;
        // A size that is not there is made of the original.
        assert!(images.get(project, &small).await.unwrap().is_some());
        images.forget(project).await.unwrap();
        assert!(images.get(project, &accepted.name).await.unwrap().is_none());
    }

    #[test]
    fn a_bucket_is_named_by_an_address() {
        for place in ["pictures", "http://pictures", "s3://", "s3:///shop"] {
            assert!(matches!(Images::in_bucket(place), Err(StoreError::Place(_))), "{place}");
        }
    }

    #[tokio::test]
    async fn what_is_no_image_is_refused() {
        let images = Images::in_memory();
        let cut = drawn(300, 300, ImageFormat::Png).slice(..2000);
        for bytes in [Bytes::from_static(b"%PDF-1.7"), Bytes::new(), cut] {
            let error = images.accept("shop", "a", bytes).await.unwrap_err();
            assert_eq!(error.code(), Code::InvalidInput);
        }
        assert!(images.get("shop", "../a.png").await.unwrap().is_none());
    }

    /// A PNG of a few bytes that says it has nearly a million by a million pixels.
    #[tokio::test]
    async fn what_would_decode_to_gigabytes_is_refused_by_its_header() {
        let mut bomb = drawn(2, 2, ImageFormat::Png).to_vec();
        bomb[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
        let error = Images::in_memory().accept("shop", "a", bomb.into()).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
    }
}
