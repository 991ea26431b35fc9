//! What is asked of a project: who asks, may they, and of which documents. The one place where requests to documents
//! are admitted; a face answers them.

use crate::access::{Access, Admission, Mine, admit, admit_at_once, bounds, seen_inside};
use crate::body;
use crate::guarded::OfRequest;
use crate::ignored;
use crate::routes::Values;
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use kontor_engine::{AsAssociate, Bounds, Caller, Inside, Kept, Shop, Sight};
use kontor_errors::{ApiError, ApiResult};
use kontor_images::IMAGE_BYTES_MAX;
use kontor_model::{
    Doing, Ignored, KindId, Method, Model, Operation, Segment, SentBody, ServedOperation, Side,
};
use kontor_rest::answer::Answer;
use kontor_rest::{Admitted, Parameters, Unread};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::Arc;

/// Answers an operation on documents of a project: the one at this position of the table.
pub(crate) async fn answer(
    server: &Server,
    position: usize,
    values: &Values<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<Answer> {
    let operation = &server.model.operations()[position];
    if let Some(path) = named_by_parameter(&server.model, operation, parts)
        && let Some((position, values)) = server.routes.find(Method::Get, &path)
    {
        return Box::pin(answer(server, position, &values, parts, body)).await;
    }
    let asked = Addressed::by(server, position, values, parts)?;
    let Addressed { project, store, .. } = asked;
    let admission = admit(server, parts, project, store, (operation, position), asked.is_staged()).await?;
    let shop = server.shop(project).await?;
    Box::pin(asked.entered(admission, shop)?.answer(body)).await
}

/// The answer to what waits for nothing and nobody; `None` for whatever else is asked, and nothing has been done then.
pub(crate) fn answer_at_once(
    server: &Server,
    position: usize,
    values: &Values<'_>,
    parts: &Parts,
) -> ApiResult<Option<Answer>> {
    let operation = &server.model.operations()[position];
    let asked = Addressed::by(server, position, values, parts)?;
    let Addressed { project, store, .. } = asked;
    let shop = server.shops.running(project).filter(|shop| !shop.storage().is_shared());
    let Some(shop) = shop else { return Ok(None) };
    let (meant, now_ms) = ((operation, position), shop.clock.now().as_millisecond());
    let admission = admit_at_once(server, parts, project, store, meant, asked.is_staged(), now_ms)?;
    let Some(admission) = admission else { return Ok(None) };
    let entered = asked.entered(admission, shop)?;
    let guard = entered.guard();
    server.rest.answer_at_once(&entered.admitted(&guard)?).transpose()
}

/// What a request asks for, whoever sent it.
struct Addressed<'a> {
    server: &'a Server,
    operation: &'a ServedOperation,
    kind: KindId,
    project: &'a str,
    store: Option<&'a str>,
    values: &'a Values<'a>,
    parts: &'a Parts,
    /// Who may not ask is not told that they asked wrongly.
    sight: ApiResult<Sight>,
    parameters: Parameters,
}

impl<'a> Addressed<'a> {
    fn by(server: &'a Server, position: usize, values: &'a Values<'a>, parts: &'a Parts) -> ApiResult<Self> {
        let operation = &server.model.operations()[position];
        let kind =
            operation.kind.ok_or_else(|| ApiError::bug("a fixed path was taken for one of documents"))?;
        let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
        let store = values.get(1).filter(|_| operation.side.is_in_store());
        let parameters = Parameters::of(parts.uri.query());
        let sight = parameters.sight(&server.model, operation, store);
        Ok(Self { server, operation, kind, project, store, values, parts, sight, parameters })
    }

    fn is_staged(&self) -> bool {
        matches!(&self.sight, Ok(sight) if sight.staged)
    }

    /// The same, let in to a project that is there.
    fn entered(self, admission: Admission, shop: Arc<Shop>) -> ApiResult<Entered<'a>> {
        let Self { server, operation, kind, project, store, values, parts, sight, parameters } = self;
        let sight = sight?;
        Ok(Entered {
            server,
            operation,
            kind,
            project,
            store,
            values,
            parts,
            admission,
            shop,
            sight,
            parameters,
        })
    }
}

/// A request that was let in, to a project that is there.
struct Entered<'a> {
    server: &'a Server,
    operation: &'a ServedOperation,
    kind: KindId,
    project: &'a str,
    store: Option<&'a str>,
    values: &'a Values<'a>,
    parts: &'a Parts,
    admission: Admission,
    shop: Arc<Shop>,
    sight: Sight,
    parameters: Parameters,
}

impl Entered<'_> {
    async fn answer(self, body: Body) -> ApiResult<Answer> {
        let access = &self.admission.access;
        let speaks = self.operation.changes() || matches!(self.operation.doing, Doing::Endpoint(_));
        let passed_over = (speaks && !self.server.options.strict).then(Arc::<Ignored>::default);
        let guard = self.guard();
        let mut admitted = self.admitted(&guard)?;
        if speaks {
            let bounds = admitted.bounds.clone();
            let ignored = passed_over.clone();
            admitted.caller = Caller { bounds, ignored, ..access.caller(&self.parts.headers) };
        }
        if self.operation.doing == Doing::Documents(Operation::Create) {
            admitted.kept = access.kept(&self.parts.headers)?;
        }
        let unread = to_be_read(self.operation, access, self.parts, body);
        let answered = self.server.rest.answer(&admitted, unread).await;
        match passed_over {
            Some(passed_over) => ignored::tell(&passed_over, answered),
            None => answered,
        }
    }

    fn guard(&self) -> OfRequest<'_> {
        let Self { server, project, parts, admission, .. } = self;
        OfRequest { server, project, parts, customer: admission.access.customer() }
    }

    /// The request as a face takes it, made by nobody and with nothing brought along.
    fn admitted<'s>(&'s self, guard: &'s OfRequest<'s>) -> ApiResult<Admitted<'s>> {
        let Self { server, operation, kind, project, store, values, parts, admission, shop, .. } = self;
        let access = &admission.access;
        let mine = operation.side.is_mine().then_some(if operation.is_open { Mine::Open } else { Mine::Own });
        let bounds = bounds(server, access, shop, *kind, *store, mine)?;
        let associate = associate(operation.side, values, access, shop)?;
        let inside = inside(server, access, project, *store, operation, &self.parameters);
        Ok(Admitted {
            operation,
            kind: *kind,
            project,
            store: *store,
            values: values.all().get(operation.side.values()..).unwrap_or_default(),
            shop: Arc::clone(shop),
            bounds: Bounds { associate, ..bounds },
            sight: Sight { inside, ..self.sight.clone() },
            stores: admission.stores.as_deref(),
            staged: &admission.staged,
            caller: Caller::default(),
            kept: Kept::default(),
            parameters: &self.parameters,
            headers: &parts.headers,
            guard,
        })
    }
}

/// The path of the endpoint that a list with a parameter means (`byParameter` in the model).
fn named_by_parameter(model: &Model, operation: &ServedOperation, parts: &Parts) -> Option<String> {
    let query = parts.uri.query().filter(|_| operation.doing == Doing::Documents(Operation::Query))?;
    let mut endpoints = model.kind(operation.kind?).endpoints.iter().filter(|endpoint| endpoint.by_parameter);
    let Some(Segment::Value { prefix, name }) = endpoints.next()?.path.last() else { return None };
    let parameters = Parameters::of(Some(query));
    let (_, value) = parameters.pairs().iter().find(|(key, _)| key == name)?;
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    Some(format!("{}/{prefix}{value}", parts.uri.path().trim_end_matches('/')))
}

/// What is seen of other documents: of those that references lead to, where they may be followed (of a search, only its
/// body says so), and of those that an endpoint is asked about.
fn inside(
    server: &Server,
    access: &Access,
    project: &str,
    store: Option<&str>,
    operation: &ServedOperation,
    parameters: &Parameters,
) -> Option<Arc<[Inside]>> {
    let endpoints = operation.kind.map(|kind| &server.model.kind(kind).endpoints);
    let is_asked_for = match operation.doing {
        Doing::Search | Doing::ParameterSearch => true,
        Doing::Endpoint(position)
            if endpoints.and_then(|all| all.get(position)).is_some_and(|one| one.many) =>
        {
            true
        }
        _ => !parameters.all("expand").is_empty(),
    };
    if is_asked_for { seen_inside(server, access, project, store) } else { None }
}

/// Who acts below `/as-associate`, and for which unit, which must be there.
fn associate(
    side: Side,
    values: &Values<'_>,
    access: &Access,
    shop: &Shop,
) -> ApiResult<Option<AsAssociate>> {
    if !side.is_associate() {
        return Ok(None);
    }
    let unit = values.get(2).filter(|_| side == Side::InUnit);
    if let Some(unit) = unit {
        shop.must_have_unit(unit)?;
    }
    let id = match access {
        // Whatever the path says: the operator is nobody's associate.
        Access::Operator | Access::Anybody => None,
        Access::Granted(_) => values.get(1).map(str::to_owned),
    };
    Ok(Some(AsAssociate { id, unit: unit.map(str::to_owned) }))
}

/// The body of an operation that takes one, which is not read before it is waited for.
fn to_be_read<'a>(operation: &ServedOperation, access: &Access, parts: &'a Parts, body: Body) -> Unread<'a> {
    let bytes_max = match operation.body {
        SentBody::Nothing => return Unread::new(None),
        SentBody::Json | SentBody::Form => body::BODY_BYTES_MAX,
        SentBody::File => IMAGE_BYTES_MAX,
    };
    let bytes_max = match operation.side.is_mine() {
        true => body::OWN_BODY_BYTES_MAX.min(bytes_max),
        false => access.body_bytes_max(parts, bytes_max),
    };
    Unread::new(Some(Box::pin(body::read(parts, body, bytes_max))))
}
