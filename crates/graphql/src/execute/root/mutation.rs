//! Executes the fields of `Mutation`: creates, updates, deletes, bulk updates and calls of endpoints.
//!
//! Begin at [`change`]. Drafts and update actions are converted to their REST form, and then take the same path through
//! the engine as those of REST.

use super::address::{address_of_change, id_through_store};
use super::{ArgumentValues, bytes_of, text};
use crate::access_control::{DocumentReach, FieldOperation};
use crate::exceptions::{
    ACTION_SPLITS, AS_ASSOCIATE_ARGUMENT, ASSOCIATE_ID, ActionSplit, ENDPOINTS, STORE_KEY, UNIT_KEY,
};
use crate::execute::field_collector::{ExecutableQuery, RequestedField};
use crate::execute::{ExecutionContext, invalid_document};
use crate::names::named_type;
use crate::schema_types::RootOperation;
use apollo_compiler::ast::Type;
use bytes::Bytes;
use kontor_engine::{Address, Caller, DeleteOptions, Document, Principal, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use kontor_model::{Endpoint, KindId, Model, PathSegment, Validator};

/// The input of a change, owned, so that no borrow of the query is held while the change is awaited.
pub(crate) struct MutationInput {
    arguments: ArgumentValues,
    draft_type: String,
    action_type: String,
    input_type: String,
}

impl MutationInput {
    /// Takes the arguments of a field, and the names of its input types.
    pub(crate) fn from_field<'q>(requested: &RequestedField<'q>, query: &ExecutableQuery<'q>) -> Self {
        let field = requested.field();
        let type_of = |name: &str| {
            let definition = field.definition.arguments.iter().find(|argument| argument.name == name);
            let ty: Option<&Type> = definition.map(|definition| &*definition.ty);
            ty.map(|ty| named_type(&ty.to_string()).to_owned()).unwrap_or_default()
        };
        Self {
            arguments: requested.arguments(query).clone(),
            draft_type: type_of("draft"),
            action_type: type_of("actions"),
            input_type: type_of("input"),
        }
    }
}

impl MutationInput {
    /// Returns the documents that the change is limited to: those of a Store, of a business unit, or of the caller.
    pub(crate) fn reach(&self, root: RootOperation) -> DocumentReach {
        let mine = matches!(
            root,
            RootOperation::Create(_, true) | RootOperation::Update(_, true) | RootOperation::Delete(_, true)
        );
        let stores = text(&self.arguments, STORE_KEY).map(str::to_owned).into_iter().collect();
        DocumentReach {
            stores,
            mine,
            associate: acting_associate(self.arguments.get(AS_ASSOCIATE_ARGUMENT.0)),
        }
    }
}

/// The value of a field of `Mutation`.
pub(crate) struct ChangeResult {
    /// The document after the change, or the object that it is in.
    pub(crate) body: Bytes,
    /// The customer that signed in or up by the change, and is shown own documents from then on.
    pub(crate) signed_in: Option<Principal>,
}

impl From<Bytes> for ChangeResult {
    fn from(body: Bytes) -> Self {
        Self { body, signed_in: None }
    }
}

/// Executes a field of `Mutation`, and returns the document after the change.
pub(crate) async fn execute_change(
    root: RootOperation,
    requested: MutationInput,
    context: &ExecutionContext,
) -> ApiResult<ChangeResult> {
    let mutation = Mutation::new(requested, context);
    match root {
        RootOperation::Create(kind, mine) => mutation.create(kind, mine).await,
        RootOperation::Update(kind, mine) => mutation.update(kind, mine).await.map(Into::into),
        RootOperation::Delete(kind, mine) => mutation.delete(kind, mine).await.map(Into::into),
        RootOperation::Bulk(kind) => mutation.update_in_bulk(kind).await.map(Into::into),
        RootOperation::Call(kind, position) => mutation.call(kind, position).await,
        RootOperation::One(_)
        | RootOperation::Own(_)
        | RootOperation::Many(_)
        | RootOperation::Search(_)
        | RootOperation::FindByParameters(..)
        | RootOperation::Suggest(_)
        | RootOperation::StoreList(..)
        | RootOperation::Stores
        | RootOperation::Me
        | RootOperation::Associate
        | RootOperation::Read(..)
        | RootOperation::Service(..)
        | RootOperation::Matching(..)
        | RootOperation::MatchingDocument(..)
        | RootOperation::Shown(..)
        | RootOperation::Limits => Err(ApiError::bug(format!("{root:?} changes nothing"))),
    }
}

/// A change, its scope, and its caller.
struct Mutation<'c> {
    change: MutationInput,
    /// Keys of the Stores that the change is limited to.
    stores: Vec<String>,
    /// The key of the business unit and the id of the acting associate.
    associate: Option<(String, String)>,
    context: &'c ExecutionContext,
}

impl<'c> Mutation<'c> {
    fn new(mut change: MutationInput, context: &'c ExecutionContext) -> Self {
        let store = change.arguments.shift_remove(STORE_KEY);
        let stores = store.as_ref().and_then(Value::as_str).map(str::to_owned).into_iter().collect();
        let associate = acting_associate(change.arguments.shift_remove(AS_ASSOCIATE_ARGUMENT.0).as_ref());
        Self { change, stores, associate, context }
    }

    /// Authorizes a change of a kind, and returns the caller with the limits of its scopes.
    fn caller(&self, kind: KindId, mine: bool, operation: FieldOperation) -> ApiResult<Caller> {
        let reach = DocumentReach { stores: self.stores.clone(), mine, associate: self.associate.clone() };
        let bounds = self.context.access_control.authorize(&self.context.shop, kind, &reach, operation)?;
        // Whether the unit exists is revealed only to callers that may change documents there.
        if let Some((unit, _)) = &self.associate {
            self.context.shop.must_have_unit(unit)?;
        }
        let references = self.context.access_control.references(&reach, Some(kind));
        let overrides = self.context.overrides(kind);
        Ok(Caller { bounds, references, overrides, ..self.context.caller.clone() })
    }

    fn take(&mut self, argument: &str) -> Option<Value> {
        self.change.arguments.shift_remove(argument)
    }

    async fn create(mut self, kind: KindId, mine: bool) -> ApiResult<ChangeResult> {
        let context = self.context;
        let model = context.shop.model();
        let entry = model.kind(kind);
        let is_open = mine && entry.mine.as_ref().is_some_and(|mine| mine.create.is_some());
        let caller =
            self.caller(kind, mine, if is_open { FieldOperation::SignUp } else { FieldOperation::Manage })?;
        let draft = self.take("draft").unwrap_or_default();
        let mut draft = context.schema.convert_input(&self.change.draft_type, draft, "")?;
        match context.access_control.holder(kind) {
            Some(holder) => {
                if let Some(shape) = entry.draft {
                    Validator::new(model).object(shape, &mut draft, "")?;
                }
                Ok(bytes_of(&holder.create(&context.shop, draft).await?)?.into())
            }
            None => {
                let written = context.shop.create(kind, draft, &caller).await?;
                let body = context.shop.mask_document(kind, written.body, &caller.bounds)?;
                wrap_created(kind, body, written.additional_document, model)
            }
        }
    }

    async fn update(mut self, kind: KindId, mine: bool) -> ApiResult<Bytes> {
        let context = self.context;
        let model = context.shop.model();
        let caller = self.caller(kind, mine, FieldOperation::Manage)?;
        let Some(Value::Array(actions)) = self.take("actions") else {
            return Err(ApiError::bug("an update has no actions"));
        };
        let is_dry = self.take("dryRun");
        let MutationInput { arguments, action_type, .. } = &self.change;
        let sent = actions.into_iter().enumerate().map(|(index, action)| {
            context.schema.convert_input(action_type, action, &format!("actions[{index}]"))
        });
        let sent: Vec<Value> = sent.collect::<ApiResult<_>>()?;
        let actions: Vec<Value> =
            sent.into_iter().flat_map(|action| split_action(kind, action, model)).collect();
        let version = arguments.get("version").cloned().unwrap_or_default();
        let found = id_through_store(kind, arguments, &self.stores, context)?;
        let address = match &found {
            Some(id) => Address::Id(id),
            None => address_of_change(kind, arguments, &caller.bounds, model)?,
        };
        let mut body = json!({"version": version, "actions": actions});
        if let Some(is_dry) = is_dry {
            body["dryRun"] = is_dry;
        }
        let written = context.shop.update(kind, &address, body, &caller).await?;
        context.shop.mask_document(kind, written.body, &caller.bounds)
    }

    async fn delete(self, kind: KindId, mine: bool) -> ApiResult<Bytes> {
        let context = self.context;
        let arguments = &self.change.arguments;
        let caller = self.caller(kind, mine, FieldOperation::Manage)?;
        let found = id_through_store(kind, arguments, &self.stores, context)?;
        let address = match &found {
            Some(id) => Address::Id(id),
            None => address_of_change(kind, arguments, &caller.bounds, context.shop.model())?,
        };
        if let (Some(holder), Address::Id(id)) = (context.access_control.holder(kind), &address) {
            return bytes_of(&holder.delete(&context.shop, id).await?);
        }
        let version = match arguments.get("version") {
            None | Some(Value::Null) => None,
            Some(given) => Some(given.as_i64().ok_or_else(|| {
                ApiError::invalid_input(format!("version: expected a whole number, found {given}."))
            })?),
        };
        let erase = arguments.get("personalDataErasure").and_then(Value::as_bool).unwrap_or(false);
        let deleted = context.shop.delete(kind, &address, DeleteOptions { version, erase }, &caller).await?;
        context.shop.mask_document(kind, deleted, &caller.bounds)
    }

    async fn update_in_bulk(mut self, kind: KindId) -> ApiResult<Bytes> {
        let context = self.context;
        let caller = self.caller(kind, false, FieldOperation::Manage)?;
        let input = self.take("input").unwrap_or_default();
        let mut body = context.schema.convert_input(&self.change.input_type, input, "")?;
        let control = body.as_object_mut().and_then(|body| body.shift_remove("versionControl"));
        let versions_count = control.is_none_or(|control| control != "Off");
        bytes_of(&context.shop.update_in_bulk(kind, &body, versions_count, &caller).await?)
    }

    async fn call(mut self, kind: KindId, position: usize) -> ApiResult<ChangeResult> {
        let context = self.context;
        let entry = context.shop.model().kind(kind);
        let endpoint = entry.endpoints.get(position);
        let endpoint =
            endpoint.ok_or_else(|| ApiError::bug(format!("{} has no endpoint {position}", entry.name)))?;
        let operation = if endpoint.open { FieldOperation::SignUp } else { FieldOperation::Manage };
        let caller = self.caller(kind, endpoint.mine, operation)?;
        let values: Vec<String> = endpoint.path.iter().filter_map(value_name).map(str::to_owned).collect();
        let mut in_path: Document =
            values.into_iter().filter_map(|name| Some((name.clone(), self.take(&name)?))).collect();
        let input = match self.take("draft") {
            Some(draft) => context.schema.convert_input(&self.change.draft_type, draft, "")?,
            None => {
                self.change.arguments.retain(|_, value| !value.is_null());
                Value::Object(self.change.arguments)
            }
        };
        let (named, input) = move_key_to_path(kind, endpoint, input, &caller, context)?;
        in_path.extend(named);
        let ended = context.access_control.guard(endpoint, &input)?;
        let served = context.shop.call_endpoint_at(kind, endpoint, in_path, input, &caller).await;
        if let Some(ended) = ended {
            ended(served.as_ref().err());
        }
        let served = served?;
        let body = served.body;
        match endpoint.answered_as {
            Some(_) => wrap_created(
                endpoint.creates.unwrap_or(kind),
                body,
                served.additional_document,
                context.shop.model(),
            ),
            None => Ok(body.into()),
        }
    }
}

/// Returns the name of the value in a path segment; `None` for fixed text.
fn value_name(segment: &PathSegment) -> Option<&str> {
    match segment {
        PathSegment::Value { name, .. } => Some(name),
        PathSegment::Fixed(_) => None,
    }
}

/// Puts a created document, and the second document of the creation if there is one, into one object.
fn wrap_created(kind: KindId, body: Bytes, second: Option<Bytes>, model: &Model) -> ApiResult<ChangeResult> {
    let entry = model.kind(kind);
    let (Some(name), Some(other)) = (entry.creation_field(), entry.created_beside) else {
        return Ok(body.into());
    };
    let is_customer = entry.mine.as_ref().is_some_and(|mine| mine.path.is_empty());
    let signed_in = if is_customer { Some(customer_of(&body)?) } else { None };
    let mut held = format!("{{{}:", json!(name)).into_bytes();
    held.extend_from_slice(&body);
    if let Some(beside) = second {
        held.extend_from_slice(format!(",{}:", json!(model.kind(other).camel_name())).as_bytes());
        held.extend_from_slice(&beside);
    }
    held.push(b'}');
    Ok(ChangeResult { body: held.into(), signed_in })
}

/// Returns the customer whose document this is.
fn customer_of(body: &Bytes) -> ApiResult<Principal> {
    let customer = kontor_json::read(body).map_err(invalid_document)?;
    let id = text(&customer, "id").ok_or_else(|| ApiError::bug("a document of a customer has no id"))?;
    Ok(Principal::Customer(id.to_owned()))
}

/// Moves the field of a draft that names a document to the path value that REST has for it: the document's key.
pub(super) fn move_key_to_path(
    kind: KindId,
    endpoint: &Endpoint,
    mut input: Value,
    caller: &Caller,
    context: &ExecutionContext,
) -> ApiResult<(Document, Value)> {
    let entry = context.shop.model().kind(kind);
    let own = ENDPOINTS.find(|own| own.kind == entry.name && own.endpoint == endpoint.name);
    let (Some((field, name)), Some(draft)) = (own.and_then(|own| own.parent_field), input.as_object_mut())
    else {
        return Ok((Document::new(), input));
    };
    let named = draft.shift_remove(field).unwrap_or_default();
    let key = match (named["key"].as_str(), named["id"].as_str()) {
        (Some(key), _) => key.to_owned(),
        (None, Some(id)) => {
            let stored = context.shop.must_get_in_scope(kind, &Address::Id(id), &caller.bounds)?;
            let document = document::read_stored(&stored)?;
            text(&document, "key").unwrap_or_default().to_owned()
        }
        (None, None) => {
            return Err(ApiError::invalid_input(format!("{field}: one of id and key is required.")));
        }
    };
    Ok((Document::from_iter([(name.to_owned(), json!(key))]), input))
}

/// Returns the key of the business unit and the id of the associate from the argument that names who acts.
fn acting_associate(given: Option<&Value>) -> Option<(String, String)> {
    let text = |name: &str| given?.get(name)?.as_str().map(str::to_owned);
    Some((text(UNIT_KEY)?, text(ASSOCIATE_ID)?))
}

/// Splits an update action that is several actions in REST.
fn split_action(kind: KindId, action: Value, model: &Model) -> Vec<Value> {
    let entry = model.kind(kind);
    let is_it = |split: &&ActionSplit| split.kind == entry.name && action["action"] == split.name;
    let Some(split) = ACTION_SPLITS.find(is_it) else { return vec![action] };
    let parts = split.actions.iter().filter_map(|name| entry.action(name));
    let part = |part: &kontor_model::Action| {
        let fields = model.object(part.arguments).fields.iter();
        let given = fields.filter_map(|field| Some((field.name.clone(), action.get(&field.name)?.clone())));
        let mut one = Map::from_iter([("action".to_owned(), json!(part.name))]);
        one.extend(given);
        Value::Object(one)
    };
    parts.map(part).collect()
}
