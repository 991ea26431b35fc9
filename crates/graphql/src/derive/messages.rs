//! What Messages tell: an interface, and a type for each of them.

use super::Deriving;
use super::field::{MESSAGE_PAYLOAD, nullable, plain};
use crate::derived::{Body, Concrete, Output, OutputField, Source};
use crate::exceptions::{HIDDEN, UNFOLLOWED_MESSAGES};
use apollo_compiler::collections::IndexMap;
use kontor_model::{Message, Shape};

impl Deriving<'_> {
    /// The interface of messages, and a type for each of them.
    pub(super) fn message_payloads(&mut self) {
        if self.has(MESSAGE_PAYLOAD, "What a Message tells, by its type.") {
            return;
        }
        let mut types = IndexMap::default();
        for (_, message) in self.model.messages() {
            self.message(message);
            types.insert(message.name.clone(), message.name.clone());
        }
        let fields = IndexMap::from_iter([("type".to_owned(), message_type())]);
        let interface = Some(Concrete::Tag { by: "type".to_owned(), types });
        self.set(MESSAGE_PAYLOAD, Body::Output(Output { interface, fields, ..Output::default() }));
    }

    fn message(&mut self, message: &Message) {
        if self.has(&message.name, &message.doc) {
            return;
        }
        let about = self.model.kind_by_type_id(&message.resource);
        let is_unfollowed = UNFOLLOWED_MESSAGES.contains(&message.resource);
        let mut fields = IndexMap::default();
        for field in &message.fields {
            if HIDDEN.contains(&(message.name.as_str(), field.name.as_str())) {
                continue;
            }
            // The resource's own name holds the whole document, not a reference.
            if let (Shape::Reference(targets), Some(kind)) = (&field.shape, about)
                && targets.single() == Some(kind)
                && self.model.kind(kind).camel_name() == field.name
            {
                let ty = nullable(&self.output_kind(kind), field.required);
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
        let implements = vec![MESSAGE_PAYLOAD.to_owned()];
        self.set(&message.name, Body::Output(Output { implements, fields, ..Output::default() }));
    }
}

fn message_type() -> OutputField {
    plain("String!".to_owned(), Source::Stored("type".to_owned(), None))
}
