//! Derives the root fields that search, and the types of their arguments and responses.

use super::field::plain;
use super::roots::{Fields, put};
use super::{Deriving, argument};
use crate::derived::{
    Argument, Body, Concrete, Conversion, Input, InputField, Meaning, Output, OutputField, Root, Source,
};
use crate::exceptions::searches::{
    FACET_RESULT, FACET_RESULTS, FOUND, SEARCH_ENUMS, SEARCH_FIELD, SEARCH_INPUTS, SEARCH_OUTPUTS,
    SEARCH_SIMPLE, SEARCH_VALUE, SEARCHES,
};
use crate::exceptions::{ShownBy, VIEWS};
use kontor_model::Doing;

type Pairs<'p> = &'p [(&'static str, &'static str)];

impl Deriving<'_> {
    /// Adds a search for each kind whose model has one.
    pub(super) fn searches(&mut self, queries: &mut Fields) {
        let mut any = false;
        for offered in self.offered.clone() {
            let kind = offered.kind;
            let own = SEARCHES.iter().find(|search| search.kind == self.model.kind(kind).name);
            let Some(search) = own.filter(|_| offered.has_other(Doing::Search)) else { continue };
            let arguments = search.arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            put(queries, search.field, search.answer.to_owned(), Root::Search(kind), arguments);
            any = true;
        }
        if any {
            self.search_types();
        }
    }

    fn search_types(&mut self) {
        self.has(SEARCH_VALUE, "A text, a number, or true or false.");
        for (name, values) in SEARCH_ENUMS {
            self.has(name, "");
            let constants = values.iter().map(|value| ((*value).to_owned(), String::new())).collect();
            self.set(name, Body::Enum(constants));
        }
        for (name, own) in SEARCH_SIMPLE {
            let fields: Vec<_> = SEARCH_FIELD.iter().chain(*own).copied().collect();
            self.search_input(name, &fields);
        }
        for (name, fields) in SEARCH_INPUTS {
            self.search_input(name, fields);
        }
        for (name, fields) in SEARCH_OUTPUTS {
            self.has(name, "");
            let mut fields = stored(fields);
            for (_, field, ty, kind) in FOUND.iter().filter(|(object, ..)| object == name) {
                let Some(kind) = self.served(kind) else { continue };
                let arguments = found_arguments(&self.model.kind(kind).name);
                let shown = OutputField { arguments, ..plain((*ty).to_owned(), Source::Found(kind)) };
                fields.insert((*field).to_owned(), shown);
            }
            self.set(name, Body::Output(Output { fields, ..Output::default() }));
        }
        let interface = FACET_RESULT;
        for (_, name, fields) in FACET_RESULTS {
            self.has(name, "");
            let implements = vec![interface.to_owned()];
            self.set(name, Body::Output(Output { fields: stored(fields), implements, ..Output::default() }));
        }
        self.has(interface, "The result of a facet.");
        let types =
            FACET_RESULTS.iter().map(|(own, name, _)| ((*own).to_owned(), (*name).to_owned())).collect();
        let fields = stored(&[("name", "String!")]);
        let interface_ = Some(Concrete::Having(types));
        self.set(interface, Body::Output(Output { interface: interface_, fields, ..Output::default() }));
    }

    /// Adds an input type of searches, whose values are not converted.
    pub(super) fn search_input(&mut self, name: &str, fields: Pairs<'_>) {
        self.has(name, "");
        let fields = fields.iter().map(|(field, ty)| {
            let sent = InputField {
                doc: String::new(),
                ty: (*ty).to_owned(),
                to: vec![(*field).to_owned()],
                conversion: Conversion::Same,
            };
            ((*field).to_owned(), sent)
        });
        self.set(name, Body::Input(Input { meaning: Meaning::Object, fields: fields.collect() }));
    }
}

fn stored(fields: Pairs<'_>) -> Fields {
    let field = |(name, ty): &(&str, &str)| {
        ((*name).to_owned(), plain((*ty).to_owned(), Source::Stored((*name).to_owned(), None)))
    };
    fields.iter().map(field).collect()
}

fn found_arguments(kind: &str) -> Vec<Argument> {
    let view: Option<&ShownBy> = VIEWS.find(|view| view.kind == kind);
    let found = view.map_or(&[][..], |view| view.found);
    found.iter().map(|(name, ty, _)| argument(name, ty, "")).collect()
}
