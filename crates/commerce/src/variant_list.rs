//! The variants of a stored or projected side of a Product: the master variant first, then the others.

use kontor_engine::Document;
use kontor_engine::document::list;
use kontor_json::Value;

const MASTER: &str = "masterVariant";
const OTHERS: &str = "variants";

/// Returns all variants of a side.
pub(crate) fn variants(side: &Document) -> impl Iterator<Item = &Document> {
    let master = side.get(MASTER).into_iter();
    master.chain(list(side, &[OTHERS])).filter_map(Value::as_object)
}

/// As [`variants`], to be changed.
pub(crate) fn variants_mut(side: &mut Document) -> impl Iterator<Item = &mut Document> {
    let mut master = None;
    let mut others = None;
    for (name, value) in side.iter_mut() {
        match name.as_str() {
            MASTER => master = Some(value),
            OTHERS => others = value.as_array_mut(),
            _ => {}
        }
    }
    master.into_iter().chain(others.into_iter().flatten()).filter_map(Value::as_object_mut)
}
