//! The sizes in which images are served in addition to the original.

/// A square that the image is scaled to fit in; its proportions stay, and it is never enlarged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// The suffix of the file name, e.g. `small` in `table-6xAq4Efp-small.jpg`.
    pub(crate) suffix: &'static str,
    /// Length of the square's side, in pixels.
    pub(crate) pixels: u32,
}

/// The size that exists when an upload returns.
pub(crate) const SMALL: Size = Size { suffix: "small", pixels: 150 };

/// The largest size.
pub(crate) const ZOOM: Size = Size { suffix: "zoom", pixels: 1400 };

/// All sizes (public documentation, "Images").
pub(crate) const ALL: [Size; 5] = [
    Size { suffix: "thumb", pixels: 50 },
    SMALL,
    Size { suffix: "medium", pixels: 400 },
    Size { suffix: "large", pixels: 700 },
    ZOOM,
];
