//! Executes queries and mutations level by level, so that the documents of a level are read together.
//!
//! A level begins with values that wait for documents. Each value is resolved as far as those documents allow; fields
//! that need further documents wait for the next level. So the number of reads depends on the number of levels and
//! kinds, not on the number of references. Begin at [`query`] and [`mutation`]; `level` has the loop.

mod collect;
mod elements;
mod find;
mod follow;
mod found;
mod level;
mod load;
mod parameter_search;
mod reads;
mod references;
mod resolve;
mod root;
mod search;
mod side;
mod size;
mod subject;
mod tree;
mod view;
mod window;

use crate::derived::{Output, OutputField, Root, Source};
use crate::gate::{Gate, Reach};
use crate::json::Json;
use crate::limits::{ANSWER_BYTES_MAX, ANSWER_VALUES_MAX};
use crate::problem::Problem;
use crate::schema::Schema;
use apollo_compiler::executable::{ExecutableDocument, Operation};
use bytes::Bytes;
use collect::{Asked, MeantAs, Question};
use kontor_engine::{Caller, ResponseMeter, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_finding::Finder;
use kontor_json::{Map, Value};
use kontor_model::KindId;
use load::{Loaded, Wanted, Within};
use reads::Reads;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use subject::Subject;
use tree::{NodeId, ROOT, Tree};
use view::{Started, View};

/// The caller of a query, and the project that it runs in.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) schema: Arc<Schema>,
    pub(crate) finder: Arc<Finder>,
    pub(crate) shop: Arc<Shop>,
    pub(crate) gate: Arc<dyn Gate>,
    pub(crate) caller: Caller,
    /// Counts the memory of the growing response, and ends the query when the client has disconnected.
    pub(crate) meter: ResponseMeter,
    /// Languages that the caller prefers for localized strings.
    pub(crate) wanted: Vec<String>,
    /// Languages for localized strings that no argument chooses, determined when the first one is needed.
    pub(crate) languages: OnceLock<Vec<String>>,
}

impl Context {
    /// Returns the languages that the caller prefers, then those of the project.
    fn languages(&self) -> &[String] {
        self.languages.get_or_init(|| {
            let mut languages = self.wanted.clone();
            if let Some(Value::Array(spoken)) = self.shop.project().get("languages") {
                languages.extend(spoken.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            languages
        })
    }
}

/// The error for a document that cannot be parsed or serialized as JSON.
#[track_caller]
fn no_document(error: kontor_json::Error) -> ApiError {
    ApiError::bug(format!("a document is no JSON object: {error}"))
}

/// The members `data` and `errors` of a response.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) data: Vec<u8>,
    pub(crate) problems: Vec<Problem>,
    /// The error that replaces the response: memory for it is not available, because other requests use it.
    pub(crate) refused: Option<ApiError>,
}

/// Executes a query. Blocks the thread while it reads.
pub(crate) fn query(
    context: &Context,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
    introspected: &Map,
) -> Outcome {
    let question = Question { schema: &context.schema, document, variables };
    let mut execution = Execution::new(context, &question);
    let mut waiting = Vec::new();
    for (asked, node) in execution.root_fields(operation, None) {
        match asked.meaning {
            MeantAs::TypeName => execution.tree.set_text(node, operation.object_type()),
            MeantAs::Introspection => {
                if let Some(value) = introspected.get(asked.key) {
                    execution.tree.set_leaf(node, value);
                }
            }
            MeantAs::Field(field) => {
                let Source::Root(root) = field.source else { continue };
                match root::query(root, &asked, &question, &Reach::default(), context) {
                    Ok(Some(Started { wanted, view })) => {
                        if !execution.has_read(&wanted, &asked, node) {
                            break;
                        }
                        let within = execution.within(&Reach::default());
                        waiting.push(WaitingObject { node, asked, wanted, view, within })
                    }
                    Ok(None) => execution.nothing(&asked, node),
                    Err(error) => execution.refuse(&asked, node, &error),
                }
            }
        }
    }
    execution.work(waiting);
    match context.meter.must_have_room() {
        Ok(()) => execution.finish(),
        Err(refused) => Outcome { data: Vec::new(), problems: Vec::new(), refused: Some(refused) },
    }
}

/// Executes a mutation: applies the changes one after the other, and resolves after each the fields requested of its
/// document.
pub(crate) async fn mutation(
    context: &Context,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
) -> Outcome {
    let mut outcome = Outcome { data: b"{".to_vec(), problems: Vec::new(), refused: None };
    let mut is_null = false;
    for (index, change) in changes(context, document, operation, variables).into_iter().enumerate() {
        let result = match change {
            Some((root, change)) => {
                let reach = change.reach(root);
                Some((reach, root::change(root, change, context).await))
            }
            None => None,
        };
        let of_field = changed(context, document, operation, variables, index, result);
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
fn changes(
    context: &Context,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
) -> Vec<Option<(Root, root::Change)>> {
    let question = Question { schema: &context.schema, document, variables };
    let fields = question.root_fields(operation);
    let change = |asked: &Asked<'_>| match asked.meaning {
        MeantAs::Field(OutputField { source: Source::Root(root), .. }) => Some(*root),
        _ => None,
    };
    fields.iter().map(|asked| Some((change(asked)?, root::Change::of(asked, &question)))).collect()
}

/// Resolves one field of a mutation.
fn changed(
    context: &Context,
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &Map,
    index: usize,
    result: Option<(Reach, ApiResult<Bytes>)>,
) -> Outcome {
    let question = Question { schema: &context.schema, document, variables };
    let mut execution = Execution::new(context, &question);
    let Some((asked, node)) = execution.root_fields(operation, Some(index)).pop() else {
        return execution.finish();
    };
    match result {
        None => execution.tree.set_text(node, operation.object_type()),
        Some((reach, Ok(value))) => {
            let wanted = Wanted::Loaded(Loaded::Document(value));
            let within = execution.within(&reach);
            execution.work(vec![WaitingObject { node, asked, wanted, view: None, within }]);
        }
        Some((_, Err(error))) => execution.refuse(&asked, node, &error),
    }
    execution.finish()
}

/// A value that waits for documents.
struct WaitingObject<'q> {
    node: NodeId,
    asked: Rc<Asked<'q>>,
    wanted: Wanted,
    /// The view of documents of a kind; `None` for the stored form.
    view: Option<Rc<View>>,
    within: Within,
}

/// One execution: the response so far, and the values that wait for the next level.
struct Execution<'e, 'q> {
    context: &'e Context,
    question: &'e Question<'q>,
    tree: Tree<'q>,
    problems: Vec<Problem>,
    next: Vec<WaitingObject<'q>>,
    /// Fields of the enclosing object that fields further down depend on.
    told: Map,
    /// The names of the named values that the current ones are nested in.
    value_names: Vec<String>,
    /// How documents further down are shown.
    view: Option<Rc<View>>,
    /// Which documents the references of the current value may lead to.
    within: Within,
    /// The same for each reach that occurs in the query.
    known_within: Vec<(Reach, Within)>,
    is_too_long: bool,
    reads: Reads,
    /// The size of the tree that was charged to the meter, in bytes.
    charged_bytes: usize,
}

impl<'e, 'q> Execution<'e, 'q> {
    fn new(context: &'e Context, question: &'e Question<'q>) -> Self {
        Self {
            context,
            question,
            tree: Tree::new(),
            problems: Vec::new(),
            next: Vec::new(),
            told: Map::new(),
            value_names: Vec::new(),
            view: None,
            within: None,
            known_within: Vec::new(),
            is_too_long: false,
            reads: Reads::default(),
            charged_bytes: 0,
        }
    }

    /// Adds nodes for the root fields, or for the one with index `only`.
    fn root_fields(&mut self, operation: &'q Operation, only: Option<usize>) -> Vec<(Rc<Asked<'q>>, NodeId)> {
        let fields = self.question.root_fields(operation);
        fields
            .iter()
            .enumerate()
            .filter(|(index, _)| only.is_none_or(|only| only == *index))
            .map(|(_, asked)| (Rc::clone(asked), self.tree.field(ROOT, asked.key, asked.ty().is_non_null())))
            .collect()
    }

    /// Returns which documents references below a reach may lead to.
    fn within(&mut self, reach: &Reach) -> Within {
        if let Some((_, within)) = self.known_within.iter().find(|(known, _)| known == reach) {
            return within.clone();
        }
        let within = self.context.gate.references(reach, None);
        self.known_within.push((reach.clone(), within.clone()));
        within
    }

    fn documents<'d>(
        &mut self,
        asked: &Asked<'q>,
        node: NodeId,
        found: impl Iterator<Item = (&'d Json<'d>, KindId)>,
        view: Option<&View>,
    ) {
        self.tree.set_list(node);
        for (document, kind) in found {
            if self.concrete(asked, kind).is_some() {
                let element = self.tree.element(node, true);
                self.viewed(asked, element, document, kind, view);
            }
        }
    }

    /// Resolves a document, converted by the view if there is one for its kind.
    fn viewed(
        &mut self,
        asked: &Asked<'q>,
        node: NodeId,
        document: &Json<'_>,
        kind: KindId,
        view: Option<&View>,
    ) {
        let Some(view) = view.filter(|view| view.kind == kind) else {
            return self.document(asked, node, document, kind);
        };
        let stored = kontor_json::to_vec(document).map(Bytes::from).map_err(no_document);
        match stored.and_then(|stored| view.show(&stored, self.context)) {
            Ok(Some(body)) => match Json::of_document(&body) {
                Ok(shown) => self.document(asked, node, &shown, kind),
                Err(error) => self.refuse(asked, node, &error),
            },
            Ok(None) => self.nothing(asked, node),
            Err(error) => self.refuse(asked, node, &error),
        }
    }

    /// Returns the type of a document of a kind, if the field's type allows it.
    fn concrete(&self, asked: &Asked<'q>, kind: KindId) -> Option<(&'q str, &'q Output)> {
        let expected = asked.ty().inner_named_type().as_str();
        let (name, output) = self.question.schema.type_of_kind(kind)?;
        (name == expected || output.implements.iter().any(|interface| interface == expected))
            .then_some((name, output))
    }

    fn document(&mut self, asked: &Asked<'q>, node: NodeId, document: &Json<'_>, kind: KindId) {
        match self.concrete(asked, kind) {
            Some((name, output)) => self.object(asked, node, name, output, Subject::Json(document)),
            None => self.nothing(asked, node),
        }
    }

    /// Resolves the fields of an object.
    fn object(
        &mut self,
        asked: &Asked<'q>,
        node: NodeId,
        name: &str,
        output: &'q Output,
        subject: Subject<'_>,
    ) {
        self.tree.set_object(node);
        if let (false, Subject::Json(value)) = (output.told.is_empty(), &subject) {
            let told =
                output.told.iter().filter_map(|field| Some((*field, value.get(field)?.clone().into_value())));
            self.told = told.map(|(field, value)| (field.to_owned(), value)).collect();
        }
        let fields = asked.fields(self.question, name, output);
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
                MeantAs::TypeName => self.tree.set_text(child, name),
                MeantAs::Introspection => {}
                MeantAs::Field(output) => self.resolve(field, output, child, &subject),
            }
        }
    }

    /// Counts what a field has read. Returns false if that was too much: the query ends then, with one error.
    fn has_read(&mut self, wanted: &Wanted, asked: &Asked<'q>, node: NodeId) -> bool {
        if let Err(error) = self.reads.add_wanted(wanted) {
            if !self.is_too_long {
                self.is_too_long = true;
                self.refuse(asked, node, &error);
            }
            return false;
        }
        true
    }

    /// Handles an absent value: leaves `null`, or reports an error if the field is not nullable.
    fn nothing(&mut self, asked: &Asked<'q>, node: NodeId) {
        if self.tree.is_required(node) {
            let message = format!("{}: a value that must be there is missing.", asked.field().name);
            self.refuse(asked, node, &ApiError::new(Code::General, message));
        }
    }

    /// Reports an error; the value stays `null`.
    fn refuse(&mut self, asked: &Asked<'q>, node: NodeId, error: &ApiError) {
        let path = self.tree.path(node);
        let location = asked.field().location();
        for problem in Problem::all(error) {
            self.problems.push(problem.located(location, &self.question.document.sources).at(path.clone()));
        }
    }

    fn finish(self) -> Outcome {
        let mut data = Vec::with_capacity(self.tree.text_bytes());
        self.tree.write(&mut data);
        Outcome { data, problems: self.problems, refused: None }
    }
}
