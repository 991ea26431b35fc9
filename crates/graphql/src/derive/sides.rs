//! Derives the queries of kinds with `@projection` and of other presentations of documents.

use super::SchemaDerivation;
use super::field::field_of;
use super::kind_operations::{self, KindOperations};
use super::platform::name_arguments;
use super::roots::{OutputFields, put_root, query_arguments, selector_arguments};
use crate::exceptions::{NameTriple, OUTPUT_NAMES, SHOWN_QUERIES, SIDE_QUERIES, STAGED};
use crate::schema_types::{FieldArgument, OutputField, RootOperation};
use kontor_model::{Operation, OperationKind};

impl SchemaDerivation<'_> {
    /// Adds the queries of one side of documents (current or staged).
    pub(super) fn side_queries(&mut self, offered: KindOperations<'_>, fields: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let Some(side) = SIDE_QUERIES.find(|side| side.kind == entry.name) else { return };
        let words = self.names_of(kind);
        let object = self.output_kind(kind);
        if offered.offers(Operation::Get, kind_operations::is_in_project) {
            let mut arguments = self.address_arguments(kind);
            arguments.extend(selector_arguments(&entry.name, false));
            arguments.extend(side_arguments(side.parameters));
            put_root(fields, &words.one, object.clone(), RootOperation::One(kind), arguments);
        }
        if offered.offers(Operation::Query, kind_operations::is_in_project) {
            let page = self.page(&object);
            let mut arguments = query_arguments();
            arguments.extend(selector_arguments(&entry.name, true));
            arguments.extend(side_arguments(side.parameters));
            arguments.extend(name_arguments());
            put_root(fields, &words.many, format!("{page}!"), RootOperation::Many(kind), arguments);
        }
    }

    /// Adds the queries that show documents of a kind as other objects.
    pub(super) fn shown_queries(&mut self, offered: KindOperations<'_>, fields: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        for shown in SHOWN_QUERIES.filter(|shown| shown.kind == entry.name) {
            let mut views = entry.views.iter().enumerate();
            let Some((position, view)) = views.find(|(_, view)| view.name == shown.object) else { continue };
            if !offered.has_operation(OperationKind::View(position)) {
                continue;
            }
            let name = OUTPUT_NAMES.get(&view.name).unwrap_or(&view.name).to_owned();
            self.shown_object(view.shows, &name, &view.doc);
            let mut arguments = self.address_arguments(kind);
            arguments.extend(side_arguments(shown.parameters));
            put_root(fields, shown.field, name, RootOperation::Shown(kind, shown), arguments);
        }
    }

    /// Adds the same queries below a Store.
    pub(super) fn sides_in_store(
        &self,
        offered: KindOperations<'_>,
        queries: &OutputFields,
        below: &mut OutputFields,
    ) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        if entry.in_store.is_none() {
            return;
        }
        let words = self.names_of(kind);
        let side = SIDE_QUERIES.find(|side| side.kind == entry.name).is_some();
        let own = [(Operation::Get, words.one.as_str()), (Operation::Query, words.many.as_str())];
        let of_side = own
            .iter()
            .filter(|(operation, _)| side && offered.offers(*operation, kind_operations::is_in_one_store));
        let shown = SHOWN_QUERIES.filter(|shown| shown.kind == entry.name).map(|shown| shown.field);
        for name in of_side.map(|(_, name)| *name).chain(shown) {
            if let Some(field) = queries.get(name) {
                let copy = |one: &FieldArgument| FieldArgument {
                    name: one.name.clone(),
                    ty: one.ty.clone(),
                    doc: one.doc,
                };
                let arguments = field.arguments.iter().map(copy).collect();
                let copied = OutputField { arguments, ..field_of(field.ty.clone(), field.source.clone()) };
                below.insert(name.to_owned(), copied);
            }
        }
    }
}

/// Returns the arguments that say how documents are shown.
fn side_arguments(parameters: &[NameTriple]) -> Vec<FieldArgument> {
    let (staged, ty) = STAGED;
    let mut arguments =
        vec![super::argument(staged, ty, "The staged projection instead of the current one.")];
    arguments.extend(parameters.iter().map(|(name, ty, _)| super::argument(name, ty, "")));
    arguments
}
