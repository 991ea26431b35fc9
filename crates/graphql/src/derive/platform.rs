//! Types that do not depend on resources: scalars, localized strings, references, custom fields.

use super::{Deriving, argument};
use crate::derived::{
    Argument, Body, Concrete, Conversion, Input, InputField, Meaning, Output, OutputField, PageField, Source,
    Type,
};
use crate::exceptions::CUSTOM_TYPE;
use crate::takes::Takes;

const SCALARS: &[(&str, Takes, &str)] = &[
    ("BigDecimal", Takes::Number, "A number, as exact as it is written."),
    ("Country", Takes::Text, "Two letters of ISO 3166-1."),
    ("Currency", Takes::Text, "Three letters of ISO 4217."),
    ("CurrencyCode", Takes::Text, "Three letters of ISO 4217."),
    ("Date", Takes::Text, "Year, month and day: `2027-01-31`."),
    ("DateTime", Takes::Text, "ISO 8601 in UTC, with milliseconds."),
    ("Json", Takes::Any, "Any JSON value."),
    ("JsonPrimitive", Takes::Primitive, "A text, a number, `true` or `false`."),
    ("KeyReferenceInput", Takes::Text, "The key of a resource."),
    ("Locale", Takes::Text, "An IETF language tag, for example `en` or `de-AT`."),
    ("Long", Takes::Whole, "A whole number of 64 bits."),
    ("Time", Takes::Text, "Time of the day: `14:30:00.000`."),
    ("YearMonth", Takes::Text, "Year and month: `2027-01`."),
];

impl Deriving<'_> {
    /// Adds all types of this file.
    pub(super) fn platform(&mut self) {
        for (name, takes, doc) in SCALARS {
            self.put(name, doc, Body::Scalar(*takes));
        }
        self.interfaces();
        self.texts_and_references();
        self.custom_fields();
        self.platform_inputs();
    }

    fn put(&mut self, name: &str, doc: &str, body: Body) {
        self.types.insert(name.to_owned(), Type { doc: doc.to_owned(), body });
    }

    fn object(&mut self, name: &str, doc: &str, fields: Vec<(&str, &str, Source, Vec<Argument>)>) {
        self.put(name, doc, Body::Output(Output { fields: listed(fields), ..Output::default() }));
    }

    fn interfaces(&mut self) {
        let fields = vec![
            ("id", "String!", stored("id"), vec![]),
            ("version", "Long!", stored("version"), vec![]),
            ("createdAt", "DateTime!", stored("createdAt"), vec![]),
            ("lastModifiedAt", "DateTime!", stored("lastModifiedAt"), vec![]),
            ("createdBy", "Initiator", stored("createdBy"), vec![]),
            ("lastModifiedBy", "Initiator", stored("lastModifiedBy"), vec![]),
        ];
        let interface =
            |fields| Output { interface: Some(Concrete::Kind), fields: listed(fields), ..Output::default() };
        self.put("Versioned", "The fields that every resource has.", Body::Output(interface(fields)));
        let id = vec![("id", "String!", stored("id"), vec![])];
        self.put(
            "ReferenceExpandable",
            "A resource that a reference may point to.",
            Body::Output(interface(id)),
        );
    }

    fn texts_and_references(&mut self) {
        self.object(
            "LocalizedString",
            "A text in one language.",
            vec![
                ("locale", "Locale!", Source::TextLocale, vec![]),
                ("value", "String!", Source::TextValue, vec![]),
            ],
        );
        self.object(
            "Reference",
            "A reference to a resource by its id.",
            vec![("typeId", "String!", stored("typeId"), vec![]), ("id", "String!", stored("id"), vec![])],
        );
        self.object(
            "KeyReference",
            "A reference to a resource by its key.",
            vec![("typeId", "String!", stored("typeId"), vec![]), ("key", "String!", stored("key"), vec![])],
        );
        self.object(
            "ReferencedResource",
            "Resources that a free JSON value refers to.",
            vec![
                ("path", "String!", Source::ReferencedPath, vec![]),
                ("objs", "[ReferenceExpandable!]", Source::ReferencedTargets, vec![]),
            ],
        );
    }

    fn custom_fields(&mut self) {
        let to_type = || vec!["type".to_owned()];
        self.object(
            "CustomFieldsType",
            "Custom fields of a resource, with the Type that defines them.",
            vec![
                ("typeRef", "Reference!", Source::Reference(to_type()), vec![]),
                ("type", CUSTOM_TYPE, Source::Target(to_type()), vec![]),
                ("customFieldsRaw", "[RawCustomField!]", Source::Entries("fields".into()), names()),
            ],
        );
        self.object(
            "RawCustomField",
            "A custom field as plain JSON.",
            vec![
                ("name", "String!", Source::EntryName, vec![]),
                ("value", "Json!", Source::EntryValue, vec![]),
                ("referencedResource", "ReferenceExpandable", Source::EntryTarget, vec![]),
                ("referencedResourceSet", "[ReferenceExpandable!]!", Source::EntryTargets, vec![]),
            ],
        );
        self.object(
            "InterfaceInteractionsRaw",
            "Custom fields as plain JSON, as an element of a list.",
            vec![
                ("typeRef", "Reference!", Source::Reference(to_type()), vec![]),
                ("type", CUSTOM_TYPE, Source::Target(to_type()), vec![]),
                ("fields", "[RawCustomField!]!", Source::Entries("fields".into()), names()),
            ],
        );
        self.object(
            "InterfaceInteractionsRawResult",
            "A part of a list of custom fields.",
            vec![
                ("limit", "Int", Source::Page(PageField::Limit), vec![]),
                ("offset", "Int", Source::Page(PageField::Offset), vec![]),
                ("total", "Int!", Source::Page(PageField::Total), vec![]),
                ("results", "[InterfaceInteractionsRaw!]!", Source::Page(PageField::Results), vec![]),
            ],
        );
    }

    fn platform_inputs(&mut self) {
        self.input(
            "LocalizedStringItemInputType",
            "A text in one language.",
            &[
                ("locale", "Locale!", "locale", Conversion::Same),
                ("value", "String!", "value", Conversion::Same),
            ],
        );
        self.input(
            "ResourceIdentifierInput",
            "A resource by `id` or by `key`.",
            &[
                ("typeId", "String", "typeId", Conversion::Same),
                ("id", "String", "id", Conversion::Same),
                ("key", "String", "key", Conversion::Same),
            ],
        );
        self.input(
            "ReferenceInput",
            "A resource by `id`.",
            &[("typeId", "String!", "typeId", Conversion::Same), ("id", "String!", "id", Conversion::Same)],
        );
        self.input(
            "TargetReferenceInput",
            "A resource of one of several kinds, by `id` or by `key`.",
            &[
                ("typeId", "String!", "typeId", Conversion::Same),
                ("id", "String", "id", Conversion::Same),
                ("key", "String", "key", Conversion::Same),
            ],
        );
        self.input(
            "CustomFieldInput",
            "A custom field. The value is JSON in a text: `\"\\\"text\\\"\"`, `\"4\"`.",
            &[("name", "String!", "name", Conversion::Same), ("value", "String!", "value", Conversion::Same)],
        );
        self.input(
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
    pub(super) fn input(&mut self, name: &str, doc: &str, fields: &[(&str, &str, &str, Conversion)]) {
        let fields = fields.iter().map(|(field, ty, to, conversion)| {
            let field_ = InputField {
                doc: String::new(),
                ty: (*ty).to_owned(),
                to: vec![(*to).to_owned()],
                conversion: conversion.clone(),
            };
            ((*field).to_owned(), field_)
        });
        let body = Body::Input(Input { meaning: Meaning::Object, fields: fields.collect() });
        self.put(name, doc, body);
    }
}

/// Returns the arguments that include or exclude entries by name.
pub(super) fn names() -> Vec<Argument> {
    vec![
        argument("includeNames", "[String!]", "Only these. Default: all."),
        argument("excludeNames", "[String!]", "All but these."),
    ]
}

fn stored(name: &str) -> Source {
    Source::Stored(name.to_owned(), None)
}

fn listed(
    fields: Vec<(&str, &str, Source, Vec<Argument>)>,
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
