//! Types that do not depend on resources: scalars, localized strings, references, custom fields. Start at
//! [`SchemaDerivation::add_platform_types`].

use super::{SchemaDerivation, argument};
use crate::exceptions::CUSTOM_TYPE;
use crate::scalar_values::ScalarValues;
use crate::schema_types::{
    Conversion, FieldArgument, FieldValueSource, InputField, InputForm, InputType, OutputField, OutputType,
    PageField, SchemaType, TypeBody, TypeResolution,
};

const SCALARS: &[(&str, ScalarValues, &str)] = &[
    ("BigDecimal", ScalarValues::Number, "A number, as exact as it is written."),
    ("Country", ScalarValues::Text, "A country code with two letters (ISO 3166-1)."),
    ("Currency", ScalarValues::Text, "A currency code with three letters (ISO 4217)."),
    ("CurrencyCode", ScalarValues::Text, "A currency code with three letters (ISO 4217)."),
    ("Date", ScalarValues::Text, "Year, month and day: `2027-01-31`."),
    ("DateTime", ScalarValues::Text, "ISO 8601 in UTC, with milliseconds."),
    ("Json", ScalarValues::Any, "Any JSON value."),
    ("JsonPrimitive", ScalarValues::Primitive, "A text, a number, `true` or `false`."),
    ("KeyReferenceInput", ScalarValues::Text, "The key of a resource."),
    ("Locale", ScalarValues::Text, "An IETF language tag, for example `en` or `de-AT`."),
    ("Long", ScalarValues::Whole, "A whole number of 64 bits."),
    ("Time", ScalarValues::Text, "Time of the day: `14:30:00.000`."),
    ("YearMonth", ScalarValues::Text, "Year and month: `2027-01`."),
];

impl SchemaDerivation<'_> {
    /// Adds all types of this file.
    pub(super) fn add_platform_types(&mut self) {
        for (name, takes, doc) in SCALARS {
            self.add_type(name, doc, TypeBody::Scalar(*takes));
        }
        self.interfaces();
        self.texts_and_references();
        self.custom_fields();
        self.platform_inputs();
    }

    fn add_type(&mut self, name: &str, doc: &str, body: TypeBody) {
        self.types.insert(name.to_owned(), SchemaType { doc: doc.to_owned(), body });
    }

    fn object(
        &mut self,
        name: &str,
        doc: &str,
        fields: Vec<(&str, &str, FieldValueSource, Vec<FieldArgument>)>,
    ) {
        self.add_type(
            name,
            doc,
            TypeBody::Output(OutputType { fields: output_fields(fields), ..OutputType::default() }),
        );
    }

    fn interfaces(&mut self) {
        let fields = vec![
            ("id", "String!", stored_field("id"), vec![]),
            ("version", "Long!", stored_field("version"), vec![]),
            ("createdAt", "DateTime!", stored_field("createdAt"), vec![]),
            ("lastModifiedAt", "DateTime!", stored_field("lastModifiedAt"), vec![]),
            ("createdBy", "Initiator", stored_field("createdBy"), vec![]),
            ("lastModifiedBy", "Initiator", stored_field("lastModifiedBy"), vec![]),
        ];
        let interface = |fields| OutputType {
            interface: Some(TypeResolution::Kind),
            fields: output_fields(fields),
            ..OutputType::default()
        };
        self.add_type(
            "Versioned",
            "The fields that every resource has.",
            TypeBody::Output(interface(fields)),
        );
        let id = vec![("id", "String!", stored_field("id"), vec![])];
        self.add_type(
            "ReferenceExpandable",
            "A resource that a reference may point to.",
            TypeBody::Output(interface(id)),
        );
    }

    fn texts_and_references(&mut self) {
        self.object(
            "LocalizedString",
            "A text in one language.",
            vec![
                ("locale", "Locale!", FieldValueSource::TextLocale, vec![]),
                ("value", "String!", FieldValueSource::TextValue, vec![]),
            ],
        );
        self.object(
            "Reference",
            "A reference to a resource by its id.",
            vec![
                ("typeId", "String!", stored_field("typeId"), vec![]),
                ("id", "String!", stored_field("id"), vec![]),
            ],
        );
        self.object(
            "KeyReference",
            "A reference to a resource by its key.",
            vec![
                ("typeId", "String!", stored_field("typeId"), vec![]),
                ("key", "String!", stored_field("key"), vec![]),
            ],
        );
        self.object(
            "ReferencedResource",
            "Resources that a free JSON value refers to.",
            vec![
                ("path", "String!", FieldValueSource::ReferencedPath, vec![]),
                ("objs", "[ReferenceExpandable!]", FieldValueSource::ReferencedTargets, vec![]),
            ],
        );
    }

    fn custom_fields(&mut self) {
        let to_type = || vec!["type".to_owned()];
        self.object(
            "CustomFieldsType",
            "Custom fields of a resource, with the Type that defines them.",
            vec![
                ("typeRef", "Reference!", FieldValueSource::Reference(to_type()), vec![]),
                ("type", CUSTOM_TYPE, FieldValueSource::Target(to_type()), vec![]),
                (
                    "customFieldsRaw",
                    "[RawCustomField!]",
                    FieldValueSource::Entries("fields".into()),
                    name_arguments(),
                ),
            ],
        );
        self.object(
            "RawCustomField",
            "A custom field as plain JSON.",
            vec![
                ("name", "String!", FieldValueSource::EntryName, vec![]),
                ("value", "Json!", FieldValueSource::EntryValue, vec![]),
                ("referencedResource", "ReferenceExpandable", FieldValueSource::EntryTarget, vec![]),
                ("referencedResourceSet", "[ReferenceExpandable!]!", FieldValueSource::EntryTargets, vec![]),
            ],
        );
        self.object(
            "InterfaceInteractionsRaw",
            "Custom fields as plain JSON, as an element of a list.",
            vec![
                ("typeRef", "Reference!", FieldValueSource::Reference(to_type()), vec![]),
                ("type", CUSTOM_TYPE, FieldValueSource::Target(to_type()), vec![]),
                (
                    "fields",
                    "[RawCustomField!]!",
                    FieldValueSource::Entries("fields".into()),
                    name_arguments(),
                ),
            ],
        );
        self.object(
            "InterfaceInteractionsRawResult",
            "A part of a list of custom fields.",
            vec![
                ("limit", "Int", FieldValueSource::Page(PageField::Limit), vec![]),
                ("offset", "Int", FieldValueSource::Page(PageField::Offset), vec![]),
                ("total", "Int!", FieldValueSource::Page(PageField::Total), vec![]),
                (
                    "results",
                    "[InterfaceInteractionsRaw!]!",
                    FieldValueSource::Page(PageField::Results),
                    vec![],
                ),
            ],
        );
    }

    fn platform_inputs(&mut self) {
        self.add_input(
            "LocalizedStringItemInputType",
            "A text in one language.",
            &[
                ("locale", "Locale!", "locale", Conversion::Same),
                ("value", "String!", "value", Conversion::Same),
            ],
        );
        self.add_input(
            "ResourceIdentifierInput",
            "A resource by `id` or by `key`.",
            &[
                ("typeId", "String", "typeId", Conversion::Same),
                ("id", "String", "id", Conversion::Same),
                ("key", "String", "key", Conversion::Same),
            ],
        );
        self.add_input(
            "ReferenceInput",
            "A resource by `id`.",
            &[("typeId", "String!", "typeId", Conversion::Same), ("id", "String!", "id", Conversion::Same)],
        );
        self.add_input(
            "TargetReferenceInput",
            "A resource of one of several kinds, by `id` or by `key`.",
            &[
                ("typeId", "String!", "typeId", Conversion::Same),
                ("id", "String", "id", Conversion::Same),
                ("key", "String", "key", Conversion::Same),
            ],
        );
        self.add_input(
            "CustomFieldInput",
            "A custom field. The value is JSON in a text: `\"\\\"text\\\"\"`, `\"4\"`.",
            &[("name", "String!", "name", Conversion::Same), ("value", "String!", "value", Conversion::Same)],
        );
        self.add_input(
            "CustomFieldsDraft",
            "Custom fields, with their Type by `type`, `typeId` or `typeKey`.",
            &[
                ("typeId", "String", "type", Conversion::CustomTypeId),
                ("typeKey", "String", "type", Conversion::CustomTypeKey),
                ("type", "ResourceIdentifierInput", "type", Conversion::Same),
                ("fields", "[CustomFieldInput!]", "fields", Conversion::Entries),
            ],
        );
    }

    /// Adds an input object. Each field has a GraphQL name, a type, its REST name and its conversion to REST.
    pub(super) fn add_input(&mut self, name: &str, doc: &str, fields: &[(&str, &str, &str, Conversion)]) {
        let fields = fields.iter().map(|(field, ty, to, conversion)| {
            let field_ = InputField {
                doc: String::new(),
                ty: (*ty).to_owned(),
                to: vec![(*to).to_owned()],
                conversion: conversion.clone(),
            };
            ((*field).to_owned(), field_)
        });
        let body = TypeBody::Input(InputType { meaning: InputForm::Object, fields: fields.collect() });
        self.add_type(name, doc, body);
    }
}

/// Returns the arguments that include or exclude entries by name.
pub(super) fn name_arguments() -> Vec<FieldArgument> {
    vec![
        argument("includeNames", "[String!]", "The names to include. Default: all."),
        argument("excludeNames", "[String!]", "The names to exclude."),
    ]
}

fn stored_field(name: &str) -> FieldValueSource {
    FieldValueSource::Stored(name.to_owned(), None)
}

fn output_fields(
    fields: Vec<(&str, &str, FieldValueSource, Vec<FieldArgument>)>,
) -> apollo_compiler::collections::IndexMap<String, OutputField> {
    fields
        .into_iter()
        .map(|(name, ty, source, arguments)| {
            let field =
                OutputField { doc: String::new(), arguments, ty: ty.to_owned(), source, deprecated: false };
            (name.to_owned(), field)
        })
        .collect()
}
