//! The store of images ([`Images`]): accepts uploads, makes sizes, and keeps files in a folder, a bucket, or memory.

mod bucket;

use crate::decode::{Header, decode, encode, encode_in_size, measure, reduce_pixels, scale_down, unreadable};
use crate::metadata::without_metadata;
use crate::name;
use crate::size::{ALL, SMALL, Size};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use image::{DynamicImage, ImageFormat};
use kontor_errors::{ApiError, ApiResult, Code};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum size of an image in bytes (reference: "Upload Product image", 10 MB).
pub const IMAGE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Images of up to this many pixels exist in all sizes when their upload returns.
const AT_ONCE_PIXELS_MAX: u64 = 1_000_000;
/// Images from this many pixels on are decoded one at a time, while smaller ones are decoded concurrently, so that no
/// client waits for another client's huge image.
const LARGE_PIXELS_MIN: u64 = 4_000_000;
/// Number of smaller images that are decoded concurrently.
const DECODED_MAX: usize = 2;
/// Number of large images that are decoded concurrently: each may take hundreds of megabytes.
const LARGE_DECODED_MAX: usize = 1;
/// How long an image may wait in the queue before it is rejected with 503.
const TURN_WITHIN: Duration = Duration::from_secs(20);
/// The images of all projects.
#[derive(Clone)]
pub struct Images {
    store: Arc<dyn ObjectStore>,
    decode_permits: Arc<Semaphore>,
    large_decode_permits: Arc<Semaphore>,
    keeps_metadata: bool,
}

/// An image that was validated and stored. Pass it to [`Images::keep`] or to [`Images::discard`].
pub struct AcceptedImage {
    /// The file name of the original.
    pub name: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    project: String,
    /// The data for the sizes that do not exist yet.
    unfinished: Option<UnfinishedSizes>,
}

/// An image some of whose sizes have not been made yet.
struct UnfinishedSizes {
    original: Bytes,
    pixels: DynamicImage,
    format: ImageFormat,
    /// The permit, held as long as the pixels are in memory.
    permit: OwnedSemaphorePermit,
}

impl AcceptedImage {
    /// Returns true if all sizes exist.
    pub fn is_complete(&self) -> bool {
        self.unfinished.is_none()
    }
}

/// An image file.
#[derive(Debug, Clone)]
pub struct StoredImage {
    /// The content of the file.
    pub bytes: Bytes,
    /// The media type, e.g. `image/jpeg`.
    pub content_type: &'static str,
}

/// Why a store of images cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL is not one of a bucket.
    #[error("'{0}' is not the URL of a bucket; expected s3://BUCKET or s3://BUCKET/PREFIX")]
    Place(String),
    /// The store itself fails.
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

impl Images {
    /// Returns a store in memory, which is lost when the process ends.
    pub fn in_memory() -> Self {
        Self::with_store(Arc::new(InMemory::new()))
    }

    /// Returns a store in an existing folder. Accepted images are synced to disk before the upload returns. Fails if
    /// the folder does not exist.
    pub fn in_folder(folder: &std::path::Path) -> Result<Self, StoreError> {
        Ok(Self::with_store(Arc::new(on_disk(folder)?)))
    }

    /// Returns a store in an S3 bucket: `s3://BUCKET/PREFIX`. The server and the credentials come from the usual
    /// environment variables: `AWS_ENDPOINT`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_ALLOW_HTTP`. Fails if the URL or the environment variables are invalid. It does not connect to the server.
    pub fn in_bucket(url: &str) -> Result<Self, StoreError> {
        Self::in_bucket_at(AmazonS3Builder::from_env(), url)
    }

    fn in_bucket_at(server: AmazonS3Builder, url: &str) -> Result<Self, StoreError> {
        Ok(Self::with_store(Arc::new(bucket::open(server, url)?)))
    }

    fn with_store(store: Arc<dyn ObjectStore>) -> Self {
        let decode_permits = |most| Arc::new(Semaphore::new(most));
        Self {
            store,
            decode_permits: decode_permits(DECODED_MAX),
            large_decode_permits: decode_permits(LARGE_DECODED_MAX),
            keeps_metadata: false,
        }
    }

    /// Returns the store with a choice: keep metadata of images, e.g. GPS positions, or remove it, which is the default.
    #[must_use]
    pub fn keeping_metadata(self, keeps_metadata: bool) -> Self {
        Self { keeps_metadata, ..self }
    }

    /// Accepts an image. When this returns, its original and the small size exist, and all sizes of a small image. Stores
    /// nothing on failure: `InvalidInput` (no image, or too large), `BadGateway` (store), `OverCapacity` (long queue).
    pub fn accept<'a>(
        &'a self,
        project: &'a str,
        given_name: &'a str,
        bytes: Bytes,
    ) -> BoxFuture<'a, ApiResult<AcceptedImage>> {
        Box::pin(async move {
            let original = bytes.clone();
            let header = blocking(move || measure(&original)).await?;
            let Header { format, width, height } = header;
            let permit = self.acquire_permit(header).await?;
            let is_small = header.pixels() <= AT_ONCE_PIXELS_MAX;
            let sizes: &'static [Size] = if is_small { &ALL } else { &[SMALL] };
            let (original, keeps_metadata) = (bytes, self.keeps_metadata);
            let (pixels, made, bytes) = blocking(move || {
                let pixels = reduce_pixels(decode(&original, header)?);
                let made = make_sizes(&pixels, sizes, format)?;
                let bytes = if keeps_metadata { original } else { without_metadata(&original, format) };
                Ok((pixels, made, bytes))
            })
            .await?;
            let original = bytes.clone();
            let unfinished = (!is_small).then_some(UnfinishedSizes { original, pixels, format, permit });
            let name = name::new_name(given_name, format);
            let accepted = AcceptedImage { name, width, height, project: project.to_owned(), unfinished };
            match self.put_new(&accepted, bytes, made).await {
                Ok(()) => Ok(accepted),
                Err(error) => {
                    self.discard(accepted);
                    Err(error)
                }
            }
        })
    }

    async fn put_new(
        &self,
        image: &AcceptedImage,
        original: Bytes,
        made: Vec<(Size, Option<Vec<u8>>)>,
    ) -> ApiResult<()> {
        self.put(&image.project, &image.name, original.clone()).await?;
        self.put_sizes(&image.project, &image.name, &original, made).await
    }

    /// Keeps an accepted image. The missing sizes are made in the background.
    pub fn finish_in_background(&self, accepted: AcceptedImage) {
        let AcceptedImage { name, project, unfinished: Some(unfinished), .. } = accepted else { return };
        let images = self.clone();
        tokio::spawn(async move {
            if let Err(error) = images.finish(&project, &name, unfinished).await {
                tracing::error!(project, name, %error, "sizes of an image could not be made; requests will make them");
            }
        });
    }

    /// Makes the missing sizes.
    async fn finish(&self, project: &str, name: &str, unfinished: UnfinishedSizes) -> ApiResult<()> {
        let UnfinishedSizes { original, pixels, format, permit } = unfinished;
        let made = blocking(move || {
            let others: Vec<Size> = ALL.into_iter().filter(|size| *size != SMALL).collect();
            make_sizes(&pixels, &others, format)
        })
        .await;
        drop(permit);
        self.put_sizes(project, name, &original, made?).await
    }

    /// Removes an accepted image in the background. If that fails, a file remains whose name no client knows.
    pub fn discard(&self, accepted: AcceptedImage) {
        let AcceptedImage { name, project, .. } = accepted;
        let images = self.clone();
        tokio::spawn(async move {
            let sizes = ALL.into_iter().map(|size| name::name_in_size(&name, size)).chain([name.clone()]);
            let places: Vec<_> = sizes.map(|size| Ok(object_path(&project, &size))).collect();
            let mut removed = images.store.delete_stream(stream::iter(places).boxed());
            while let Some(one) = removed.next().await {
                if let Err(error) = one
                    && !matches!(error, object_store::Error::NotFound { .. })
                {
                    tracing::warn!(project, name, %error, "an unreferenced image could not be deleted");
                }
            }
        });
    }

    /// Returns an image by its name, in the size that the name says; `None` if it does not exist. Makes a missing size.
    /// Fails if the store cannot be read, or if too many images are being processed (503 `OverCapacity`).
    pub fn get<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, ApiResult<Option<StoredImage>>> {
        Box::pin(async move {
            let Some(format) = name::format_of(name).filter(|_| name::is_valid_name(name)) else {
                return Ok(None);
            };
            let content_type = format.to_mime_type();
            if let Some(bytes) = self.read(project, name).await? {
                return Ok(Some(StoredImage { bytes, content_type }));
            }
            let Some((original, size)) = name::original_and_size(name) else { return Ok(None) };
            let Some(bytes) = self.read(project, &original).await? else { return Ok(None) };
            let whole = bytes.clone();
            let header = blocking(move || measure(&whole)).await?;
            let _turn = self.acquire_permit(header).await?;
            let whole = bytes.clone();
            let made = blocking(move || {
                encode_in_size(&reduce_pixels(decode(&whole, header)?), size, header.format)
            })
            .await?;
            let bytes = made.map_or(bytes, Bytes::from);
            // If it cannot be stored (which is logged), it is made again next time.
            let _ = self.put(project, name, bytes.clone()).await;
            Ok(Some(StoredImage { bytes, content_type }))
        })
    }

    /// Copies all files to another store, except those whose names are in `copied`, and adds the copied names to it.
    /// Fails if a store cannot be read or written; then `copied` has the names of the files that were copied.
    pub fn copy_to<'a>(
        &'a self,
        other: &'a Images,
        copied: &'a mut HashSet<String>,
    ) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let mut all = self.store.list(None);
            while let Some(meta) = all.next().await {
                let place = meta.map_err(failure)?.location;
                if copied.contains(place.as_ref()) {
                    continue;
                }
                let bytes = match self.store.get(&place).await {
                    // Deleted meanwhile.
                    Err(object_store::Error::NotFound { .. }) => continue,
                    found => found.map_err(failure)?.bytes().await.map_err(failure)?,
                };
                other.store.put(&place, bytes.into()).await.map_err(failure)?;
                copied.insert(place.to_string());
            }
            Ok(())
        })
    }

    /// Removes all images of a project. Fails if the store cannot be written; then some images may be left.
    pub fn remove_project<'a>(&'a self, project: &'a str) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let all = self.store.list(Some(&Path::from(project))).map_ok(|meta| meta.location).boxed();
            self.store.delete_stream(all).try_for_each(|_| async { Ok(()) }).await.map_err(failure)
        })
    }

    /// Waits for a permit to decode an image. Fails with `OverCapacity` if other images take too long.
    async fn acquire_permit(&self, header: Header) -> ApiResult<OwnedSemaphorePermit> {
        let is_large = header.pixels() >= LARGE_PIXELS_MIN;
        let decode_permits = if is_large { &self.large_decode_permits } else { &self.decode_permits };
        match tokio::time::timeout(TURN_WITHIN, Arc::clone(decode_permits).acquire_owned()).await {
            Ok(permit) => permit.map_err(|_| ApiError::bug("the turns of images are closed")),
            Err(_) => Err(ApiError::new(
                Code::OverCapacity,
                "Too many images are being worked on at the moment. Try again later.",
            )),
        }
    }

    async fn read(&self, project: &str, name: &str) -> ApiResult<Option<Bytes>> {
        match self.store.get(&object_path(project, name)).await {
            Ok(found) => {
                let bytes = found.bytes().await.map_err(failure)?;
                if bytes.is_empty() {
                    // The rest of an upload interrupted by a power loss in an older release. Clients must not cache it.
                    tracing::error!(project, name, "an image is an empty file");
                    return Ok(None);
                }
                Ok(Some(bytes))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }

    async fn put(&self, project: &str, name: &str, bytes: Bytes) -> ApiResult<()> {
        self.store.put(&object_path(project, name), bytes.into()).await.map(drop).map_err(failure)
    }

    /// Stores sizes. If an image is not larger than a size, the original is stored for it.
    async fn put_sizes(
        &self,
        project: &str,
        name: &str,
        original: &Bytes,
        made: Vec<(Size, Option<Vec<u8>>)>,
    ) -> ApiResult<()> {
        for (size, bytes) in made {
            let bytes = bytes.map_or_else(|| original.clone(), Bytes::from);
            self.put(project, &name::name_in_size(name, size), bytes).await?;
        }
        Ok(())
    }
}

fn make_sizes(
    pixels: &DynamicImage,
    sizes: &[Size],
    format: ImageFormat,
) -> ApiResult<Vec<(Size, Option<Vec<u8>>)>> {
    // The largest size first: each smaller size is made from it, not from millions of pixels again.
    let mut sizes = sizes.to_vec();
    sizes.sort_by_key(|size| Reverse(size.pixels));
    let mut larger: Option<DynamicImage> = None;
    let mut made = Vec::with_capacity(sizes.len());
    for size in sizes {
        let smaller = scale_down(larger.as_ref().unwrap_or(pixels), size);
        made.push((size, smaller.as_ref().map(|smaller| encode(smaller, format)).transpose()?));
        larger = smaller.or(larger);
    }
    Ok(made)
}

/// Opens a folder; files and the folder itself are synced before a write returns.
fn on_disk(folder: &std::path::Path) -> Result<LocalFileSystem, StoreError> {
    Ok(LocalFileSystem::new_with_prefix(folder)?.with_fsync(true))
}

fn object_path(project: &str, name: &str) -> Path {
    Path::from_iter([project, name])
}

/// Runs slow work away from the threads that serve requests.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> ApiResult<T> + Send + 'static) -> ApiResult<T> {
    match tokio::task::spawn_blocking(run).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(%error, "an image could not be processed");
            // A decoder that panics was given data that is no valid image: clients may send anything.
            Err(if error.is_panic() { unreadable("its content is damaged") } else { ApiError::internal() })
        }
    }
}

fn failure(error: object_store::Error) -> ApiError {
    tracing::error!(%error, "the image store cannot be used");
    ApiError::new(
        Code::BadGateway,
        "The place where images are kept cannot be used at the moment. Try again later.",
    )
}

#[cfg(test)]
mod tests;
