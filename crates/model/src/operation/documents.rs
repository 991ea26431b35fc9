//! Builds the operations of one kind.

use crate::Model;
use crate::endpoint::{Endpoint, PathSegment};
use crate::id::KindId;
use crate::kind::{Addressing, Kind};
use crate::operation::path_prefix::ME;
use crate::operation::{
    Method, OperationKind, PathPrefix, PathTarget, RequestBody, ResponseContent, ServedOperation,
};
use crate::permissions::Operation;
use crate::shape::Shape;

/// The last segments of additional paths of kinds.
const SEARCH: &str = "search";
const INDEXING_STATUS: &str = "indexing-status";
const SUGGEST: &str = "suggest";
const BULK: &str = "bulk";

/// All operations of a kind.
pub(super) fn operations_of_kind(model: &Model, id: KindId) -> Vec<ServedOperation> {
    let mut of = KindOperationTable { model, id, kind: model.kind(id), found: Vec::new() };
    of.lists();
    if of.kind.has_path {
        of.documents();
        of.endpoints();
        of.views();
        of.bulk();
        of.through_or_uploads();
        of.search();
        of.parameter_search();
    }
    of.found
}

struct KindOperationTable<'m> {
    model: &'m Model,
    id: KindId,
    kind: &'m Kind,
    found: Vec<ServedOperation>,
}

impl KindOperationTable<'_> {
    /// Returns a GET of this kind with a response of its own; the other operations are variants of it.
    fn reading(
        &self,
        side: PathPrefix,
        path: Vec<PathSegment>,
        operation_kind: OperationKind,
    ) -> ServedOperation {
        ServedOperation {
            method: Method::Get,
            path,
            side,
            kind: Some(self.id),
            target: PathTarget::All,
            operation_kind,
            scopes: side.scopes(self.kind, false).to_vec(),
            staged_scopes: self.staged_scopes(Some(self.id)),
            is_open: false,
            is_for_anybody: false,
            body: RequestBody::Nothing,
            response: ResponseContent::Own,
        }
    }

    /// Returns a POST of JSON with a response of its own.
    fn posting(
        &self,
        side: PathPrefix,
        path: Vec<PathSegment>,
        operation_kind: OperationKind,
    ) -> ServedOperation {
        let scopes = side.scopes(self.kind, true).to_vec();
        let (method, body) = (Method::Post, RequestBody::Json);
        ServedOperation { method, scopes, body, ..self.reading(side, path, operation_kind) }
    }

    fn staged_scopes(&self, kind: Option<KindId>) -> Vec<String> {
        let projection = kind.and_then(|kind| self.model.kind(kind).projection.as_ref());
        projection.map(|projection| projection.staged_scopes.clone()).unwrap_or_default()
    }

    fn documents(&mut self) {
        for side in PathPrefix::of_kind(self.kind) {
            for target in side.targets(self.kind) {
                let path = self.path_of(side, target);
                self.of_target(side, target, &path);
            }
        }
    }

    fn of_target(&mut self, side: PathPrefix, target: PathTarget, path: &[PathSegment]) {
        for (method, operation) in target.methods() {
            let is_elsewhere =
                self.kind.create_path.is_some() && !side.is_mine() && target == PathTarget::All;
            if !side.allows(self.kind, *operation) || (*operation == Operation::Create && is_elsewhere) {
                continue;
            }
            let (body, response) = match operation {
                Operation::Get | Operation::Delete => {
                    (RequestBody::Nothing, ResponseContent::Document(self.id))
                }
                Operation::Head => (RequestBody::Nothing, ResponseContent::Nothing),
                Operation::Query => (RequestBody::Nothing, ResponseContent::Page(self.id)),
                Operation::Create | Operation::Update => {
                    (RequestBody::Json, ResponseContent::Document(self.id))
                }
            };
            self.found.push(ServedOperation {
                method: *method,
                target,
                scopes: side.scopes_of(self.kind, *operation).to_vec(),
                is_open: side.is_mine() && target == PathTarget::New,
                body,
                response,
                ..self.reading(side, path.to_vec(), OperationKind::Documents(*operation))
            });
        }
    }

    fn path_of(&self, side: PathPrefix, target: PathTarget) -> Vec<PathSegment> {
        let mut path = side.base(self.kind);
        let fields = match &self.kind.addressing {
            Addressing::Fields(fields) => fields.as_slice(),
            _ => &[],
        };
        match target {
            PathTarget::All | PathTarget::Only | PathTarget::StoreDocument { .. } => {}
            PathTarget::Part => path.extend(fields.first().map(|field| value(field))),
            PathTarget::Fields => path.extend(fields.iter().map(|field| value(field))),
            PathTarget::Id => path.push(value("ID")),
            PathTarget::Key => path.push(key(self.kind)),
            PathTarget::New if !side.is_mine() => {
                path.extend(self.kind.create_path.clone().map(PathSegment::Fixed))
            }
            PathTarget::New => {
                let create = self.kind.mine.as_ref().and_then(|mine| mine.create.clone());
                path = side.prefix();
                path.push(fixed(ME));
                path.extend(create.map(PathSegment::Fixed));
            }
        }
        path
    }

    /// Adds the lists of documents of this kind below others.
    fn lists(&mut self) {
        for (position, list) in self.kind.lists.iter().enumerate() {
            let parent = self.model.kind(list.parent);
            if !parent.is_served {
                continue;
            }
            let mut ways = Vec::new();
            if list.inside {
                ways.push((PathPrefix::Store, PathTarget::Only, PathPrefix::Store.prefix()));
            } else {
                for (target, address) in addresses(parent) {
                    let path = PathPrefix::Project.base(parent).into_iter().chain([address]).collect();
                    ways.push((PathPrefix::Project, target, path));
                }
            }
            for (side, target, mut path) in ways {
                path.push(fixed(&list.path));
                self.found.push(ServedOperation {
                    target,
                    scopes: self.kind.view_scopes.clone(),
                    response: ResponseContent::Objects(list.shows),
                    ..self.reading(side, path, OperationKind::List(position))
                });
            }
        }
    }

    fn endpoints(&mut self) {
        for (position, endpoint) in self.kind.endpoints.iter().enumerate() {
            for side in PathPrefix::of_endpoint(endpoint) {
                let served = self.endpoint(position, endpoint, side);
                let exists = (endpoint.many || endpoint.head).then(|| ServedOperation {
                    method: Method::Head,
                    response: ResponseContent::Nothing,
                    ..served.clone()
                });
                self.found.extend(std::iter::once(served).chain(exists));
            }
        }
    }

    fn endpoint(&self, position: usize, endpoint: &Endpoint, side: PathPrefix) -> ServedOperation {
        let service = self.kind.service.iter().cloned().map(PathSegment::Fixed);
        let path = service.chain(side.prefix()).chain(endpoint.path.iter().cloned()).collect();
        let (method, body) = match endpoint.writes {
            true => (Method::Post, RequestBody::Json),
            false => (Method::Get, RequestBody::Nothing),
        };
        ServedOperation {
            method,
            scopes: match endpoint.anybody {
                true => Vec::new(),
                false => side.scopes(self.kind, !endpoint.reads).to_vec(),
            },
            staged_scopes: Vec::new(),
            is_for_anybody: endpoint.anybody,
            is_open: endpoint.open,
            body,
            response: match endpoint.output {
                _ if endpoint.many => ResponseContent::Page(self.id),
                Some(output) => ResponseContent::Object(output),
                None => ResponseContent::Document(endpoint.creates.unwrap_or(self.id)),
            },
            ..self.reading(side, path, OperationKind::Endpoint(position))
        }
    }

    fn views(&mut self) {
        for (position, view) in self.kind.views.iter().enumerate() {
            let sides = PathPrefix::of_kind(self.kind).into_iter();
            for side in sides.filter(|side| matches!(side, PathPrefix::Project | PathPrefix::Store)) {
                for (target, address) in addresses(self.kind) {
                    let path = side.base(self.kind).into_iter().chain([address, fixed(&view.path)]).collect();
                    let response = ResponseContent::Object(view.shows);
                    let shown = self.reading(side, path, OperationKind::View(position));
                    self.found.push(ServedOperation { target, response, ..shown });
                }
            }
        }
    }

    fn bulk(&mut self) {
        if !self.kind.bulk.is_empty() {
            let path = append_segments(PathPrefix::Project.base(self.kind), &[BULK]);
            self.found.push(self.posting(PathPrefix::Project, path, OperationKind::Bulk));
        }
    }

    /// Adds the documents of Stores that are addressed through others, and uploads.
    fn through_or_uploads(&mut self) {
        let mut actions = self.kind.actions.iter().enumerate();
        let upload = actions.find_map(|(position, action)| Some((position, action.upload.as_ref()?)));
        let upload = upload.map(|(position, upload)| (position, upload.path.as_str()));
        if let Some(parent) = self.parent() {
            for (target, address) in addresses(self.model.kind(parent)) {
                let target = PathTarget::StoreDocument { parent, by_key: target == PathTarget::Key };
                let path = PathPrefix::Store.base(self.model.kind(parent)).into_iter();
                let path: Vec<PathSegment> = path.chain([address, fixed(&self.kind.path)]).collect();
                self.of_target(PathPrefix::Store, target, &path);
                if let Some((position, last)) = upload {
                    self.found.push(self.upload(
                        PathPrefix::Store,
                        target,
                        append_segments(path, &[last]),
                        position,
                    ));
                }
            }
        } else if let Some((position, last)) = upload {
            let path = append_segments(self.path_of(PathPrefix::Project, PathTarget::Id), &[last]);
            self.found.push(self.upload(PathPrefix::Project, PathTarget::Id, path, position));
        }
    }

    fn upload(
        &self,
        side: PathPrefix,
        target: PathTarget,
        path: Vec<PathSegment>,
        action: usize,
    ) -> ServedOperation {
        let (body, response) = (RequestBody::File, ResponseContent::Document(self.id));
        ServedOperation { target, body, response, ..self.posting(side, path, OperationKind::Upload(action)) }
    }

    /// Returns the kind of the documents through which those of this kind are addressed in Stores.
    fn parent(&self) -> Option<KindId> {
        let through = self.kind.in_store.as_ref()?.through.as_deref()?;
        match &self.model.object(self.kind.object).field(through)?.shape {
            Shape::Reference(targets) => targets.single().filter(|parent| self.model.kind(*parent).is_served),
            _ => None,
        }
    }

    fn search(&mut self) {
        let Some(search) = &self.kind.search else { return };
        let has_status = !search.status_scopes.is_empty();
        let in_store = self.kind.in_store.is_some().then_some(PathPrefix::Store);
        for side in std::iter::once(PathPrefix::Project).chain(in_store) {
            let found = ServedOperation {
                scopes: search.scopes.clone(),
                staged_scopes: self.staged_scopes(search.projection),
                ..self.posting(side, append_segments(side.base(self.kind), &[SEARCH]), OperationKind::Search)
            };
            let exists = has_status.then(|| ServedOperation {
                method: Method::Head,
                operation_kind: OperationKind::SearchExists,
                body: RequestBody::Nothing,
                response: ResponseContent::Nothing,
                ..found.clone()
            });
            self.found.extend(std::iter::once(found).chain(exists));
        }
        if has_status {
            let path = append_segments(PathPrefix::Project.base(self.kind), &[SEARCH, INDEXING_STATUS]);
            let scopes = search.status_scopes.clone();
            let status = self.reading(PathPrefix::Project, path, OperationKind::SearchStatus);
            self.found.push(ServedOperation { scopes, ..status });
        }
    }

    fn parameter_search(&mut self) {
        if self.kind.parameter_search.is_none() {
            return;
        }
        let base = PathPrefix::Project.base(self.kind);
        let found = self.reading(
            PathPrefix::Project,
            append_segments(base.clone(), &[SEARCH]),
            OperationKind::ParameterSearch,
        );
        let by_form = ServedOperation { method: Method::Post, body: RequestBody::Form, ..found.clone() };
        let suggested =
            self.reading(PathPrefix::Project, append_segments(base, &[SUGGEST]), OperationKind::Suggest);
        self.found.extend([found, by_form, suggested]);
    }
}

/// Returns the forms of addresses of one document of a kind.
fn addresses(kind: &Kind) -> Vec<(PathTarget, PathSegment)> {
    let by_key = kind.addressing == Addressing::Id { by_key: true };
    std::iter::once((PathTarget::Id, value("ID")))
        .chain(by_key.then(|| (PathTarget::Key, key(kind))))
        .collect()
}

fn append_segments(mut path: Vec<PathSegment>, further: &[&str]) -> Vec<PathSegment> {
    path.extend(further.iter().map(|segment| fixed(segment)));
    path
}

fn fixed(text: &str) -> PathSegment {
    PathSegment::Fixed(text.to_owned())
}

fn value(name: &str) -> PathSegment {
    PathSegment::Value { prefix: String::new(), name: name.to_owned() }
}

/// Returns the segment `key={key}`, or e.g. `order-number={orderNumber}`.
fn key(kind: &Kind) -> PathSegment {
    let mut prefix = String::new();
    for letter in kind.key_field.chars() {
        if letter.is_ascii_uppercase() {
            prefix.push('-');
        }
        prefix.push(letter.to_ascii_lowercase());
    }
    prefix.push('=');
    PathSegment::Value { prefix, name: kind.key_field.clone() }
}
