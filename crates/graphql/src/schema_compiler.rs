//! Compiles the derived types into the schema of the GraphQL library (`apollo-compiler`), which validates queries.
//! Start at [`compile`].

use crate::schema_types::{FieldArgument, InputType, OutputField, OutputType, SchemaTypes, TypeBody};
use apollo_compiler::ast::{
    self, Directive, EnumValueDefinition, FieldDefinition, InputValueDefinition, Type, Value,
};
use apollo_compiler::collections::IndexMap;
use apollo_compiler::schema::{
    Component, ComponentName, EnumType, ExtendedType, InputObjectType, InterfaceType, ObjectType, ScalarType,
};
use apollo_compiler::validation::Valid;
use apollo_compiler::{InvalidNameError, Name, Node, Schema, name};
use std::collections::{HashMap, HashSet};
use std::mem::take;

/// The message of the library when it rejects a name or a type.
type CompileError = String;

/// Compiles the types into the library's schema, with `Query` and `Mutation` first and the others by name. Moves
/// everything that clients read (descriptions, types, arguments) out of `types`, so that it is in memory once.
pub(crate) fn compile(types: &mut SchemaTypes) -> Result<Valid<Schema>, CompileError> {
    types.sort_by(|left, _, right, _| (rank(left), left).cmp(&(rank(right), right)));
    let mut compiling = SchemaCompiler::default();
    let mut schema = Schema::new();
    let definition = schema.schema_definition.make_mut();
    definition.query = Some(ComponentName::from(name!("Query")));
    let has_mutations = types.contains_key("Mutation");
    definition.mutation = has_mutations.then(|| ComponentName::from(name!("Mutation")));
    for (name, entry) in types.iter_mut() {
        let name = compiling.name(name)?;
        let description = description(&take(&mut entry.doc));
        let compiled = match &mut entry.body {
            TypeBody::Scalar(_) => {
                ScalarType { description, name: name.clone(), directives: <_>::default() }.into()
            }
            TypeBody::Enum(constants) => compiling.enumeration(&name, description, constants)?,
            TypeBody::Output(output) => compiling.output(&name, description, output)?,
            TypeBody::Input(input) => compiling.input(&name, description, input)?,
        };
        schema.types.insert(name, compiled);
    }
    schema.validate().map_err(|invalid| invalid.errors.to_string())
}

fn rank(name: &str) -> usize {
    match name {
        "Query" => 0,
        "Mutation" => 1,
        _ => 2,
    }
}

/// Compiles types. Shares equal names and types, so that each is in memory once.
#[derive(Default)]
struct SchemaCompiler {
    names: HashSet<Name>,
    types: HashMap<String, Node<Type>>,
}

impl SchemaCompiler {
    fn name(&mut self, text: &str) -> Result<Name, CompileError> {
        if let Some(name) = self.names.get(text) {
            return Ok(name.clone());
        }
        let name = Name::new(text).map_err(|refused: InvalidNameError| refused.to_string())?;
        self.names.insert(name.clone());
        Ok(name)
    }

    /// Parses a type in SDL, e.g. `[State!]!`.
    fn ty(&mut self, sdl: &str) -> Result<Node<Type>, CompileError> {
        if let Some(ty) = self.types.get(sdl) {
            return Ok(ty.clone());
        }
        let ty = Node::new(self.parse_type(sdl)?);
        self.types.insert(sdl.to_owned(), ty.clone());
        Ok(ty)
    }

    fn parse_type(&mut self, sdl: &str) -> Result<Type, CompileError> {
        if let Some(nullable) = sdl.strip_suffix('!') {
            return Ok(self.parse_type(nullable)?.non_null());
        }
        match sdl.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(element) => Ok(self.parse_type(element)?.list()),
            None => Ok(Type::Named(self.name(sdl)?)),
        }
    }

    fn enumeration(
        &mut self,
        name: &Name,
        doc: Option<Node<str>>,
        constants: &mut [(String, String)],
    ) -> Result<ExtendedType, CompileError> {
        let mut values = IndexMap::default();
        for (constant, doc) in constants {
            let value = self.name(constant)?;
            let entry = EnumValueDefinition {
                description: description(&take(doc)),
                value: value.clone(),
                directives: ast::DirectiveList::default(),
            };
            values.insert(value, Component::new(entry));
        }
        Ok(EnumType { description: doc, name: name.clone(), directives: <_>::default(), values }.into())
    }

    fn output(
        &mut self,
        name: &Name,
        description: Option<Node<str>>,
        output: &mut OutputType,
    ) -> Result<ExtendedType, CompileError> {
        let implemented = output.implements.iter().map(|name| Ok(ComponentName::from(self.name(name)?)));
        let implements_interfaces = implemented.collect::<Result<_, CompileError>>()?;
        let mut fields = IndexMap::default();
        for (name, field) in &mut output.fields {
            let name = self.name(name)?;
            fields.insert(name.clone(), Component::new(self.field(name, field)?));
        }
        let (name, directives) = (name.clone(), <_>::default());
        Ok(match output.interface {
            Some(_) => InterfaceType { description, name, implements_interfaces, directives, fields }.into(),
            None => ObjectType { description, name, implements_interfaces, directives, fields }.into(),
        })
    }

    fn field(&mut self, name: Name, field: &mut OutputField) -> Result<FieldDefinition, CompileError> {
        let arguments = take(&mut field.arguments)
            .into_iter()
            .map(|FieldArgument { name, ty, doc }| Ok(Node::new(self.input_value(&name, &ty, doc)?)));
        Ok(FieldDefinition {
            name,
            arguments: arguments.collect::<Result<_, CompileError>>()?,
            description: description(&take(&mut field.doc)),
            ty: Type::clone(&*self.ty(&take(&mut field.ty))?),
            directives: deprecated(field.deprecated),
        })
    }

    fn input(
        &mut self,
        name: &Name,
        description: Option<Node<str>>,
        input: &mut InputType,
    ) -> Result<ExtendedType, CompileError> {
        let mut fields = IndexMap::default();
        for (name, field) in &mut input.fields {
            let sent = self.input_value(name, &take(&mut field.ty), &take(&mut field.doc))?;
            fields.insert(sent.name.clone(), Component::new(sent));
        }
        Ok(InputObjectType { description, name: name.clone(), directives: <_>::default(), fields }.into())
    }

    /// Compiles an argument or a field of an input object. `sdl` is its type with an optional default, e.g. `Int = 20`.
    /// Never marks it as deprecated: the usual introspection query omits deprecated inputs, and the official schema has
    /// none.
    fn input_value(
        &mut self,
        name: &str,
        sdl: &str,
        doc: &str,
    ) -> Result<InputValueDefinition, CompileError> {
        let (ty, default) = match sdl.split_once(" = ") {
            Some((ty, default)) => (ty, Some(Node::new(self.value(default)?))),
            None => (sdl, None),
        };
        Ok(InputValueDefinition {
            description: description(doc),
            name: self.name(name)?,
            ty: self.ty(ty)?,
            default_value: default,
            directives: ast::DirectiveList::default(),
        })
    }

    /// Parses a default: a constant of an enum, a number, a boolean, or an empty list.
    fn value(&mut self, sdl: &str) -> Result<Value, CompileError> {
        Ok(match sdl {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            "[]" => Value::List(Vec::new()),
            number if let Ok(number) = number.parse::<i32>() => Value::Int(number.into()),
            constant => Value::Enum(self.name(constant)?),
        })
    }
}

fn description(doc: &str) -> Option<Node<str>> {
    (!doc.is_empty()).then(|| Node::new_str(doc))
}

fn deprecated(is: bool) -> ast::DirectiveList {
    let directive = || Node::new(Directive { name: name!("deprecated"), arguments: Vec::new() });
    ast::DirectiveList(is.then(directive).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use apollo_compiler::Schema;
    use kontor_model::Model;

    #[test]
    fn compiled_schema_equals_its_parsed_sdl() {
        let schema = crate::Schema::derive(&Model::embedded().unwrap()).unwrap();
        let parsed = Schema::parse_and_validate(schema.sdl(), "schema.graphql").unwrap();
        assert!(parsed.types.keys().eq(schema.compiled.types.keys()));
        assert!(*parsed == *schema.compiled);
    }
}
