//! Updating a document by actions.

use crate::acting::{Acting, Doing, Pending};
use crate::associate;
use crate::bounds::Bounds;
use crate::caller::Caller;
use crate::change::{ATTEMPTS_MAX, Change, Outcome, outcome, too_busy};
use crate::document::{self, Document, id_of, parse, version_of};
use crate::large::{self, LARGE_BYTES_MIN};
use crate::read::Address;
use crate::rules::Rules;
use crate::sessions::Ending;
use crate::shop::{Shop, Written};
use crate::verb;
use crate::{convert, secret};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_model::{KindId, Model, Validator};
use kontor_storage::{Commit, Precondition, Stored, Write};
use serde_json::Value;

/// Most actions in one request (public documentation, "Update actions").
pub const ACTIONS_MAX: usize = 500;

/// A request of `{version, actions}` that the model has checked.
struct Asked {
    version: i64,
    /// Names of actions, with their arguments.
    actions: Vec<(String, Document)>,
}

impl Shop {
    /// Does all actions of a request, or none. The version rises by one where something changed.
    pub async fn update(
        &self,
        kind: KindId,
        address: &Address<'_>,
        body: Value,
        caller: &Caller,
    ) -> ApiResult<Written> {
        let bounds = &caller.bounds;
        let is_large = large::is_large([&body]);
        let mut asked = large::beside_others(is_large, || read(body, kind, bounds, &self.model))?;
        for (name, arguments) in &mut asked.actions {
            if let Some(action) = bounds.action(self.model.kind(kind), name) {
                secret::hash_fields(&self.model, action.arguments, arguments).await?;
            }
        }
        for _ in 0..ATTEMPTS_MAX {
            let stored = self.must_get_to_change(kind, address, bounds)?;
            let is_large = is_large || stored.body.len() >= LARGE_BYTES_MIN;
            let ready = large::beside_others(is_large, || self.ready(kind, &asked, &stored, caller))?;
            let Some((mut commit, body)) = ready else {
                return Ok(Written { body: stored.body, created: false });
            };
            let ends = |(name, _): &(String, Document)| {
                bounds.action(self.model.kind(kind), name).is_some_and(|action| action.ends_tokens)
            };
            let ending = asked.actions.iter().any(ends).then(|| Ending::of(&stored.id));
            commit.writes.extend(ending.iter().map(|ending| Write::Put(ending.put())));
            let preconditions = commit.preconditions.clone();
            match self.write(commit).await {
                Ok(_) => {
                    if let Some(ending) = ending {
                        self.end_sessions(ending).await?;
                    }
                    self.remember_project(kind, &body);
                    return Ok(Written { body, created: false });
                }
                Err(error) => match outcome(error, &preconditions, self, kind) {
                    Outcome::Again => {}
                    Outcome::Refuse(error) => return Err(error),
                },
            }
        }
        Err(too_busy())
    }

    /// The commit of a change, and the document after it; `None` where nothing changes.
    fn ready(
        &self,
        kind: KindId,
        asked: &Asked,
        stored: &Stored,
        caller: &Caller,
    ) -> ApiResult<Option<(Commit, Bytes)>> {
        let before = parse(stored)?;
        let version = version_of(&before);
        if version != asked.version {
            return Err(ApiError::concurrent_modification(id_of(&before), asked.version, version));
        }
        let project = self.project();
        self.with_rules_within(&caller.bounds, &project, |rules| {
            let (after, pending) = changed(kind, &asked.actions, &before, caller, rules)?;
            if document::is_same(&after, &before) && !rules.keeps_something_apart() {
                return Ok(None);
            }
            rules.require(Precondition::Revision {
                kind: rules.model.kind(kind).type_id.clone(),
                id: stored.id.clone(),
                revision: stored.revision,
            });
            let sequence = stored.sequence;
            let before = Some(&before);
            let change = Change { kind, before, after, sequence, pending, is_new_version: true, caller };
            self.commit_of(change, rules).map(Some)
        })
    }
}

/// What checked actions make of a document, with the messages that they cause.
pub(crate) fn changed(
    kind: KindId,
    actions: &[(String, Document)],
    before: &Document,
    caller: &Caller,
    rules: &Rules<'_>,
) -> ApiResult<(Document, Vec<Pending>)> {
    associate::admit_actions(kind, before, actions, rules)?;
    let mut after = before.clone();
    let mut pending = Vec::new();
    act_all(kind, actions, &mut after, &mut pending, caller, rules)?;
    if let Some(behaviour) = rules.behaviours.of(kind) {
        behaviour.settle(Some(before), &mut after, rules)?;
    }
    Ok((after, pending))
}

fn act_all(
    kind: KindId,
    actions: &[(String, Document)],
    after: &mut Document,
    pending: &mut Vec<Pending>,
    caller: &Caller,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let entry = rules.model.kind(kind);
    for (index, (name, arguments)) in actions.iter().enumerate() {
        let action = rules.bounds.action(entry, name).ok_or_else(ApiError::internal)?;
        let place = format!("actions[{index}]");
        match (&action.verb, rules.behaviours.handler_within(rules.bounds, kind, name)) {
            (Some(verb), _) => {
                let doing = Doing { action, arguments, rules, place: &place };
                verb::act(kind, verb, after, &doing, pending)?;
            }
            (None, Some(handle)) => {
                let mut resolved = arguments.clone();
                for field in &rules.model.object(action.arguments).fields {
                    if let Some(value) = resolved.get_mut(&field.name) {
                        *value = convert::resolve_identifiers(&field.shape, value.take(), rules)?;
                    }
                }
                let mut acting =
                    Acting { document: after, rules, action, place: &place, caller, messages: pending };
                handle(&mut acting, &resolved)?;
            }
            // The join at start-up has seen a verb or a handler for every action.
            (None, None) => return Err(ApiError::internal()),
        }
    }
    Ok(())
}

fn read(body: Value, kind: KindId, bounds: &Bounds, model: &Model) -> ApiResult<Asked> {
    let Value::Object(mut body) = body else {
        return Err(ApiError::invalid_json(format!(
            "the body: expected an object with version and actions, found {}",
            shortened(&body)
        )));
    };
    let version = match body.shift_remove("version") {
        Some(version) => version.as_i64().ok_or_else(|| {
            ApiError::invalid_json(format!("version: expected a whole number, found {}", shortened(&version)))
        })?,
        None => return Err(ApiError::invalid_json("version: a value is required")),
    };
    let given = match body.shift_remove("actions") {
        Some(Value::Array(given)) => given,
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "actions: expected an array, found {}",
                shortened(&other)
            )));
        }
        None => return Err(ApiError::invalid_json("actions: a value is required")),
    };
    if let Some(name) = body.keys().next() {
        return Err(ApiError::invalid_json(format!(
            "{name}: unknown field; an update has version and actions"
        )));
    }
    if given.len() > ACTIONS_MAX {
        return Err(ApiError::invalid_input(format!(
            "actions: at most {ACTIONS_MAX} update actions are allowed in one request, found {}.",
            given.len()
        )));
    }
    let actions = given
        .into_iter()
        .enumerate()
        .map(|(index, action)| read_action(action, &format!("actions[{index}]"), kind, bounds, model))
        .collect::<ApiResult<_>>()?;
    Ok(Asked { version, actions })
}

pub(crate) fn read_action(
    mut given: Value,
    place: &str,
    kind: KindId,
    bounds: &Bounds,
    model: &Model,
) -> ApiResult<(String, Document)> {
    let entry = model.kind(kind);
    let name = match given.get("action") {
        Some(Value::String(name)) => name.clone(),
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "{place}.action: expected a text, found {}",
                shortened(other)
            )));
        }
        None if given.is_object() => {
            return Err(ApiError::invalid_json(format!("{place}.action: a value is required")));
        }
        None => {
            return Err(ApiError::invalid_json(format!(
                "{place}: expected an object, found {}",
                shortened(&given)
            )));
        }
    };
    let Some(action) = bounds.action(entry, &name) else {
        let known: Vec<&str> = bounds.actions(entry).iter().map(|action| action.name.as_str()).collect();
        return Err(ApiError::invalid_json(format!(
            "{place}.action: unknown action {}; expected one of {}",
            shortened(&Value::String(name)),
            known.join(", ")
        )));
    };
    Validator::new(model).object_with(action.arguments, &mut given, place, "action")?;
    let Value::Object(mut arguments) = given else { return Err(ApiError::internal()) };
    arguments.shift_remove("action");
    Ok((name, arguments))
}
