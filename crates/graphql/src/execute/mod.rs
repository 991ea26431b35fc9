//! Executes queries and mutations level by level, so that the documents of a level are read together.
//!
//! A level begins with values that wait for documents. Each value is resolved as far as those documents allow; fields
//! that need further documents wait for the next level. So the number of reads depends on the number of levels and
//! kinds, not on the number of references. Begin at [`query`] and [`execute_mutation`]; `level` has the loop.

mod document_loader;
mod document_view;
mod elements;
mod field_collector;
mod field_lookup;
mod field_resolver;
mod field_value;
mod level;
mod list_window;
mod object_source;
mod parameter_search;
mod read_counter;
mod reference_chain;
mod references;
mod response_size;
mod response_tree;
mod root;
mod search;
mod side;

use crate::access_control::{AccessControl, DocumentReach};
use crate::borrowed_json::BorrowedJson;
use crate::graphql_error::GraphQlError;
use crate::limits::{ANSWER_BYTES_MAX, ANSWER_VALUES_MAX};
use crate::schema::Schema;
use crate::schema_types::{FieldValueSource, OutputField, OutputType, RootOperation};
use apollo_compiler::executable::{ExecutableDocument, Operation};
use bytes::Bytes;
use document_loader::{LoadedValue, ValueDependency, VisibleReferences};
use document_view::{DocumentView, ViewedValue};
use field_collector::{ExecutableQuery, FieldResolution, RequestedField};
use kontor_engine::{Caller, ProjectOverrides, ReferenceScope, ResponseMeter, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value};
use kontor_model::KindId;
use kontor_search_service::SearchService;
use object_source::ObjectSource;
use read_counter::ReadCounter;
use response_tree::{NodeId, ROOT, ResponseTree};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// The caller of a query, and the project that it runs in.
#[derive(Clone)]
pub(crate) struct ExecutionContext {
    pub(crate) schema: Arc<Schema>,
    pub(crate) search_service: Arc<SearchService>,
    pub(crate) shop: Arc<Shop>,
    pub(crate) access_control: Arc<dyn AccessControl>,
    pub(crate) caller: Caller,
    /// Counts the memory of the growing response, and ends the query when the client has disconnected.
    pub(crate) meter: ResponseMeter,
    /// The header `x-ab-test-id`.
    pub(crate) ab_test_id: Option<String>,
    /// Languages that the caller prefers for localized strings.
    pub(crate) preferred_languages: Vec<String>,
    /// Languages for localized strings that no argument chooses, determined when the first one is needed.
    pub(crate) languages: OnceLock<Vec<String>>,
}

impl ExecutionContext {
    /// Returns the settings of the Project that the request replaces for documents of a kind.
    fn overrides(&self, kind: KindId) -> ProjectOverrides {
        match self.shop.model().kind(kind).overrides.is_empty() {
            true => ProjectOverrides::default(),
            false => self.caller.overrides.clone(),
        }
    }

    /// Returns the languages that the caller prefers, then those of the project.
    fn languages(&self) -> &[String] {
        self.languages.get_or_init(|| {
            let mut languages = self.preferred_languages.clone();
            if let Some(Value::Array(spoken)) = self.shop.project().get("languages") {
                languages.extend(spoken.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            languages
        })
    }
}

/// The error for a document that cannot be parsed or serialized as JSON.
#[track_caller]
fn invalid_document(error: kontor_json::Error) -> ApiError {
    ApiError::bug(format!("a document is no JSON object: {error}"))
}

/// The members `data` and `errors` of a response.
#[derive(Debug)]
pub(crate) struct ExecutionResult {
    pub(crate) data: Vec<u8>,
    pub(crate) problems: Vec<GraphQlError>,
    /// The error that replaces the response: memory for it is not available, because other requests use it.
    pub(crate) refused: Option<ApiError>,
}

/// Executes a query. Blocks the thread while it reads.
pub(crate) fn query(
    context: &ExecutionContext,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
    introspected: &Map,
) -> ExecutionResult {
    let question = ExecutableQuery { schema: &context.schema, document, variables };
    let mut execution = Execution::new(context, &question);
    let mut waiting = Vec::new();
    for (requested, node) in execution.root_fields(operation, None) {
        match requested.meaning {
            FieldResolution::TypeName => execution.tree.set_text(node, operation.object_type()),
            FieldResolution::Introspection => {
                if let Some(value) = introspected.get(requested.key) {
                    execution.tree.set_leaf(node, value);
                }
            }
            FieldResolution::Field(field) => {
                let FieldValueSource::Root(root) = field.source else { continue };
                match root::start_query(root, &requested, &question, &DocumentReach::default(), context) {
                    Ok(Some(ViewedValue { wanted, view })) => {
                        if !execution.count_read_value(&wanted, &requested, node) {
                            break;
                        }
                        let visible_references = execution.visible_references(&DocumentReach::default());
                        waiting.push(PendingValue {
                            node,
                            field: requested,
                            wanted,
                            view,
                            visible_references,
                        })
                    }
                    Ok(None) => execution.resolve_absent(&requested, node),
                    Err(error) => execution.report_error(&requested, node, &error),
                }
            }
        }
    }
    execution.run_levels(waiting);
    match context.meter.must_have_room() {
        Ok(()) => execution.finish(),
        Err(refused) => ExecutionResult { data: Vec::new(), problems: Vec::new(), refused: Some(refused) },
    }
}

/// Executes a mutation: applies the changes one after the other, and resolves after each the fields requested of its
/// document.
pub(crate) async fn execute_mutation(
    context: &ExecutionContext,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
) -> ExecutionResult {
    let mut outcome = ExecutionResult { data: b"{".to_vec(), problems: Vec::new(), refused: None };
    let mut is_null = false;
    for (index, change) in list_changes(context, document, operation, variables).into_iter().enumerate() {
        let result = match change {
            Some((root, change)) => {
                let reach = change.reach(root);
                Some((reach, root::execute_change(root, change, context).await))
            }
            None => None,
        };
        let of_field = resolve_change(context, document, operation, variables, index, result);
        if index > 0 {
            outcome.data.push(b',');
        }
        // The only field of the object, without its braces.
        match of_field.data.as_slice() {
            [b'{', field @ .., b'}'] => outcome.data.extend_from_slice(field),
            // `null` in a field that is not nullable makes the whole `data` null, although the other changes are done.
            _ => is_null = true,
        }
        outcome.problems.extend(of_field.problems);
    }
    outcome.data.push(b'}');
    if is_null {
        outcome.data = b"null".to_vec();
    }
    outcome
}

/// Returns the changes of a mutation's fields in order; `None` for `__typename`.
fn list_changes(
    context: &ExecutionContext,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
) -> Vec<Option<(RootOperation, root::MutationInput)>> {
    let question = ExecutableQuery { schema: &context.schema, document, variables };
    let fields = question.root_fields(operation);
    let change = |requested: &RequestedField<'_>| match requested.meaning {
        FieldResolution::Field(OutputField { source: FieldValueSource::Root(root), .. }) => Some(*root),
        _ => None,
    };
    fields
        .iter()
        .map(|requested| Some((change(requested)?, root::MutationInput::from_field(requested, &question))))
        .collect()
}

/// Resolves one field of a mutation.
fn resolve_change(
    context: &ExecutionContext,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
    index: usize,
    result: Option<(DocumentReach, ApiResult<root::ChangeResult>)>,
) -> ExecutionResult {
    let question = ExecutableQuery { schema: &context.schema, document, variables };
    let mut execution = Execution::new(context, &question);
    let Some((requested, node)) = execution.root_fields(operation, Some(index)).pop() else {
        return execution.finish();
    };
    match result {
        None => execution.tree.set_text(node, operation.object_type()),
        Some((reach, Ok(changed))) => {
            let wanted = ValueDependency::Loaded(LoadedValue::Document(changed.body));
            let visible_references = match (execution.visible_references(&reach), changed.signed_in) {
                (Some(scope), Some(principal)) => {
                    Some(Arc::new(ReferenceScope::clone(&scope).with_principal(principal)))
                }
                (scope, _) => scope,
            };
            execution.run_levels(vec![PendingValue {
                node,
                field: requested,
                wanted,
                view: None,
                visible_references,
            }]);
        }
        Some((_, Err(error))) => execution.report_error(&requested, node, &error),
    }
    execution.finish()
}

/// A value that waits for documents.
struct PendingValue<'q> {
    node: NodeId,
    field: Rc<RequestedField<'q>>,
    wanted: ValueDependency,
    /// The view of documents of a kind; `None` for the stored form.
    view: Option<Rc<DocumentView>>,
    visible_references: VisibleReferences,
}

/// One execution: the response so far, and the values that wait for the next level.
struct Execution<'e, 'q> {
    context: &'e ExecutionContext,
    query: &'e ExecutableQuery<'q>,
    tree: ResponseTree<'q>,
    problems: Vec<GraphQlError>,
    next: Vec<PendingValue<'q>>,
    /// Fields of the enclosing object that fields further down depend on.
    passed_fields: Map,
    /// The names of the named values that the current ones are nested in.
    value_names: Vec<String>,
    /// How documents further down are shown.
    view: Option<Rc<DocumentView>>,
    /// Which documents the references of the current value may lead to.
    visible_references: VisibleReferences,
    /// The same for each reach that occurs in the query.
    references_by_reach: Vec<(DocumentReach, VisibleReferences)>,
    is_too_long: bool,
    reads: ReadCounter,
    /// The size of the tree that was charged to the meter, in bytes.
    charged_bytes: usize,
}

impl<'e, 'q> Execution<'e, 'q> {
    fn new(context: &'e ExecutionContext, query: &'e ExecutableQuery<'q>) -> Self {
        Self {
            context,
            query,
            tree: ResponseTree::new(),
            problems: Vec::new(),
            next: Vec::new(),
            passed_fields: Map::new(),
            value_names: Vec::new(),
            view: None,
            visible_references: None,
            references_by_reach: Vec::new(),
            is_too_long: false,
            reads: ReadCounter::default(),
            charged_bytes: 0,
        }
    }

    /// Adds nodes for the root fields, or for the one with index `only`.
    fn root_fields(
        &mut self,
        operation: &'q Operation,
        only: Option<usize>,
    ) -> Vec<(Rc<RequestedField<'q>>, NodeId)> {
        let fields = self.query.root_fields(operation);
        fields
            .iter()
            .enumerate()
            .filter(|(index, _)| only.is_none_or(|only| only == *index))
            .map(|(_, requested)| {
                (Rc::clone(requested), self.tree.field(ROOT, requested.key, requested.ty().is_non_null()))
            })
            .collect()
    }

    /// Returns which documents references below a reach may lead to.
    fn visible_references(&mut self, reach: &DocumentReach) -> VisibleReferences {
        if let Some((_, within)) = self.references_by_reach.iter().find(|(known, _)| known == reach) {
            return within.clone();
        }
        let within = self.context.access_control.references(reach, None);
        self.references_by_reach.push((reach.clone(), within.clone()));
        within
    }

    fn resolve_documents<'d>(
        &mut self,
        requested: &RequestedField<'q>,
        node: NodeId,
        found: impl Iterator<Item = (&'d BorrowedJson<'d>, KindId)>,
        view: Option<&DocumentView>,
    ) {
        self.tree.set_list(node);
        for (document, kind) in found {
            if self.concrete_type(requested, kind).is_some() {
                let element = self.tree.add_element(node, true);
                self.resolve_viewed(requested, element, document, kind, view);
            }
        }
    }

    /// Resolves a document, converted by the view if there is one for its kind.
    fn resolve_viewed(
        &mut self,
        requested: &RequestedField<'q>,
        node: NodeId,
        document: &BorrowedJson<'_>,
        kind: KindId,
        view: Option<&DocumentView>,
    ) {
        let Some(view) = view.filter(|view| view.kind == kind) else {
            return self.resolve_document(requested, node, document, kind);
        };
        let stored = kontor_json::to_vec(document).map(Bytes::from).map_err(invalid_document);
        match stored.and_then(|stored| view.apply(&stored, self.context)) {
            Ok(Some(body)) => match BorrowedJson::from_document(&body) {
                Ok(shown) => self.resolve_document(requested, node, &shown, kind),
                Err(error) => self.report_error(requested, node, &error),
            },
            Ok(None) => self.resolve_absent(requested, node),
            Err(error) => self.report_error(requested, node, &error),
        }
    }

    /// Returns the type of a document of a kind, if the field's type allows it.
    fn concrete_type(
        &self,
        requested: &RequestedField<'q>,
        kind: KindId,
    ) -> Option<(&'q str, &'q OutputType)> {
        let expected = requested.ty().inner_named_type().as_str();
        let (name, output) = self.query.schema.type_of_kind(kind)?;
        (name == expected || output.implements.iter().any(|interface| interface == expected))
            .then_some((name, output))
    }

    fn resolve_document(
        &mut self,
        requested: &RequestedField<'q>,
        node: NodeId,
        document: &BorrowedJson<'_>,
        kind: KindId,
    ) {
        match self.concrete_type(requested, kind) {
            Some((name, output)) => {
                self.resolve_object(requested, node, name, output, ObjectSource::Json(document))
            }
            None => self.resolve_absent(requested, node),
        }
    }

    /// Resolves the fields of an object.
    fn resolve_object(
        &mut self,
        requested: &RequestedField<'q>,
        node: NodeId,
        name: &str,
        output: &'q OutputType,
        subject: ObjectSource<'_>,
    ) {
        self.tree.set_object(node);
        if let (false, ObjectSource::Json(value)) = (output.passed_fields.is_empty(), &subject) {
            let passed_fields = output
                .passed_fields
                .iter()
                .filter_map(|field| Some((*field, value.get(field)?.clone().into_value())));
            self.passed_fields = passed_fields.map(|(field, value)| (field.to_owned(), value)).collect();
        }
        let fields = requested.fields(self.query, name, output);
        for field in fields.iter() {
            if self.is_too_long {
                return;
            }
            if self.tree.len() >= ANSWER_VALUES_MAX || self.tree.bytes() >= ANSWER_BYTES_MAX || !self.charge()
            {
                return self.too_long(field, node);
            }
            let child = self.tree.field(node, field.key, field.ty().is_non_null());
            match field.meaning {
                FieldResolution::TypeName => self.tree.set_text(child, name),
                FieldResolution::Introspection => {}
                FieldResolution::Field(output) => self.resolve(field, output, child, &subject),
            }
        }
    }

    /// Counts what a field has read. Returns false if that was too much: the query ends then, with one error.
    fn count_read_value(
        &mut self,
        dependency: &ValueDependency,
        requested: &RequestedField<'q>,
        node: NodeId,
    ) -> bool {
        if let Err(error) = self.reads.add_wanted(dependency) {
            if !self.is_too_long {
                self.is_too_long = true;
                self.report_error(requested, node, &error);
            }
            return false;
        }
        true
    }

    /// Handles an absent value: leaves `null`, or reports an error if the field is not nullable.
    fn resolve_absent(&mut self, requested: &RequestedField<'q>, node: NodeId) {
        if self.tree.is_required(node) {
            let message = format!("{}: a value that must be there is missing.", requested.field().name);
            self.report_error(requested, node, &ApiError::new(Code::General, message));
        }
    }

    /// Reports an error; the value stays `null`.
    fn report_error(&mut self, requested: &RequestedField<'q>, node: NodeId, error: &ApiError) {
        let path = self.tree.path(node);
        let location = requested.field().location();
        for problem in GraphQlError::from_api_error(error) {
            self.problems
                .push(problem.with_location(location, &self.query.document.sources).with_path(path.clone()));
        }
    }

    fn finish(self) -> ExecutionResult {
        let mut data = Vec::with_capacity(self.tree.text_bytes());
        self.tree.write(&mut data);
        ExecutionResult { data, problems: self.problems, refused: None }
    }
}
