//! Derives the root fields that search, and the types of their arguments and responses.

use super::field::field_of;
use super::roots::{OutputFields, put_root};
use super::{SchemaDerivation, argument};
use crate::exceptions::searches::{
    FACET_RESULT, FACET_RESULTS, FOUND, SEARCH_ENUMS, SEARCH_FIELD, SEARCH_INPUTS, SEARCH_OUTPUTS,
    SEARCH_SIMPLE, SEARCH_VALUE, SEARCHES,
};
use crate::exceptions::{SideView, VIEWS};
use crate::schema_types::{
    Conversion, FieldArgument, FieldValueSource, InputField, InputForm, InputType, OutputField, OutputType,
    RootOperation, TypeBody, TypeResolution,
};
use kontor_model::OperationKind;

type NamePairs<'p> = &'p [(&'static str, &'static str)];

impl SchemaDerivation<'_> {
    /// Adds a search for each kind whose model has one.
    pub(super) fn add_searches(&mut self, queries: &mut OutputFields) {
        let mut any = false;
        for offered in self.offered.clone() {
            let kind = offered.kind;
            let own = SEARCHES.iter().find(|search| search.kind == self.model.kind(kind).name);
            let Some(search) = own.filter(|_| offered.has_operation(OperationKind::Search)) else { continue };
            let arguments = search.arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            put_root(
                queries,
                search.field,
                search.response.to_owned(),
                RootOperation::Search(kind),
                arguments,
            );
            any = true;
        }
        if any {
            self.search_types();
        }
    }

    fn search_types(&mut self) {
        self.reserve(SEARCH_VALUE, "A text, a number, or true or false.");
        for (name, values) in SEARCH_ENUMS {
            self.reserve(name, "");
            let constants = values.iter().map(|value| ((*value).to_owned(), String::new())).collect();
            self.set(name, TypeBody::Enum(constants));
        }
        for (name, own) in SEARCH_SIMPLE {
            let fields: Vec<_> = SEARCH_FIELD.iter().chain(*own).copied().collect();
            self.search_input(name, &fields);
        }
        for (name, fields) in SEARCH_INPUTS {
            self.search_input(name, fields);
        }
        for (name, fields) in SEARCH_OUTPUTS {
            self.reserve(name, "");
            let mut fields = stored(fields);
            for (_, field, ty, kind) in FOUND.iter().filter(|(object, ..)| object == name) {
                let Some(kind) = self.served_kind(kind) else { continue };
                let arguments = found_arguments(&self.model.kind(kind).name);
                let shown =
                    OutputField { arguments, ..field_of((*ty).to_owned(), FieldValueSource::Found(kind)) };
                fields.insert((*field).to_owned(), shown);
            }
            self.set(name, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
        }
        let interface = FACET_RESULT;
        for (_, name, fields) in FACET_RESULTS {
            self.reserve(name, "");
            let implements = vec![interface.to_owned()];
            self.set(
                name,
                TypeBody::Output(OutputType { fields: stored(fields), implements, ..OutputType::default() }),
            );
        }
        self.reserve(interface, "The result of a facet.");
        let types =
            FACET_RESULTS.iter().map(|(own, name, _)| ((*own).to_owned(), (*name).to_owned())).collect();
        let fields = stored(&[("name", "String!")]);
        let interface_ = Some(TypeResolution::PresentField(types));
        self.set(
            interface,
            TypeBody::Output(OutputType { interface: interface_, fields, ..OutputType::default() }),
        );
    }

    /// Adds an input type of searches, whose values are not converted.
    pub(super) fn search_input(&mut self, name: &str, fields: NamePairs<'_>) {
        self.reserve(name, "");
        let fields = fields.iter().map(|(field, ty)| {
            let sent = InputField {
                doc: String::new(),
                ty: (*ty).to_owned(),
                to: vec![(*field).to_owned()],
                conversion: Conversion::Same,
            };
            ((*field).to_owned(), sent)
        });
        self.set(name, TypeBody::Input(InputType { meaning: InputForm::Object, fields: fields.collect() }));
    }
}

fn stored(fields: NamePairs<'_>) -> OutputFields {
    let field = |(name, ty): &(&str, &str)| {
        ((*name).to_owned(), field_of((*ty).to_owned(), FieldValueSource::Stored((*name).to_owned(), None)))
    };
    fields.iter().map(field).collect()
}

fn found_arguments(kind: &str) -> Vec<FieldArgument> {
    let view: Option<&SideView> = VIEWS.find(|view| view.kind == kind);
    let found = view.map_or(&[][..], |view| view.search_arguments);
    found.iter().map(|(name, ty, _)| argument(name, ty, "")).collect()
}
