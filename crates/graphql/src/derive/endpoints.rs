//! Derives fields for the endpoints of the model. An endpoint that reads one document becomes an argument of its query
//! or a query of its own, an endpoint that writes becomes a mutation. Start at [`SchemaDerivation::endpoint_fields`].

use super::kind_operations::KindOperations;
use super::roots::{ONLY_WHERE_THEY_MAY, OutputFields, put_root, store_key};
use super::{SchemaDerivation, argument};
use crate::exceptions::{
    AS_ASSOCIATE_ARGUMENT, BARE_ENDPOINTS, ENDPOINT_FINDERS, ENDPOINTS, EndpointNames, HIDDEN, OUTPUT_NAMES,
    READERS, SERVICE_QUERIES,
};
use crate::names::{named_type, upper_first};
use crate::schema_types::{Conversion, InputField, RootOperation, TypeBody};
use kontor_model::{Endpoint, KindId, PathSegment};

impl SchemaDerivation<'_> {
    /// Adds the queries and mutations for the endpoints of a kind.
    pub(super) fn endpoint_fields(
        &mut self,
        offered: KindOperations<'_>,
        queries: &mut OutputFields,
        mutations: &mut OutputFields,
    ) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        for position in offered.endpoints() {
            let endpoint = &entry.endpoints[position];
            if endpoint.creates.is_some() && endpoint_names(&entry.name, endpoint).is_none() {
                continue;
            }
            if endpoint.many {
                self.matching_query(kind, position, endpoint, queries);
            } else if finder_name(&entry.name, endpoint).is_some() {
                if !endpoint.mine {
                    self.finder_query(kind, position, queries);
                }
            } else if !endpoint.reads {
                self.call(kind, position, endpoint, mutations);
            } else if !endpoint.writes
                && !endpoint.mine
                && endpoint.output.is_none()
                && let Some(query) = queries.get_mut(&self.names_of(kind).one)
            {
                let names = endpoint.path.iter().filter_map(value_name);
                query
                    .arguments
                    .extend(names.map(|name| argument(name, "String", "The document with this token.")));
            }
        }
    }

    /// Returns the name of the query for the documents that an endpoint finds.
    pub(super) fn matching_name(&self, kind: KindId, endpoint: &Endpoint) -> String {
        format!("{}{}", self.names_of(kind).many, upper_first(&endpoint.name))
    }

    /// Adds the query for the documents that an endpoint finds.
    fn matching_query(
        &mut self,
        kind: KindId,
        position: usize,
        endpoint: &Endpoint,
        queries: &mut OutputFields,
    ) {
        let name = self.matching_name(kind, endpoint);
        if HIDDEN.contains(&("Query", &name)) {
            return;
        }
        let mut arguments = Vec::new();
        for field in &self.model.object(endpoint.input).fields {
            let (field, derived) = self.input_field(&name, field);
            arguments.push(argument(&field, &derived.ty, ""));
        }
        let object = self.output_kind(kind);
        put_root(queries, &name, format!("[{object}!]!"), RootOperation::Matching(kind, position), arguments);
    }

    /// Adds the query for the document that an endpoint finds.
    pub(super) fn finder_query(&mut self, kind: KindId, position: usize, queries: &mut OutputFields) {
        let entry = self.model.kind(kind);
        let endpoint = &entry.endpoints[position];
        let Some(name) = finder_name(&entry.name, endpoint) else { return };
        let values = endpoint.path.iter().filter_map(value_name);
        let arguments = values.map(|name| argument(name, "String!", "")).collect();
        let object = self.output_kind(kind);
        put_root(queries, name, object, RootOperation::MatchingDocument(kind, position), arguments);
    }

    /// Adds queries for endpoints that return objects of their own (the table `READERS`).
    pub(super) fn reader_queries(&mut self, offered: KindOperations<'_>, queries: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        for reader in READERS.filter(|reader| reader.kind == entry.name) {
            let is_it =
                |endpoint: &&Endpoint| reader.endpoints.iter().any(|(name, _)| *name == endpoint.name);
            let mut endpoints = offered.endpoints().into_iter().map(|position| &entry.endpoints[position]);
            let Some(object) = endpoints.find(is_it).and_then(|endpoint| endpoint.output) else {
                continue;
            };
            let known = self.model.object(object);
            let name = OUTPUT_NAMES.get(&known.name).unwrap_or(&known.name).to_owned();
            self.shown_object(object, &name, &known.doc);
            let arguments = reader.arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            put_root(queries, reader.field, name, RootOperation::Read(kind, reader), arguments);
        }
    }

    /// Adds queries that operations of services respond to (the table `SERVICE_QUERIES`).
    pub(super) fn service_queries(&mut self, kind: KindId, queries: &mut OutputFields) {
        let entry = self.model.kind(kind);
        for query in SERVICE_QUERIES.filter(|query| query.kind == entry.name) {
            let Some(call) = self.model.services().iter().find(|call| call.name == query.call) else {
                continue;
            };
            let known = self.model.object(call.response);
            let name = OUTPUT_NAMES.get(&known.name).unwrap_or(&known.name).to_owned();
            self.shown_object(call.response, &name, &known.doc);
            let ty = if call.many { format!("[{name}!]!") } else { name };
            let arguments = query.arguments.iter().map(|(name, ty, _)| argument(name, ty, "")).collect();
            put_root(queries, query.call, ty, RootOperation::Service(kind, query), arguments);
        }
    }

    /// Adds the field of a draft that names the addressed document.
    fn name_within(&mut self, draft: &str, field: &str) {
        if let Some(TypeBody::Input(input)) = self.types.get_mut(draft).map(|entry| &mut entry.body) {
            let named = InputField {
                doc: String::new(),
                ty: "ResourceIdentifierInput!".to_owned(),
                to: vec![field.to_owned()],
                conversion: Conversion::Same,
            };
            input.fields.insert(field.to_owned(), named);
        }
    }

    fn call(&mut self, kind: KindId, position: usize, endpoint: &Endpoint, mutations: &mut OutputFields) {
        let entry = self.model.kind(kind);
        let own = endpoint_names(&entry.name, endpoint);
        let by_rule = || format!("{}{}", entry.camel_name(), upper_first(&endpoint.name));
        let name = own.map_or_else(by_rule, |names| names.mutation.to_owned());
        let input = self.model.object(endpoint.input);
        let mut arguments = Vec::new();
        let is_bare = BARE_ENDPOINTS.contains(&(&entry.name, &endpoint.name));
        let in_path = endpoint.path.iter().filter_map(value_name);
        let response = match (&endpoint.answered_as, endpoint.output) {
            // The response has the form of a creation's: an object that holds the document.
            (Some(holder), _) => {
                let draft = crate::exceptions::INPUT_NAMES.get(&input.name).unwrap_or(&input.name).to_owned();
                self.input_object(endpoint.input, &draft, None);
                if let Some((field, _)) = own.and_then(|own| own.parent_field) {
                    self.name_within(&draft, field);
                }
                // Share the response type of that kind's creation.
                let kind = endpoint.creates.unwrap_or(kind);
                let words = self.names_of(kind);
                arguments.push(argument("draft", &format!("{draft}!"), ""));
                let object = self.output_kind(kind);
                self.document_holder(&words.created, holder, &object, Some(kind));
                format!("{}!", words.created)
            }
            (None, Some(object)) => {
                let known = self.model.object(object);
                let response = own.and_then(|names| names.response).unwrap_or(&known.name).to_owned();
                self.shown_object(object, named_type(&response), &known.doc);
                response
            }
            (None, None) => {
                // A draft: of a document created from the addressed one, or of a change of an element that the path
                // names.
                if !is_bare && (endpoint.creates.is_some() || in_path.clone().next().is_some()) {
                    arguments.extend(in_path.clone().map(|name| argument(name, "String!", "")));
                    let draft = crate::exceptions::INPUT_NAMES.get(&input.name).unwrap_or(&input.name);
                    self.input_object(endpoint.input, draft, None);
                    arguments.push(argument("draft", &format!("{draft}!"), ""));
                }
                self.output_kind(endpoint.creates.unwrap_or(kind))
            }
        };
        if arguments.is_empty() {
            for field in &input.fields {
                let (field, derived) = self.input_field(&name, field);
                // Fields that need a conversion are only in drafts.
                if derived.conversion == Conversion::Same {
                    arguments.push(argument(&field, &derived.ty, ""));
                }
            }
            arguments.extend(in_path.filter(|_| is_bare).map(|name| argument(name, "String!", "")));
        }
        arguments.extend(endpoint.in_store.then(store_key));
        arguments.extend(
            endpoint
                .as_associate
                .then(|| argument(AS_ASSOCIATE_ARGUMENT.0, AS_ASSOCIATE_ARGUMENT.1, ONLY_WHERE_THEY_MAY)),
        );
        if HIDDEN.contains(&("Mutation", &name)) {
            return;
        }
        put_root(mutations, &name, response, RootOperation::Call(kind, position), arguments);
    }
}

/// Returns the name of the query for the document that an endpoint finds, if a table gives it one.
pub(super) fn finder_name(kind: &str, endpoint: &Endpoint) -> Option<&'static str> {
    let row = ENDPOINT_FINDERS.iter().find(|(of, name, _)| *of == kind && *name == endpoint.name);
    row.map(|(_, _, query)| *query)
}

/// Returns the GraphQL names of an endpoint.
fn endpoint_names(kind: &str, endpoint: &Endpoint) -> Option<&'static EndpointNames> {
    ENDPOINTS.find(|names| names.kind == kind && names.endpoint == endpoint.name)
}

/// Returns the name of the value in a path segment; `None` for fixed text.
fn value_name(segment: &PathSegment) -> Option<&str> {
    match segment {
        PathSegment::Value { name, .. } => Some(name),
        PathSegment::Fixed(_) => None,
    }
}
