//! Executes the fields of `Query`, and those of the objects that narrow documents (`inStore`, `me`, `asAssociate`).
//! Start at [`start_query`].

use super::address::{address, id_through_store, own_id, predicate_arguments, string_list, text};
use super::page::{PageSelection, page_inside_stores, page_of_kind};
use super::{ArgumentValues, bytes_of};
use crate::access_control::{DocumentReach, FieldOperation};
use crate::exceptions::{ASSOCIATE_ID, EndpointQuery, RENAMED, STORE_KEY, ServiceQuery, UNIT_KEY};
use crate::execute::document_loader::{LoadedValue, ReferenceTarget, ValueDependency};
use crate::execute::document_view::{DocumentView, ViewedValue, is_shown_in_stores};
use crate::execute::field_collector::{ExecutableQuery, RequestedField};
use crate::execute::{ExecutionContext, parameter_search, search, side};
use crate::limits::LIMIT_MAX;
use crate::schema_types::RootOperation;
use bytes::Bytes;
use kontor_engine::{AccessScope, Address, ListRequest, ViewOptions};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::{Addressing, KindId, PathSegment};

/// Begins to read the value of a root field; returns `None` if it does not exist or is not visible to the caller.
pub(crate) fn start_query<'q>(
    root: RootOperation,
    requested: &RequestedField<'q>,
    executable: &ExecutableQuery<'q>,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<ViewedValue>> {
    let arguments = requested.arguments(executable);
    match root {
        RootOperation::One(kind) if context.shop.model().kind(kind).projection.is_some() => {
            Ok(side::one_side(kind, arguments, reach, context)?.map(plain_document))
        }
        RootOperation::Shown(kind, shown) => {
            Ok(side::shown_object(kind, shown, arguments, reach, context)?.map(plain_document))
        }
        RootOperation::One(kind) => viewed_document(kind, arguments, reach, context),
        RootOperation::Own(kind) => own_document(kind, reach, context),
        RootOperation::Many(kind) => list_documents(kind, requested, executable, reach, context),
        RootOperation::Search(kind) => {
            without_view(LoadedValue::Built(search::find(kind, arguments, context)?))
        }
        RootOperation::FindByParameters(kind, search) => {
            let found = parameter_search::find(kind, search, arguments, context)?;
            // Products that the found ones refer to are shown in the same way.
            let stored = context.shop.model().stored_kind(kind);
            let view = DocumentView::from_arguments(stored, arguments, reach, context);
            Ok(Some(ViewedValue { wanted: ValueDependency::Loaded(found), view }))
        }
        RootOperation::Suggest(kind) => {
            without_view(LoadedValue::Built(parameter_search::find_suggestions(kind, arguments, context)?))
        }
        RootOperation::StoreList(kind, position) => {
            context.access_control.authorize(&context.shop, kind, reach, FieldOperation::Query)?;
            without_view(LoadedValue::Page(page_inside_stores(
                kind, position, reach, requested, executable, context,
            )?))
        }
        RootOperation::Stores => without_view(LoadedValue::Reach(stores_reach(arguments, reach, context)?)),
        RootOperation::Me => without_view(LoadedValue::Reach(DocumentReach { mine: true, ..reach.clone() })),
        RootOperation::Associate => {
            without_view(LoadedValue::Reach(associate_reach(arguments, reach, context)?))
        }
        RootOperation::Read(kind, reader) => {
            let bounds =
                context.access_control.authorize(&context.shop, kind, reach, FieldOperation::View)?;
            Ok(found_or_none(read_endpoint(kind, reader, arguments, &bounds, context))?.map(plain_document))
        }
        RootOperation::Service(kind, query) => {
            context.access_control.authorize(&context.shop, kind, reach, FieldOperation::View)?;
            Ok(found_or_none(service_response(query, arguments, context))?
                .map(|loaded| ViewedValue { wanted: ValueDependency::Loaded(loaded), view: None }))
        }
        RootOperation::Matching(kind, position) => {
            list_matching(kind, position, requested, executable, reach, context)
        }
        RootOperation::MatchingDocument(kind, position) => {
            let bounds = authorize(kind, reach, FieldOperation::View, context)?;
            Ok(found_or_none(found_by_endpoint(kind, position, arguments, &bounds, context))?
                .map(plain_document))
        }
        RootOperation::Limits => project_limits(reach, context),
        RootOperation::Create(..)
        | RootOperation::Update(..)
        | RootOperation::Delete(..)
        | RootOperation::Call(..)
        | RootOperation::Bulk(_) => Err(ApiError::bug(format!("{root:?} is none of a query"))),
    }
}

/// Reads a page of a kind, with the scopes that its view options need.
fn list_documents<'q>(
    kind: KindId,
    requested: &RequestedField<'q>,
    query: &ExecutableQuery<'q>,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<ViewedValue>> {
    let arguments = requested.arguments(query);
    let view_options = side::view_options(kind, arguments, reach, context);
    let bounds =
        authorize(kind, reach, side::needed_operation(&view_options, FieldOperation::Query), context)?;
    context.shop.validate_view_options(kind, &view_options)?;
    let selection = PageSelection::from_field(requested, query);
    let page = page_of_kind(kind, arguments, &selection, (bounds, &view_options), context)?;
    let page =
        ValueDependency::Loaded(LoadedValue::Page(side::filter_elements(kind, page, arguments, context)?));
    ViewedValue::resolve(page, DocumentView::from_arguments(kind, arguments, reach, context), context)
}

/// Reads the documents that match the arguments of a list endpoint, e.g. the Shipping Methods of a Cart.
fn list_matching<'q>(
    kind: KindId,
    position: usize,
    requested: &RequestedField<'q>,
    query: &ExecutableQuery<'q>,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<ViewedValue>> {
    let bounds = context.access_control.authorize(&context.shop, kind, reach, FieldOperation::View)?;
    let view_options =
        ViewOptions { references: context.access_control.references(reach, None), ..ViewOptions::default() };
    let found = matching_documents(kind, position, requested, query, (bounds, view_options), context)?;
    without_view(LoadedValue::List(found))
}

/// Returns an empty document, whose fields the limits of the project replace. The caller needs the scopes of the Project.
fn project_limits(reach: &DocumentReach, context: &ExecutionContext) -> ApiResult<Option<ViewedValue>> {
    let project = context.shop.model().kinds().find(|(_, kind)| kind.addressing == Addressing::Singleton);
    let (project, _) = project.ok_or_else(|| ApiError::bug("the model has no Project"))?;
    context.access_control.authorize(&context.shop, project, reach, FieldOperation::View)?;
    without_view(LoadedValue::Document(Bytes::from_static(b"{}")))
}

/// Returns a loaded value that is shown as it is.
fn without_view(loaded: LoadedValue) -> ApiResult<Option<ViewedValue>> {
    Ok(Some(ViewedValue { wanted: ValueDependency::Loaded(loaded), view: None }))
}

/// Returns a document that is shown as it is.
fn plain_document(body: Bytes) -> ViewedValue {
    ViewedValue { wanted: ValueDependency::Loaded(LoadedValue::Document(body)), view: None }
}

/// Turns the error `ResourceNotFound` into `None`.
fn found_or_none<T>(found: ApiResult<T>) -> ApiResult<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.code() == Code::ResourceNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the document that the arguments name, with the view of its kind.
fn viewed_document(
    kind: KindId,
    arguments: &ArgumentValues,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<ViewedValue>> {
    let reach = match text(arguments, STORE_KEY) {
        Some(store) => &DocumentReach { stores: vec![store.to_owned()], ..reach.clone() },
        None => reach,
    };
    let bounds = authorize(kind, reach, FieldOperation::View, context)?;
    let view = DocumentView::from_arguments(kind, arguments, reach, context);
    let wanted = match found_or_none(id_through_store(kind, arguments, &reach.stores, context))? {
        None => None,
        Some(Some(id)) => {
            let stored = context.shop.get_in_scope(kind, &Address::Id(&id), &bounds)?;
            stored.map(|stored| ValueDependency::Loaded(LoadedValue::Document(stored.body)))
        }
        Some(None) => one_document(kind, arguments, &bounds, context)?,
    };
    wanted.map_or(Ok(None), |wanted| ViewedValue::resolve(wanted, view, context))
}

/// Returns the caller's only document of a kind.
fn own_document(
    kind: KindId,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<ViewedValue>> {
    let bounds = authorize(kind, reach, FieldOperation::View, context)?;
    let Some(id) = own_id(&bounds) else { return Ok(None) };
    let stored = context.shop.get_in_scope(kind, &Address::Id(id), &bounds)?;
    Ok(stored.map(|stored| plain_document(stored.body)))
}

/// Returns the reach of the Stores that the arguments name. Reveals whether they exist only to callers with access to
/// them.
fn stores_reach(
    arguments: &ArgumentValues,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<DocumentReach> {
    let stores = match text(arguments, "key") {
        Some(key) => vec![key.to_owned()],
        None => string_list(arguments, "keys"),
    };
    if stores.is_empty() {
        return Err(ApiError::invalid_input("keys: at least one key is expected."));
    }
    let reach = DocumentReach { stores, ..reach.clone() };
    for store in &reach.stores {
        let only = DocumentReach { stores: vec![store.clone()], ..DocumentReach::default() };
        if context.access_control.has_any_right(&only) {
            context.shop.must_have_store(store)?;
        }
    }
    Ok(reach)
}

/// Returns the reach of the associate that the arguments name.
fn associate_reach(
    arguments: &ArgumentValues,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<DocumentReach> {
    let named = |name| {
        let missing = || ApiError::bug(format!("a required argument is not there: {name}"));
        text(arguments, name).map(str::to_owned).ok_or_else(missing)
    };
    let (unit, id) = (named(UNIT_KEY)?, named(ASSOCIATE_ID)?);
    let reach = DocumentReach { associate: Some((unit.clone(), id)), ..reach.clone() };
    if context.access_control.has_any_right(&reach) {
        context.shop.must_have_unit(&unit)?;
    }
    Ok(reach)
}

/// Authorizes reading documents of a kind. A kind that belongs to no Store is not limited by the Stores of the reach.
fn authorize(
    kind: KindId,
    reach: &DocumentReach,
    operation: FieldOperation,
    context: &ExecutionContext,
) -> ApiResult<AccessScope> {
    let bounds = context.access_control.authorize(&context.shop, kind, reach, operation)?;
    if is_shown_in_stores(kind, context.shop.model()) {
        return Ok(AccessScope { store: None, further_stores: Vec::new(), ..bounds });
    }
    Ok(bounds)
}

fn one_document(
    kind: KindId,
    arguments: &ArgumentValues,
    access_scope: &AccessScope,
    context: &ExecutionContext,
) -> ApiResult<Option<ValueDependency>> {
    let loaded = |body| Some(ValueDependency::Loaded(LoadedValue::Document(body)));
    if let Some(found) = by_endpoint(kind, arguments, access_scope, context) {
        return Ok(found_or_none(found)?.and_then(loaded));
    }
    let wheres = predicate_arguments(&context.shop.model().kind(kind).name, arguments);
    if !wheres.is_empty() && !["id", "key"].iter().any(|name| text(arguments, name).is_some()) {
        let request =
            ListRequest { wheres, limit: 1, bounds: access_scope.clone(), ..ListRequest::default() };
        return Ok(context.shop.list(kind, &request)?.results.into_iter().next().and_then(loaded));
    }
    let address = address(kind, arguments, context.shop.model())?;
    if let Some(holder) = context.access_control.holder(kind) {
        let Address::Id(id) = address else { return Ok(None) };
        let document = holder.get(&context.shop, id)?.map(|document| bytes_of(&document)).transpose()?;
        return Ok(document.and_then(loaded));
    }
    // A document by id waits for the next level, which reads all documents of the kind together.
    if let Address::Id(id) = address
        && access_scope.is_everything()
    {
        return Ok(Some(ValueDependency::Document(ReferenceTarget {
            kind,
            id: id.to_owned(),
            by_key: false,
        })));
    }
    let found = context.shop.get_in_scope(kind, &address, access_scope)?;
    let shown =
        found.map(|stored| context.shop.mask_document(kind, stored.body, access_scope)).transpose()?;
    Ok(shown.and_then(loaded))
}

/// Returns the document of a reading endpoint one of whose path values is given as an argument, e.g. a password token.
fn by_endpoint(
    kind: KindId,
    arguments: &ArgumentValues,
    access_scope: &AccessScope,
    context: &ExecutionContext,
) -> Option<ApiResult<Bytes>> {
    let entry = context.shop.model().kind(kind);
    for endpoint in entry
        .endpoints
        .iter()
        .filter(|endpoint| !endpoint.writes && !endpoint.mine && endpoint.output.is_none())
    {
        for segment in &endpoint.path {
            let PathSegment::Value { name, .. } = segment else { continue };
            let Some(value) = text(arguments, name) else { continue };
            let input = ArgumentValues::from_iter([(name.clone(), json!(value))]);
            return Some(context.shop.read_endpoint(kind, endpoint, &input, access_scope));
        }
    }
    None
}

/// Returns the documents that an endpoint finds. Its fields may have other names as arguments.
fn matching_documents<'q>(
    kind: KindId,
    position: usize,
    requested: &RequestedField<'q>,
    executable: &ExecutableQuery<'q>,
    (bounds, view_options): (AccessScope, ViewOptions),
    context: &ExecutionContext,
) -> ApiResult<Vec<Bytes>> {
    let (query, arguments) = (requested.field().name.as_str(), requested.arguments(executable));
    let (model, entry) = (context.shop.model(), context.shop.model().kind(kind));
    let unknown = || ApiError::bug(format!("{} has no endpoint {position}", entry.name));
    let endpoint = entry.endpoints.get(position).ok_or_else(unknown)?;
    let mut values = ArgumentValues::new();
    for field in &model.object(endpoint.input).fields {
        let renamed = RENAMED.iter().find(|(of, name, _)| *of == query && *name == field.name);
        let name = renamed.map_or(field.name.as_str(), |(_, _, to)| to);
        let given = arguments.get(name).filter(|given| !given.is_null());
        values.extend(given.map(|given| (field.name.clone(), given.clone())));
    }
    let request = ListRequest { bounds, view_options, limit: LIMIT_MAX, ..ListRequest::default() };
    Ok(context.shop.call_list_endpoint(kind, endpoint, values, &request)?.results)
}

/// Returns the document that an endpoint finds.
fn found_by_endpoint(
    kind: KindId,
    position: usize,
    arguments: &ArgumentValues,
    access_scope: &AccessScope,
    context: &ExecutionContext,
) -> ApiResult<Bytes> {
    let endpoint = context.shop.model().kind(kind).endpoints.get(position);
    let endpoint = endpoint.ok_or_else(|| ApiError::bug(format!("there is no endpoint {position}")))?;
    context.shop.read_endpoint(kind, endpoint, arguments, access_scope)
}

/// Returns the response of a service's operation.
fn service_response(
    query: &ServiceQuery,
    arguments: &ArgumentValues,
    context: &ExecutionContext,
) -> ApiResult<LoadedValue> {
    let given = |what: &str| {
        let (name, ..) = query.arguments.iter().find(|(_, _, of)| *of == what)?;
        text(arguments, name).map(str::to_owned)
    };
    let response = context.access_control.service_response(
        &context.shop,
        query.call,
        &given("").unwrap_or_default(),
        &given,
    )?;
    Ok(match response {
        Value::Array(all) => LoadedValue::List(all.iter().map(bytes_of).collect::<ApiResult<_>>()?),
        one => LoadedValue::Document(bytes_of(&one)?),
    })
}

/// Returns the response of the first endpoint whose arguments are all given.
fn read_endpoint(
    kind: KindId,
    reader: &EndpointQuery,
    arguments: &ArgumentValues,
    access_scope: &AccessScope,
    context: &ExecutionContext,
) -> ApiResult<Bytes> {
    let entry = context.shop.model().kind(kind);
    let given = |names: &[(&str, &str)]| -> Option<ArgumentValues> {
        let value =
            |(argument, name): &(&str, &str)| Some(((*name).to_owned(), json!(text(arguments, argument)?)));
        names.iter().map(value).collect()
    };
    for (name, names) in reader.endpoints {
        let endpoint = entry.endpoints.iter().find(|endpoint| endpoint.name == *name);
        if let (Some(endpoint), Some(input)) = (endpoint, given(names)) {
            return context.shop.read_endpoint(kind, endpoint, &input, access_scope);
        }
    }
    let names: Vec<&str> = reader.arguments.iter().map(|(name, _)| *name).collect();
    Err(ApiError::invalid_input(format!("Of {} too few are given.", names.join(", "))))
}
