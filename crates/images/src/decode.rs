//! From bytes to pixels and back, within limits.

use crate::size::{Size, ZOOM};
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use kontor_errors::{ApiError, ApiResult};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Cursor;

/// Most pixels of an image. More would decode to gigabytes, however few bytes they are sent in.
pub const PIXELS_MAX: u64 = 50_000_000;
/// Longest side in pixels.
const SIDE_MAX: u32 = 30_000;
/// Most bytes that a decoder may take for what is no pixel, such as a colour profile: it is packed, and so may be large
/// in an image that is small.
const BESIDE_PIXELS_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Most bytes that a decoder takes for a pixel: four channels of 16 bits, or twice four of 8.
const PIXEL_BYTES_MAX: u64 = 8;

/// Longest side of the pixels that all sizes are made of: twice that of the largest.
const AVERAGED_SIDE: u32 = 2 * ZOOM.pixels;

/// Markers of JPEG: the beginning of the pixels, and the end of the image.
const JPEG_SCAN: u8 = 0xDA;
const JPEG_END: [u8; 2] = [0xFF, 0xD9];

/// What the beginning of an image says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: ImageFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Header {
    pub(crate) fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Reads the beginning of an image, and refuses what would be too large.
pub(crate) fn measure(bytes: &[u8]) -> ApiResult<Header> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| no_image())?;
    reader.limits(limits(0));
    let format = reader.format().ok_or_else(no_image)?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::Gif) {
        return Err(no_image());
    }
    let (width, height) = reader.into_dimensions().map_err(|_| no_image())?;
    let header = Header { format, width, height };
    if header.pixels() == 0 || header.pixels() > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX {
        return Err(ApiError::invalid_input(format!(
            "The image has {width} by {height} pixels. Expected at most {PIXELS_MAX} in all and {SIDE_MAX} a side."
        )));
    }
    Ok(header)
}

/// The pixels of an image; of an animation those of its first frame.
pub(crate) fn decode(bytes: &[u8], header: Header) -> ApiResult<DynamicImage> {
    if header.format == ImageFormat::Jpeg && !has_jpeg_end(bytes) {
        return Err(unreadable("it ends before its end"));
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), header.format);
    reader.limits(limits(header.pixels()));
    reader.decode().map_err(unreadable)
}

/// Fewer pixels of an image that has more than its sizes need: averages of its own, taken in one pass that needs no further memory. Every size would
/// go through all of them again, and keep all while it is made.
pub(crate) fn averaged(pixels: DynamicImage) -> DynamicImage {
    if pixels.width() <= AVERAGED_SIDE && pixels.height() <= AVERAGED_SIDE {
        return pixels;
    }
    pixels.thumbnail(AVERAGED_SIDE, AVERAGED_SIDE)
}

/// What a decoder may take for an image of so many pixels.
fn limits(pixels: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(pixels * PIXEL_BYTES_MAX + BESIDE_PIXELS_BYTES_MAX);
    limits
}

/// False for a JPEG that was cut off: decoders take it, and make the rest grey. The marker of its end cannot stand
/// among pixels; before them it can, in the small picture that cameras add.
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

/// An image in a size, in its format. `None`: it is no larger than that, so the original is the size.
pub(crate) fn in_size(pixels: &DynamicImage, size: Size, format: ImageFormat) -> ApiResult<Option<Vec<u8>>> {
    smaller(pixels, size).map(|smaller| encode(&smaller, format)).transpose()
}

/// The pixels in a size. `None`: they are no more than that already.
pub(crate) fn smaller(pixels: &DynamicImage, size: Size) -> Option<DynamicImage> {
    if pixels.width() <= size.pixels && pixels.height() <= size.pixels {
        return None;
    }
    Some(pixels.resize(size.pixels, size.pixels, FilterType::Triangle))
}

/// Pixels as a file. Fails where they cannot be one, which is logged.
pub(crate) fn encode(pixels: &DynamicImage, format: ImageFormat) -> ApiResult<Vec<u8>> {
    // JPEG has neither transparency nor deep colours, GIF wants colours as they are shown.
    let smaller = match format {
        ImageFormat::Jpeg => Cow::Owned(DynamicImage::ImageRgb8(pixels.to_rgb8())),
        ImageFormat::Gif => Cow::Owned(DynamicImage::ImageRgba8(pixels.to_rgba8())),
        _ => Cow::Borrowed(pixels),
    };
    let mut bytes = Cursor::new(Vec::new());
    smaller.write_to(&mut bytes, format).map_err(|error| {
        tracing::error!(%error, "an image could not be made smaller");
        ApiError::internal()
    })?;
    Ok(bytes.into_inner())
}

fn no_image() -> ApiError {
    ApiError::invalid_input("The body is no image. Expected a JPEG, PNG or GIF file.")
}

pub(crate) fn unreadable(why: impl Display) -> ApiError {
    ApiError::invalid_input(format!("The body is no image that can be read: {why}."))
}
