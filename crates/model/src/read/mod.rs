//! The model reader: parses SDL into a [`Model`], or returns problems.
//!
//! Two passes. The first gives every declared name its index ([`names`]); the second builds shapes, kinds and
//! actions with all names resolved. Reading continues after an error, so that all are reported at once.

mod actions;
mod allowed_directives;
mod directives;
mod endpoints;
mod fields;
mod imports;
mod kinds;
mod lists;
mod names;
mod operations;
mod ownership;
mod paths;
#[cfg(test)]
mod readme;
mod scalars;
mod services;
mod setting_overrides;
mod staged;
mod views;

use crate::operation;
use crate::problem::{Problem, Problems};
use crate::{Message, Model};
use apollo_compiler::ast::{Definition, Document};
use apollo_compiler::parser::{SourceMap, SourceSpan};
use apollo_compiler::validation::WithErrors;
use directives::Directives;
use names::DeclaredNames;
use std::iter;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Maximum number of parser threads; the model is too small for more.
const PARSERS_MAX: usize = 4;

/// A file of the model.
#[derive(Debug, Clone)]
pub struct ModelFile<'a> {
    /// The name of the file, for problems.
    pub name: String,
    /// The content, in SDL.
    pub text: &'a str,
}

/// The state of both passes: the problems found so far and the current file.
pub(crate) struct ModelReader {
    problems: Vec<Problem>,
    sources: SourceMap,
}

impl ModelReader {
    /// Reports a mistake at a place of the current file.
    pub(crate) fn problem(&mut self, place: Option<SourceSpan>, message: impl Into<String>) {
        let start = place.and_then(|span| span.line_column(&self.sources));
        let file = place
            .and_then(|span| self.sources.get(&span.file_id()))
            .map_or_else(String::new, |file| file.path().display().to_string());
        self.problems.push(Problem {
            file,
            line: start.as_ref().map_or(1, |at| at.line),
            column: start.as_ref().map_or(1, |at| at.column),
            message: message.into(),
        });
    }
}

/// Reads all sources into one model.
///
/// # Errors
/// All mistakes in them.
pub(crate) fn read(sources: &[ModelFile<'_>]) -> Result<Model, Problems> {
    let mut reader = ModelReader { problems: Vec::new(), sources: SourceMap::default() };
    let mut documents = Vec::new();
    for (source, parsed) in sources.iter().zip(parse_sources(sources)) {
        match parsed {
            Ok(document) => documents.push(document),
            Err(failed) => {
                for error in failed.errors.iter() {
                    let at = error.line_column_range().map(|range| range.start);
                    reader.problems.push(Problem {
                        file: source.name.clone(),
                        line: at.as_ref().map_or(1, |at| at.line),
                        column: at.as_ref().map_or(1, |at| at.column),
                        message: error.error.to_string(),
                    });
                }
            }
        }
    }
    let mut names = DeclaredNames::default();
    for document in &documents {
        reader.sources = document.sources.clone();
        for definition in &document.definitions {
            names.declare(definition, &mut reader);
        }
    }
    let mut model = names.empty_model();
    for document in &documents {
        reader.sources = document.sources.clone();
        for definition in &document.definitions {
            define(definition, &names, &mut model, &mut reader);
        }
    }
    // Actions need the finished objects, so they are read in a separate pass.
    for document in &documents {
        reader.sources = document.sources.clone();
        for definition in &document.definitions {
            if let Definition::ObjectTypeDefinition(object) = definition {
                actions::define(object, &names, &mut model, &mut reader);
                endpoints::define(object, &names, &mut model, &mut reader);
                lists::define(object, &names, &mut model, &mut reader);
                views::define(object, &names, &mut model, &mut reader);
                services::define(object, &names, &mut model, &mut reader);
            }
        }
    }
    staged::derive(&mut model, &mut reader);
    paths::derive(&names, &mut model);
    ownership::derive(&mut model, &mut reader);
    setting_overrides::derive(&mut model, &mut reader);
    if !reader.problems.is_empty() {
        return Err(Problems(reader.problems));
    }
    model.operations = operation::table(&model);
    Ok(model)
}

/// Parses the files, in their order. Most of the time to read a model is spent here, so several threads share the
/// work.
fn parse_sources(sources: &[ModelFile<'_>]) -> Vec<Result<Document, WithErrors<Document>>> {
    let next = AtomicUsize::new(0);
    let parse_what_is_left = || {
        let positions = iter::repeat_with(|| next.fetch_add(1, Relaxed));
        let left = positions.map_while(|position| Some((position, sources.get(position)?)));
        left.map(|(position, source)| (position, Document::parse(source.text, &source.name)))
            .collect::<Vec<_>>()
    };
    let mut all = thread::scope(|scope| {
        let helpers = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(PARSERS_MAX) - 1;
        let helping: Vec<_> = (0..helpers).map(|_| scope.spawn(parse_what_is_left)).collect();
        let mut all = parse_what_is_left();
        for helper in helping {
            all.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(position, _)| *position);
    all.into_iter().map(|(_, parsed)| parsed).collect()
}

fn define(definition: &Definition, names: &DeclaredNames, model: &mut Model, reader: &mut ModelReader) {
    match definition {
        Definition::ObjectTypeDefinition(object) => {
            let directives = Directives::read(&object.directives, allowed_directives::ON_TYPE, reader);
            if let Some(directive) = directives.get("message") {
                let fields = fields::of_type(object, names, reader);
                let resource = directive.text("of", reader).unwrap_or_default();
                if let Some(id) = names.message(object.name.as_str()) {
                    model.messages[id.index()] = Message {
                        name: object.name.to_string(),
                        doc: fields::doc(object.description.as_ref()),
                        resource,
                        fields,
                        masked: Vec::new(),
                    };
                }
            } else if let Some(given) = directives.get("staged") {
                staged::define(object, given, names, model, reader);
            } else if let Some(id) = names.object(object.name.as_str()) {
                kinds::define(object, &directives, names, model, reader);
                if let Some(given) = directives.get("me") {
                    ownership::me_access(object, given, names, model, reader);
                }
                let inherited = match directives.get("resource") {
                    Some(given) => fields::inherited(&given.texts("inherits", reader), names, reader),
                    None => Vec::new(),
                };
                let entry = &mut model.objects[id.index()];
                entry.doc = fields::doc(object.description.as_ref());
                entry.tag = directives.get("value").and_then(|directive| directive.only_text(reader));
                entry.complete = directives.get("complete").and_then(|directive| directive.only_text(reader));
                let own = fields::of_type(object, names, reader);
                // A field of the resource itself replaces an inherited one.
                let inherited = inherited
                    .into_iter()
                    .filter(|field| own.iter().all(|other| other.name != field.name))
                    .collect::<Vec<_>>();
                for field in inherited.into_iter().chain(own) {
                    entry.push(field);
                }
            }
        }
        Definition::InputObjectTypeDefinition(input) => {
            let directives = Directives::read(&input.directives, allowed_directives::ON_INPUT, reader);
            let Some(id) = names.object(input.name.as_str()) else { return };
            if let Some(given) = directives.get("import") {
                imports::define(input.name.as_str(), given, names, model, reader);
            }
            let entry = &mut model.objects[id.index()];
            entry.doc = fields::doc(input.description.as_ref());
            entry.tag = directives.get("value").and_then(|directive| directive.only_text(reader));
            entry.complete = directives.get("complete").and_then(|directive| directive.only_text(reader));
            for field in fields::of_input(&input.fields, names, reader) {
                entry.push(field);
            }
        }
        Definition::UnionTypeDefinition(union) => kinds::define_union(union, names, model, reader),
        Definition::EnumTypeDefinition(values) => kinds::define_enum(values, names, model, reader),
        _ => {}
    }
}
