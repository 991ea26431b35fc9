//! Derives the bulk mutations: one list of update actions applied to many documents, e.g. `bulkUpdateVariants`.
//!
//! Each document succeeds or fails on its own. Only kinds whose model declares bulk actions have such a mutation.

use super::field::field_of;
use super::kind_operations::KindOperations;
use super::roots::{OutputFields, put_root};
use super::{SchemaDerivation, argument};
use crate::names::upper_first;
use crate::schema_types::{
    Conversion, FieldValueSource, InputField, InputForm, InputType, OutputType, RootOperation, TypeBody,
};
use kontor_model::{KindId, OperationKind};

impl SchemaDerivation<'_> {
    /// Adds the bulk mutation of a kind, named by its path: `bulkUpdateVariants`.
    pub(super) fn bulk_mutation(&mut self, offered: KindOperations<'_>, mutations: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        if !offered.has_operation(OperationKind::Bulk) {
            return;
        }
        let words = self.names_of(kind);
        let stem = format!("BulkUpdate{}", upper_first(&words.many));
        let actions = self.bulk_actions(kind, &format!("{}BulkAction", entry.name));
        self.bulk_inputs(&stem, &actions);
        self.bulk_outputs(&stem);
        let arguments = vec![argument("input", &format!("{stem}Input!"), "")];
        let name = format!("bulkUpdate{}", upper_first(&words.many));
        put_root(mutations, &name, format!("{stem}Response!"), RootOperation::Bulk(kind), arguments);
    }

    /// Adds the input with the update actions that the model allows in bulk, and returns its name.
    fn bulk_actions(&mut self, kind: KindId, name: &str) -> String {
        let all = self.add_actions(kind);
        let bulk = &self.model.kind(kind).bulk;
        let Some(TypeBody::Input(InputType { fields, .. })) = self.types.get(&all).map(|entry| &entry.body)
        else {
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
        self.reserve(name, "One update action: exactly one field must be given.");
        self.set(name, TypeBody::Input(InputType { meaning: InputForm::Action, fields }));
        name.to_owned()
    }

    fn bulk_inputs(&mut self, stem: &str, actions: &str) {
        const CONTROL: &str = "VersionControl";
        if !self.reserve(CONTROL, "Whether the versions of the items are checked.") {
            let values = ["Off", "On"].map(|value| (value.to_owned(), String::new()));
            self.set(CONTROL, TypeBody::Enum(values.to_vec()));
        }
        let item = format!("{stem}ItemInput");
        self.add_input(
            &item,
            "A document by its id or its key.",
            &[
                ("id", "String", "id", Conversion::Same),
                ("key", "String", "key", Conversion::Same),
                ("version", "Long", "version", Conversion::Same),
            ],
        );
        self.add_input(
            &format!("{stem}Input"),
            "The documents, and the update actions that are applied to each.",
            &[
                ("items", &format!("[{item}!]!"), "items", Conversion::Object(item.clone())),
                ("actions", &format!("[{actions}!]!"), "actions", Conversion::Object(actions.to_owned())),
                ("versionControl", "VersionControl = On", "versionControl", Conversion::Same),
            ],
        );
    }

    fn bulk_outputs(&mut self, stem: &str) {
        let status = format!("{stem}ItemStatus");
        self.reserve(&status, "The result of an item.");
        let values = ["Fail", "Success"].map(|value| (value.to_owned(), String::new()));
        self.set(&status, TypeBody::Enum(values.to_vec()));
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
            self.reserve(&name, doc);
            let field = |(name, ty): (&str, String)| {
                (name.to_owned(), field_of(ty, FieldValueSource::Stored(name.to_owned(), None)))
            };
            let fields = fields.into_iter().map(field).collect();
            self.set(&name, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
        }
    }
}
