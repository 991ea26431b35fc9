//! Executes the fields of `Query`, and those of the objects that narrow documents (`inStore`, `me`, `asAssociate`).

use super::address::{address, found_through, own_id, predicates, text, texts};
use super::page::{Selected, inside, many};
use super::{Arguments, bytes_of};
use crate::derived::Root;
use crate::exceptions::{ASSOCIATE_ID, RENAMED, Reader, STORE_KEY, ServiceQuery, UNIT_KEY};
use crate::execute::collect::{Asked, Question};
use crate::execute::load::{Loaded, Target, Wanted};
use crate::execute::view::{Started, View, is_shown_in_stores};
use crate::execute::{Context, parameter_search, search, side};
use crate::gate::{Doing, Reach};
use crate::limits::LIMIT_MAX;
use bytes::Bytes;
use kontor_engine::{Address, Bounds, ListRequest, Sight};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::{Addressing, KindId, Segment};

/// Begins to read the value of a root field; returns `None` if it does not exist or is not visible to the caller.
pub(crate) fn query<'q>(
    root: Root,
    asked: &Asked<'q>,
    question: &Question<'q>,
    reach: &Reach,
    context: &Context,
) -> ApiResult<Option<Started>> {
    let arguments = asked.arguments(question);
    match root {
        Root::One(kind) if context.shop.model().kind(kind).projection.is_some() => {
            Ok(side::one(kind, arguments, reach, context)?.map(document))
        }
        Root::Shown(kind, shown) => Ok(side::shown(kind, shown, arguments, reach, context)?.map(document)),
        Root::One(kind) => viewed(kind, arguments, reach, context),
        Root::Own(kind) => own(kind, reach, context),
        Root::Many(kind) => {
            let sight = side::sight(kind, arguments, reach, context);
            let bounds = admit(kind, reach, side::doing(&sight, Doing::Querying), context)?;
            context.shop.admit_sight(kind, &sight)?;
            let page = many(kind, arguments, &Selected::of(asked, question), (bounds, &sight), context)?;
            let page = Wanted::Loaded(Loaded::Page(side::choose(kind, page, arguments, context)?));
            Started::of(page, View::of(kind, arguments, reach, context), context)
        }
        Root::Search(kind) => as_it_is(Loaded::Made(search::find(kind, arguments, context)?)),
        Root::FindByParameters(kind, search) => {
            let found = parameter_search::find(kind, search, arguments, context)?;
            // Products that the found ones refer to are shown in the same way.
            let stored = context.shop.model().stored(kind);
            let view = View::of(stored, arguments, reach, context);
            Ok(Some(Started { wanted: Wanted::Loaded(found), view }))
        }
        Root::Suggest(kind) => as_it_is(Loaded::Made(parameter_search::suggest(kind, arguments, context)?)),
        Root::Inside(kind, position) => {
            context.gate.admit(&context.shop, kind, reach, Doing::Querying)?;
            as_it_is(Loaded::Page(inside(kind, position, reach, asked, question, context)?))
        }
        Root::Stores => as_it_is(Loaded::Reach(of_stores(arguments, reach, context)?)),
        Root::Me => as_it_is(Loaded::Reach(Reach { mine: true, ..reach.clone() })),
        Root::Associate => as_it_is(Loaded::Reach(of_associate(arguments, reach, context)?)),
        Root::Read(kind, reader) => {
            let bounds = context.gate.admit(&context.shop, kind, reach, Doing::Viewing)?;
            Ok(if_there(read(kind, reader, arguments, &bounds, context))?.map(document))
        }
        Root::Service(kind, query) => {
            context.gate.admit(&context.shop, kind, reach, Doing::Viewing)?;
            Ok(if_there(told(query, arguments, context))?
                .map(|loaded| Started { wanted: Wanted::Loaded(loaded), view: None }))
        }
        Root::Matching(kind, position) => {
            let bounds = context.gate.admit(&context.shop, kind, reach, Doing::Viewing)?;
            let sight = Sight { references: context.gate.references(reach, None), ..Sight::default() };
            as_it_is(Loaded::List(matching(kind, position, asked, question, (bounds, sight), context)?))
        }
        Root::Found(kind, position) => {
            let bounds = admit(kind, reach, Doing::Viewing, context)?;
            Ok(if_there(found(kind, position, arguments, &bounds, context))?.map(document))
        }
        Root::Limits => {
            let project =
                context.shop.model().kinds().find(|(_, kind)| kind.addressing == Addressing::Singleton);
            let (project, _) = project.ok_or_else(|| ApiError::bug("the model has no Project"))?;
            context.gate.admit(&context.shop, project, reach, Doing::Viewing)?;
            as_it_is(Loaded::Document(Bytes::from_static(b"{}")))
        }
        Root::Create(..) | Root::Update(..) | Root::Delete(..) | Root::Call(..) | Root::Bulk(_) => {
            Err(ApiError::bug(format!("{root:?} is none of a query")))
        }
    }
}

/// Returns a loaded value that is shown as it is.
fn as_it_is(loaded: Loaded) -> ApiResult<Option<Started>> {
    Ok(Some(Started { wanted: Wanted::Loaded(loaded), view: None }))
}

/// Returns a document that is shown as it is.
fn document(body: Bytes) -> Started {
    Started { wanted: Wanted::Loaded(Loaded::Document(body)), view: None }
}

/// Turns the error `ResourceNotFound` into `None`.
fn if_there<T>(found: ApiResult<T>) -> ApiResult<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.code() == Code::ResourceNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the document that the arguments name, with the view of its kind.
fn viewed(
    kind: KindId,
    arguments: &Arguments,
    reach: &Reach,
    context: &Context,
) -> ApiResult<Option<Started>> {
    let reach = match text(arguments, STORE_KEY) {
        Some(store) => &Reach { stores: vec![store.to_owned()], ..reach.clone() },
        None => reach,
    };
    let bounds = admit(kind, reach, Doing::Viewing, context)?;
    let view = View::of(kind, arguments, reach, context);
    let wanted = match if_there(found_through(kind, arguments, &reach.stores, context))? {
        None => None,
        Some(Some(id)) => {
            let stored = context.shop.get_within(kind, &Address::Id(&id), &bounds)?;
            stored.map(|stored| Wanted::Loaded(Loaded::Document(stored.body)))
        }
        Some(None) => one(kind, arguments, &bounds, context)?,
    };
    wanted.map_or(Ok(None), |wanted| Started::of(wanted, view, context))
}

/// Returns the caller's only document of a kind.
fn own(kind: KindId, reach: &Reach, context: &Context) -> ApiResult<Option<Started>> {
    let bounds = admit(kind, reach, Doing::Viewing, context)?;
    let Some(id) = own_id(&bounds) else { return Ok(None) };
    let stored = context.shop.get_within(kind, &Address::Id(id), &bounds)?;
    Ok(stored.map(|stored| document(stored.body)))
}

/// Returns the reach of the Stores that the arguments name. Reveals whether they exist only to callers with access to
/// them.
fn of_stores(arguments: &Arguments, reach: &Reach, context: &Context) -> ApiResult<Reach> {
    let stores = match text(arguments, "key") {
        Some(key) => vec![key.to_owned()],
        None => texts(arguments, "keys"),
    };
    if stores.is_empty() {
        return Err(ApiError::invalid_input("keys: at least one key is expected."));
    }
    let reach = Reach { stores, ..reach.clone() };
    for store in &reach.stores {
        let only = Reach { stores: vec![store.clone()], ..Reach::default() };
        if context.gate.is_let_in(&only) {
            context.shop.must_have_store(store)?;
        }
    }
    Ok(reach)
}

/// Returns the reach of the associate that the arguments name.
fn of_associate(arguments: &Arguments, reach: &Reach, context: &Context) -> ApiResult<Reach> {
    let named = |name| {
        let missing = || ApiError::bug(format!("a required argument is not there: {name}"));
        text(arguments, name).map(str::to_owned).ok_or_else(missing)
    };
    let (unit, id) = (named(UNIT_KEY)?, named(ASSOCIATE_ID)?);
    let reach = Reach { associate: Some((unit.clone(), id)), ..reach.clone() };
    if context.gate.is_let_in(&reach) {
        context.shop.must_have_unit(&unit)?;
    }
    Ok(reach)
}

/// Authorizes reading documents of a kind. A kind that belongs to no Store is not limited by the Stores of the reach.
fn admit(kind: KindId, reach: &Reach, doing: Doing, context: &Context) -> ApiResult<Bounds> {
    let bounds = context.gate.admit(&context.shop, kind, reach, doing)?;
    if is_shown_in_stores(kind, context.shop.model()) {
        return Ok(Bounds { store: None, further_stores: Vec::new(), ..bounds });
    }
    Ok(bounds)
}

fn one(kind: KindId, arguments: &Arguments, bounds: &Bounds, context: &Context) -> ApiResult<Option<Wanted>> {
    let loaded = |body| Some(Wanted::Loaded(Loaded::Document(body)));
    if let Some(found) = by_endpoint(kind, arguments, bounds, context) {
        return Ok(if_there(found)?.and_then(loaded));
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
    // A document by id waits for the next level, which reads all documents of the kind together.
    if let Address::Id(id) = address
        && bounds.is_everything()
    {
        return Ok(Some(Wanted::Document(Target { kind, id: id.to_owned(), by_key: false })));
    }
    let found = context.shop.get_within(kind, &address, bounds)?;
    let shown = found.map(|stored| context.shop.masked(kind, stored.body, bounds)).transpose()?;
    Ok(shown.and_then(loaded))
}

/// Returns the document of a reading endpoint one of whose path values is given as an argument, e.g. a password token.
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

/// Returns the documents that an endpoint finds. Its fields may have other names as arguments.
fn matching<'q>(
    kind: KindId,
    position: usize,
    asked: &Asked<'q>,
    question: &Question<'q>,
    (bounds, sight): (Bounds, Sight),
    context: &Context,
) -> ApiResult<Vec<Bytes>> {
    let (query, arguments) = (asked.field().name.as_str(), asked.arguments(question));
    let (model, entry) = (context.shop.model(), context.shop.model().kind(kind));
    let unknown = || ApiError::bug(format!("{} has no endpoint {position}", entry.name));
    let endpoint = entry.endpoints.get(position).ok_or_else(unknown)?;
    let mut values = Arguments::new();
    for field in &model.object(endpoint.input).fields {
        let renamed = RENAMED.iter().find(|(of, name, _)| *of == query && *name == field.name);
        let name = renamed.map_or(field.name.as_str(), |(_, _, to)| to);
        let given = arguments.get(name).filter(|given| !given.is_null());
        values.extend(given.map(|given| (field.name.clone(), given.clone())));
    }
    let request = ListRequest { bounds, sight, limit: LIMIT_MAX, ..ListRequest::default() };
    Ok(context.shop.list_matching(kind, endpoint, values, &request)?.results)
}

/// Returns the document that an endpoint finds.
fn found(
    kind: KindId,
    position: usize,
    arguments: &Arguments,
    bounds: &Bounds,
    context: &Context,
) -> ApiResult<Bytes> {
    let endpoint = context.shop.model().kind(kind).endpoints.get(position);
    let endpoint = endpoint.ok_or_else(|| ApiError::bug(format!("there is no endpoint {position}")))?;
    context.shop.read_endpoint(kind, endpoint, arguments, bounds)
}

/// Returns the response of a service's operation.
fn told(query: &ServiceQuery, arguments: &Arguments, context: &Context) -> ApiResult<Loaded> {
    let given = |what: &str| {
        let (name, ..) = query.arguments.iter().find(|(_, _, of)| *of == what)?;
        text(arguments, name).map(str::to_owned)
    };
    let answer = context.gate.told(&context.shop, query.call, &given("").unwrap_or_default(), &given)?;
    Ok(match answer {
        Value::Array(all) => Loaded::List(all.iter().map(bytes_of).collect::<ApiResult<_>>()?),
        one => Loaded::Document(bytes_of(&one)?),
    })
}

/// Returns the response of the first endpoint whose arguments are all given.
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
