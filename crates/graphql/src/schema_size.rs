//! The size of the schema, so that introspection queries count by the size of their response.

use apollo_compiler::Name;
use apollo_compiler::Schema as Compiled;
use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::{ExtendedType, Implementers};

/// The numbers of types and of their parts.
#[derive(Debug, Default)]
pub(crate) struct SchemaSize {
    types: usize,
    directives: usize,
    /// The parts of an average type.
    usual: TypePartCounts,
    /// The parts of the largest type: for types requested by name and for the roots of operations.
    largest: TypePartCounts,
}

/// The numbers of parts of a type.
#[derive(Debug, Default, Clone, Copy)]
struct TypePartCounts {
    fields: usize,
    arguments_of_field: usize,
    input_fields: usize,
    enum_values: usize,
    interfaces: usize,
    possible_types: usize,
}

/// Number of arguments of a directive, and of places where it is allowed.
const OF_DIRECTIVE: usize = 5;

/// Which type an introspection field is estimated by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeEstimate {
    /// An average type.
    Usual,
    /// The largest type.
    Largest,
}

impl SchemaSize {
    /// Counts the types of a schema and their parts.
    pub(crate) fn measure(schema: &Compiled, implementers: &HashMap<Name, Implementers>) -> Self {
        let each: Vec<TypePartCounts> =
            schema.types.values().map(|one| TypePartCounts::from_type(one, implementers)).collect();
        let types = each.len();
        let mean = |count: fn(&TypePartCounts) -> usize| {
            each.iter().map(count).sum::<usize>().div_ceil(types.max(1))
        };
        let most = |count: fn(&TypePartCounts) -> usize| each.iter().map(count).max().unwrap_or(0);
        let fields = each.iter().map(|one| one.fields).sum::<usize>().max(1);
        let arguments = each.iter().map(|one| one.arguments_of_field).sum::<usize>();
        let arguments_of_largest = each.iter().max_by_key(|one| one.fields).copied().unwrap_or_default();
        Self {
            types,
            directives: schema.directive_definitions.len(),
            usual: TypePartCounts {
                fields: mean(|one| one.fields),
                arguments_of_field: arguments.div_ceil(fields),
                input_fields: mean(|one| one.input_fields),
                enum_values: mean(|one| one.enum_values),
                interfaces: mean(|one| one.interfaces),
                possible_types: mean(|one| one.possible_types),
            },
            largest: TypePartCounts {
                fields: most(|one| one.fields),
                arguments_of_field: arguments_of_largest
                    .arguments_of_field
                    .div_ceil(arguments_of_largest.fields.max(1)),
                input_fields: most(|one| one.input_fields),
                enum_values: most(|one| one.enum_values),
                interfaces: most(|one| one.interfaces),
                possible_types: most(|one| one.possible_types),
            },
        }
    }

    /// Returns the number of values of an introspection field, and the types below them.
    pub(crate) fn values(&self, parent: &str, field: &str, which: TypeEstimate) -> (usize, TypeEstimate) {
        let of_type = match which {
            TypeEstimate::Usual => self.usual,
            TypeEstimate::Largest => self.largest,
        };
        match (parent, field) {
            (_, "__type" | "queryType" | "mutationType") => (1, TypeEstimate::Largest),
            (_, "types") => (self.types, TypeEstimate::Usual),
            (_, "directives") => (self.directives, TypeEstimate::Usual),
            ("__Directive", "args" | "locations") => (OF_DIRECTIVE, TypeEstimate::Usual),
            ("__Type", "fields") => (of_type.fields, which),
            ("__Field", "args") => (of_type.arguments_of_field, which),
            ("__Type", "inputFields") => (of_type.input_fields, which),
            ("__Type", "enumValues") => (of_type.enum_values, which),
            ("__Type", "interfaces") => (of_type.interfaces, TypeEstimate::Usual),
            ("__Type", "possibleTypes") => (of_type.possible_types, TypeEstimate::Usual),
            (_, "type" | "ofType") => (1, TypeEstimate::Usual),
            _ => (1, which),
        }
    }
}

impl TypePartCounts {
    /// Counts the parts of a type. `arguments_of_field` is the sum over all fields here.
    fn from_type(one: &ExtendedType, implementers: &HashMap<Name, Implementers>) -> Self {
        match one {
            ExtendedType::Object(object) => Self {
                fields: object.fields.len(),
                arguments_of_field: object.fields.values().map(|field| field.arguments.len()).sum(),
                interfaces: object.implements_interfaces.len(),
                ..Self::default()
            },
            ExtendedType::Interface(interface) => Self {
                fields: interface.fields.len(),
                arguments_of_field: interface.fields.values().map(|field| field.arguments.len()).sum(),
                interfaces: interface.implements_interfaces.len(),
                possible_types: implementers.get(&interface.name).map_or(0, |found| found.objects.len()),
                ..Self::default()
            },
            ExtendedType::Union(union) => Self { possible_types: union.members.len(), ..Self::default() },
            ExtendedType::Enum(values) => Self { enum_values: values.values.len(), ..Self::default() },
            ExtendedType::InputObject(input) => Self { input_fields: input.fields.len(), ..Self::default() },
            ExtendedType::Scalar(_) => Self::default(),
        }
    }
}
