//! The context of an endpoint in Rust.
//!
//! A handler consists of two pure rules. The first finds the addressed document and returns the required
//! proof; the engine compares secrets in between; the second does the work.

use crate::claims::Claim;
use crate::document::Document;
use crate::effects::Effects;
use crate::pending_messages::{MessageSubject, PendingMessage, message_of_action};
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, MessageId};

/// The Rust of an endpoint.
#[derive(Clone, Copy)]
pub struct EndpointHandler {
    /// Finds the addressed document of a request.
    pub find: fn(&Document, &Rules<'_>) -> ApiResult<EndpointTarget>,
    /// Runs the request.
    pub act: fn(&mut EndpointContext<'_, '_>, &Document) -> ApiResult<EndpointReply>,
}

/// The handler of an endpoint that returns many documents: those that match the values in the request, in the form of
/// the response and in order.
pub type ListEndpointHandler = fn(&Document, &Rules<'_>) -> ApiResult<Vec<Document>>;

/// The addressed document of a request, and the conditions to run it.
#[derive(Debug, Clone, Default)]
pub struct EndpointTarget {
    /// Its id.
    pub id: String,
    /// The version that the caller has seen, if one was sent.
    pub version: Option<i64>,
    /// The proof required first.
    pub proof: Option<SecretProof>,
    /// The kind of the document, if it is not that of the endpoint.
    pub kind: Option<KindId>,
    /// The error for a document that is outside of the caller's access scope, if the body names the document: the same
    /// as for a missing one.
    pub missing: Option<ApiError>,
    /// Further documents that the request will change: requests with the same claims run one after the other
    /// instead of conflicting.
    pub claims: Vec<Claim>,
}

/// A secret that the sender must know.
#[derive(Clone)]
pub struct SecretProof {
    /// The sent secret.
    pub secret: String,
    /// The expected hash; `None` if there is no such person, so that the proof fails.
    pub hash: Option<String>,
    /// The error if the secret is wrong.
    pub refusal: ApiError,
}

impl std::fmt::Debug for SecretProof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Proof(…)")
    }
}

/// The context of the second rule.
pub struct EndpointContext<'a, 'r> {
    /// The addressed document.
    pub document: &'a mut Document,
    /// The rules' access to the model, the project and other documents.
    pub rules: &'a Rules<'r>,
    /// Changes apart from the document itself.
    pub effects: &'a mut Effects,
    /// A random, unpredictable text, for tokens.
    pub token: &'a str,
    pub(crate) emits: &'a [MessageId],
    pub(crate) messages: &'a mut Vec<PendingMessage>,
    /// Creates a document from a draft.
    pub(crate) make: CreateFn,
    /// Settles a new document.
    pub(crate) finish: SettleFn,
    /// Creates a document from stored content.
    pub(crate) make_like: CopyFn,
    pub(crate) created: &'a mut Option<CreatedDocument>,
}

/// A further document created by an endpoint.
#[derive(Clone)]
pub(crate) struct CreatedDocument {
    pub(crate) kind: KindId,
    pub(crate) document: Document,
    /// The creation message, if it is not that of the kind.
    pub(crate) creation_message: Option<&'static str>,
}

/// Creates a document of a kind from a validated draft.
pub(crate) type CreateFn = fn(KindId, &Document, &Rules<'_>, &mut Effects) -> ApiResult<Document>;

/// Settles a new document of a kind, which is complete otherwise.
pub(crate) type SettleFn = fn(KindId, &mut Document, &Rules<'_>, &mut Effects) -> ApiResult<()>;

/// Creates a document of a kind from stored content.
pub(crate) type CopyFn = fn(KindId, Document, &Rules<'_>, &mut Effects) -> ApiResult<Document>;

impl EndpointContext<'_, '_> {
    /// Creates the document of the kind that the model declares for this endpoint, from a draft in the body. Fails like
    /// [`Shop::create`](crate::Shop::create), except for errors of the commit.
    pub fn create_document(&mut self, kind: KindId, draft: &Document) -> ApiResult<Document> {
        let document = (self.make)(kind, draft, self.rules, self.effects)?;
        *self.created = Some(CreatedDocument { kind, document: document.clone(), creation_message: None });
        Ok(document)
    }

    /// Creates a document of the kind that the model declares for this endpoint, complete except for its id,
    /// with this message. Returns its id. Fails with the errors of the kind's rules.
    pub fn create_settled(
        &mut self,
        kind: KindId,
        mut document: Document,
        notifications: &'static str,
    ) -> ApiResult<String> {
        let id = self.rules.new_id();
        document.insert("id", Value::String(id.clone()));
        (self.finish)(kind, &mut document, self.rules, self.effects)?;
        *self.created = Some(CreatedDocument { kind, document, creation_message: Some(notifications) });
        Ok(id)
    }

    /// Creates a document with the content of a stored one, except id, version and times. Fails with the errors of the
    /// kind's rules.
    pub fn make_like(&mut self, kind: KindId, content: Document) -> ApiResult<()> {
        let document = (self.make_like)(kind, content, self.rules, self.effects)?;
        *self.created = Some(CreatedDocument { kind, document, creation_message: None });
        Ok(())
    }

    /// Adds one of the Messages that the model declares for this endpoint to the change. Fails with an internal error
    /// for another Message.
    pub fn emit(&mut self, name: &str, fields: Document) -> ApiResult<()> {
        self.messages.push(message_of_action(self.emits, name, fields, self.rules.model)?);
        Ok(())
    }

    /// Adds a Message about a new hidden document, by its kind and id: that is its `resource`, in its only version, and
    /// the Message is the only one about it. Fails with an internal error if the model does not declare the Message for
    /// this endpoint.
    pub fn emit_about(
        &mut self,
        type_id: &'static str,
        id: &str,
        name: &str,
        fields: Document,
    ) -> ApiResult<()> {
        let subject = Some(MessageSubject { type_id, id: id.to_owned() });
        self.messages.push(PendingMessage {
            subject,
            ..message_of_action(self.emits, name, fields, self.rules.model)?
        });
        Ok(())
    }
}

/// The response of an endpoint.
#[derive(Debug, Clone, PartialEq)]
pub enum EndpointReply {
    /// The document after the change, in a new version if it changed.
    Document,
    /// Another value. The document keeps its version.
    Value(Value),
    /// The created document. The addressed document gets a new version.
    Created,
}
