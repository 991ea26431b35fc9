//! File names of images: the client's file name, a random part, and the format.

use crate::size::{ALL, Size};
use image::ImageFormat;
use rand::Rng as _;
use rand::distr::Alphanumeric;

/// Maximum number of characters of the client's file name that are used.
const GIVEN_CHARS_MAX: usize = 100;
/// Number of random characters, which make names unique.
const RANDOM_CHARS: usize = 8;

/// Returns a new name, e.g. `table-6xAq4Efp.jpg` for `table`.
pub(crate) fn new_name(given: &str, format: ImageFormat) -> String {
    // The client's file extension is ignored; characters other than letters, digits and `_` become `-`.
    let stem = given.rsplit_once('.').map_or(given, |(stem, _)| stem);
    let stem: String = stem
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' })
        .take(GIVEN_CHARS_MAX)
        .collect();
    let stem = Some(stem.trim_matches('-')).filter(|stem| !stem.is_empty()).unwrap_or("img");
    let random: String = rand::rng().sample_iter(Alphanumeric).take(RANDOM_CHARS).map(char::from).collect();
    format!("{stem}-{random}.{}", extension(format))
}

/// Returns the name of an image in a size, e.g. `table-6xAq4Efp-small.jpg`.
pub(crate) fn name_in_size(name: &str, size: Size) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{}.{extension}", size.suffix),
        None => format!("{name}-{}", size.suffix),
    }
}

/// Returns the original's name and the size for the name of an image in a size; `None` for other names.
pub(crate) fn original_and_size(name: &str) -> Option<(String, Size)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let (stem, suffix) = stem.rsplit_once('-')?;
    let size = ALL.into_iter().find(|size| size.suffix == suffix)?;
    Some((format!("{stem}.{extension}"), size))
}

/// Returns true for names that [`new_name`] and [`name_in_size`] make, so that no name leads out of the project's
/// folder.
pub(crate) fn is_valid_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.len() < 200 && !name.starts_with('.') && !name.contains("..") && name.bytes().all(is_allowed)
}

/// Returns the format of a name.
pub(crate) fn format_of(name: &str) -> Option<ImageFormat> {
    match name.rsplit_once('.')?.1 {
        "jpg" => Some(ImageFormat::Jpeg),
        "png" => Some(ImageFormat::Png),
        "gif" => Some(ImageFormat::Gif),
        _ => None,
    }
}

fn extension(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "png",
        ImageFormat::Gif => "gif",
        _ => "jpg",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_never_the_same() {
        for (given, start) in [
            ("table", "table-"),
            ("my table.jpeg", "my-table-"),
            ("../../etc/passwd", "etc-passwd-"),
            ("ä", "img-"),
        ] {
            let name = new_name(given, ImageFormat::Jpeg);
            // The text after the last dot counts as the format.
            assert!(name.ends_with(".jpg") && is_valid_name(&name), "{name}");
            if !given.contains("..") {
                assert!(name.starts_with(start), "{name}");
            }
            assert_ne!(name, new_name(given, ImageFormat::Jpeg));
        }
        for other in ["../a.png", ".png", "a/b.png", "a b.png", "a..png"] {
            assert!(!is_valid_name(other), "{other}");
        }
    }

    #[test]
    fn the_size_precedes_the_file_extension() {
        let name = "table-6xAq4Efp.jpg";
        for size in ALL {
            assert_eq!(original_and_size(&name_in_size(name, size)), Some((name.to_owned(), size)));
        }
        assert_eq!(original_and_size(name), None);
    }
}
