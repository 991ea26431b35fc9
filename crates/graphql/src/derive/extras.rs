//! Derives the fields and types that only GraphQL has (tables `EXTRA…` in [`exceptions`](crate::exceptions)).

use super::field::{field_of, parse_table_json};
use super::{SchemaDerivation, argument};
use crate::exceptions::{
    EXTRA, EXTRA_ENUMS, EXTRA_OUTPUTS, EXTRA_UNIONS, ExtraSource, HIDDEN, OUTPUT_ALIASES, OUTPUT_NAMES,
};
use crate::names::named_type;
use crate::schema_types::{FieldValueSource, OutputField, OutputType, TypeBody, TypeResolution};
use apollo_compiler::collections::IndexMap;
use kontor_json::Value;
use kontor_model::KindId;

impl SchemaDerivation<'_> {
    /// Adds the extra fields of a type.
    pub(super) fn extra_fields(&mut self, name: &str, fields: &mut IndexMap<String, OutputField>) {
        for (_, field, arguments, ty, extra) in EXTRA.filter(|(owner, ..)| *owner == name) {
            let source = self.extra_source(extra);
            self.extra_output(named_type(ty));
            let arguments = arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            let field_ = OutputField { arguments, ..field_of((*ty).to_owned(), source) };
            fields.insert((*field).to_owned(), field_);
        }
    }

    /// Returns the source of an extra field's value. Fields of kinds that are not served are `null`.
    fn extra_source(&mut self, extra: &'static ExtraSource) -> FieldValueSource {
        let steps = |path: &[&str]| path.iter().map(|step| (*step).to_owned()).collect();
        match extra {
            ExtraSource::Constant(json) => FieldValueSource::Constant(parse_table_json(json)),
            ExtraSource::Reference(path) => FieldValueSource::Reference(steps(path)),
            ExtraSource::Target(path) => FieldValueSource::Target(steps(path)),
            ExtraSource::TargetById { kind, field } => match self.served_kind(kind) {
                Some(kind) => FieldValueSource::TargetById(kind, (*field).to_owned()),
                None => FieldValueSource::Constant(Value::Null),
            },
            ExtraSource::Ancestors(field) => FieldValueSource::Ancestors((*field).to_owned()),
            ExtraSource::Referrers { kind, path } => match self.served_kind(kind) {
                Some(kind) => FieldValueSource::Referrers(kind, (*path).to_owned()),
                None => FieldValueSource::Constant(Value::Null),
            },
            ExtraSource::CountOfReferrers { kind, path } => {
                FieldValueSource::CountOfReferrers(self.served_kind(kind), (*path).to_owned())
            }
            ExtraSource::Counted { kind, name } => match self.served_kind(kind) {
                Some(kind) => FieldValueSource::Counted(kind, (*name).to_owned()),
                None => FieldValueSource::Constant(Value::Null),
            },
            ExtraSource::ReferencedResources => FieldValueSource::ReferencedResources,
            ExtraSource::Stored(other) => FieldValueSource::Stored((*other).to_owned(), None),
            ExtraSource::At(path) => FieldValueSource::At(steps(path)),
            ExtraSource::Elements { list, by } => {
                FieldValueSource::Elements { list: (*list).to_owned(), by: (*by).to_owned() }
            }
            ExtraSource::Scalars(paths) => {
                let steps = |path: &&str| path.split('.').map(str::to_owned).collect();
                FieldValueSource::Scalars(paths.iter().map(steps).collect())
            }
            ExtraSource::Chosen { first, list } => {
                FieldValueSource::Chosen(first.map(str::to_owned), (*list).to_owned())
            }
            ExtraSource::ChosenOne { first, list } => {
                FieldValueSource::ChosenOne(first.map(str::to_owned), (*list).to_owned())
            }
            ExtraSource::MapEntries { field, name, value } => {
                FieldValueSource::MapEntries((*field).to_owned(), (*name).to_owned(), (*value).to_owned())
            }
            ExtraSource::MapEntry { field, argument } => {
                FieldValueSource::MapEntry((*field).to_owned(), (*argument).to_owned())
            }
            ExtraSource::NamedValues(field) => FieldValueSource::NamedValues((*field).to_owned()),
            ExtraSource::EntryName => FieldValueSource::EntryName,
            ExtraSource::EntryValue => FieldValueSource::EntryValue,
            ExtraSource::EntryTarget => FieldValueSource::EntryTarget,
            ExtraSource::EntryTargets => FieldValueSource::EntryTargets,
            ExtraSource::EntryNamedValues => FieldValueSource::EntryNamedValues,
            ExtraSource::ListPage { kind, list } => match self.served_kind(kind) {
                Some(kind) => {
                    self.page_below(kind, list);
                    FieldValueSource::ListPage(kind, (*list).to_owned())
                }
                None => FieldValueSource::Constant(Value::Null),
            },
            ExtraSource::IfPresent(field) => FieldValueSource::IfPresent((*field).to_owned()),
            ExtraSource::MapPage(page) => FieldValueSource::MapPage(page),
            ExtraSource::MapReferences(page) => FieldValueSource::MapReferences(page),
            ExtraSource::Spliced(splice) => match self.served_kind(splice.kind) {
                Some(kind) => FieldValueSource::Spliced(kind, splice),
                None => FieldValueSource::Constant(Value::Null),
            },
            ExtraSource::EntryDefinition(definition) => FieldValueSource::EntryDefinition(definition),
        }
    }

    /// Adds a type that only GraphQL has, or a type of the model that only extra fields lead to.
    pub(super) fn extra_output(&mut self, name: &str) {
        if let Some((_, doc)) = EXTRA_OUTPUTS.find(|(of, _)| *of == name) {
            if !self.reserve(name, doc) {
                let mut fields = IndexMap::default();
                self.extra_fields(name, &mut fields);
                self.set(name, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
            }
        } else if let Some((_, values)) = EXTRA_ENUMS.find(|(of, _)| *of == name) {
            self.reserve(name, "");
            let values = values.iter().map(|value| ((*value).to_owned(), String::new())).collect();
            self.set(name, TypeBody::Enum(values));
        } else if let Some((_, doc, by, members)) = EXTRA_UNIONS.find(|(of, ..)| *of == name) {
            self.extra_union(name, doc, by, members);
        } else if let Some(object) = OUTPUT_ALIASES.get(name).and_then(|of| self.model.object_by_name(of)) {
            self.output_object(object, name, &[]);
        } else if let Some(object) = self.model.object_by_name(name)
            && self.model.kinds().all(|(_, kind)| kind.object != object)
        {
            self.output_object(object, name, &[]);
        }
    }

    /// Adds an interface that only GraphQL has, and its types.
    fn extra_union(&mut self, name: &str, doc: &str, by: &str, members: &[(&str, &str)]) {
        if self.reserve(name, doc) {
            return;
        }
        for (_, member) in members {
            self.extra_output(member);
            self.pending_interfaces.push(((*member).to_owned(), name.to_owned()));
        }
        let types = members.iter().map(|(tag, member)| ((*tag).to_owned(), (*member).to_owned())).collect();
        let mut fields = self.shared_fields(name, &types);
        fields.retain(|field, _| !HIDDEN.contains(&(name, field.as_str())));
        let interface = Some(TypeResolution::Tag { by: by.to_owned(), types });
        self.set(name, TypeBody::Output(OutputType { interface, fields, ..OutputType::default() }));
    }

    /// Adds the page type of a list below other documents.
    fn page_below(&mut self, kind: KindId, list: &str) {
        let lists = &self.model.kind(kind).lists;
        let Some(shows) = lists.iter().find(|entry| entry.name == list).map(|entry| entry.shows) else {
            return;
        };
        let model = &self.model.object(shows).name;
        let name = OUTPUT_NAMES.get(model).unwrap_or(model).to_owned();
        self.output_object(shows, &name, &[]);
        self.page(&name);
    }
}
