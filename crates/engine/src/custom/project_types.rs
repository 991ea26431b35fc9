//! The custom fields that a project's Types define, for predicates and sort expressions.

use crate::document::{enum_in_or_log, list, read_borrowed};
use crate::shop::Shop;
use kontor_enums::FieldTypeTag;
use kontor_json::Value;
use kontor_model::{Model, ReferenceKinds, Shape};
use kontor_query::FieldSource;
use kontor_storage::ScanDirection;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The custom fields of a project. Its Types are read when a field is first looked up.
pub(crate) struct ProjectTypes<'a> {
    shop: &'a Shop,
    fields: OnceCell<HashMap<(String, String), Shape>>,
}

impl<'a> ProjectTypes<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop, fields: OnceCell::new() }
    }

    fn read(&self) -> HashMap<(String, String), Shape> {
        let mut fields = HashMap::new();
        let result = self.shop.storage.scan("type", ScanDirection::Ascending, None, &mut |stored| {
            if let Ok(definitions) = read_borrowed(stored.body) {
                for resource in list(&definitions, &["resourceTypeIds"]) {
                    for field in list(&definitions, &["fieldDefinitions"]) {
                        if let (Some(resource), Some(name)) = (resource.as_str(), field["name"].as_str()) {
                            let shape = shape(&field["type"], &self.shop.model);
                            fields.insert((resource.to_owned(), name.to_owned()), shape);
                        }
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = result {
            tracing::error!(%error, project = %self.shop.key, "the Types could not be read");
        }
        fields
    }
}

impl FieldSource for ProjectTypes<'_> {
    fn custom_field(&self, of: &str, name: &str) -> Option<Shape> {
        self.fields.get_or_init(|| self.read()).get(&(of.to_owned(), name.to_owned())).cloned()
    }
}

/// The shape of a field's values (reference type `FieldType`).
fn shape(field_type: &Value, model: &Model) -> Shape {
    let Some(tag) = enum_in_or_log(field_type, "name") else { return Shape::String };
    match tag {
        FieldTypeTag::Boolean => Shape::Boolean,
        FieldTypeTag::Number => Shape::Float,
        FieldTypeTag::LocalizedString => Shape::Localized,
        FieldTypeTag::Date => Shape::Date,
        FieldTypeTag::Time => Shape::Time,
        FieldTypeTag::DateTime => Shape::DateTime,
        FieldTypeTag::Money => {
            model.object_by_name("CentPrecisionMoney").map_or(Shape::AnyObject, Shape::Object)
        }
        FieldTypeTag::Reference => {
            let kind = field_type["referenceTypeId"].as_str().and_then(|id| model.kind_by_type_id(id));
            Shape::Reference(kind.map_or(ReferenceKinds::Any, |kind| ReferenceKinds::Kinds(vec![kind])))
        }
        FieldTypeTag::Set => Shape::List(Box::new(shape(&field_type["elementType"], model))),
        FieldTypeTag::String | FieldTypeTag::Enum | FieldTypeTag::LocalizedEnum => Shape::String,
    }
}
