//! Draws the product images of the demo shop, so that nothing is downloaded and no URL points to another server.

use super::furniture::{THINGS, WOODS, slug};
use anyhow::Context as _;
use image::{ImageFormat, Rgb, RgbImage};
use kontor_images::Images;
use kontor_json::{Value, json};
use std::collections::HashMap;
use std::io::Cursor;

/// The size of the grid that shapes are drawn on, in fields.
const COLUMNS: u32 = 40;
const ROWS: u32 = 30;
/// The side length of a field, in pixels.
const FIELD: u32 = 10;

const WALL: Rgb<u8> = Rgb([244, 241, 234]);
const FLOOR: Rgb<u8> = Rgb([221, 214, 202]);
/// The first row of the floor.
const FLOOR_ROW: u32 = 24;

/// A rectangle of a shape, in fields: left, top, width, height; and its brightness in percent of the wood's colour.
type ShapeRectangle = (u32, u32, u32, u32, u16);

/// The shapes of furniture, by English name.
const SHAPES: &[(&str, &[ShapeRectangle])] = &[
    (
        "sofa",
        &[
            (6, 11, 28, 8, 90),
            (4, 14, 4, 10, 75),
            (32, 14, 4, 10, 75),
            (8, 18, 24, 5, 110),
            (6, 24, 2, 2, 50),
            (32, 24, 2, 2, 50),
        ],
    ),
    (
        "armchair",
        &[
            (13, 9, 14, 9, 90),
            (11, 14, 3, 10, 75),
            (26, 14, 3, 10, 75),
            (14, 18, 12, 5, 110),
            (12, 24, 2, 2, 50),
            (26, 24, 2, 2, 50),
        ],
    ),
    (
        "shelf",
        &[
            (11, 3, 18, 23, 60),
            (12, 4, 16, 4, 110),
            (12, 9, 16, 4, 110),
            (12, 14, 16, 5, 110),
            (12, 20, 16, 5, 110),
        ],
    ),
    ("table", &[(5, 13, 30, 2, 100), (7, 15, 2, 11, 75), (31, 15, 2, 11, 75)]),
    (
        "chair",
        &[
            (15, 6, 2, 20, 75),
            (17, 7, 7, 2, 100),
            (17, 11, 7, 2, 100),
            (15, 16, 11, 2, 100),
            (24, 18, 2, 8, 75),
        ],
    ),
    ("bench", &[(5, 18, 30, 2, 100), (8, 20, 2, 6, 75), (30, 20, 2, 6, 75)]),
    (
        "bed",
        &[
            (5, 9, 3, 17, 75),
            (8, 18, 26, 5, 100),
            (9, 15, 6, 3, 120),
            (15, 16, 19, 3, 115),
            (34, 16, 2, 10, 75),
        ],
    ),
    (
        "wardrobe",
        &[
            (11, 2, 18, 23, 80),
            (12, 3, 8, 21, 100),
            (20, 3, 8, 21, 105),
            (18, 13, 1, 3, 40),
            (21, 13, 1, 3, 40),
            (12, 25, 2, 1, 50),
            (26, 25, 2, 1, 50),
        ],
    ),
    (
        "desk",
        &[
            (6, 13, 28, 2, 100),
            (8, 15, 2, 11, 75),
            (24, 15, 9, 11, 85),
            (27, 18, 3, 1, 40),
            (27, 22, 3, 1, 40),
        ],
    ),
    ("lamp", &[(15, 5, 10, 5, 120), (13, 8, 14, 2, 115), (19, 10, 2, 14, 75), (15, 24, 10, 2, 75)]),
    (
        "cabinet",
        &[
            (8, 11, 24, 13, 80),
            (9, 12, 22, 5, 100),
            (9, 18, 22, 5, 105),
            (19, 14, 2, 1, 40),
            (19, 20, 2, 1, 40),
            (9, 24, 2, 2, 50),
            (29, 24, 2, 2, 50),
        ],
    ),
];

/// The colour (red, green, blue) of each wood, by its key.
const COLORS: &[(&str, [u16; 3])] = &[
    ("oak", [196, 154, 98]),
    ("ash", [214, 190, 150]),
    ("walnut", [108, 72, 48]),
    ("pine", [226, 184, 120]),
];

/// Images in the form that variants have them, by furniture and wood.
#[derive(Debug, Default)]
pub(crate) struct Pictures(HashMap<(String, String), Value>);

impl Pictures {
    /// Draws every piece of furniture in every wood, and stores the images in the project. `url` is the URL at which
    /// clients reach the server.
    pub(crate) async fn draw(images: &Images, project: &str, url: &str) -> anyhow::Result<Self> {
        let mut pictures = HashMap::new();
        for (_, thing, ..) in THINGS {
            for (wood, ..) in WOODS {
                let name = format!("{}-{wood}", slug(thing));
                let kept = images
                    .accept(project, &name, draw_png(thing, wood)?.into())
                    .await
                    .with_context(|| format!("the picture of a {thing} cannot be kept"))?;
                let image = json!({
                    "url": format!("{}/images/{project}/{}", url.trim_end_matches('/'), kept.name),
                    "dimensions": {"w": kept.width, "h": kept.height},
                    "label": format!("{thing}, {wood}"),
                });
                pictures.insert(((*thing).to_owned(), (*wood).to_owned()), image);
            }
        }
        Ok(Self(pictures))
    }

    /// Returns the images of a variant: one, or none if none was drawn.
    pub(crate) fn images_of(&self, thing: &str, wood: &str) -> Vec<&Value> {
        self.0.get(&(thing.to_owned(), wood.to_owned())).into_iter().collect()
    }
}

/// Returns a picture as PNG.
fn draw_png(thing: &str, wood: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    draw_picture(thing, wood).write_to(&mut bytes, ImageFormat::Png).context("a picture cannot be drawn")?;
    Ok(bytes.into_inner())
}

fn draw_picture(thing: &str, wood: &str) -> RgbImage {
    let color = COLORS.iter().find(|(key, _)| *key == wood).map_or([150; 3], |(_, color)| *color);
    let parts = SHAPES.iter().find(|(name, _)| *name == thing).map_or(&[][..], |(_, parts)| *parts);
    RgbImage::from_fn(COLUMNS * FIELD, ROWS * FIELD, |x, y| {
        let (column, row) = (x / FIELD, y / FIELD);
        let covers = |part: &&ShapeRectangle| {
            (part.0..part.0 + part.2).contains(&column) && (part.1..part.1 + part.3).contains(&row)
        };
        match parts.iter().rev().find(covers) {
            Some(part) => Rgb(color.map(|channel| u8::try_from(channel * part.4 / 100).unwrap_or(u8::MAX))),
            None if row >= FLOOR_ROW => FLOOR,
            None => WALL,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_has_a_shape_and_every_wood_a_color() {
        for (_, thing, ..) in THINGS {
            let empty = draw_picture("nothing", "oak");
            for (wood, ..) in WOODS {
                assert_ne!(draw_picture(thing, wood), empty, "{thing} {wood}");
            }
            assert_ne!(draw_picture(thing, "oak"), draw_picture(thing, "walnut"), "{thing}");
        }
    }

    #[test]
    fn no_part_leaves_the_grid() {
        for (thing, parts) in SHAPES {
            assert!(
                parts.iter().all(|part| part.0 + part.2 <= COLUMNS && part.1 + part.3 <= ROWS),
                "{thing}"
            );
        }
    }
}
