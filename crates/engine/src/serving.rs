//! What the Rust of an endpoint works on.
//!
//! A handler is two rules, pure like all others. The first finds the document that is meant and says what must
//! be proven about it; the engine compares secrets in between; the second does the work.

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
    /// What must be proven first.
    pub proof: Option<Proof>,
    /// The kind of the document, where it is another one than that of the endpoint.
    pub kind: Option<KindId>,
    /// What the request is about to change beside the document: requests that claim the same are worked on one after the other, in
    /// place of being in each other's way.
    pub claims: Vec<Claim>,
}

/// That the sender knows a secret.
#[derive(Clone)]
pub struct Proof {
    /// The secret as it was sent.
    pub given: String,
    /// The hash that it must fit; none: nobody is meant, and the proof fails.
    pub hash: Option<String>,
    /// What is answered when it does not fit.
    pub refusal: ApiError,
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Proof(…)")
    }
}

/// What the second rule works on.
pub struct Serving<'a, 'r> {
    /// The document that is meant.
    pub document: &'a mut Document,
    /// What the rules may know.
    pub rules: &'a Rules<'r>,
    /// What the endpoint does beyond the document.
    pub effects: &'a mut Effects,
    /// A random text that nobody can guess, for tokens.
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

/// A document that an endpoint makes beside the one that is meant.
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

    /// Makes a document of the kind that the model names for this endpoint, which is ready but for its id, and tells of
    /// it by this message. The id that it got.
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

    /// Writes one of these messages about something new that is kept beside documents, by its kind and id: its `resource`
    /// is that, in its only version, and it is the only message about it.
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

/// What an endpoint answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The document as it is then, in a new version where something was done.
    Document,
    /// Something else. The document keeps its version.
    Value(Value),
    /// The document that was made, where the one that is meant has a new version.
    Made,
}
