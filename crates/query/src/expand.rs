//! Reference expansion: `expand=parent`, `expand=ancestors[*].parent`, `expand=custom.fields.shops[*]`.
//!
//! A path leads to references; [`Expansions::apply`] writes the target of each into `obj`, and a longer path continues
//! inside of that. `[*]` selects every element of a list, `[0]` one. A path without a value is not an error: clients
//! send the same list to several endpoints, and an optional field may be absent in any document.
//! [`Expansions::unknown_names`] returns the names that the model does not know.
//!
//! Source: reference type `Expansion`; <https://docs.commercetools.com/api/general-concepts#reference-expansion>.

use crate::limits::{EXPANDED_REFERENCES_MAX, EXPANSION_DEPTH_MAX, EXPANSION_PATHS_MAX};
use crate::path::{DottedSegment, ListSelector, read_path};
use crate::scope::{NameScope, ScopePlace};
use crate::source::ParameterText;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value};
use kontor_model::{KindId, ReferenceKinds, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// The expansion paths of a request, as a tree with shared beginnings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expansions {
    steps: BTreeMap<ExpansionStep, Expansions>,
    /// A path ends here.
    is_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ExpansionStep {
    Field(String),
    Elements(ListSelector),
}

/// The target of a reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpansionTarget {
    /// The `typeId` of the reference.
    pub type_id: String,
    /// The id of the document.
    pub id: String,
}

/// A loaded target.
#[derive(Debug, Clone)]
pub struct FetchedDocument {
    /// The document.
    pub document: Value,
    /// Its size as JSON text.
    pub bytes: usize,
}

/// Returns 400: a response expands more than [`EXPANDED_REFERENCES_MAX`] references.
pub fn too_many_references() -> ApiError {
    ApiError::invalid_input(format!(
        "Malformed parameter: expand: The expansion paths lead to more than {EXPANDED_REFERENCES_MAX} references."
    ))
}

impl Expansions {
    /// Parses all `expand` parameters of a request.
    ///
    /// # Errors
    /// 400 `InvalidInput` for an invalid path, and for more or longer paths than [`crate::limits`] allow.
    pub fn parse<'t>(texts: impl IntoIterator<Item = &'t str>) -> ApiResult<Expansions> {
        let mut expansions = Expansions::default();
        for (index, text) in texts.into_iter().enumerate() {
            let source = ParameterText { text, parameter: "expand" };
            if index == EXPANSION_PATHS_MAX {
                return Err(ApiError::invalid_input(format!(
                    "Malformed parameter: expand: At most {EXPANSION_PATHS_MAX} expansion paths are allowed."
                )));
            }
            let (segments, end) = read_path(&source, true)?;
            if !text[end..].trim().is_empty() {
                return Err(source.syntax_error(end, &["'.'", "'[*]'", "end of input"]));
            }
            if let Some(beyond) = segments.get(EXPANSION_DEPTH_MAX) {
                let sentence = format!("An expansion path may have at most {EXPANSION_DEPTH_MAX} names.");
                return Err(source.refuse(beyond.at, &sentence));
            }
            expansions.add(&segments);
        }
        Ok(expansions)
    }

    fn add(&mut self, segments: &[DottedSegment]) {
        let mut node = self;
        for segment in segments {
            node = node.steps.entry(ExpansionStep::Field(segment.name.clone())).or_default();
            for elements in &segment.elements {
                node = node.steps.entry(ExpansionStep::Elements(*elements)).or_default();
            }
        }
        node.is_end = true;
    }

    /// True if the request has no `expand` parameter.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Calls `found` with every reference on the paths that has no `obj` yet. In a reference with `obj` the
    /// paths continue: a caller that fills in `obj` and calls again gets the next level.
    pub fn references(&self, document: &mut Value, found: &mut dyn FnMut(&mut Value)) {
        for (step, rest) in &self.steps {
            if let Some(member) = member(document, step) {
                rest.visit(member, found);
            }
        }
    }

    /// Continues at `value`, which the path has reached.
    fn visit(&self, value: &mut Value, found: &mut dyn FnMut(&mut Value)) {
        match value {
            Value::Array(list) => {
                for (step, rest) in &self.steps {
                    match step {
                        ExpansionStep::Elements(ListSelector::All) => {
                            list.iter_mut().for_each(|element| rest.visit(element, found));
                        }
                        ExpansionStep::Elements(ListSelector::Index(index)) => {
                            list.get_mut(*index).into_iter().for_each(|element| rest.visit(element, found));
                        }
                        ExpansionStep::Field(_) => {}
                    }
                }
            }
            Value::Object(members) if ExpansionTarget::from_reference(members).is_some() => {
                match members.get_mut("obj") {
                    Some(expanded) => self.references(expanded, found),
                    None if self.is_end || self.has_next_field() => found(value),
                    None => {}
                }
            }
            _ => self.references(value, found),
        }
    }

    /// Whether the path continues with a field, and not only with elements of a list.
    fn has_next_field(&self) -> bool {
        self.steps.keys().any(|step| matches!(step, ExpansionStep::Field(_)))
    }

    /// Fills in `obj` of every reference in `documents` on the paths. `fetch` returns the documents of targets, in the
    /// order of its argument; `None` for one that does not exist, whose references then stay as they are. It is called
    /// once for each level of the paths, and never twice for a target. `grow` is called before each `obj` is filled in,
    /// with the bytes by which the response grows.
    ///
    /// # Errors
    /// Those of `fetch` and `grow`; 400 `InvalidInput` beyond [`EXPANDED_REFERENCES_MAX`] references.
    pub fn apply(
        &self,
        documents: &mut [Value],
        mut fetch: impl FnMut(&[ExpansionTarget]) -> ApiResult<Vec<Option<FetchedDocument>>>,
        grow: &mut dyn FnMut(usize) -> ApiResult<()>,
    ) -> ApiResult<()> {
        let mut known: BTreeMap<ExpansionTarget, Option<FetchedDocument>> = BTreeMap::new();
        let mut expanded = 0;
        loop {
            let mut wanted = BTreeSet::new();
            let before = expanded;
            let mut refused = None;
            for document in &mut *documents {
                self.references(document, &mut |reference| {
                    let Some(members) = reference.as_object_mut() else { return };
                    let Some(target) = ExpansionTarget::from_reference(members) else { return };
                    match known.get(&target) {
                        // Beyond the limit nothing is filled in; the error follows below.
                        Some(Some(_)) if expanded > EXPANDED_REFERENCES_MAX => {}
                        Some(Some(_)) if refused.is_some() => {}
                        Some(Some(found)) => match grow(found.bytes) {
                            Ok(()) => {
                                members.insert("obj", found.document.clone());
                                expanded += 1;
                            }
                            Err(error) => refused = Some(error),
                        },
                        Some(None) => {}
                        None => {
                            wanted.insert(target);
                        }
                    }
                });
            }
            if let Some(refused) = refused {
                return Err(refused);
            }
            if expanded > EXPANDED_REFERENCES_MAX || wanted.len() > EXPANDED_REFERENCES_MAX {
                return Err(too_many_references());
            }
            if wanted.is_empty() && expanded == before {
                return Ok(());
            }
            let targets: Vec<ExpansionTarget> = wanted.into_iter().collect();
            if !targets.is_empty() {
                let mut found = fetch(&targets)?.into_iter();
                known.extend(targets.into_iter().map(|target| (target, found.next().flatten())));
            }
        }
    }

    /// Returns the names in the paths that the model does not know, as `path.to.name`: for a warning to the caller,
    /// since these paths expand nothing.
    pub fn unknown_names(&self, scope: &NameScope<'_>) -> Vec<String> {
        let mut unknown = Vec::new();
        self.collect_unknown(scope, &scope.root(), "", &mut unknown);
        unknown
    }

    /// Returns the kinds of the expanded references, as far as the model defines them.
    pub fn expanded_kinds(&self, scope: &NameScope<'_>) -> BTreeSet<KindId> {
        let mut kinds = BTreeSet::new();
        self.collect_kinds(scope, &scope.root(), &mut kinds);
        kinds
    }

    fn collect_kinds<'a>(&self, scope: &NameScope<'a>, place: &ScopePlace<'a>, kinds: &mut BTreeSet<KindId>) {
        for (step, rest) in &self.steps {
            let ExpansionStep::Field(name) = step else {
                rest.collect_kinds(scope, place, kinds);
                continue;
            };
            let Some(field) = scope.field(place, name) else { continue };
            let below = match field.shape.element() {
                Shape::Reference(targets) => {
                    if let ReferenceKinds::Kinds(targets) = targets {
                        kinds.extend(targets);
                    }
                    Some(documents(scope, targets))
                }
                _ => scope.nested_place(&field),
            };
            if let Some(below) = below {
                rest.collect_kinds(scope, &below, kinds);
            }
        }
    }

    fn collect_unknown<'a>(
        &self,
        scope: &NameScope<'a>,
        place: &ScopePlace<'a>,
        above: &str,
        unknown: &mut Vec<String>,
    ) {
        for (step, rest) in &self.steps {
            let ExpansionStep::Field(name) = step else {
                // The place of a list is that of its elements.
                rest.collect_unknown(scope, place, above, unknown);
                continue;
            };
            let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
            match scope.field(place, name) {
                None => unknown.push(path),
                Some(field) => {
                    let below = match field.shape.element() {
                        Shape::Reference(targets) => Some(documents(scope, targets)),
                        _ => scope.nested_place(&field),
                    };
                    if let Some(below) = below {
                        rest.collect_unknown(scope, &below, &path, unknown);
                    }
                }
            }
        }
    }
}

/// Returns the fields of the possible targets of a reference.
fn documents<'a>(scope: &NameScope<'a>, targets: &ReferenceKinds) -> ScopePlace<'a> {
    match (targets, scope.model) {
        (ReferenceKinds::Kinds(kinds), Some(model)) => {
            let kinds = kinds.iter().map(|kind| model.kind(*kind));
            // The model has no fields of kinds that are not served.
            match kinds.clone().all(|kind| kind.is_served) {
                true => ScopePlace::Objects(kinds.map(|kind| model.object(kind.object)).collect()),
                false => ScopePlace::Open,
            }
        }
        _ => ScopePlace::Open,
    }
}

impl ExpansionTarget {
    /// Returns the target of an object, if it is a reference.
    fn from_reference(members: &Map) -> Option<ExpansionTarget> {
        let text = |name| members.get(name).and_then(Value::as_str);
        Some(ExpansionTarget { type_id: text("typeId")?.to_owned(), id: text("id")?.to_owned() })
    }
}

fn member<'v>(document: &'v mut Value, step: &ExpansionStep) -> Option<&'v mut Value> {
    match step {
        ExpansionStep::Field(name) => document.as_object_mut()?.get_mut(name),
        ExpansionStep::Elements(_) => None,
    }
}
