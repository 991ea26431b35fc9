//! Passes numbers to a `serde` visitor.

use crate::{Error, Number};
use serde::de::{Error as _, Visitor};

/// Visits a number as the smallest type that holds it.
pub(crate) fn visit<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Error> {
    if let Some(whole) = number.as_u64() {
        return visitor.visit_u64(whole);
    }
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => visitor.visit_i64(whole),
        (None, Some(number)) => visitor.visit_f64(number),
        (None, None) => Err(Error::custom("a number that is none")),
    }
}
