//! The messages of a change before it is written, without the fields that follow from the finished document.

use crate::document::Document;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{MessageId, Model};

/// A message that will be written with the change.
#[derive(Debug, Clone)]
pub(crate) struct PendingMessage {
    pub(crate) message: MessageId,
    pub(crate) fields: Document,
    /// The subject of the message, if it is not the changed document.
    pub(crate) subject: Option<MessageSubject>,
}

/// A hidden, immutable document that is the subject of one message.
#[derive(Debug, Clone)]
pub(crate) struct MessageSubject {
    pub(crate) type_id: &'static str,
    pub(crate) id: String,
}

/// Returns how many of the messages are about the changed document.
pub(crate) fn count_of_document(pending: &[PendingMessage]) -> i64 {
    pending.iter().filter(|pending| pending.subject.is_none()).count() as i64
}

/// Returns the message with a name, which must be among those that the model allows here.
pub(crate) fn message_of_action(
    emits: &[MessageId],
    name: &str,
    fields: Document,
    model: &Model,
) -> ApiResult<PendingMessage> {
    let found = emits.iter().find(|message| model.message(**message).name == name);
    match found {
        Some(message) => Ok(PendingMessage { message: *message, fields, subject: None }),
        None => Err(ApiError::bug(format!("the model does not name the message {name} here"))),
    }
}

/// Returns messages by their names, for a change without actions.
pub(crate) fn messages_by_name(
    messages: Vec<(&'static str, Document)>,
    model: &Model,
) -> ApiResult<Vec<PendingMessage>> {
    let named = |(name, fields): (&str, Document)| {
        let unknown = || ApiError::bug(format!("the model has no message {name}"));
        Ok(PendingMessage {
            message: model.message_by_name(name).ok_or_else(unknown)?,
            fields,
            subject: None,
        })
    };
    messages.into_iter().map(named).collect()
}
