//! Endpoints: operations with their own path and body, on one document of a kind. Start at [`Shop::serve_endpoint`].

use crate::address::Address;
use crate::ahead::Ahead;
use crate::asking::{Answers, Proposal, Readiness};
use crate::attempt::{Attempt, Prepared, TRYING_SECONDS_MAX, over_capacity};
use crate::bounds::Bounds;
use crate::caller::Caller;
use crate::change::{Answered, Change, ChangeSet};
use crate::claims::{Claim, Claimed, all_over};
use crate::document::{Document, id_of, read_stored};
use crate::effects::{Companion, Effects};
use crate::pending::Pending;
use crate::read_ahead::ReadAhead;
use crate::rules::{Found, Rules};
use crate::serving::{EndpointHandler, Finish, Made, Make, Proof, Reply, Serving};
use crate::shop::Shop;
use crate::update::admit_version;
use crate::{associate, change, create, secret, write};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Endpoint, KindId, Validator};
use kontor_storage::Stored;
use parking_lot::Mutex;
use rand::RngCore;
use std::time::Duration;
use tokio::time::timeout;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Creates a further document in an endpoint.
const MAKE: Make = |kind, draft, rules, effects| create::document_of(kind, None, draft, None, rules, effects);

/// Settles a document that an endpoint has built itself.
const FINISH: Finish = |kind, document, rules, effects| change::settle(kind, None, document, rules, effects);

/// The response of an endpoint.
#[derive(Debug, Clone)]
pub struct Served {
    /// The body, as JSON.
    pub answer: Bytes,
    /// The additional document of the response, if the model declares one and it exists.
    pub beside: Option<Bytes>,
}

impl Shop {
    /// Runs an endpoint and returns its response. `input` is the request body, or the value in the path under
    /// its name.
    pub fn serve_endpoint<'a>(
        &'a self,
        kind: KindId,
        endpoint: &'a Endpoint,
        input: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Served>> {
        self.serve_endpoint_at(kind, endpoint, Document::new(), input, caller)
    }

    /// Like [`Shop::serve_endpoint`], for a body with additional values in the path.
    pub fn serve_endpoint_at<'a>(
        &'a self,
        kind: KindId,
        endpoint: &'a Endpoint,
        in_path: Document,
        mut input: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Served>> {
        Box::pin(async move {
            // An open endpoint may find documents of any owner, e.g. a customer who is not signed in yet.
            let within = if endpoint.open { caller.bounds.of_anybody() } else { caller.bounds.clone() };
            caller.validator(&self.model).object(endpoint.input, &mut input, "")?;
            let Value::Object(mut input) = input else {
                return Err(ApiError::bug("an input that the model admitted is no object"));
            };
            let handler = self.handler(kind, endpoint)?;
            secret::hash_fields(&self.model, endpoint.input, &mut input).await?;
            input.extend(in_path);
            self.change(&Call {
                kind,
                endpoint,
                handler,
                input: &input,
                within: &within,
                caller,
                answers: Answers::default(),
            })
            .await
        })
    }

    /// Runs an endpoint that only reads. Returns the document, or the object that the endpoint makes of it.
    /// `input` has the values in the path, by their names.
    pub fn read_endpoint(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        input: &Document,
        bounds: &Bounds,
    ) -> ApiResult<Bytes> {
        let handler = self.handler(kind, endpoint)?;
        let project = self.project();
        let meant = self.with_rules_within(bounds, &project, |rules| (handler.find)(input, rules))?;
        if endpoint.writes || meant.proof.is_some() {
            return Err(ApiError::bug(format!("{} only reads, but writes or needs a proof", endpoint.name)));
        }
        let stored = self.must_get_within(kind, &Address::Id(&meant.id), bounds)?;
        if endpoint.output.is_none() {
            return Ok(stored.body);
        }
        let mut document = read_stored(&stored)?;
        let reply = self.with_rules_within(bounds, &project, |rules| {
            let mut serving = Serving {
                document: &mut document,
                rules,
                // The effects of a read are dropped.
                effects: &mut Effects::default(),
                token: "",
                emits: &endpoint.emits,
                messages: &mut Vec::new(),
                make: MAKE,
                finish: FINISH,
                make_like: create::document_like,
                made: &mut None,
            };
            (handler.act)(&mut serving, input)
        })?;
        match reply {
            Reply::Value(value) => write::bytes_of(&value),
            Reply::Document | Reply::Made => write::bytes_of(&Value::Object(document)),
        }
    }

    /// Returns the handler of an endpoint, which the join at startup has checked.
    fn handler(&self, kind: KindId, endpoint: &Endpoint) -> ApiResult<EndpointHandler> {
        let unknown = || ApiError::bug(format!("the endpoint {} has no handler", endpoint.name));
        self.behaviours.endpoint(kind, &endpoint.name).ok_or_else(unknown)
    }

    /// Verifies a name and a password at the sign-in endpoint of the model. Returns the id of the customer;
    /// `None` if the proof fails, after the same time whatever is wrong.
    pub fn sign_in<'a>(
        &'a self,
        mut input: Value,
        bounds: &'a Bounds,
    ) -> BoxFuture<'a, ApiResult<Option<String>>> {
        Box::pin(async move {
            let (kind, endpoint) = self
                .model
                .sign_in()
                .ok_or_else(|| ApiError::bug("the model has no endpoint to sign in at"))?;
            Validator::new(&self.model).object(endpoint.input, &mut input, "")?;
            let Value::Object(input) = input else {
                return Err(ApiError::bug("an input that the model admitted is no object"));
            };
            let handler = self.handler(kind, endpoint)?;
            let project = self.project();
            let meant = self.with_rules_within(bounds, &project, |rules| (handler.find)(&input, rules))?;
            let Some(Proof { given, hash, .. }) = meant.proof else {
                return Err(ApiError::bug("the sign-in endpoint requires no proof"));
            };
            Ok(secret::verify(given, hash).await?.then_some(meant.id))
        })
    }
}

/// The result of an endpoint's rules.
struct Acted {
    /// The kind of the addressed document.
    kind: KindId,
    before: Found,
    /// The stored bytes of the document.
    stored: Bytes,
    after: Document,
    messages: Vec<Pending>,
    made: Option<Made>,
    /// A document that stored staged actions have changed, taken out while Extensions are called for it.
    staged: Option<Companion>,
    effects: Effects,
    reply: Reply,
}

impl Acted {
    /// Returns the created document, or the one changed by stored actions, if Extensions must be called for
    /// it.
    fn proposal(&mut self, rules: &Rules<'_>) -> ApiResult<Option<Proposal>> {
        let is_asked_about = |kind| rules.behaviours.asks_about(kind, rules).is_some();
        let (kind, before, after) = if let Some(made) = &self.made {
            if !is_asked_about(made.kind) {
                return Ok(None);
            }
            (made.kind, None, made.document.clone())
        } else if let Some(staged) = self.effects.take_staged(is_asked_about) {
            let staged = self.staged.insert(staged);
            let before = rules.stored(staged.kind, id_of(&staged.after))?;
            (staged.kind, Some(before), staged.after.clone())
        } else {
            return Ok(None);
        };
        let effects = std::mem::take(&mut self.effects);
        Ok(Some(Proposal { effects, ..Proposal::new(kind, before, after) }))
    }
}

/// The result of the rules, if Extensions must be called for it, and the state of the preparation.
type ActedSoFar = (Option<Mutex<Option<Acted>>>, Readiness<Prepared<Served>>);

/// A call of an endpoint.
struct Call<'a> {
    kind: KindId,
    endpoint: &'a Endpoint,
    handler: EndpointHandler,
    input: &'a Document,
    /// The bounds within which the addressed document is looked up.
    within: &'a Bounds,
    caller: &'a Caller,
    /// Responses of external calls in earlier attempts.
    answers: Answers,
}

impl Attempt for Call<'_> {
    type Answer = Served;

    async fn prepare(&self, shop: &Shop) -> ApiResult<Prepared<Served>> {
        let project = shop.project();
        let mut wanted = ReadAhead::new(&shop.model);
        wanted.named_in(self.endpoint.input, self.input);
        let mut ahead = shop.read_ahead(wanted)?;
        let (meant, relied_on) = shop.with_rules_after(&ahead, self.caller, &project, |rules| {
            let meant = (self.handler.find)(self.input, rules)?;
            Ok::<_, ApiError>((meant, rules.take_requirements()))
        })?;
        if let Some(Proof { given, hash, refusal }) = meant.proof
            && !secret::verify(given, hash).await?
        {
            return Err(refusal);
        }
        let claimed = claim(meant.claims, shop).await?;
        let kind = meant.kind.unwrap_or(self.kind);
        let stored = self.meant(kind, &meant.id, shop)?;
        let before = ahead.read(&shop.model.kind(shop.model.stored(kind)).type_id, &stored, &shop.parsed)?;
        admit_version(meant.version, &before.document)?;
        let step = |ahead: &Ahead| {
            shop.with_rules_after(ahead, self.caller, &project, |rules| {
                relied_on.iter().for_each(|precondition| rules.require(precondition.clone()));
                self.step(kind, (before.clone(), stored.body.clone()), rules)
            })
        };
        ahead.underway = claimed.underway();
        let mut stepped = step(&ahead);
        if stepped.is_err() && !ahead.underway.is_empty() {
            // A refusal based on an uncommitted state is not final.
            all_over(&std::mem::take(&mut ahead.underway)).await;
            stepped = step(&ahead);
        }
        let prepared = match stepped? {
            (_, Readiness::Ready(prepared)) => prepared.claiming(claimed),
            (acted, step) => {
                // No other request waits for the Extensions of this one.
                drop(claimed);
                let acted = acted.unwrap_or_default();
                let finish = |proposal: Proposal, rules: &Rules<'_>| self.resume(&acted, proposal, rules);
                Box::pin(shop.ask_all(step, &self.answers, self.caller, finish)).await?
            }
        };
        let ends_tokens = self.endpoint.ends_tokens && prepared.changes_something();
        Ok(if ends_tokens { prepared.ending_tokens_of(&stored.id) } else { prepared })
    }
}

impl Call<'_> {
    /// Returns the addressed document. The caller must be allowed to view it, unless the endpoint has a
    /// permission of its own, as it has below `/me`.
    fn meant(&self, kind: KindId, id: &str, shop: &Shop) -> ApiResult<Stored> {
        let address = Address::Id(id);
        if self.endpoint.needs.is_some() || self.within.mine.is_some() {
            return shop.must_get_to_change(kind, &address, self.within);
        }
        let stored = shop.must_get_within(kind, &address, self.within)?;
        shop.admit_view(kind, &stored, self.within)?;
        Ok(stored)
    }

    /// Runs the endpoint, until the change is ready or external calls are needed.
    fn step(&self, kind: KindId, before: (Found, Bytes), rules: &Rules<'_>) -> ApiResult<ActedSoFar> {
        let mut acted = self.act(kind, before, rules)?;
        let Some(proposal) = acted.proposal(rules)? else {
            return self.finish(acted, rules).map(|prepared| (None, Readiness::Ready(prepared)));
        };
        let acted = Mutex::new(Some(acted));
        let resume = |proposal: Proposal, rules: &Rules<'_>| self.resume(&acted, proposal, rules);
        let step = proposal.step(self.caller, rules, resume)?;
        Ok((Some(acted), step))
    }

    /// Runs the handler of the endpoint.
    fn act(&self, kind: KindId, (before, stored): (Found, Bytes), rules: &Rules<'_>) -> ApiResult<Acted> {
        associate::admit_endpoint(kind, &before.document, self.endpoint, rules)?;
        let (mut after, mut messages, mut made) = ((*before.document).clone(), Vec::new(), None);
        let mut effects = Effects::default();
        let token = new_token();
        let mut serving = Serving {
            document: &mut after,
            rules,
            effects: &mut effects,
            token: &token,
            emits: &self.endpoint.emits,
            messages: &mut messages,
            make: MAKE,
            finish: FINISH,
            make_like: create::document_like,
            made: &mut made,
        };
        let reply = (self.handler.act)(&mut serving, self.input)?;
        Ok(Acted { kind, before, stored, after, messages, made, staged: None, effects, reply })
    }

    /// Returns the commit after the external calls for the created or changed document.
    fn resume(
        &self,
        acted: &Mutex<Option<Acted>>,
        proposal: Proposal,
        rules: &Rules<'_>,
    ) -> ApiResult<Prepared<Served>> {
        let acted = acted.lock().take();
        let mut acted = acted.ok_or_else(|| ApiError::bug("an endpoint is finished twice"))?;
        acted.effects = proposal.effects;
        if let Some(mut staged) = acted.staged.take() {
            staged.after = proposal.after;
            staged.told.get_or_insert_default().extend(proposal.pending);
            acted.effects.put_staged(staged);
        } else if let Some(made) = &mut acted.made {
            made.document = proposal.after;
        }
        self.finish(acted, rules)
    }

    /// Returns the commit of all changes.
    fn finish(&self, acted: Acted, rules: &Rules<'_>) -> ApiResult<Prepared<Served>> {
        let Acted { kind, before, stored, after, messages, made, mut effects, reply, .. } = acted;
        let is_same = messages.is_empty() && after == *before.document;
        let changes = match made {
            None if is_same && effects.is_empty() => {
                let answer = answer(reply, stored)?;
                let beside = change::stored_beside(effects.beside(), rules)?;
                return Ok(Prepared::nothing(Served { answer, beside }));
            }
            // A copied document stays unchanged.
            Some(Made { kind, document, told }) if is_same => {
                ChangeSet::of(Change::created(kind, document, rules).told_by(told, rules)?)
            }
            made => self.changed(kind, (before, after), messages, made, (&reply, rules), &mut effects)?,
        };
        changes
            .prepare_with_beside(effects, self.caller, rules)?
            .answering(|Answered { body, beside }| Ok(Served { answer: answer(reply, body)?, beside }))
    }

    /// Returns the change set: the addressed document, and the created one.
    fn changed(
        &self,
        kind: KindId,
        (before, mut after): (Found, Document),
        messages: Vec<Pending>,
        made: Option<Made>,
        (reply, rules): (&Reply, &Rules<'_>),
        effects: &mut Effects,
    ) -> ApiResult<ChangeSet> {
        change::settle(kind, Some(&before.document), &mut after, rules, effects)?;
        let change = Change::updated(kind, before, after, messages);
        let is_new_version = matches!(reply, Reply::Document | Reply::Made);
        let mut changes = ChangeSet::of(if is_new_version { change } else { change.within_version() });
        if let Some(Made { kind, document, told }) = made {
            changes = changes.and_answer(Change::created(kind, document, rules).told_by(told, rules)?);
        }
        Ok(changes)
    }
}

fn answer(reply: Reply, document: Bytes) -> ApiResult<Bytes> {
    match reply {
        Reply::Document | Reply::Made => Ok(document),
        Reply::Value(value) => write::bytes_of(&value),
    }
}

/// Takes the claims of a request on further documents.
async fn claim(claims: Vec<Claim>, shop: &Shop) -> ApiResult<Claimed> {
    if claims.is_empty() {
        return Ok(Claimed::default());
    }
    let claimed = timeout(Duration::from_secs(TRYING_SECONDS_MAX), shop.claims.claim(claims)).await;
    claimed.map_err(|_| over_capacity())
}

fn new_token() -> String {
    let mut random = [0; TOKEN_BYTES];
    rand::rng().fill_bytes(&mut random);
    URL_SAFE_NO_PAD.encode(random)
}
