//! From bytes to pixels and back, within limits.

use crate::size::Size;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use kontor_errors::{ApiError, ApiResult};
use std::io::Cursor;

/// Most pixels of an image. More would decode to gigabytes, however few bytes they are sent in.
pub const PIXELS_MAX: u64 = 50_000_000;
/// Longest side in pixels.
const SIDE_MAX: u32 = 30_000;
/// Most bytes that a decoder may take.
const DECODER_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// The format and the dimensions of an image, from its beginning alone.
pub(crate) fn measure(bytes: &[u8]) -> ApiResult<(ImageFormat, u32, u32)> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| no_image())?;
    let format = reader.format().ok_or_else(no_image)?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::Gif) {
        return Err(no_image());
    }
    let (width, height) = reader.into_dimensions().map_err(|_| no_image())?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX {
        return Err(ApiError::invalid_input(format!(
            "The image has {width} by {height} pixels. Expected at most {PIXELS_MAX} in all and {SIDE_MAX} a side."
        )));
    }
    Ok((format, width, height))
}

/// The pixels of an image; of an animation those of its first frame.
pub(crate) fn decode(bytes: &[u8], format: ImageFormat) -> ApiResult<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    reader.limits(limits);
    reader
        .decode()
        .map_err(|error| ApiError::invalid_input(format!("The body is no image that can be read: {error}.")))
}

/// An image in a size, in its format. `None`: it is no larger than that, so the original is the size.
pub(crate) fn in_size(pixels: &DynamicImage, size: Size, format: ImageFormat) -> ApiResult<Option<Vec<u8>>> {
    if pixels.width() <= size.pixels && pixels.height() <= size.pixels {
        return Ok(None);
    }
    let smaller = pixels.resize(size.pixels, size.pixels, FilterType::Triangle);
    // JPEG has neither transparency nor deep colours, GIF wants colours as they are shown.
    let smaller = match format {
        ImageFormat::Jpeg => DynamicImage::ImageRgb8(smaller.to_rgb8()),
        ImageFormat::Gif => DynamicImage::ImageRgba8(smaller.to_rgba8()),
        _ => smaller,
    };
    let mut bytes = Cursor::new(Vec::new());
    smaller.write_to(&mut bytes, format).map_err(|error| {
        tracing::error!(%error, "an image could not be made smaller");
        ApiError::internal()
    })?;
    Ok(Some(bytes.into_inner()))
}

fn no_image() -> ApiError {
    ApiError::invalid_input("The body is no image. Expected a JPEG, PNG or GIF file.")
}
