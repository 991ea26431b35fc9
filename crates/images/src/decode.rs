//! Decodes images to pixels and encodes pixels to images, within limits of size and memory.

use crate::size::{Size, ZOOM};
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use kontor_errors::{ApiError, ApiResult};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Cursor;

/// Maximum number of pixels of an image. More would decode to gigabytes, however small the file is.
pub const PIXELS_MAX: u64 = 50_000_000;
/// Maximum length of a side, in pixels.
const SIDE_MAX: u32 = 30_000;
/// Maximum memory of a decoder for data other than pixels, in bytes, e.g. a color profile: it is compressed, so a small
/// file may contain a large one.
const BESIDE_PIXELS_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Maximum memory of a decoder for each pixel, in bytes: four channels of 16 bits, or two copies of four channels of 8
/// bits.
const PIXEL_BYTES_MAX: u64 = 8;

/// Longest side of the image that all sizes are made from: twice the largest size.
const AVERAGED_SIDE: u32 = 2 * ZOOM.pixels;

/// JPEG markers: the start of the pixels, and the end of the image.
const JPEG_SCAN: u8 = 0xDA;
const JPEG_END: [u8; 2] = [0xFF, 0xD9];

/// The format and the dimensions of an image, from its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: ImageFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Header {
    /// Returns the number of pixels.
    pub(crate) fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Reads the header of an image, and rejects images that are too large.
pub(crate) fn measure(bytes: &[u8]) -> ApiResult<Header> {
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| not_an_image())?;
    reader.limits(limits(0));
    let format = reader.format().ok_or_else(not_an_image)?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::Gif) {
        return Err(not_an_image());
    }
    let (width, height) = reader.into_dimensions().map_err(|_| not_an_image())?;
    let header = Header { format, width, height };
    if header.pixels() == 0 || header.pixels() > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX {
        return Err(ApiError::invalid_input(format!(
            "The image has {width} by {height} pixels. Expected at most {PIXELS_MAX} in all and {SIDE_MAX} a side."
        )));
    }
    Ok(header)
}

/// Decodes the pixels of an image; of an animation those of its first frame.
pub(crate) fn decode(bytes: &[u8], header: Header) -> ApiResult<DynamicImage> {
    if header.format == ImageFormat::Jpeg && !has_jpeg_end(bytes) {
        return Err(unreadable("it ends before its end"));
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), header.format);
    reader.limits(limits(header.pixels()));
    reader.decode().map_err(unreadable)
}

/// Scales an image down if it has more pixels than its sizes need, by averaging in one pass that needs no further
/// memory. Otherwise every size would go through all pixels again, and keep them in memory.
pub(crate) fn reduce_pixels(pixels: DynamicImage) -> DynamicImage {
    if pixels.width() <= AVERAGED_SIDE && pixels.height() <= AVERAGED_SIDE {
        return pixels;
    }
    pixels.thumbnail(AVERAGED_SIDE, AVERAGED_SIDE)
}

/// Returns the limits of a decoder for an image of this many pixels.
fn limits(pixels: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(pixels * PIXEL_BYTES_MAX + BESIDE_PIXELS_BYTES_MAX);
    limits
}

/// Returns false for a truncated JPEG: decoders accept it and fill the rest with grey. The end marker cannot occur
/// within the pixels; before them it can, in the preview that cameras add.
fn has_jpeg_end(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some(&[0xFF, marker, high, low]) = bytes.get(at..at + 4)
        && marker != JPEG_SCAN
    {
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
    let pixels = bytes.get(at..).unwrap_or_default();
    pixels.windows(JPEG_END.len()).any(|marker| marker == JPEG_END)
}

/// Returns an image in a size, encoded; `None` if it is not larger than the size, so that the original serves for it.
pub(crate) fn encode_in_size(
    pixels: &DynamicImage,
    size: Size,
    format: ImageFormat,
) -> ApiResult<Option<Vec<u8>>> {
    scale_down(pixels, size).map(|smaller| encode(&smaller, format)).transpose()
}

/// Returns the pixels scaled to a size; `None` if they are not larger than the size.
pub(crate) fn scale_down(pixels: &DynamicImage, size: Size) -> Option<DynamicImage> {
    if pixels.width() <= size.pixels && pixels.height() <= size.pixels {
        return None;
    }
    Some(pixels.resize(size.pixels, size.pixels, FilterType::Triangle))
}

/// Encodes pixels as a file. Fails if the encoder fails, which is logged.
pub(crate) fn encode(pixels: &DynamicImage, format: ImageFormat) -> ApiResult<Vec<u8>> {
    // JPEG has neither transparency nor 16-bit colors, GIF takes 8-bit colors.
    let smaller = match format {
        ImageFormat::Jpeg => Cow::Owned(DynamicImage::ImageRgb8(pixels.to_rgb8())),
        ImageFormat::Gif => Cow::Owned(DynamicImage::ImageRgba8(pixels.to_rgba8())),
        _ => Cow::Borrowed(pixels),
    };
    let mut bytes = Cursor::new(Vec::new());
    smaller.write_to(&mut bytes, format).map_err(|error| {
        tracing::error!(%error, "an image could not be encoded");
        ApiError::internal()
    })?;
    Ok(bytes.into_inner())
}

fn not_an_image() -> ApiError {
    ApiError::invalid_input("The body is no image. Expected a JPEG, PNG or GIF file.")
}

/// Returns a 400 for data that cannot be decoded.
pub(crate) fn unreadable(why: impl Display) -> ApiError {
    ApiError::invalid_input(format!("The body is no image that can be read: {why}."))
}
