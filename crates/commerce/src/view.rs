//! Views: typed access to the fields of a stored document that rules need. [`views!`] declares them once, and
//! a test compares them with the model, so that a misspelt name fails.
//!
//! A view borrows its texts from the document, and reads all its fields in one pass over the existing
//! members.

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use serde::Deserialize;

/// Part of a stored document, with types.
pub(crate) trait View<'d>: Deserialize<'d> {
    /// The shapes of the model that it is a view of.
    const OF: &'static [&'static str];
}

/// Declares views: structs whose fields have the names of the model in `snake_case`, with the shapes that they are
/// views of. `Option` where one of the shapes need not have the field.
///
/// ```ignore
/// views! {
///     /// The fields of a price tier that rules read.
///     pub(crate) struct TierView of "PriceTier" { minimum_quantity: i64, }
/// }
/// ```
///
/// A test that comes with them refuses a field that none of the shapes has, and reads the smallest and the largest
/// document of each shape.
macro_rules! views {
    ($(
        $(#[$about:meta])*
        $visible:vis struct $view:ident $(<$life:lifetime>)? of $($shape:literal)|+ {
            $($(#[$about_field:meta])* $visible_field:vis $field:ident: $type:ty,)+
        }
    )+) => {
        $(
            $(#[$about])*
            #[derive(Debug, ::serde::Deserialize)]
            #[serde(rename_all = "camelCase")]
            $visible struct $view $(<$life>)? {
                $($(#[$about_field])* $visible_field $field: $type,)+
            }

            impl<'view $(, $life)?> $crate::view::View<'view> for $view $(<$life>)?
            where
                Self: ::serde::Deserialize<'view>,
            {
                const OF: &'static [&'static str] = &[$($shape),+];
            }
        )+

        #[cfg(test)]
        mod views_fit_the_model {
            $(
                #[test]
                #[allow(non_snake_case)] // Named after the view.
                fn $view() {
                    $crate::view::fits_the_model::<super::$view>();
                }
            )+
        }
    };
}
pub(crate) use views;

/// Reads a view of a stored document. A document that cannot be read is a defect: it was validated when it was written.
#[track_caller]
pub(crate) fn read<'d, V: View<'d>>(document: &'d Document) -> ApiResult<V> {
    match V::deserialize(document) {
        Ok(view) => Ok(view),
        Err(problem) => {
            Err(ApiError::bug(format!("a stored {} cannot be read: {problem}", V::OF.join(" or "))))
        }
    }
}

/// The target of a stored reference.
#[derive(Debug, Deserialize)]
pub(crate) struct Target<'d> {
    /// Its id.
    pub(crate) id: &'d str,
}

/// The target of a stored reference by key.
#[derive(Debug, Deserialize)]
pub(crate) struct KeyTarget<'d> {
    /// Its key.
    pub(crate) key: &'d str,
}

#[cfg(test)]
pub(crate) use fitting::fits_the_model;

#[cfg(test)]
mod fitting {
    use super::*;
    use crate::test_values::{draft_of, value_of};
    use kontor_json::{Value, json};
    use kontor_model::Model;
    use serde::de::value::Error;
    use serde::de::{Deserializer, Error as _, Visitor};
    use serde::forward_to_deserialize_any;
    use std::sync::LazyLock;

    static MODEL: LazyLock<Model> = LazyLock::new(|| Model::embedded().unwrap());

    /// Fails if a view has a field that its shapes do not have, or cannot read a value that the shapes allow.
    pub(crate) fn fits_the_model<V: View<'static>>() {
        let mut unknown = names_of::<V>();
        for shape in V::OF {
            let id = MODEL.object_by_name(shape).unwrap_or_else(|| panic!("the model has no {shape}"));
            let object = MODEL.object(id);
            unknown.retain(|name| object.field(name).is_none());
            let all = object.fields.iter().map(|field| {
                let value = value_of(&MODEL, &field.shape, "key");
                (field.name.clone(), value)
            });
            let tag = MODEL.unions().find_map(|(_, union)| {
                let (tag, _) = union.members.iter().find(|(_, member)| *member == id)?;
                Some((union.by.as_str(), tag.as_str()))
            });
            for mut document in [draft_of(&MODEL, id, "key"), all.collect()] {
                document.extend(tag.map(|(by, tag)| (by.to_owned(), json!(tag))));
                let document = Box::leak(Box::new(Value::Object(document)));
                if let Err(problem) = V::deserialize(&*document) {
                    panic!("{shape} {document} is not read: {problem}");
                }
            }
        }
        assert!(unknown.is_empty(), "{} does not have {unknown:?}", V::OF.join(" or "));
    }

    /// The names of the fields that a view reads.
    fn names_of<'d, V: Deserialize<'d>>() -> Vec<&'static str> {
        let mut names = Vec::new();
        assert!(V::deserialize(FieldNameCollector(&mut names)).is_err(), "not the fields of a struct");
        names
    }

    /// A deserializer that records the requested field names and returns no value.
    struct FieldNameCollector<'a>(&'a mut Vec<&'static str>);

    impl<'de> Deserializer<'de> for FieldNameCollector<'_> {
        type Error = Error;

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _name: &'static str,
            fields: &'static [&'static str],
            _visitor: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            Err(Error::custom("only asked"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
            Err(Error::custom("only asked"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    mod wrong {
        use super::super::{Deserialize, View};

        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[allow(dead_code)] // Only its declaration counts.
        pub(super) struct Misspelt {
            minimum_quantity: i64,
            minimum_quantitty: Option<i64>,
        }

        impl View<'_> for Misspelt {
            const OF: &'static [&'static str] = &["PriceTier"];
        }

        #[derive(Debug, Deserialize)]
        #[allow(dead_code)] // Only its declaration counts.
        pub(super) struct Demanding {
            country: String,
        }

        impl View<'_> for Demanding {
            const OF: &'static [&'static str] = &["Price"];
        }
    }

    #[test]
    #[should_panic(expected = "PriceTier does not have [\"minimumQuantitty\"]")]
    fn a_misspelt_name_is_found() {
        fits_the_model::<wrong::Misspelt>();
    }

    #[test]
    #[should_panic(expected = "missing field `country`")]
    fn a_field_that_may_be_absent_is_no_required_one() {
        fits_the_model::<wrong::Demanding>();
    }

    #[test]
    fn errors_of_views_name_the_problem() {
        let document = Document::new();
        let error = read::<wrong::Demanding>(&document).unwrap_err();
        let bug = error.broken().unwrap().to_string();
        assert!(bug.starts_with("a stored Price cannot be read: missing field `country`"), "{bug}");
    }
}
