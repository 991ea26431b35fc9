//! Derives the fields and types that only GraphQL has (tables `EXTRA…` in [`exceptions`](crate::exceptions)).

use super::field::{parse, plain};
use super::{Deriving, argument};
use crate::derived::{Body, Concrete, Output, OutputField, Source};
use crate::exceptions::{
    EXTRA, EXTRA_ENUMS, EXTRA_OUTPUTS, EXTRA_UNIONS, Extra, HIDDEN, OUTPUT_ALIASES, OUTPUT_NAMES,
};
use crate::names::innermost;
use apollo_compiler::collections::IndexMap;
use kontor_json::Value;
use kontor_model::KindId;

impl Deriving<'_> {
    /// Adds the extra fields of a type.
    pub(super) fn extra_fields(&mut self, name: &str, fields: &mut IndexMap<String, OutputField>) {
        for (_, field, arguments, ty, extra) in EXTRA.filter(|(owner, ..)| *owner == name) {
            let source = self.extra_source(extra);
            self.extra_output(innermost(ty));
            let arguments = arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            let field_ = OutputField { arguments, ..plain((*ty).to_owned(), source) };
            fields.insert((*field).to_owned(), field_);
        }
    }

    /// Returns the source of an extra field's value. Fields of kinds that are not served are `null`.
    fn extra_source(&mut self, extra: &'static Extra) -> Source {
        let steps = |path: &[&str]| path.iter().map(|step| (*step).to_owned()).collect();
        match extra {
            Extra::Constant(json) => Source::Constant(parse(json)),
            Extra::Reference(path) => Source::Reference(steps(path)),
            Extra::Target(path) => Source::Target(steps(path)),
            Extra::TargetById { kind, field } => match self.served(kind) {
                Some(kind) => Source::TargetById(kind, (*field).to_owned()),
                None => Source::Constant(Value::Null),
            },
            Extra::Ancestors(field) => Source::Ancestors((*field).to_owned()),
            Extra::Referrers { kind, path } => match self.served(kind) {
                Some(kind) => Source::Referrers(kind, (*path).to_owned()),
                None => Source::Constant(Value::Null),
            },
            Extra::CountOfReferrers { kind, path } => {
                Source::CountOfReferrers(self.served(kind), (*path).to_owned())
            }
            Extra::Counted { kind, name } => match self.served(kind) {
                Some(kind) => Source::Counted(kind, (*name).to_owned()),
                None => Source::Constant(Value::Null),
            },
            Extra::ReferencedResources => Source::ReferencedResources,
            Extra::Stored(other) => Source::Stored((*other).to_owned(), None),
            Extra::At(path) => Source::At(steps(path)),
            Extra::Elements { list, by } => {
                Source::Elements { list: (*list).to_owned(), by: (*by).to_owned() }
            }
            Extra::Scalars(paths) => {
                let steps = |path: &&str| path.split('.').map(str::to_owned).collect();
                Source::Scalars(paths.iter().map(steps).collect())
            }
            Extra::Chosen { first, list } => Source::Chosen(first.map(str::to_owned), (*list).to_owned()),
            Extra::ChosenOne { first, list } => {
                Source::ChosenOne(first.map(str::to_owned), (*list).to_owned())
            }
            Extra::MapEntries { field, name, value } => {
                Source::MapEntries((*field).to_owned(), (*name).to_owned(), (*value).to_owned())
            }
            Extra::MapEntry { field, argument } => {
                Source::MapEntry((*field).to_owned(), (*argument).to_owned())
            }
            Extra::NamedValues(field) => Source::NamedValues((*field).to_owned()),
            Extra::EntryName => Source::EntryName,
            Extra::EntryValue => Source::EntryValue,
            Extra::EntryTarget => Source::EntryTarget,
            Extra::EntryTargets => Source::EntryTargets,
            Extra::EntryNamedValues => Source::EntryNamedValues,
            Extra::Below { kind, list } => match self.served(kind) {
                Some(kind) => {
                    self.page_below(kind, list);
                    Source::Below(kind, (*list).to_owned())
                }
                None => Source::Constant(Value::Null),
            },
            Extra::Having(field) => Source::Having((*field).to_owned()),
            Extra::MapPage(page) => Source::MapPage(page),
            Extra::MapReferences(page) => Source::MapReferences(page),
            Extra::Spliced(splice) => match self.served(splice.kind) {
                Some(kind) => Source::Spliced(kind, splice),
                None => Source::Constant(Value::Null),
            },
            Extra::EntryDefinition(definition) => Source::EntryDefinition(definition),
        }
    }

    /// Adds a type that only GraphQL has, or a type of the model that only extra fields lead to.
    pub(super) fn extra_output(&mut self, name: &str) {
        if let Some((_, doc)) = EXTRA_OUTPUTS.find(|(of, _)| *of == name) {
            if !self.has(name, doc) {
                let mut fields = IndexMap::default();
                self.extra_fields(name, &mut fields);
                self.set(name, Body::Output(Output { fields, ..Output::default() }));
            }
        } else if let Some((_, values)) = EXTRA_ENUMS.find(|(of, _)| *of == name) {
            self.has(name, "");
            let values = values.iter().map(|value| ((*value).to_owned(), String::new())).collect();
            self.set(name, Body::Enum(values));
        } else if let Some((_, doc, by, members)) = EXTRA_UNIONS.find(|(of, ..)| *of == name) {
            self.extra_union(name, doc, by, members);
        } else if let Some(object) = OUTPUT_ALIASES.of(name).and_then(|of| self.model.object_by_name(of)) {
            self.output_object(object, name, &[]);
        } else if let Some(object) = self.model.object_by_name(name)
            && self.model.kinds().all(|(_, kind)| kind.object != object)
        {
            self.output_object(object, name, &[]);
        }
    }

    /// Adds an interface that only GraphQL has, and its types.
    fn extra_union(&mut self, name: &str, doc: &str, by: &str, members: &[(&str, &str)]) {
        if self.has(name, doc) {
            return;
        }
        for (_, member) in members {
            self.extra_output(member);
            self.pending_interfaces.push(((*member).to_owned(), name.to_owned()));
        }
        let types = members.iter().map(|(tag, member)| ((*tag).to_owned(), (*member).to_owned())).collect();
        let mut fields = self.shared_fields(name, &types);
        fields.retain(|field, _| !HIDDEN.contains(&(name, field.as_str())));
        let interface = Some(Concrete::Tag { by: by.to_owned(), types });
        self.set(name, Body::Output(Output { interface, fields, ..Output::default() }));
    }

    /// Adds the page type of a list below other documents.
    fn page_below(&mut self, kind: KindId, list: &str) {
        let lists = &self.model.kind(kind).lists;
        let Some(shows) = lists.iter().find(|entry| entry.name == list).map(|entry| entry.shows) else {
            return;
        };
        let model = &self.model.object(shows).name;
        let name = OUTPUT_NAMES.of(model).unwrap_or(model).to_owned();
        self.output_object(shows, &name, &[]);
        self.page(&name);
    }
}
