//! Root fields: one document, a page of documents, and changes. Scopes are checked here.

use super::Context;
use super::load::{Loaded, Page, Target, Wanted};
use super::parameter_search;
use super::side;
use super::view::{Started, View, is_shown_in_stores};
use crate::derive::through;
use crate::derived::{PageField, Root, Source};
use crate::exceptions::{
    ACTION_SPLITS, ACTS, ASSOCIATE_ID, ActionSplit, ENDPOINTS, Reader, SELECTORS, STORE_KEY, UNIT_KEY,
};
use crate::execute::collect::{Asked, Meaning, Question};
use crate::gate::{Doing, Reach};
use crate::json::Json;
use crate::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use crate::names::{innermost, lower_first};
use apollo_compiler::ast::Type;
use bytes::Bytes;
use kontor_engine::{Address, Bounds, Caller, Deletion, Document, ListRequest, Listed, Sight};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::{Addressing, Endpoint, KindId, Model, Operation, Segment, Validator};
use serde_json::{Map, Value, json};

type Arguments = Map<String, Value>;

/// Starts to read what a field of `Query` shows, or one of an object below which everything belongs to somebody.
pub(crate) fn query<'q>(
    root: Root,
    asked: &Asked<'q>,
    question: &Question<'q>,
    reach: &Reach,
    context: &Context,
) -> ApiResult<Option<Started>> {
    let arguments = asked.arguments(question);
    let started = |wanted: Option<Wanted>, view| match wanted {
        Some(wanted) => Started::of(wanted, view, context),
        None => Ok(None),
    };
    let as_it_is = |wanted| Ok(Some(Started { wanted: Wanted::Loaded(wanted), view: None }));
    match root {
        Root::One(kind) if context.shop.model().kind(kind).projection.is_some() => {
            let shown = side::one(kind, arguments, reach, context)?;
            started(shown.map(|body| Wanted::Loaded(Loaded::Document(body))), None)
        }
        Root::Shown(kind, shown) => {
            let shown = side::shown(kind, shown, arguments, reach, context)?;
            started(shown.map(|body| Wanted::Loaded(Loaded::Document(body))), None)
        }
        Root::One(kind) => {
            let reach = match text(arguments, STORE_KEY) {
                Some(store) => &Reach { stores: vec![store.to_owned()], ..reach.clone() },
                None => reach,
            };
            let bounds = admit(kind, reach, Doing::Viewing, context)?;
            let view = View::of(kind, arguments, reach, context);
            match found_through(kind, arguments, &reach.stores, context) {
                Ok(Some(id)) => {
                    let stored = context.shop.get_within(kind, &Address::Id(&id), &bounds)?;
                    started(stored.map(|stored| Wanted::Loaded(Loaded::Document(stored.body))), view)
                }
                Ok(None) => started(one(kind, arguments, &bounds, context)?, view),
                Err(error) if error.code() == Code::ResourceNotFound => Ok(None),
                Err(error) => Err(error),
            }
        }
        Root::Own(kind) => {
            let bounds = admit(kind, reach, Doing::Viewing, context)?;
            let Some(id) = own_id(&bounds) else { return Ok(None) };
            let stored = context.shop.get_within(kind, &Address::Id(id), &bounds)?;
            started(stored.map(|stored| Wanted::Loaded(Loaded::Document(stored.body))), None)
        }
        Root::Many(kind) => {
            let sight = side::sight(kind, arguments, reach, context);
            let bounds = admit(kind, reach, side::doing(&sight, Doing::Querying), context)?;
            context.shop.admit_sight(kind, &sight)?;
            let page = many(kind, arguments, &Selected::of(asked, question), (bounds, &sight), context)?;
            let page = side::choose(kind, page, arguments, context)?;
            started(Some(Wanted::Loaded(Loaded::Page(page))), View::of(kind, arguments, reach, context))
        }
        Root::Search(kind) => {
            let body = super::search::body(arguments)?;
            let answer = context.gate.search(&context.shop, kind, &body)?;
            as_it_is(Loaded::Document(bytes_of(&answer)?))
        }
        Root::FindByParameters(kind, search) => {
            let found = parameter_search::find(kind, search, arguments, context)?;
            // Products that others lead to are shown as those are that were found.
            let stored = context.shop.model().stored(kind);
            let view = View::of(stored, arguments, reach, context);
            Ok(Some(Started { wanted: Wanted::Loaded(Loaded::Document(found)), view }))
        }
        Root::Suggest(kind) => {
            as_it_is(Loaded::Document(parameter_search::suggest(kind, arguments, context)?))
        }
        Root::Inside(kind, position) => {
            context.gate.admit(&context.shop, kind, reach, Doing::Querying)?;
            as_it_is(Loaded::Page(inside(kind, position, reach, asked, question, context)?))
        }
        Root::Stores => {
            let stores = match text(arguments, "key") {
                Some(key) => vec![key.to_owned()],
                None => texts(arguments, "keys"),
            };
            if stores.is_empty() {
                return Err(ApiError::invalid_input("keys: at least one key is expected."));
            }
            stores.iter().try_for_each(|store| context.shop.must_have_store(store))?;
            as_it_is(Loaded::Reach(Reach { stores, ..reach.clone() }))
        }
        Root::Me => as_it_is(Loaded::Reach(Reach { mine: true, ..reach.clone() })),
        Root::Associate => {
            let named = |name| text(arguments, name).map(str::to_owned).ok_or_else(ApiError::internal);
            let associate = (named(UNIT_KEY)?, named(ASSOCIATE_ID)?);
            context.shop.must_have_unit(&associate.0)?;
            as_it_is(Loaded::Reach(Reach { associate: Some(associate), ..reach.clone() }))
        }
        Root::Read(kind, reader) => {
            let bounds = context.gate.admit(&context.shop, kind, reach, Doing::Viewing)?;
            match read(kind, reader, arguments, &bounds, context) {
                Ok(body) => as_it_is(Loaded::Document(body)),
                Err(error) if error.code() == Code::ResourceNotFound => Ok(None),
                Err(error) => Err(error),
            }
        }
        Root::Limits => {
            let project =
                context.shop.model().kinds().find(|(_, kind)| kind.addressing == Addressing::Singleton);
            let (project, _) = project.ok_or_else(ApiError::internal)?;
            context.gate.admit(&context.shop, project, reach, Doing::Viewing)?;
            as_it_is(Loaded::Document(Bytes::from_static(b"{}")))
        }
        Root::Create(..) | Root::Update(..) | Root::Delete(..) | Root::Call(..) | Root::Bulk(_) => {
            Err(ApiError::internal())
        }
    }
}

/// What the caller may see of a kind. What belongs to no Store is bounded by none.
fn admit(kind: KindId, reach: &Reach, doing: Doing, context: &Context) -> ApiResult<Bounds> {
    let bounds = context.gate.admit(&context.shop, kind, reach, doing)?;
    if is_shown_in_stores(kind, context.shop.model()) {
        return Ok(Bounds { store: None, further_stores: Vec::new(), ..bounds });
    }
    Ok(bounds)
}

/// The id of the document of one of the Stores that arguments name by what it refers to; `None` where they name it
/// otherwise.
fn found_through(
    kind: KindId,
    arguments: &Arguments,
    stores: &[String],
    context: &Context,
) -> ApiResult<Option<String>> {
    let model = context.shop.model();
    let Some(target) = through(model, kind) else { return Ok(None) };
    if ["id", "key"].iter().any(|name| text(arguments, name).is_some()) {
        return Ok(None);
    }
    let name = lower_first(&model.kind(target).name);
    let (by_id, by_key) = (format!("{name}Id"), format!("{name}Key"));
    let address = match (text(arguments, &by_id), text(arguments, &by_key)) {
        (Some(id), _) => Address::Id(id),
        (None, Some(key)) => Address::Key(key),
        (None, None) => return Ok(None),
    };
    let mut refusal = ApiError::invalid_input(format!(
        "{by_id}, {by_key}: expected together with a Store, by {STORE_KEY} or below one."
    ));
    for store in stores {
        match context.shop.id_through(kind, store, target, &address) {
            Ok(id) => return Ok(Some(id)),
            Err(error) if error.code() == Code::ResourceNotFound => refusal = error,
            Err(error) => return Err(error),
        }
    }
    Err(refusal)
}

fn own_id(bounds: &Bounds) -> Option<&str> {
    bounds.mine.as_ref().and_then(|asker| asker.customer())
}

fn one(kind: KindId, arguments: &Arguments, bounds: &Bounds, context: &Context) -> ApiResult<Option<Wanted>> {
    let loaded = |body| Some(Wanted::Loaded(Loaded::Document(body)));
    if let Some(found) = by_endpoint(kind, arguments, bounds, context) {
        return match found {
            Ok(body) => Ok(loaded(body)),
            Err(error) if error.code() == Code::ResourceNotFound => Ok(None),
            Err(error) => Err(error),
        };
    }
    let wheres = predicates(&context.shop.model().kind(kind).name, arguments);
    if !wheres.is_empty() && !["id", "key"].iter().any(|name| text(arguments, name).is_some()) {
        let request = ListRequest { wheres, limit: 1, bounds: bounds.clone(), ..ListRequest::default() };
        return Ok(context.shop.list(kind, &request)?.results.into_iter().next().and_then(loaded));
    }
    let address = address(kind, arguments, context.shop.model())?;
    if let Some(holder) = context.gate.holder(kind) {
        let Address::Id(id) = address else { return Ok(None) };
        let document = holder.get(&context.shop, id)?.map(|document| bytes_of(&document)).transpose()?;
        return Ok(document.and_then(loaded));
    }
    // By id it waits for others of its kind, which are then read together.
    if let Address::Id(id) = address
        && bounds.is_everything()
    {
        return Ok(Some(Wanted::Document(Target { kind, id: id.to_owned(), by_key: false })));
    }
    Ok(context.shop.get_within(kind, &address, bounds)?.and_then(|stored| loaded(stored.body)))
}

/// The document that an argument means which is the value of a reading endpoint: a token.
fn by_endpoint(
    kind: KindId,
    arguments: &Arguments,
    bounds: &Bounds,
    context: &Context,
) -> Option<ApiResult<Bytes>> {
    let entry = context.shop.model().kind(kind);
    for endpoint in entry
        .endpoints
        .iter()
        .filter(|endpoint| !endpoint.writes && !endpoint.mine && endpoint.output.is_none())
    {
        for segment in &endpoint.path {
            let Segment::Value { name, .. } = segment else { continue };
            let Some(value) = text(arguments, name) else { continue };
            let input = Arguments::from_iter([(name.clone(), json!(value))]);
            return Some(context.shop.read_endpoint(kind, endpoint, &input, bounds));
        }
    }
    None
}

/// Parts of a page that a query asks for; the others need not be worked out.
#[derive(Debug, Default, Clone, Copy)]
struct Selected {
    results: bool,
    count: bool,
    total: bool,
    exists: bool,
}

impl Selected {
    fn of<'q>(asked: &Asked<'q>, question: &Question<'q>) -> Self {
        let mut selected = Self::default();
        let name = asked.ty().inner_named_type();
        let Some(output) = question.schema.output(name) else { return selected };
        for field in asked.fields(question, name, output).iter() {
            let Meaning::Field(field) = field.meaning else { continue };
            match field.source {
                Source::Page(PageField::Results) => selected.results = true,
                Source::Page(PageField::Count) => selected.count = true,
                Source::Page(PageField::Total) => selected.total = true,
                Source::Page(PageField::Exists) => selected.exists = true,
                _ => {}
            }
        }
        selected
    }
}

/// A page of a list below a document.
pub(crate) fn below<'q>(
    kind: KindId,
    list: &str,
    parent: &Json<'_>,
    asked: &Asked<'q>,
    question: &Question<'q>,
    context: &Context,
) -> ApiResult<Page<Bytes>> {
    let bounds = context.gate.admit(&context.shop, kind, &Reach::default(), Doing::Querying)?;
    let entry = context.shop.model().kind(kind);
    let list = entry.lists.iter().find(|entry| entry.name == list).ok_or_else(ApiError::internal)?;
    // Of most documents the id is all that counts.
    let fields = parent.as_object().unwrap_or_default().iter();
    let parent = fields
        .filter(|(name, _)| list.inside || name == "id")
        .map(|(name, value)| (name.to_string(), value.clone().into_value()))
        .collect();
    page(asked.arguments(question), &Selected::of(asked, question), bounds, kind, context, &|request| {
        context.shop.list_below(kind, list, std::slice::from_ref(&parent), request.clone())
    })
}

/// A page of a list that stands below Stores by itself: of all of them together.
fn inside<'q>(
    kind: KindId,
    position: usize,
    reach: &Reach,
    asked: &Asked<'q>,
    question: &Question<'q>,
    context: &Context,
) -> ApiResult<Page<Bytes>> {
    let list = context.shop.model().kind(kind).lists.get(position).ok_or_else(ApiError::internal)?;
    let parents: Vec<Document> = reach
        .stores
        .iter()
        .map(|store| {
            let stored = context.shop.must_get(list.parent, &Address::Key(store))?;
            serde_json::from_slice(&stored.body).map_err(|_| ApiError::internal())
        })
        .collect::<ApiResult<_>>()?;
    let (arguments, selected) = (asked.arguments(question), Selected::of(asked, question));
    page(arguments, &selected, Bounds::default(), kind, context, &|request| {
        context.shop.list_below(kind, list, &parents, request.clone())
    })
}

fn many(
    kind: KindId,
    arguments: &Arguments,
    selected: &Selected,
    (bounds, sight): (Bounds, &Sight),
    context: &Context,
) -> ApiResult<Page<Bytes>> {
    page(arguments, selected, bounds, kind, context, &|request| match context.gate.holder(kind) {
        Some(holder) => context.shop.list_documents(kind, holder.documents(&context.shop), request),
        None => context.shop.list(kind, &ListRequest { sight: sight.clone(), ..request.clone() }),
    })
}

/// A page of what `list` answers.
fn page(
    arguments: &Arguments,
    selected: &Selected,
    bounds: Bounds,
    kind: KindId,
    context: &Context,
    list: &dyn Fn(&ListRequest) -> ApiResult<Listed>,
) -> ApiResult<Page<Bytes>> {
    let limit = bounded(arguments, "limit", LIMIT_MAX, LIMIT_DEFAULT)?;
    let offset = bounded(arguments, "offset", OFFSET_MAX, 0)?;
    let entry = context.shop.model().kind(kind);
    let fixed = match &entry.addressing {
        Addressing::Fields(names) => {
            names.first().and_then(|name| Some((name.clone(), text(arguments, name)?.to_owned())))
        }
        _ => None,
    };
    let needs_results = selected.results || selected.count;
    let request = ListRequest {
        wheres: text(arguments, "where")
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
            .into_iter()
            .chain(predicates(&entry.name, arguments))
            .collect(),
        sort: texts(arguments, "sort"),
        fixed,
        offset,
        limit: if needs_results { limit } else { 0 },
        with_total: selected.total,
        bounds,
        ..ListRequest::default()
    };
    let listed = list(&request)?;
    let mut exists = !listed.results.is_empty() || listed.total.is_some_and(|total| total > 0);
    if selected.exists && !exists && !selected.total {
        let any = ListRequest { limit: 1, offset: 0, sort: Vec::new(), with_total: false, ..request };
        exists = !list(&any)?.results.is_empty();
    }
    let count = listed.results.len();
    let results = if selected.results { listed.results } else { Vec::new() };
    Ok(Page { limit, offset, count, total: listed.total.unwrap_or(0), exists, results })
}

/// Does what a field of `Mutation` says, and answers the document as it is then.
pub(crate) async fn change(root: Root, asked: Change, context: &Context) -> ApiResult<Bytes> {
    let Change { mut arguments, draft_type, action_type, input_type } = asked;
    let model = context.shop.model();
    let store = arguments.shift_remove(STORE_KEY);
    let stores: Vec<String> = store.as_ref().and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    let associate = acting(arguments.shift_remove(ACTS.0).as_ref());
    if let Some((unit, _)) = &associate {
        context.shop.must_have_unit(unit)?;
    }
    let by = |kind: KindId, mine: bool, doing: Doing| -> ApiResult<Caller> {
        let reach = Reach { stores: stores.clone(), mine, associate: associate.clone() };
        let bounds = context.gate.admit(&context.shop, kind, &reach, doing)?;
        Ok(Caller { bounds, ..context.caller.clone() })
    };
    match root {
        Root::Create(kind, mine) => {
            let entry = model.kind(kind);
            let is_open = mine && entry.mine.as_ref().is_some_and(|mine| mine.create.is_some());
            let caller = by(kind, mine, if is_open { Doing::Entering } else { Doing::Managing })?;
            let draft = arguments.shift_remove("draft").unwrap_or_default();
            let mut draft = context.face.schema.sent(&draft_type, draft, "")?;
            match context.gate.holder(kind) {
                Some(holder) => {
                    if let Some(shape) = entry.draft {
                        Validator::new(model).object(shape, &mut draft, "")?;
                    }
                    bytes_of(&holder.create(&context.shop, draft).await?)
                }
                None => Ok(context.shop.create(kind, draft, &caller).await?.body),
            }
        }
        Root::Update(kind, mine) => {
            let caller = by(kind, mine, Doing::Managing)?;
            let Some(Value::Array(actions)) = arguments.shift_remove("actions") else {
                return Err(ApiError::internal());
            };
            let actions: Vec<Value> = actions
                .into_iter()
                .enumerate()
                .map(|(index, action)| {
                    context.face.schema.sent(&action_type, action, &format!("actions[{index}]"))
                })
                .collect::<ApiResult<_>>()?;
            let actions: Vec<Value> =
                actions.into_iter().flat_map(|action| split(kind, action, model)).collect();
            let version = arguments.get("version").cloned().unwrap_or_default();
            let found = found_through(kind, &arguments, &stores, context)?;
            let address = match &found {
                Some(id) => Address::Id(id),
                None => address_of_change(kind, &arguments, &caller.bounds, model)?,
            };
            let body = json!({"version": version, "actions": actions});
            Ok(context.shop.update(kind, &address, body, &caller).await?.body)
        }
        Root::Delete(kind, mine) => {
            let caller = by(kind, mine, Doing::Managing)?;
            let found = found_through(kind, &arguments, &stores, context)?;
            let address = match &found {
                Some(id) => Address::Id(id),
                None => address_of_change(kind, &arguments, &caller.bounds, model)?,
            };
            if let (Some(holder), Address::Id(id)) = (context.gate.holder(kind), &address) {
                return bytes_of(&holder.delete(&context.shop, id).await?);
            }
            let version = match arguments.get("version") {
                None | Some(Value::Null) => None,
                Some(given) => Some(given.as_i64().ok_or_else(|| {
                    ApiError::invalid_input(format!("version: expected a whole number, found {given}."))
                })?),
            };
            let erase = arguments.get("personalDataErasure").and_then(Value::as_bool).unwrap_or(false);
            context.shop.delete(kind, &address, Deletion { version, erase }, &caller).await
        }
        Root::Bulk(kind) => {
            let caller = by(kind, false, Doing::Managing)?;
            let input = arguments.shift_remove("input").unwrap_or_default();
            let mut body = context.face.schema.sent(&input_type, input, "")?;
            let control = body.as_object_mut().and_then(|body| body.shift_remove("versionControl"));
            let versions_count = control.is_none_or(|control| control != "Off");
            bytes_of(&context.shop.update_in_bulk(kind, &body, versions_count, &caller).await?)
        }
        Root::Call(kind, position) => {
            let endpoint = model.kind(kind).endpoints.get(position).ok_or_else(ApiError::internal)?;
            let doing = if endpoint.open { Doing::Entering } else { Doing::Managing };
            let caller = by(kind, endpoint.mine, doing)?;
            let input = match arguments.shift_remove("draft") {
                Some(draft) => context.face.schema.sent(&draft_type, draft, "")?,
                None => {
                    arguments.retain(|_, value| !value.is_null());
                    Value::Object(arguments)
                }
            };
            let (in_path, input) = within(kind, endpoint, input, &caller, context)?;
            let ended = context.gate.guard(endpoint, &input)?;
            let answered = context.shop.serve_endpoint_at(kind, endpoint, in_path, input, &caller).await;
            if let Some(ended) = ended {
                ended(answered.as_ref().err());
            }
            bytes_of(&answered?)
        }
        Root::One(_)
        | Root::Own(_)
        | Root::Many(_)
        | Root::Search(_)
        | Root::FindByParameters(..)
        | Root::Suggest(_)
        | Root::Inside(..)
        | Root::Stores
        | Root::Me
        | Root::Associate
        | Root::Read(..)
        | Root::Shown(..)
        | Root::Limits => Err(ApiError::internal()),
    }
}

/// What a draft says that a path says in the other face: the key of the document that one of its fields names.
fn within(
    kind: KindId,
    endpoint: &Endpoint,
    mut input: Value,
    caller: &Caller,
    context: &Context,
) -> ApiResult<(Document, Value)> {
    let entry = context.shop.model().kind(kind);
    let own = ENDPOINTS.iter().find(|own| own.kind == entry.name && own.endpoint == endpoint.name);
    let (Some((field, name)), Some(draft)) = (own.and_then(|own| own.within), input.as_object_mut()) else {
        return Ok((Document::new(), input));
    };
    let named = draft.shift_remove(field).unwrap_or_default();
    let key = match (named["key"].as_str(), named["id"].as_str()) {
        (Some(key), _) => key.to_owned(),
        (None, Some(id)) => {
            let stored = context.shop.must_get_within(kind, &Address::Id(id), &caller.bounds)?;
            let document: Document =
                serde_json::from_slice(&stored.body).map_err(|_| ApiError::internal())?;
            text(&document, "key").unwrap_or_default().to_owned()
        }
        (None, None) => {
            return Err(ApiError::invalid_input(format!("{field}: one of id and key is required.")));
        }
    };
    Ok((Document::from_iter([(name.to_owned(), json!(key))]), input))
}

/// Who acts: the key of the unit, and the id of the associate.
fn acting(given: Option<&Value>) -> Option<(String, String)> {
    let text = |name: &str| given?.get(name)?.as_str().map(str::to_owned);
    Some((text(UNIT_KEY)?, text(ASSOCIATE_ID)?))
}

/// What the first endpoint answers whose arguments are given.
fn read(
    kind: KindId,
    reader: &Reader,
    arguments: &Arguments,
    bounds: &Bounds,
    context: &Context,
) -> ApiResult<Bytes> {
    let entry = context.shop.model().kind(kind);
    let given = |names: &[(&str, &str)]| -> Option<Arguments> {
        let value =
            |(argument, name): &(&str, &str)| Some(((*name).to_owned(), json!(text(arguments, argument)?)));
        names.iter().map(value).collect()
    };
    for (name, names) in reader.endpoints {
        let endpoint = entry.endpoints.iter().find(|endpoint| endpoint.name == *name);
        if let (Some(endpoint), Some(input)) = (endpoint, given(names)) {
            return context.shop.read_endpoint(kind, endpoint, &input, bounds);
        }
    }
    let names: Vec<&str> = reader.arguments.iter().map(|(name, _)| *name).collect();
    Err(ApiError::invalid_input(format!("Of {} too few are given.", names.join(", "))))
}

/// The update actions of the model that one of this face stands for.
fn split(kind: KindId, action: Value, model: &Model) -> Vec<Value> {
    let entry = model.kind(kind);
    let is_it = |split: &&ActionSplit| split.kind == entry.name && action["action"] == split.name;
    let Some(split) = ACTION_SPLITS.iter().find(is_it) else { return vec![action] };
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

/// Which document is changed: the asker's own where there is one only, else the one that the arguments mean.
fn address_of_change<'a>(
    kind: KindId,
    arguments: &'a Arguments,
    bounds: &'a Bounds,
    model: &Model,
) -> ApiResult<Address<'a>> {
    let own = model.kind(kind).mine.as_ref().filter(|mine| mine.path.is_empty());
    match own.and_then(|_| own_id(bounds)) {
        Some(id) => Ok(Address::Id(id)),
        None => address(kind, arguments, model),
    }
}

/// The predicates that arguments stand for.
pub(super) fn predicates(kind: &str, arguments: &Arguments) -> Vec<String> {
    let quoted = |value: &Value| value.as_str().map(|text| Value::from(text).to_string());
    let of_kind = SELECTORS.iter().filter(|selector| selector.kind == kind);
    of_kind
        .filter_map(|selector| {
            let texts = match arguments.get(selector.argument.0)? {
                // In none of no texts: nothing can be found.
                Value::Array(texts) if texts.is_empty() => "\"\"".to_owned(),
                Value::Array(texts) => texts.iter().filter_map(quoted).collect::<Vec<_>>().join(", "),
                text => quoted(text)?,
            };
            Some(selector.predicate.replace("{}", &texts))
        })
        .collect()
}

/// What a change is given, owned, so that waiting for it holds on to nothing else.
pub(crate) struct Change {
    arguments: Arguments,
    draft_type: String,
    action_type: String,
    input_type: String,
}

impl Change {
    pub(crate) fn of<'q>(asked: &Asked<'q>, question: &Question<'q>) -> Self {
        let field = asked.field();
        let type_of = |name: &str| {
            let definition = field.definition.arguments.iter().find(|argument| argument.name == name);
            let ty: Option<&Type> = definition.map(|definition| &*definition.ty);
            ty.map(|ty| innermost(&ty.to_string()).to_owned()).unwrap_or_default()
        };
        Self {
            arguments: asked.arguments(question).clone(),
            draft_type: type_of("draft"),
            action_type: type_of("actions"),
            input_type: type_of("input"),
        }
    }
}

/// The JSON of what is not stored as it is answered.
fn bytes_of(document: &Value) -> ApiResult<Bytes> {
    serde_json::to_vec(document).map(Bytes::from).map_err(|_| ApiError::internal())
}

/// Which document the arguments mean.
pub(super) fn address<'a>(kind: KindId, arguments: &'a Arguments, model: &Model) -> ApiResult<Address<'a>> {
    let entry = model.kind(kind);
    if entry.addressing == Addressing::Singleton {
        return Ok(Address::Only);
    }
    if let Some(id) = text(arguments, "id") {
        return Ok(Address::Id(id));
    }
    match &entry.addressing {
        Addressing::Fields(names) => {
            let parts: Vec<&str> = names.iter().filter_map(|name| text(arguments, name)).collect();
            if parts.len() == names.len() {
                return Ok(Address::Fields(parts));
            }
            Err(ApiError::invalid_input(format!("Either id or {} must be given.", names.join(" and "))))
        }
        Addressing::Id { by_key } => match text(arguments, "key") {
            Some(key) if *by_key => Ok(Address::Key(key)),
            // Documents of this kind have no key, so none has this one.
            Some(_) if entry.allows(Operation::Get) => Ok(Address::Key("")),
            _ => Err(ApiError::invalid_input("Either id or key must be given.")),
        },
        Addressing::Singleton => Ok(Address::Only),
    }
}

pub(super) fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn texts(arguments: &Arguments, name: &str) -> Vec<String> {
    match arguments.get(name) {
        Some(Value::Array(elements)) => {
            elements.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn bounded(arguments: &Arguments, name: &str, max: usize, default: usize) -> ApiResult<usize> {
    match arguments.get(name).and_then(Value::as_i64) {
        None => Ok(default),
        Some(value) => usize::try_from(value).ok().filter(|value| *value <= max).ok_or_else(|| {
            ApiError::invalid_input(format!(
                "Malformed parameter: {name}: {value} was sent, expected 0 to {max}."
            ))
        }),
    }
}
