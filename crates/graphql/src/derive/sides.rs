//! Derives the queries of kinds with `@projection` and of other presentations of documents.

use super::Deriving;
use super::field::plain;
use super::offered::{self, Offered};
use super::platform::names;
use super::roots::{Fields, put, query_arguments, selectors};
use crate::derived::{Argument, OutputField, Root};
use crate::exceptions::{OUTPUT_NAMES, SHOWN, SIDES, STAGED, Triple};
use kontor_model::{Doing, Operation};

impl Deriving<'_> {
    /// Adds the queries of one side of documents (current or staged).
    pub(super) fn side_queries(&mut self, offered: Offered<'_>, fields: &mut Fields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let Some(side) = SIDES.find(|side| side.kind == entry.name) else { return };
        let words = self.words(kind);
        let object = self.output_kind(kind);
        if offered.has(Operation::Get, offered::in_project) {
            let mut arguments = self.address(kind);
            arguments.extend(selectors(&entry.name, false));
            arguments.extend(seen_by(side.parameters));
            put(fields, &words.one, object.clone(), Root::One(kind), arguments);
        }
        if offered.has(Operation::Query, offered::in_project) {
            let page = self.page(&object);
            let mut arguments = query_arguments();
            arguments.extend(selectors(&entry.name, true));
            arguments.extend(seen_by(side.parameters));
            arguments.extend(names());
            put(fields, &words.many, format!("{page}!"), Root::Many(kind), arguments);
        }
    }

    /// Adds the queries that show documents of a kind as other objects.
    pub(super) fn shown_queries(&mut self, offered: Offered<'_>, fields: &mut Fields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        for shown in SHOWN.filter(|shown| shown.kind == entry.name) {
            let mut views = entry.views.iter().enumerate();
            let Some((position, view)) = views.find(|(_, view)| view.name == shown.object) else { continue };
            if !offered.has_other(Doing::View(position)) {
                continue;
            }
            let name = OUTPUT_NAMES.of(&view.name).unwrap_or(&view.name).to_owned();
            self.shown_object(view.shows, &name, &view.doc);
            let mut arguments = self.address(kind);
            arguments.extend(seen_by(shown.parameters));
            put(fields, shown.field, name, Root::Shown(kind, shown), arguments);
        }
    }

    /// Adds the same queries below a Store.
    pub(super) fn sides_in_store(&self, offered: Offered<'_>, queries: &Fields, below: &mut Fields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        if entry.in_store.is_none() {
            return;
        }
        let words = self.words(kind);
        let side = SIDES.find(|side| side.kind == entry.name).is_some();
        let own = [(Operation::Get, words.one.as_str()), (Operation::Query, words.many.as_str())];
        let of_side = own.iter().filter(|(operation, _)| side && offered.has(*operation, offered::in_store));
        let shown = SHOWN.filter(|shown| shown.kind == entry.name).map(|shown| shown.field);
        for name in of_side.map(|(_, name)| *name).chain(shown) {
            if let Some(field) = queries.get(name) {
                let copy =
                    |one: &Argument| Argument { name: one.name.clone(), ty: one.ty.clone(), doc: one.doc };
                let arguments = field.arguments.iter().map(copy).collect();
                let copied = OutputField { arguments, ..plain(field.ty.clone(), field.source.clone()) };
                below.insert(name.to_owned(), copied);
            }
        }
    }
}

/// Returns the arguments that say how documents are shown.
fn seen_by(parameters: &[Triple]) -> Vec<Argument> {
    let (staged, ty) = STAGED;
    let mut arguments =
        vec![super::argument(staged, ty, "The staged projection instead of the current one.")];
    arguments.extend(parameters.iter().map(|(name, ty, _)| super::argument(name, ty, "")));
    arguments
}
