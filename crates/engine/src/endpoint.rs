//! Endpoints: operations with a path and a body of their own, on one document of a kind.
//!
//! A handler is two rules, pure like all others. The first finds the document that is meant and says what must
//! be proven about it; the engine compares secrets in between; the second does the work.

use crate::acting::{Pending, named};
use crate::bounds::Bounds;
use crate::caller::Caller;
use crate::change::{ATTEMPTS_MAX, Change, Outcome, outcome, too_busy};
use crate::document::{Document, id_of, parse, version_of};
use crate::read::Address;
use crate::rules::Rules;
use crate::sessions::Ending;
use crate::shop::Shop;
use crate::{create, emit, project, secret};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Endpoint, KindId, MessageId, Validator};
use kontor_storage::{Commit, Precondition, Write};
use rand::RngCore;
use serde_json::Value;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;

/// The Rust of an endpoint.
#[derive(Clone, Copy)]
pub struct EndpointHandler {
    /// Finds the document that a request means.
    pub find: fn(&Document, &Rules<'_>) -> ApiResult<Meant>,
    /// Does what the request asks for.
    pub act: fn(&mut Serving<'_, '_>, &Document) -> ApiResult<Reply>,
}

/// The document that a request means.
#[derive(Debug, Clone)]
pub struct Meant {
    /// Its id.
    pub id: String,
    /// The version that the caller has seen, where one was sent.
    pub version: Option<i64>,
    /// What must be proven first.
    pub proof: Option<Proof>,
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
    /// A random text that nobody can guess, for tokens.
    pub token: &'a str,
    emits: &'a [MessageId],
    messages: &'a mut Vec<Pending>,
    made: &'a mut Option<(KindId, Document)>,
}

impl Serving<'_, '_> {
    /// Makes the document of the kind that the model names for this endpoint, from a draft that is part of the body.
    pub fn make(&mut self, kind: KindId, draft: &Document) -> ApiResult<Document> {
        let document = create::document_of(kind, None, draft, None, self.rules)?;
        *self.made = Some((kind, document.clone()));
        Ok(document)
    }

    /// Writes one of the messages that the model names for this endpoint.
    pub fn emit(&mut self, name: &str, fields: Document) -> ApiResult<()> {
        self.messages.push(named(self.emits, name, fields, self.rules.model)?);
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

impl Shop {
    /// Does what an endpoint does, and answers the JSON of what it answers. `input` is the body as it was sent,
    /// or the value in the path under its name.
    pub async fn serve_endpoint(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        input: Value,
        caller: &Caller,
    ) -> ApiResult<Value> {
        self.serve_endpoint_at(kind, endpoint, Document::new(), input, caller).await
    }

    /// As [`Shop::serve_endpoint`], for a body beside which there are values in the path.
    pub async fn serve_endpoint_at(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        in_path: Document,
        mut input: Value,
        caller: &Caller,
    ) -> ApiResult<Value> {
        // An open endpoint may find whom it does not know yet.
        let within = if endpoint.open { caller.bounds.of_anybody() } else { caller.bounds.clone() };
        Validator::new(&self.model).object(endpoint.input, &mut input, "")?;
        let Value::Object(mut input) = input else { return Err(ApiError::internal()) };
        let handler = self.behaviours.endpoint(kind, &endpoint.name).ok_or_else(ApiError::internal)?;
        secret::hash_fields(&self.model, endpoint.input, &mut input).await?;
        input.extend(in_path);
        for _ in 0..ATTEMPTS_MAX {
            let project = self.project();
            let meant =
                self.with_rules_within(&caller.bounds, &project, |rules| (handler.find)(&input, rules))?;
            if let Some(Proof { given, hash, refusal }) = meant.proof
                && !secret::verify(given, hash).await?
            {
                return Err(refusal);
            }
            let stored = self.must_get_within(kind, &Address::Id(&meant.id), &within)?;
            let before = parse(&stored)?;
            if let Some(version) = meant.version
                && version != version_of(&before)
            {
                return Err(ApiError::concurrent_modification(id_of(&before), version, version_of(&before)));
            }
            let token = new_token();
            let (reply, commit) = self.with_rules_within(&caller.bounds, &project, |rules| {
                let (mut after, mut messages, mut made) = (before.clone(), Vec::new(), None);
                let mut serving = Serving {
                    document: &mut after,
                    rules,
                    token: &token,
                    emits: &endpoint.emits,
                    messages: &mut messages,
                    made: &mut made,
                };
                let reply = (handler.act)(&mut serving, &input)?;
                if after == before && messages.is_empty() && !rules.keeps_something_apart() {
                    return Ok((reply, None));
                }
                if let Some(behaviour) = rules.behaviours.of(kind) {
                    behaviour.settle(Some(&before), &mut after, rules)?;
                }
                rules.require(Precondition::Revision {
                    kind: rules.model.kind(kind).type_id.clone(),
                    id: stored.id.clone(),
                    revision: stored.revision,
                });
                let change = Change {
                    kind,
                    before: Some(&before),
                    after,
                    sequence: stored.sequence,
                    pending: messages,
                    is_new_version: matches!(reply, Reply::Document | Reply::Made),
                    caller,
                };
                let (mut commit, mut body) = self.commit_of(change, rules)?;
                if let Some((kind, document)) = made {
                    let (more, made) = self.commit_of_new(kind, document, caller, rules)?;
                    commit.preconditions.extend(more.preconditions);
                    commit.writes.extend(more.writes);
                    body = made;
                }
                Ok::<_, ApiError>((reply, Some((commit, body))))
            })?;
            let Some((mut commit, body)) = commit else {
                return Ok(answer(reply, before));
            };
            let ending = endpoint.ends_tokens.then(|| Ending::of(&stored.id));
            commit.writes.extend(ending.iter().map(|ending| Write::Put(ending.put())));
            let preconditions = commit.preconditions.clone();
            match self.write(commit).await {
                Ok(_) => {
                    if let Some(ending) = ending {
                        self.end_sessions(ending).await?;
                    }
                    let after = serde_json::from_slice(&body).map_err(|_| ApiError::internal())?;
                    return Ok(answer(reply, after));
                }
                Err(error) => match outcome(error, &preconditions, self, kind) {
                    Outcome::Again => {}
                    Outcome::Refuse(error) => return Err(error),
                },
            }
        }
        Err(too_busy())
    }
}

impl Shop {
    /// A document that is made beside another one.
    fn commit_of_new(
        &self,
        kind: KindId,
        after: Document,
        caller: &Caller,
        rules: &Rules<'_>,
    ) -> ApiResult<(Commit, Bytes)> {
        let created = self.model.kind(kind).created.filter(|_| project::keeps_messages(rules.project));
        let pending = created.map(|message| emit::whole(kind, message, &after, rules)).into_iter().collect();
        let change = Change { kind, before: None, after, sequence: 0, pending, is_new_version: true, caller };
        self.commit_of(change, rules)
    }

    /// The document that an endpoint shows which only reads, or the object that it makes of it. `input` holds the values
    /// in the path, under their names.
    pub fn read_endpoint(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        input: &Document,
        bounds: &Bounds,
    ) -> ApiResult<Bytes> {
        let handler = self.behaviours.endpoint(kind, &endpoint.name).ok_or_else(ApiError::internal)?;
        let project = self.project();
        let meant = self.with_rules_within(bounds, &project, |rules| (handler.find)(input, rules))?;
        if endpoint.writes || meant.proof.is_some() {
            return Err(ApiError::internal());
        }
        let stored = self.must_get_within(kind, &Address::Id(&meant.id), bounds)?;
        if endpoint.output.is_none() {
            return Ok(stored.body);
        }
        let mut document = parse(&stored)?;
        let reply = self.with_rules_within(bounds, &project, |rules| {
            let mut serving = Serving {
                document: &mut document,
                rules,
                token: "",
                emits: &endpoint.emits,
                messages: &mut Vec::new(),
                made: &mut None,
            };
            (handler.act)(&mut serving, input)
        })?;
        Ok(answer(reply, document).to_string().into())
    }

    /// The id of the one who proves by name and password who they are, at the endpoint of the model that does so.
    /// `None` where the proof fails, after as long a time whatever is wrong.
    pub async fn sign_in(&self, mut input: Value, bounds: &Bounds) -> ApiResult<Option<String>> {
        let (kind, endpoint) = self.model.sign_in().ok_or_else(ApiError::internal)?;
        Validator::new(&self.model).object(endpoint.input, &mut input, "")?;
        let Value::Object(input) = input else { return Err(ApiError::internal()) };
        let handler = self.behaviours.endpoint(kind, &endpoint.name).ok_or_else(ApiError::internal)?;
        let project = self.project();
        let meant = self.with_rules_within(bounds, &project, |rules| (handler.find)(&input, rules))?;
        let Some(Proof { given, hash, .. }) = meant.proof else { return Err(ApiError::internal()) };
        Ok(secret::verify(given, hash).await?.then_some(meant.id))
    }
}

fn answer(reply: Reply, document: Document) -> Value {
    match reply {
        Reply::Document | Reply::Made => Value::Object(document),
        Reply::Value(value) => value,
    }
}

fn new_token() -> String {
    let mut random = [0; TOKEN_BYTES];
    rand::rng().fill_bytes(&mut random);
    URL_SAFE_NO_PAD.encode(random)
}
