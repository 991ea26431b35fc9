//! Derives Message types: interfaces, and a type for each Message.

use super::Deriving;
use super::field::{MESSAGE_PAYLOAD, nullable, plain};
use crate::derived::{Body, Concrete, Output, OutputField, Source};
use crate::exceptions::{HIDDEN, MESSAGE_INTERFACES, OUTPUT_NAMES, RETYPED, UNFOLLOWED_MESSAGES};
use apollo_compiler::collections::IndexMap;
use kontor_model::{Message, Shape};

impl Deriving<'_> {
    /// Adds the interfaces of Messages and a type for each Message.
    pub(super) fn message_payloads(&mut self) {
        if self.has(MESSAGE_PAYLOAD, "The content of a Message, by its type.") {
            return;
        }
        let mut types = IndexMap::default();
        for (_, message) in self.model.messages() {
            self.message(message);
            types.insert(message.name.clone(), name_of(message).to_owned());
        }
        for (resource, name) in MESSAGE_INTERFACES.iter() {
            let about = self.model.messages().filter(|(_, message)| message.resource == *resource);
            let types: IndexMap<_, _> =
                about.map(|(_, message)| (message.name.clone(), name_of(message).to_owned())).collect();
            if !types.is_empty() && !self.has(name, "The content of a Message about such a resource.") {
                self.message_interface(name, types);
            }
        }
        self.message_interface(MESSAGE_PAYLOAD, types);
    }

    fn message_interface(&mut self, name: &str, types: IndexMap<String, String>) {
        let fields = IndexMap::from_iter([("type".to_owned(), message_type())]);
        let interface = Some(Concrete::Tag { by: "type".to_owned(), types });
        self.set(name, Body::Output(Output { interface, fields, ..Output::default() }));
    }

    fn message(&mut self, message: &Message) {
        let name = name_of(message);
        if self.has(name, &message.doc) {
            return;
        }
        let about = self.model.kind_by_type_id(&message.resource);
        let is_unfollowed = UNFOLLOWED_MESSAGES.contains(&message.resource);
        let mut fields = IndexMap::default();
        for field in &message.fields {
            if HIDDEN.contains(&(message.name.as_str(), field.name.as_str())) {
                continue;
            }
            // A field named after the resource holds the whole document, not a reference.
            if let (Shape::Reference(targets), Some(kind)) = (&field.shape, about)
                && targets.single() == Some(kind)
                && self.model.kind(kind).camel_name() == field.name
            {
                let retyped = RETYPED.find(|(of, name, ..)| *of == message.name && *name == field.name);
                let object = self.output_kind(kind);
                let ty = match retyped {
                    Some((_, _, ty, _)) => (*ty).to_owned(),
                    None => nullable(&object, field.required),
                };
                fields.insert(field.name.clone(), plain(ty, Source::Stored(field.name.clone(), None)));
                continue;
            }
            self.output_field(None, &message.name, field, &mut fields);
            if is_unfollowed && matches!(field.shape, Shape::Reference(_) | Shape::KeyReference(_)) {
                fields.shift_remove(&field.name);
            }
        }
        self.extra_fields(&message.name, &mut fields);
        fields.insert("type".to_owned(), message_type());
        let of_resource = MESSAGE_INTERFACES.filter(|(resource, _)| *resource == message.resource);
        let implements = [MESSAGE_PAYLOAD].into_iter().chain(of_resource.map(|(_, name)| *name));
        let implements = implements.map(str::to_owned).collect();
        self.set(name, Body::Output(Output { implements, fields, ..Output::default() }));
    }
}

/// Returns the GraphQL name of a Message type.
fn name_of(message: &Message) -> &str {
    OUTPUT_NAMES.of(&message.name).unwrap_or(&message.name)
}

fn message_type() -> OutputField {
    plain("String!".to_owned(), Source::Stored("type".to_owned(), None))
}
