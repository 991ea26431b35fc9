//! Deserializes enums from texts, for the views of stored documents.

use crate::ModelEnum;
use serde::de::{Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Parses a text as a value of an enum, without a copy of the text.
pub struct EnumVisitor<E>(PhantomData<E>);

impl<E> Default for EnumVisitor<E> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<E: ModelEnum> Visitor<'_> for EnumVisitor<E> {
    type Value = E;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a text of {}", E::NAME)
    }

    fn visit_str<P: Error>(self, text: &str) -> Result<E, P> {
        E::try_from(text).map_err(P::custom)
    }
}
