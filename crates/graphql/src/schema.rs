//! The schema of a model: derived once at start, then shared by all requests. Begin at [`Schema::derive`].

use crate::derive::{GraphQlNames, derive};
use crate::reachable_types::{retain_reachable, unknown_names};
use crate::schema_compiler::compile;
use crate::schema_size::SchemaSize;
use crate::schema_types::{InputType, OutputField, OutputType, SchemaTypes, TypeBody};
use crate::sdl_printer::print;
use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::Implementers;
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Schema as Compiled};
use kontor_model::{KindId, Model};

/// The schema of a model.
pub struct Schema {
    pub(crate) types: SchemaTypes,
    pub(crate) compiled: Valid<Compiled>,
    pub(crate) implementers: HashMap<Name, Implementers>,
    /// The type of the documents of each kind.
    type_of_kind: HashMap<KindId, String>,
    pub(crate) size: SchemaSize,
}

impl Schema {
    /// Derives the schema of a model.
    ///
    /// # Errors
    /// A message for each mismatch if the tables of exceptions do not fit the model.
    pub fn derive(model: &Model) -> Result<Self, String> {
        let mut types = derive(model);
        retain_reachable(&mut types);
        let unknown = unknown_names(&types);
        if !unknown.is_empty() {
            return Err(unknown.join("\n"));
        }
        let compiled = compile(&mut types)?;
        let implementers = compiled.implementers_map();
        let size = SchemaSize::measure(&compiled, &implementers);
        let type_of_kind =
            model.kinds().map(|(id, kind)| (id, GraphQlNames::for_kind(kind).object)).collect();
        Ok(Self { types, compiled, implementers, type_of_kind, size })
    }

    /// Returns the schema as SDL, printed at each call.
    pub fn sdl(&self) -> String {
        print(&self.compiled)
    }

    /// Returns the object or interface of a name.
    pub(crate) fn output(&self, name: &str) -> Option<&OutputType> {
        match &self.types.get(name)?.body {
            TypeBody::Output(output) => Some(output),
            _ => None,
        }
    }

    /// Returns a field of an object or interface.
    pub(crate) fn output_field(&self, type_name: &str, field: &str) -> Option<&OutputField> {
        self.output(type_name)?.fields.get(field)
    }

    /// Returns the input object of a name.
    pub(crate) fn input(&self, name: &str) -> Option<&InputType> {
        match &self.types.get(name)?.body {
            TypeBody::Input(input) => Some(input),
            _ => None,
        }
    }

    /// Returns the type of documents of a kind, if the schema has it.
    pub(crate) fn type_of_kind(&self, kind: KindId) -> Option<(&str, &OutputType)> {
        let name = self.type_of_kind.get(&kind)?;
        Some((name.as_str(), self.output(name)?))
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema").field("types", &self.types.len()).finish_non_exhaustive()
    }
}
