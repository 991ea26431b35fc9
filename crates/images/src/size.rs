//! The sizes in which images are served beside their original.

/// A square that the image fits in; its proportions stay, and it is never enlarged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// What stands behind the name: `table-6xAq4Efp-small.jpg`.
    pub(crate) suffix: &'static str,
    /// Pixels of each side of the square.
    pub(crate) pixels: u32,
}

/// The one that is there before an upload is answered.
pub(crate) const SMALL: Size = Size { suffix: "small", pixels: 150 };

/// The largest one.
pub(crate) const ZOOM: Size = Size { suffix: "zoom", pixels: 1400 };

/// All sizes (public documentation, "Images").
pub(crate) const ALL: [Size; 5] = [
    Size { suffix: "thumb", pixels: 50 },
    SMALL,
    Size { suffix: "medium", pixels: 400 },
    Size { suffix: "large", pixels: 700 },
    ZOOM,
];
