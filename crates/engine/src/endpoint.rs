//! Endpoints: operations with their own path and body, on one document of a kind. Start at [`Shop::call_endpoint`].

use crate::access_scope::AccessScope;
use crate::address::Address;
use crate::caller::Caller;
use crate::change::{ChangeResponse, ChangeSet, DocumentChange};
use crate::claims::{Claim, HeldClaims, wait_for_all};
use crate::commit_retry::{PreparedCommit, RetryableChange, TRYING_SECONDS_MAX, over_capacity};
use crate::document::{Document, id_of, read_stored};
use crate::effects::{CompanionChange, Effects};
use crate::endpoint_context::{
    CreateFn, CreatedDocument, EndpointContext, EndpointHandler, EndpointReply, SecretProof, SettleFn,
};
use crate::pending_messages::PendingMessage;
use crate::pre_commit_hooks::{CallResponseCache, HookProgress, Proposal};
use crate::prefetch_plan::PrefetchPlan;
use crate::prefetched_documents::PrefetchedDocuments;
use crate::rules::{FoundDocument, Rules};
use crate::shop::Shop;
use crate::update::check_version;
use crate::{associate, change, create, document_writes, secret};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::{Endpoint, KindId, Validator};
use kontor_storage::StoredDocument;
use parking_lot::Mutex;
use rand::RngCore;
use std::time::Duration;
use tokio::time::timeout;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Creates a further document in an endpoint.
const MAKE: CreateFn =
    |kind, draft, rules, effects| create::build_document(kind, None, draft, None, rules, effects);

/// Settles a document that an endpoint has built itself.
const FINISH: SettleFn =
    |kind, document, rules, effects| change::settle(kind, None, document, rules, effects);

/// The response of an endpoint.
#[derive(Debug, Clone)]
pub struct EndpointResponse {
    /// The body, as JSON.
    pub body: Bytes,
    /// The additional document of the response, if the model declares one and it exists.
    pub additional_document: Option<Bytes>,
}

impl Shop {
    /// Runs an endpoint and returns its response. `input` is the request body, or the value in the path under
    /// its name.
    ///
    /// # Errors
    /// 400 for an invalid body; 404 `ResourceNotFound` if the endpoint finds no document; the errors of its handler,
    /// e.g. for a wrong password or another version; 503 `OverCapacity` if the change lost all races for 20 s, or if
    /// the storage cannot write.
    pub fn call_endpoint<'a>(
        &'a self,
        kind: KindId,
        endpoint: &'a Endpoint,
        input: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<EndpointResponse>> {
        self.call_endpoint_at(kind, endpoint, Document::new(), input, caller)
    }

    /// Like [`Shop::call_endpoint`], for a body with additional values in the path. Fails for the same reasons.
    pub fn call_endpoint_at<'a>(
        &'a self,
        kind: KindId,
        endpoint: &'a Endpoint,
        in_path: Document,
        mut input: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<EndpointResponse>> {
        Box::pin(async move {
            // An open endpoint may find documents of any owner, e.g. a customer who is not signed in yet.
            let within = if endpoint.open { caller.bounds.for_any_owner() } else { caller.bounds.clone() };
            caller.validator(&self.model).object(endpoint.input, &mut input, "")?;
            let Value::Object(mut input) = input else {
                return Err(ApiError::bug("an input that the model admitted is no object"));
            };
            let handler = self.handler(kind, endpoint)?;
            secret::hash_fields(&self.model, endpoint.input, &mut input).await?;
            input.extend(in_path);
            self.commit_with_retries(&EndpointCall {
                kind,
                endpoint,
                handler,
                input: &input,
                within: &within,
                caller,
                call_responses: CallResponseCache::default(),
            })
            .await
        })
    }

    /// Runs an endpoint that only reads. Returns the document, or the object that the endpoint makes of it.
    /// `input` has the values in the path, by their names. Fails with 404 `ResourceNotFound` if the endpoint finds no
    /// document, and with the errors of its handler.
    pub fn read_endpoint(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        input: &Document,
        access_scope: &AccessScope,
    ) -> ApiResult<Bytes> {
        let handler = self.handler(kind, endpoint)?;
        let project = self.project();
        let meant = self.with_rules_in_scope(access_scope, &project, |rules| (handler.find)(input, rules))?;
        if endpoint.writes || meant.proof.is_some() {
            return Err(ApiError::bug(format!("{} only reads, but writes or needs a proof", endpoint.name)));
        }
        let stored = self.must_get_in_scope(kind, &Address::Id(&meant.id), access_scope)?;
        if endpoint.output.is_none() {
            return Ok(stored.body);
        }
        let mut document = read_stored(&stored)?;
        let reply = self.with_rules_in_scope(access_scope, &project, |rules| {
            let mut context = EndpointContext {
                document: &mut document,
                rules,
                // The effects of a read are dropped.
                effects: &mut Effects::default(),
                token: "",
                emits: &endpoint.emits,
                messages: &mut Vec::new(),
                make: MAKE,
                finish: FINISH,
                make_like: create::copy_document,
                created: &mut None,
            };
            (handler.act)(&mut context, input)
        })?;
        match reply {
            EndpointReply::Value(value) => document_writes::serialize_value(&value),
            EndpointReply::Document | EndpointReply::Created => {
                document_writes::serialize_value(&Value::Object(document))
            }
        }
    }

    /// Returns the handler of an endpoint, which the join at startup has checked.
    fn handler(&self, kind: KindId, endpoint: &Endpoint) -> ApiResult<EndpointHandler> {
        let unknown = || ApiError::bug(format!("the endpoint {} has no handler", endpoint.name));
        self.behaviours.endpoint(kind, &endpoint.name).ok_or_else(unknown)
    }

    /// Verifies a name and a password at the sign-in endpoint of the model. Returns the customer; `None` if the proof
    /// fails, after the same time whatever is wrong.
    pub fn sign_in<'a>(
        &'a self,
        input: Value,
        access_scope: &'a AccessScope,
    ) -> BoxFuture<'a, ApiResult<Option<VerifiedSecret>>> {
        Box::pin(async move {
            let (id, SecretProof { secret, hash, .. }) = self.sign_in_proof(input, access_scope)?;
            let is_right = secret::verify(secret, hash.clone()).await?;
            Ok(hash.filter(|_| is_right).map(|hash| VerifiedSecret { id, hash }))
        })
    }

    /// Returns whether the customer of a sign-in still has the secret that was verified. Fails with 400 for an invalid
    /// input, or if the storage fails.
    pub fn has_secret(
        &self,
        input: Value,
        access_scope: &AccessScope,
        verified: &VerifiedSecret,
    ) -> ApiResult<bool> {
        let (id, proof) = self.sign_in_proof(input, access_scope)?;
        Ok(id == verified.id && proof.hash.as_ref() == Some(&verified.hash))
    }

    /// Returns the id of the customer that the input of a sign-in names, and what is to be verified.
    fn sign_in_proof(
        &self,
        mut input: Value,
        access_scope: &AccessScope,
    ) -> ApiResult<(String, SecretProof)> {
        let (kind, endpoint) =
            self.model.sign_in().ok_or_else(|| ApiError::bug("the model has no endpoint to sign in at"))?;
        Validator::new(&self.model).object(endpoint.input, &mut input, "")?;
        let Value::Object(input) = input else {
            return Err(ApiError::bug("an input that the model admitted is no object"));
        };
        let handler = self.handler(kind, endpoint)?;
        let meant =
            self.with_rules_in_scope(access_scope, &self.project(), |rules| (handler.find)(&input, rules))?;
        let proof = meant.proof.ok_or_else(|| ApiError::bug("the sign-in endpoint requires no proof"))?;
        Ok((meant.id, proof))
    }
}

/// A secret of a person that was verified: the id of its owner, and its hash as stored.
pub struct VerifiedSecret {
    /// The id of the document of its owner.
    pub id: String,
    /// The stored hash. Each new secret has another hash, even if it is the same text.
    pub hash: String,
}

/// The result of an endpoint's rules.
struct EndpointResult {
    /// The kind of the addressed document.
    kind: KindId,
    before: FoundDocument,
    /// The stored bytes of the document.
    stored: Bytes,
    after: Document,
    messages: Vec<PendingMessage>,
    created: Option<CreatedDocument>,
    /// A document that stored staged actions have changed, taken out while Extensions are called for it.
    staged: Option<CompanionChange>,
    effects: Effects,
    reply: EndpointReply,
}

impl EndpointResult {
    /// Returns the created document, or the one changed by stored actions, if Extensions must be called for
    /// it.
    fn proposal(&mut self, rules: &Rules<'_>) -> ApiResult<Option<Proposal>> {
        let is_asked_about = |kind| rules.behaviours.extension_policy_for(kind, rules).is_some();
        let (kind, before, after) = if let Some(made) = &self.created {
            if !is_asked_about(made.kind) {
                return Ok(None);
            }
            (made.kind, None, made.document.clone())
        } else if let Some(staged) = self.effects.take_staged(is_asked_about) {
            let staged = self.staged.insert(staged);
            let before = rules.stored_document(staged.kind, id_of(&staged.after))?;
            (staged.kind, Some(before), staged.after.clone())
        } else {
            return Ok(None);
        };
        let effects = std::mem::take(&mut self.effects);
        Ok(Some(Proposal { effects, ..Proposal::new(kind, before, after) }))
    }
}

/// The result of the rules, if Extensions must be called for it, and the state of the preparation.
type EndpointProgress =
    (Option<Mutex<Option<EndpointResult>>>, HookProgress<PreparedCommit<EndpointResponse>>);

/// A call of an endpoint.
struct EndpointCall<'a> {
    kind: KindId,
    endpoint: &'a Endpoint,
    handler: EndpointHandler,
    input: &'a Document,
    /// The access scope that must contain the addressed document.
    within: &'a AccessScope,
    caller: &'a Caller,
    /// Responses of external calls in earlier attempts.
    call_responses: CallResponseCache,
}

impl RetryableChange for EndpointCall<'_> {
    type ChangeResult = EndpointResponse;

    async fn prepare(&self, shop: &Shop) -> ApiResult<PreparedCommit<EndpointResponse>> {
        let project = shop.project();
        let mut wanted = PrefetchPlan::new(&shop.model);
        wanted.add_named_in(self.endpoint.input, self.input);
        let mut ahead = shop.prefetch(wanted)?;
        let (meant, relied_on) = shop.with_rules_for_caller(&ahead, self.caller, &project, |rules| {
            let meant = (self.handler.find)(self.input, rules)?;
            Ok::<_, ApiError>((meant, rules.take_requirements()))
        })?;
        if let Some(SecretProof { secret, hash, refusal }) = meant.proof
            && !secret::verify(secret, hash).await?
        {
            return Err(refusal);
        }
        let claimed = take_claims(meant.claims, shop).await?;
        let kind = meant.kind.unwrap_or(self.kind);
        let stored = self.read_addressed(kind, &meant.id, shop).map_err(|error| match meant.missing {
            Some(missing) if error.code() == Code::ResourceNotFound => missing,
            _ => error,
        })?;
        let before = ahead.read(
            &shop.model.kind(shop.model.stored_kind(kind)).type_id,
            &stored,
            &shop.parsed_documents,
        )?;
        check_version(meant.version, &before.document)?;
        let step = |ahead: &PrefetchedDocuments| {
            shop.with_rules_for_caller(ahead, self.caller, &project, |rules| {
                relied_on.iter().for_each(|precondition| rules.require(precondition.clone()));
                self.step(kind, (before.clone(), stored.body.clone()), rules)
            })
        };
        ahead.underway = claimed.in_flight();
        let mut stepped = step(&ahead);
        if stepped.is_err() && !ahead.underway.is_empty() {
            // A refusal based on an uncommitted state is not final.
            wait_for_all(&std::mem::take(&mut ahead.underway)).await;
            stepped = step(&ahead);
        }
        let prepared = match stepped? {
            (_, HookProgress::Ready(prepared)) => prepared.with_claims(claimed),
            (acted, step) => {
                // No other request waits for the Extensions of this one.
                drop(claimed);
                let acted = acted.unwrap_or_default();
                let finish = |proposal: Proposal, rules: &Rules<'_>| self.resume(&acted, proposal, rules);
                Box::pin(shop.call_extensions(step, &self.call_responses, self.caller, finish)).await?
            }
        };
        let ends_tokens = self.endpoint.ends_tokens && prepared.has_changes();
        Ok(if ends_tokens { prepared.with_token_revocation(&stored.id) } else { prepared })
    }
}

impl EndpointCall<'_> {
    /// Returns the addressed document. The caller must be allowed to view it, unless the endpoint has a
    /// permission of its own, as it has below `/me`.
    fn read_addressed(&self, kind: KindId, id: &str, shop: &Shop) -> ApiResult<StoredDocument> {
        let address = Address::Id(id);
        if self.endpoint.needs.is_some() || self.within.mine.is_some() {
            return shop.must_get_to_change(kind, &address, self.within);
        }
        let stored = shop.must_get_in_scope(kind, &address, self.within)?;
        shop.authorize_view(kind, &stored, self.within)?;
        Ok(stored)
    }

    /// Runs the endpoint, until the change is ready or external calls are needed.
    fn step(
        &self,
        kind: KindId,
        before: (FoundDocument, Bytes),
        rules: &Rules<'_>,
    ) -> ApiResult<EndpointProgress> {
        let mut acted = self.run_handler(kind, before, rules)?;
        let Some(proposal) = acted.proposal(rules)? else {
            return self.finish(acted, rules).map(|prepared| (None, HookProgress::Ready(prepared)));
        };
        let acted = Mutex::new(Some(acted));
        let resume = |proposal: Proposal, rules: &Rules<'_>| self.resume(&acted, proposal, rules);
        let step = proposal.step(self.caller, rules, resume)?;
        Ok((Some(acted), step))
    }

    /// Runs the handler of the endpoint.
    fn run_handler(
        &self,
        kind: KindId,
        (before, stored): (FoundDocument, Bytes),
        rules: &Rules<'_>,
    ) -> ApiResult<EndpointResult> {
        associate::authorize_endpoint(kind, &before.document, self.endpoint, rules)?;
        let (mut after, mut messages, mut created) = ((*before.document).clone(), Vec::new(), None);
        let mut effects = Effects::default();
        let token = new_token();
        let mut context = EndpointContext {
            document: &mut after,
            rules,
            effects: &mut effects,
            token: &token,
            emits: &self.endpoint.emits,
            messages: &mut messages,
            make: MAKE,
            finish: FINISH,
            make_like: create::copy_document,
            created: &mut created,
        };
        let reply = (self.handler.act)(&mut context, self.input)?;
        Ok(EndpointResult { kind, before, stored, after, messages, created, staged: None, effects, reply })
    }

    /// Returns the commit after the external calls for the created or changed document.
    fn resume(
        &self,
        acted: &Mutex<Option<EndpointResult>>,
        proposal: Proposal,
        rules: &Rules<'_>,
    ) -> ApiResult<PreparedCommit<EndpointResponse>> {
        let acted = acted.lock().take();
        let mut acted = acted.ok_or_else(|| ApiError::bug("an endpoint is finished twice"))?;
        acted.effects = proposal.effects;
        if let Some(mut staged) = acted.staged.take() {
            staged.after = proposal.after;
            staged.messages.get_or_insert_default().extend(proposal.pending);
            acted.effects.put_staged(staged);
        } else if let Some(made) = &mut acted.created {
            made.document = proposal.after;
        }
        self.finish(acted, rules)
    }

    /// Returns the commit of all changes.
    fn finish(
        &self,
        acted: EndpointResult,
        rules: &Rules<'_>,
    ) -> ApiResult<PreparedCommit<EndpointResponse>> {
        let EndpointResult { kind, before, stored, after, messages, created, mut effects, reply, .. } = acted;
        let is_same = messages.is_empty() && after == *before.document;
        let changes = match created {
            None if is_same && effects.is_empty() => {
                let response = response_body(reply, stored)?;
                let additional_document =
                    change::stored_additional_document(effects.take_additional(), rules)?;
                return Ok(PreparedCommit::without_changes(EndpointResponse {
                    body: response,
                    additional_document,
                }));
            }
            // A copied document stays unchanged.
            Some(CreatedDocument { kind, document, creation_message }) if is_same => ChangeSet::single(
                DocumentChange::created(kind, document, rules)
                    .with_creation_message(creation_message, rules)?,
            ),
            made => self.changed(kind, (before, after), messages, made, (&reply, rules), &mut effects)?,
        };
        changes.prepare_with_additional(effects, self.caller, rules)?.map_result(
            |ChangeResponse { body, additional_document }| {
                Ok(EndpointResponse { body: response_body(reply, body)?, additional_document })
            },
        )
    }

    /// Returns the change set: the addressed document, and the created one.
    fn changed(
        &self,
        kind: KindId,
        (before, mut after): (FoundDocument, Document),
        messages: Vec<PendingMessage>,
        made: Option<CreatedDocument>,
        (reply, rules): (&EndpointReply, &Rules<'_>),
        effects: &mut Effects,
    ) -> ApiResult<ChangeSet> {
        change::settle(kind, Some(&before.document), &mut after, rules, effects)?;
        let change = DocumentChange::updated(kind, before, after, messages);
        let is_new_version = matches!(reply, EndpointReply::Document | EndpointReply::Created);
        let mut changes = ChangeSet::single(if is_new_version { change } else { change.keeping_version() });
        if let Some(CreatedDocument { kind, document, creation_message }) = made {
            changes = changes.and_return(
                DocumentChange::created(kind, document, rules)
                    .with_creation_message(creation_message, rules)?,
            );
        }
        Ok(changes)
    }
}

fn response_body(reply: EndpointReply, document: Bytes) -> ApiResult<Bytes> {
    match reply {
        EndpointReply::Document | EndpointReply::Created => Ok(document),
        EndpointReply::Value(value) => document_writes::serialize_value(&value),
    }
}

/// Takes the claims of a request on further documents.
async fn take_claims(claims: Vec<Claim>, shop: &Shop) -> ApiResult<HeldClaims> {
    if claims.is_empty() {
        return Ok(HeldClaims::default());
    }
    let claimed = timeout(Duration::from_secs(TRYING_SECONDS_MAX), shop.claims.claim(claims)).await;
    claimed.map_err(|_| over_capacity())
}

fn new_token() -> String {
    let mut random = [0; TOKEN_BYTES];
    rand::rng().fill_bytes(&mut random);
    URL_SAFE_NO_PAD.encode(random)
}
