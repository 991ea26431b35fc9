//! The context of an endpoint in Rust.
//!
//! A handler consists of two pure rules. The first finds the addressed document and returns the required
//! proof; the engine compares secrets in between; the second does the work.

use crate::claims::Claim;
use crate::document::Document;
use crate::effects::Effects;
use crate::pending::{About, Pending, named};
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, MessageId};

/// The Rust of an endpoint.
#[derive(Clone, Copy)]
pub struct EndpointHandler {
    /// Finds the document that a request means.
    pub find: fn(&Document, &Rules<'_>) -> ApiResult<Meant>,
    /// Does what the request asks for.
    pub act: fn(&mut Serving<'_, '_>, &Document) -> ApiResult<Reply>,
}

/// The Rust of an endpoint that answers many documents: those that match the values which it is asked with, as they are to
/// be shown, in their sequence.
pub type Matching = fn(&Document, &Rules<'_>) -> ApiResult<Vec<Document>>;

/// The document that a request means.
#[derive(Debug, Clone, Default)]
pub struct Meant {
    /// Its id.
    pub id: String,
    /// The version that the caller has seen, where one was sent.
    pub version: Option<i64>,
    /// The proof required first.
    pub proof: Option<Proof>,
    /// The kind of the document, where it is another one than that of the endpoint.
    pub kind: Option<KindId>,
    /// Further documents that the request will change: requests with the same claims run one after the other
    /// instead of conflicting.
    pub claims: Vec<Claim>,
}

/// That the sender knows a secret.
#[derive(Clone)]
pub struct Proof {
    /// The sent secret.
    pub given: String,
    /// The expected hash; `None`: there is no such person, and the proof fails.
    pub hash: Option<String>,
    /// The error if the secret is wrong.
    pub refusal: ApiError,
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Proof(…)")
    }
}

/// The context of the second rule.
pub struct Serving<'a, 'r> {
    /// The document that is meant.
    pub document: &'a mut Document,
    /// The rules' access to the model, the project and other documents.
    pub rules: &'a Rules<'r>,
    /// Changes apart from the document itself.
    pub effects: &'a mut Effects,
    /// A random, unpredictable text, for tokens.
    pub token: &'a str,
    pub(crate) emits: &'a [MessageId],
    pub(crate) messages: &'a mut Vec<Pending>,
    /// Makes a document of a draft.
    pub(crate) make: Make,
    /// Settles a new document.
    pub(crate) finish: Finish,
    /// Makes a document with content that is as stored.
    pub(crate) make_like: MakeLike,
    pub(crate) made: &'a mut Option<Made>,
}

/// A further document created by an endpoint.
#[derive(Clone)]
pub(crate) struct Made {
    pub(crate) kind: KindId,
    pub(crate) document: Document,
    /// The message of its birth, in place of the one that the kind names.
    pub(crate) told: Option<&'static str>,
}

/// Makes a document of a kind of a checked draft.
pub(crate) type Make = fn(KindId, &Document, &Rules<'_>, &mut Effects) -> ApiResult<Document>;

/// Settles a new document of a kind, which is ready but for that.
pub(crate) type Finish = fn(KindId, &mut Document, &Rules<'_>, &mut Effects) -> ApiResult<()>;

/// Makes a document of a kind with content that is as stored.
pub(crate) type MakeLike = fn(KindId, Document, &Rules<'_>, &mut Effects) -> ApiResult<Document>;

impl Serving<'_, '_> {
    /// Makes the document of the kind that the model names for this endpoint, from a draft that is part of the body.
    pub fn make(&mut self, kind: KindId, draft: &Document) -> ApiResult<Document> {
        let document = (self.make)(kind, draft, self.rules, self.effects)?;
        *self.made = Some(Made { kind, document: document.clone(), told: None });
        Ok(document)
    }

    /// Creates a document of the kind that the model declares for this endpoint, complete except for its id,
    /// with this message. Returns its id.
    pub fn make_ready(
        &mut self,
        kind: KindId,
        mut document: Document,
        told: &'static str,
    ) -> ApiResult<String> {
        let id = self.rules.new_id();
        document.insert("id", Value::String(id.clone()));
        (self.finish)(kind, &mut document, self.rules, self.effects)?;
        *self.made = Some(Made { kind, document, told: Some(told) });
        Ok(id)
    }

    /// Makes a new document with this content, which is that of a stored one but for its id, version and times.
    pub fn make_like(&mut self, kind: KindId, content: Document) -> ApiResult<()> {
        let document = (self.make_like)(kind, content, self.rules, self.effects)?;
        *self.made = Some(Made { kind, document, told: None });
        Ok(())
    }

    /// Writes one of the messages that the model names for this endpoint.
    pub fn emit(&mut self, name: &str, fields: Document) -> ApiResult<()> {
        self.messages.push(named(self.emits, name, fields, self.rules.model)?);
        Ok(())
    }

    /// Writes a message about a new hidden document, by its kind and id: that is its `resource`, in its only
    /// version, and the message is the only one about it.
    pub fn emit_about(
        &mut self,
        type_id: &'static str,
        id: &str,
        name: &str,
        fields: Document,
    ) -> ApiResult<()> {
        let about = Some(About { type_id, id: id.to_owned() });
        self.messages.push(Pending { about, ..named(self.emits, name, fields, self.rules.model)? });
        Ok(())
    }
}

/// The response of an endpoint.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The document as it is then, in a new version where something was done.
    Document,
    /// Something else. The document keeps its version.
    Value(Value),
    /// The document that was made, where the one that is meant has a new version.
    Made,
}
