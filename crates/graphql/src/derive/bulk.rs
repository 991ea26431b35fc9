//! Derives the bulk mutations: one list of update actions applied to many documents, e.g. `bulkUpdateVariants`.
//!
//! Each document succeeds or fails on its own. Only kinds whose model declares bulk actions have such a mutation.

use super::field::plain;
use super::offered::Offered;
use super::roots::{Fields, put};
use super::{Deriving, argument};
use crate::derived::{Body, Conversion, Input, InputField, Meaning, Output, Root, Source};
use crate::names::upper_first;
use kontor_model::{Doing, KindId};

impl Deriving<'_> {
    /// Adds the bulk mutation of a kind, named by its path: `bulkUpdateVariants`.
    pub(super) fn in_bulk(&mut self, offered: Offered<'_>, mutations: &mut Fields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        if !offered.has_other(Doing::Bulk) {
            return;
        }
        let words = self.words(kind);
        let stem = format!("BulkUpdate{}", upper_first(&words.many));
        let actions = self.actions_in_bulk(kind, &format!("{}BulkAction", entry.name));
        self.sent_in_bulk(&stem, &actions);
        self.told_of_bulk(&stem);
        let arguments = vec![argument("input", &format!("{stem}Input!"), "")];
        let name = format!("bulkUpdate{}", upper_first(&words.many));
        put(mutations, &name, format!("{stem}Response!"), Root::Bulk(kind), arguments);
    }

    /// Adds the input with the update actions that the model allows in bulk, and returns its name.
    fn actions_in_bulk(&mut self, kind: KindId, name: &str) -> String {
        let all = self.actions(kind);
        let bulk = &self.model.kind(kind).bulk;
        let Some(Body::Input(Input { fields, .. })) = self.types.get(&all).map(|entry| &entry.body) else {
            return all;
        };
        let of_bulk = fields.iter().filter(|(action, _)| bulk.contains(action));
        let fields = of_bulk.map(|(action, field)| {
            let copy = InputField {
                doc: field.doc.clone(),
                ty: field.ty.clone(),
                to: field.to.clone(),
                conversion: field.conversion.clone(),
            };
            (action.clone(), copy)
        });
        let fields = fields.collect();
        self.has(name, "One update action: exactly one field is given.");
        self.set(name, Body::Input(Input { meaning: Meaning::Action, fields }));
        name.to_owned()
    }

    fn sent_in_bulk(&mut self, stem: &str, actions: &str) {
        const CONTROL: &str = "VersionControl";
        if !self.has(CONTROL, "Whether the versions of the items are checked.") {
            let values = ["Off", "On"].map(|value| (value.to_owned(), String::new()));
            self.set(CONTROL, Body::Enum(values.to_vec()));
        }
        let item = format!("{stem}ItemInput");
        self.input(
            &item,
            "A document by its id or its key.",
            &[
                ("id", "String", "id", Conversion::Same),
                ("key", "String", "key", Conversion::Same),
                ("version", "Long", "version", Conversion::Same),
            ],
        );
        self.input(
            &format!("{stem}Input"),
            "The documents, and the update actions that are applied to each.",
            &[
                ("items", &format!("[{item}!]!"), "items", Conversion::Object(item.clone())),
                ("actions", &format!("[{actions}!]!"), "actions", Conversion::Object(actions.to_owned())),
                ("versionControl", "VersionControl = On", "versionControl", Conversion::Same),
            ],
        );
    }

    fn told_of_bulk(&mut self, stem: &str) {
        let status = format!("{stem}ItemStatus");
        self.has(&status, "The result of an item.");
        let values = ["Fail", "Success"].map(|value| (value.to_owned(), String::new()));
        self.set(&status, Body::Enum(values.to_vec()));
        let objects = [
            (
                "Response",
                "The results of all items.",
                vec![
                    ("successCount", "Int!".to_owned()),
                    ("failureCount", "Int!".to_owned()),
                    ("results", format!("[{stem}ItemResult!]!")),
                ],
            ),
            (
                "ItemResult",
                "The result of an item.",
                vec![
                    ("status", format!("{status}!")),
                    ("resource", format!("{stem}Resource")),
                    ("errors", format!("[{stem}ItemError!]")),
                ],
            ),
            (
                "ItemError",
                "The error of an item.",
                vec![("code", "String".to_owned()), ("message", "String".to_owned())],
            ),
            (
                "Resource",
                "The document in its new version.",
                vec![("id", "String!".to_owned()), ("version", "Long!".to_owned())],
            ),
        ];
        for (end, doc, fields) in objects {
            let name = format!("{stem}{end}");
            self.has(&name, doc);
            let field = |(name, ty): (&str, String)| {
                (name.to_owned(), plain(ty, Source::Stored(name.to_owned(), None)))
            };
            let fields = fields.into_iter().map(field).collect();
            self.set(&name, Body::Output(Output { fields, ..Output::default() }));
        }
    }
}
