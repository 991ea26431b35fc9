//! Derives Message types: interfaces, and a type for each Message.

use super::SchemaDerivation;
use super::field::{MESSAGE_PAYLOAD, field_of, sdl_type};
use crate::exceptions::{HIDDEN, MESSAGE_INTERFACES, OUTPUT_NAMES, RETYPED, UNFOLLOWED_MESSAGES};
use crate::schema_types::{FieldValueSource, OutputField, OutputType, TypeBody, TypeResolution};
use apollo_compiler::collections::IndexMap;
use kontor_model::{Message, Shape};

impl SchemaDerivation<'_> {
    /// Adds the interfaces of Messages and a type for each Message.
    pub(super) fn message_payloads(&mut self) {
        if self.reserve(MESSAGE_PAYLOAD, "The content of a Message, by its type.") {
            return;
        }
        let mut types = IndexMap::default();
        for (_, message) in self.model.messages() {
            self.message(message);
            types.insert(message.name.clone(), type_name(message).to_owned());
        }
        for (resource, name) in MESSAGE_INTERFACES.iter() {
            let about = self.model.messages().filter(|(_, message)| message.resource == *resource);
            let types: IndexMap<_, _> =
                about.map(|(_, message)| (message.name.clone(), type_name(message).to_owned())).collect();
            if !types.is_empty() && !self.reserve(name, "The content of a Message about such a resource.") {
                self.message_interface(name, types);
            }
        }
        self.message_interface(MESSAGE_PAYLOAD, types);
    }

    fn message_interface(&mut self, name: &str, types: IndexMap<String, String>) {
        let fields = IndexMap::from_iter([("type".to_owned(), message_type())]);
        let interface = Some(TypeResolution::Tag { by: "type".to_owned(), types });
        self.set(name, TypeBody::Output(OutputType { interface, fields, ..OutputType::default() }));
    }

    fn message(&mut self, message: &Message) {
        let name = type_name(message);
        if self.reserve(name, &message.doc) {
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
                    None => sdl_type(&object, field.required),
                };
                fields.insert(
                    field.name.clone(),
                    field_of(ty, FieldValueSource::Stored(field.name.clone(), None)),
                );
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
        self.set(name, TypeBody::Output(OutputType { implements, fields, ..OutputType::default() }));
    }
}

/// Returns the GraphQL name of a Message type.
fn type_name(message: &Message) -> &str {
    OUTPUT_NAMES.get(&message.name).unwrap_or(&message.name)
}

fn message_type() -> OutputField {
    field_of("String!".to_owned(), FieldValueSource::Stored("type".to_owned(), None))
}
