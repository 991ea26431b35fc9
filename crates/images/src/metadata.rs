//! Removes metadata from uploaded images, e.g. GPS position, camera, comments, preview. Pixels, color profile,
//! animation and orientation stay.
//!
//! Source: JPEG (ITU-T T.81, annex B), Exif 2.32, PNG (ISO/IEC 15948), GIF89a.

use bytes::Bytes;
use image::ImageFormat;
use image::metadata::Orientation;

/// JPEG markers.
const START: u8 = 0xD8;
const END: u8 = 0xD9;
const SCAN: u8 = 0xDA;
const EXIF_OR_XMP: u8 = 0xE1;
const COLOUR_PROFILE: u8 = 0xE2;
const COMMENT: u8 = 0xFE;
const ADOBE: u8 = 0xEE;
/// The first bytes of a segment with Exif, and of one with a color profile.
const EXIF: &[u8] = b"Exif\0\0";
const ICC: &[u8] = b"ICC_PROFILE\0";
const PNG_SIGNATURE_BYTES: usize = 8;
/// PNG chunks with metadata.
const PNG_METADATA: [&[u8]; 5] = [b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"];
/// GIF extensions that an animation or its colors need.
const GIF_NEEDED: [&[u8]; 3] = [b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012"];

/// Returns an image without its metadata. An image that violates its format, although decoders read it, is returned
/// unchanged.
pub(crate) fn without_metadata(image: &Bytes, format: ImageFormat) -> Bytes {
    let less = match format {
        ImageFormat::Jpeg => jpeg(image),
        ImageFormat::Png => png(image),
        ImageFormat::Gif => gif(image),
        _ => None,
    };
    less.map_or_else(|| image.clone(), Bytes::from)
}

/// Keeps the segments that decoding needs, and nothing after the end marker: cameras append further images there, with
/// metadata of their own.
fn jpeg(image: &[u8]) -> Option<Vec<u8>> {
    if image.get(..2)? != [0xFF, START] {
        return None;
    }
    let mut kept = Vec::with_capacity(image.len());
    kept.extend([0xFF, START]);
    let (mut at, mut is_oriented) = (2, false);
    loop {
        let marker = image.get(at..at + 2).filter(|marker| marker[0] == 0xFF)?[1];
        match marker {
            // A fill byte.
            0xFF => at += 1,
            END => {
                kept.extend([0xFF, END]);
                return Some(kept);
            }
            // Markers without content.
            0x01 | 0xD0..=0xD7 => {
                kept.extend([0xFF, marker]);
                at += 2;
            }
            _ => {
                let length = usize::from(u16::from_be_bytes(image.get(at + 2..at + 4)?.try_into().ok()?));
                let segment = image.get(at..at + 2 + length.max(2))?;
                at += segment.len();
                let content = &segment[4..];
                match marker {
                    EXIF_OR_XMP if content.starts_with(EXIF) && !is_oriented => {
                        is_oriented = true;
                        let orientation = Orientation::from_exif_chunk(&content[EXIF.len()..]);
                        kept.extend(orientation.and_then(orientation_segment).unwrap_or_default());
                    }
                    COLOUR_PROFILE if content.starts_with(ICC) => kept.extend(segment),
                    0xE0 | ADOBE => kept.extend(segment),
                    0xE1..=0xEF | COMMENT => {}
                    SCAN => {
                        let pixels = scan_length(image.get(at..)?)?;
                        kept.extend(segment);
                        kept.extend(&image[at..at + pixels]);
                        at += pixels;
                    }
                    _ => kept.extend(segment),
                }
            }
        }
    }
}

/// Returns the length of a scan's pixels in bytes: up to a marker that cannot occur within pixels.
fn scan_length(bytes: &[u8]) -> Option<usize> {
    bytes.windows(2).position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0 | 0xD0..=0xD7 | 0xFF))
}

/// Returns an Exif segment with the orientation only; `None` if the image need not be rotated.
fn orientation_segment(orientation: Orientation) -> Option<Vec<u8>> {
    if orientation == Orientation::NoTransforms {
        return None;
    }
    let mut segment = vec![0xFF, EXIF_OR_XMP, 0, 34];
    segment.extend(EXIF);
    // Big-endian; the first directory at 8, with one entry: tag 0x0112, a SHORT, once; no further directory.
    segment.extend(b"MM\0\x2A\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0");
    segment.extend([orientation.to_exif(), 0, 0, 0, 0, 0, 0]);
    Some(segment)
}

/// Keeps all chunks except those of [`PNG_METADATA`], and nothing after the last chunk.
fn png(image: &[u8]) -> Option<Vec<u8>> {
    let mut kept = Vec::with_capacity(image.len());
    kept.extend(image.get(..PNG_SIGNATURE_BYTES)?);
    let mut at = PNG_SIGNATURE_BYTES;
    loop {
        let length = usize::try_from(u32::from_be_bytes(image.get(at..at + 4)?.try_into().ok()?)).ok()?;
        // The length, the name, the content and its checksum.
        let chunk = image.get(at..at.checked_add(length)?.checked_add(12)?)?;
        at += chunk.len();
        let name = &chunk[4..8];
        if !PNG_METADATA.contains(&name) {
            kept.extend(chunk);
        }
        if name == b"IEND" {
            return Some(kept);
        }
    }
}

/// Keeps all blocks except comments and extensions that viewers do not need, and nothing after the last block.
fn gif(image: &[u8]) -> Option<Vec<u8>> {
    const HEADER_BYTES: usize = 13;
    let colours = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = HEADER_BYTES + colours(*image.get(10)?);
    let mut kept = image.get(..at)?.to_vec();
    loop {
        let start = at;
        match *image.get(at)? {
            0x3B => {
                kept.push(0x3B);
                return Some(kept);
            }
            // An extension: its label, and blocks, of which the first names an application.
            0x21 => {
                let label = *image.get(at + 1)?;
                let program = image.get(at + 3..at + 14).unwrap_or_default();
                at = blocks_end(image, at + 2)?;
                let is_needed = match label {
                    0xFE => false,
                    0xFF => GIF_NEEDED.contains(&program),
                    _ => true,
                };
                if is_needed {
                    kept.extend(&image[start..at]);
                }
            }
            // An image: its position, its colors, its compression, and blocks.
            0x2C => {
                let flags = *image.get(at + 9)?;
                at = blocks_end(image, at + 10 + colours(flags) + 1)?;
                kept.extend(&image[start..at]);
            }
            _ => return None,
        }
    }
}

/// Returns the position after a sequence of blocks. Each begins with its length, and the last is empty.
fn blocks_end(image: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*image.get(at)?);
        at += 1 + length;
        if length == 0 {
            return (at <= image.len()).then_some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::gif::GifEncoder;
    use image::{DynamicImage, ImageReader, RgbImage};
    use proptest::prelude::*;
    use std::io::Cursor;

    const SECRET: &[u8] = b"52.5200 N 13.4050 E";

    fn picture() -> DynamicImage {
        RgbImage::from_fn(40, 30, |x, y| image::Rgb([x as u8 * 6, y as u8 * 8, 128])).into()
    }

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture().write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn decoded(bytes: &[u8], format: ImageFormat) -> DynamicImage {
        ImageReader::with_format(Cursor::new(bytes), format).decode().unwrap()
    }

    fn has_secret(bytes: &[u8]) -> bool {
        bytes.windows(SECRET.len()).any(|part| part == SECRET)
    }

    fn segment(marker: u8, content: &[&[u8]]) -> Vec<u8> {
        let content = content.concat();
        [&[0xFF, marker][..], &u16::try_from(content.len() + 2).unwrap().to_be_bytes(), &content].concat()
    }

    /// A JPEG with a camera's metadata: Exif with an orientation, XMP, IPTC, a comment, and a second image after the
    /// end.
    fn photo() -> Vec<u8> {
        let plain = encoded(ImageFormat::Jpeg);
        let turned = orientation_segment(Orientation::Rotate90).unwrap();
        let exif = segment(0xE1, &[&turned[4..], SECRET]);
        let others = [
            segment(0xE1, &[b"http://ns.adobe.com/xap/1.0/\0", SECRET]),
            segment(0xE2, &[b"MPF\0", SECRET]),
            segment(0xE2, &[ICC, b"\x01\x01profile"]),
            segment(0xED, &[b"Photoshop 3.0\0", SECRET]),
            segment(0xFE, &[SECRET]),
        ];
        [&plain[..2], &exif, &others.concat(), &plain[2..], &plain, SECRET].concat()
    }

    #[test]
    fn keeps_pixels_orientation_and_colors_of_a_photo() {
        let photo = Bytes::from(photo());
        let less = without_metadata(&photo, ImageFormat::Jpeg);
        assert!(has_secret(&photo) && !has_secret(&less));
        assert!(less.windows(ICC.len()).any(|part| part == ICC));
        let orientation =
            Orientation::from_exif_chunk(&orientation_segment(Orientation::Rotate90).unwrap()[10..]);
        assert_eq!(orientation, Some(Orientation::Rotate90));
        let turned = orientation_segment(Orientation::Rotate90).unwrap();
        assert!(less.windows(turned.len()).any(|part| part == turned));
        assert_eq!(decoded(&less, ImageFormat::Jpeg), decoded(&photo, ImageFormat::Jpeg));
        assert_eq!(without_metadata(&less, ImageFormat::Jpeg), less);
    }

    #[test]
    fn png_and_gif_lose_their_texts() {
        let plain = encoded(ImageFormat::Png);
        let text =
            [&u32::try_from(SECRET.len()).unwrap().to_be_bytes(), &b"tEXt"[..], SECRET, &[0; 4]].concat();
        let png = Bytes::from([&plain[..33], &text, &plain[33..], SECRET].concat());
        let less = without_metadata(&png, ImageFormat::Png);
        assert_eq!(less, plain);

        let mut plain = Vec::new();
        let mut encoder = GifEncoder::new(&mut plain);
        encoder.set_repeat(image::codecs::gif::Repeat::Infinite).unwrap();
        encoder.encode_frame(image::Frame::new(picture().to_rgba8())).unwrap();
        drop(encoder);
        let start = 13 + (3 << ((plain[10] & 7) + 1)) * usize::from(plain[10] >> 7);
        let comment = [&[0x21, 0xFE, SECRET.len() as u8], SECRET, &[0]].concat();
        let xmp = [&[0x21, 0xFF, 11], &b"XMP DataXMP"[..], &[SECRET.len() as u8], SECRET, &[0]].concat();
        let gif = Bytes::from([&plain[..start], &comment, &xmp, &plain[start..]].concat());
        assert_eq!(without_metadata(&gif, ImageFormat::Gif), plain);
    }

    proptest! {
        /// Any damage: nothing panics, and the result is not longer than the input and an orientation.
        #[test]
        fn damaged_images_are_left_or_become_shorter(
            at in 0_usize..2000, byte: u8, end in 0_usize..3000,
        ) {
            for (format, mut bytes) in [
                (ImageFormat::Jpeg, photo()),
                (ImageFormat::Png, encoded(ImageFormat::Png)),
                (ImageFormat::Gif, encoded(ImageFormat::Gif)),
            ] {
                let place = at % bytes.len();
                bytes[place] = byte;
                bytes.truncate(end.max(1));
                let bytes = Bytes::from(bytes);
                prop_assert!(without_metadata(&bytes, format).len() <= bytes.len() + 36);
            }
        }
    }
}
