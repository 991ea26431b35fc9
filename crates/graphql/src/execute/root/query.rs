//! What fields of `Query` show.

use super::address::{address, found_through, own_id, predicates, text, texts};
use super::page::{Selected, inside, many};
use super::{Arguments, bytes_of};
use crate::derived::Root;
use crate::exceptions::{ASSOCIATE_ID, Reader, STORE_KEY, UNIT_KEY};
use crate::execute::collect::{Asked, Question};
use crate::execute::load::{Loaded, Target, Wanted};
use crate::execute::view::{Started, View, is_shown_in_stores};
use crate::execute::{Context, parameter_search, search, side};
use crate::gate::{Doing, Reach};
use bytes::Bytes;
use kontor_engine::{Address, Bounds, ListRequest};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::{Addressing, KindId, Segment};
use serde_json::json;

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
        Root::Search(kind) => as_it_is(Loaded::Made(search::find(kind, arguments, context)?)),
        Root::FindByParameters(kind, search) => {
            let found = parameter_search::find(kind, search, arguments, context)?;
            // Products that others lead to are shown as those are that were found.
            let stored = context.shop.model().stored(kind);
            let view = View::of(stored, arguments, reach, context);
            Ok(Some(Started { wanted: Wanted::Loaded(found), view }))
        }
        Root::Suggest(kind) => as_it_is(Loaded::Made(parameter_search::suggest(kind, arguments, context)?)),
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
            let named = |name| {
                let missing = || ApiError::bug(format!("a required argument is not there: {name}"));
                text(arguments, name).map(str::to_owned).ok_or_else(missing)
            };
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
            let (project, _) = project.ok_or_else(|| ApiError::bug("the model has no Project"))?;
            context.gate.admit(&context.shop, project, reach, Doing::Viewing)?;
            as_it_is(Loaded::Document(Bytes::from_static(b"{}")))
        }
        Root::Create(..) | Root::Update(..) | Root::Delete(..) | Root::Call(..) | Root::Bulk(_) => {
            Err(ApiError::bug(format!("{root:?} is none of a query")))
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
