//! Converts one side of a Product into a Product Projection.
//!
//! Source: reference type `ProductProjection`.

use super::sides::{CURRENT, STAGED, data};
use kontor_engine::Document;
use kontor_engine::document::get;

/// Fields of the Product itself in a projection: those before and those after the fields of the side.
const BEFORE: [&str; 6] = ["id", "version", "createdAt", "lastModifiedAt", "key", "productType"];
const AFTER: [&str; 4] = ["taxCategory", "state", "reviewRatingStatistics", "priceMode"];

/// Returns the projection of a Product: of its staged side with `staged`, otherwise of its current side.
pub(crate) fn projection(product: &Document, staged: bool) -> Document {
    let mut projection = Document::new();
    let mut take = |source: &Document, names: &[&str]| {
        for name in names {
            if let Some(value) = source.get(*name) {
                projection.insert((*name).to_owned(), value.clone());
            }
        }
    };
    take(product, &BEFORE);
    if let Some(data) = data(product, if staged { STAGED } else { CURRENT }) {
        let names: Vec<&str> = data.keys().map(|name| name.as_str()).collect();
        take(data, &names);
    }
    if let Some(sides) = get(product, &["masterData"]).and_then(|sides| sides.as_object()) {
        take(sides, &["published", "hasStagedChanges"]);
    }
    take(product, &AFTER);
    projection
}
