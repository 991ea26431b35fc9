//! Tests with images in memory, in a folder, and in buckets that work, fail or do not respond.

#![allow(clippy::unwrap_used)] // What cannot be had fails the test.

mod bucket;

use super::*;
use bucket::FakeBucket;
use image::RgbImage;
use std::io::Cursor;

fn drawn(width: u32, height: u32, format: ImageFormat) -> Bytes {
    let pixels = RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 90]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(pixels).write_to(&mut bytes, format).unwrap();
    bytes.into_inner().into()
}

async fn refusal(images: &Images, bytes: Bytes) -> Code {
    images.accept("shop", "a", bytes).await.map(drop).unwrap_err().code()
}

async fn dimensions(images: &Images, name: &str) -> (u32, u32) {
    let kept = images.get("shop", name).await.unwrap().unwrap();
    let Header { width, height, .. } = measure(&kept.bytes).unwrap();
    (width, height)
}

#[tokio::test]
async fn a_small_image_is_there_in_all_sizes() {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif] {
        let images = Images::in_memory();
        let accepted = images.accept("shop", "table", drawn(800, 400, format)).await.unwrap();
        assert_eq!((accepted.width, accepted.height, accepted.is_complete()), (800, 400, true));
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
async fn sizes_of_a_large_image_are_made_later() {
    let folder = tempfile::tempdir().unwrap();
    let images = Images::in_folder(folder.path()).unwrap();
    let accepted = images.accept("shop", "sky.jpeg", drawn(1600, 1200, ImageFormat::Jpeg)).await.unwrap();
    assert!(!accepted.is_complete());
    // It was made meanwhile or is made now.
    let zoom = accepted.name.replace('.', "-zoom.");
    images.finish_in_background(accepted);
    assert_eq!(dimensions(&images, &zoom).await, (1400, 1050));
    images.remove_project("shop").await.unwrap();
}

/// While a large image is decoded, small ones are accepted, and another large one waits.
#[tokio::test]
async fn a_large_image_delays_only_other_large_ones() {
    let images = Images::in_memory();
    let large = Header { format: ImageFormat::Png, width: 3_000, height: 2_000 };
    let permit = images.acquire_permit(large).await.unwrap();
    images.accept("shop", "small", drawn(30, 20, ImageFormat::Png)).await.unwrap();
    let mut other = Box::pin(images.acquire_permit(large));
    assert!(tokio::time::timeout(Duration::from_millis(50), &mut other).await.is_err());
    drop(permit);
    drop(other.await.unwrap());
}

#[tokio::test]
async fn metadata_is_kept_where_it_is_wanted() {
    let plain = drawn(30, 20, ImageFormat::Png);
    let with_text: Bytes = [&plain[..33], b"\0\0\0\x04tEXthere\0\0\0\0", &plain[33..]].concat().into();
    for (keeps, expected) in [(false, &plain), (true, &with_text)] {
        let images = Images::in_memory().keeping_metadata(keeps);
        let accepted = images.accept("shop", "a", with_text.clone()).await.unwrap();
        assert_eq!(images.get("shop", &accepted.name).await.unwrap().unwrap().bytes, *expected);
    }
}

/// Runs if `KONTOR_TEST_BUCKET` names a bucket, with the variables that [`Images::in_bucket`] reads. Any S3 server will
/// do; `docs/guide/images.md` says how to start one.
#[tokio::test]
async fn a_bucket_keeps_images_as_a_folder_does() {
    let Ok(url) = std::env::var("KONTOR_TEST_BUCKET") else { return };
    let images = Images::in_bucket(&url).unwrap();
    let project = "kept-in-a-bucket";
    let accepted = images.accept(project, "table", drawn(800, 400, ImageFormat::Png)).await.unwrap();
    let small = accepted.name.replace('.', "-small.");
    let kept = images.get(project, &small).await.unwrap().unwrap();
    let header = Header { format: ImageFormat::Png, width: 150, height: 75 };
    assert_eq!(measure(&kept.bytes).unwrap(), header);
    assert!(images.get("other", &small).await.unwrap().is_none());
    images.store.delete(&object_path(project, &small)).await.unwrap();
    // A missing size is made from the original.
    assert!(images.get(project, &small).await.unwrap().is_some());
    images.remove_project(project).await.unwrap();
    assert!(images.get(project, &accepted.name).await.unwrap().is_none());
}

#[tokio::test]
async fn an_upload_that_fails_in_between_leaves_nothing() {
    let bucket = FakeBucket::start().await;
    let images = bucket.images();
    // The original and one of its sizes; then the bucket fails.
    bucket.fail_after(2);
    let image = drawn(60, 30, ImageFormat::Png);
    assert_eq!(refusal(&images, image.clone()).await, Code::BadGateway);
    for _ in 0..100 {
        if bucket.object_paths().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(bucket.object_paths(), [""; 0]);
    bucket.fail_after(usize::MAX);
    let accepted = images.accept("shop", "a", image).await.unwrap();
    assert!(accepted.is_complete());
    assert_eq!(bucket.object_paths().len(), ALL.len() + 1);
}

#[tokio::test]
async fn reports_a_bucket_that_is_down() {
    let bucket = FakeBucket::start().await;
    let images = bucket.images();
    bucket.stop().await;
    assert_eq!(refusal(&images, drawn(2, 2, ImageFormat::Png)).await, Code::BadGateway);
    let error = images.get("shop", "a-12345678.png").await.unwrap_err();
    assert_eq!(error.code(), Code::BadGateway);
}

#[test]
fn a_bucket_is_named_by_an_address() {
    for place in ["pictures", "http://pictures", "s3://", "s3:///shop"] {
        assert!(matches!(Images::in_bucket(place), Err(StoreError::Place(_))), "{place}");
    }
}

#[tokio::test]
async fn rejects_data_that_is_no_image() {
    let images = Images::in_memory();
    let cut = |format| {
        let whole = drawn(300, 300, format);
        whole.slice(..whole.len() / 2)
    };
    let cut = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif].map(cut);
    for bytes in [Bytes::from_static(b"%PDF-1.7"), Bytes::new()].into_iter().chain(cut) {
        assert_eq!(refusal(&images, bytes).await, Code::InvalidInput);
    }
    assert!(images.get("shop", "../a.png").await.unwrap().is_none());
}

/// A PNG of a few bytes whose header says 30,000 by 30,000 pixels.
#[tokio::test]
async fn rejects_huge_images_by_their_header() {
    let mut bomb = drawn(2, 2, ImageFormat::Png).to_vec();
    bomb[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
    bomb[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
    assert_eq!(refusal(&Images::in_memory(), bomb.into()).await, Code::InvalidInput);
}

#[tokio::test]
async fn reports_a_folder_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    // A file has the name of the project's folder.
    std::fs::write(folder.path().join("shop"), "").unwrap();
    let images = Images::in_folder(folder.path()).unwrap();
    assert_eq!(refusal(&images, drawn(2, 2, ImageFormat::Png)).await, Code::BadGateway);
}

#[tokio::test]
async fn ignores_files_left_empty_by_a_power_loss() {
    let folder = tempfile::tempdir().unwrap();
    let images = Images::in_folder(folder.path()).unwrap();
    let accepted = images.accept("shop", "table", drawn(80, 40, ImageFormat::Png)).await.unwrap();
    let thumb = accepted.name.replace('.', "-thumb.");
    std::fs::write(folder.path().join("shop").join(&thumb), "").unwrap();
    // A missing size is made again from the original, which is never recreated.
    assert_eq!(dimensions(&images, &thumb).await, (50, 25));
    for entry in std::fs::read_dir(folder.path().join("shop")).unwrap() {
        std::fs::write(entry.unwrap().path(), "").unwrap();
    }
    assert!(images.get("shop", &accepted.name).await.unwrap().is_none());
}

#[test]
fn a_folder_syncs_accepted_images() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("{:?}", on_disk(folder.path()).unwrap());
    assert!(store.contains("fsync: true"), "{store}");
}
