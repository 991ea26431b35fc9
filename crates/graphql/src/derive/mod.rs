//! Derives the types of the schema from the model, by the naming conventions of the official schema.
//!
//! Types are added when a root field of a served kind reaches them: begin at `roots`, then read `output` and
//! `input`. Names that the conventions do not give are in the tables of [`exceptions`](crate::exceptions); types that
//! do not depend on resources (scalars, references, custom fields) are in `platform`.

mod bulk;
mod endpoints;
mod extras;
mod field;
mod input;
mod interfaces;
mod kind_operations;
mod limits;
mod messages;
mod narrowed_queries;
mod output;
mod parameter_search;
mod platform;
mod roots;
mod searches;
mod sides;
mod staged_actions;
mod unreached_types;

pub(crate) use roots::target_through;

use crate::exceptions::{KINDS, KindNames, PASSED_FIELDS};
use crate::names::field_of_path;
use crate::scalar_values::ScalarValues;
use crate::schema_types::{FieldArgument, SchemaType, SchemaTypes, TypeBody};
use kind_operations::KindOperations;
use kontor_model::{Kind, KindId, Model, ObjectId};
use std::collections::HashSet;

/// Derives all types.
pub(crate) fn derive(model: &Model) -> SchemaTypes {
    let mut deriving = SchemaDerivation {
        model,
        offered: kind_operations::group_by_kind(model),
        types: SchemaTypes::default(),
        discriminators: HashSet::new(),
        pending_interfaces: Vec::new(),
    };
    for (_, union) in model.unions() {
        for (_, member) in &union.members {
            deriving.discriminators.insert((*member, union.by.clone()));
        }
    }
    deriving.add_platform_types();
    deriving.add_roots();
    deriving.unreached_types();
    deriving.join_interfaces();
    let passed_fields: Vec<_> =
        PASSED_FIELDS.filter(|(name, _)| deriving.types.contains_key(*name)).collect();
    for (name, fields) in passed_fields {
        if let Some(TypeBody::Output(output)) = deriving.types.get_mut(*name).map(|entry| &mut entry.body) {
            output.passed_fields = fields;
        }
    }
    deriving.types
}

/// The state of a derivation: the types added so far.
struct SchemaDerivation<'m> {
    model: &'m Model,
    /// The operations of each kind.
    offered: Vec<KindOperations<'m>>,
    types: SchemaTypes,
    /// Discriminators of unions: they are strings in GraphQL, whatever their shape in the model.
    discriminators: HashSet<(ObjectId, String)>,
    /// Types and the interfaces that they implement, recorded before both exist.
    pending_interfaces: Vec<(String, String)>,
}

impl SchemaDerivation<'_> {
    /// Returns true if a type of this name exists or is being derived; reserves the name otherwise.
    fn reserve(&mut self, name: &str, doc: &str) -> bool {
        if self.types.contains_key(name) {
            return true;
        }
        // A placeholder until `set` gives the body.
        let body = TypeBody::Scalar(ScalarValues::Any);
        self.types.insert(name.to_owned(), SchemaType { doc: doc.to_owned(), body });
        false
    }

    /// Sets the body of a type whose name was reserved.
    fn set(&mut self, name: &str, body: TypeBody) {
        if let Some(entry) = self.types.get_mut(name) {
            entry.body = body;
        }
    }

    fn names_of(&self, kind: KindId) -> GraphQlNames {
        GraphQlNames::for_kind(self.model.kind(kind))
    }
}

/// The GraphQL names of a kind: its types, queries and mutations.
#[derive(Debug, Clone)]
pub(crate) struct GraphQlNames {
    pub(crate) object: String,
    pub(crate) created: String,
    pub(crate) create: String,
    pub(crate) one: String,
    pub(crate) many: String,
    pub(crate) mutation: String,
    pub(crate) actions: String,
    pub(crate) draft: String,
    /// The type that a deletion returns, and its field with the document.
    pub(crate) deleted: Option<(&'static str, &'static str)>,
}

impl GraphQlNames {
    /// Returns the names by the conventions and the table of exceptions.
    pub(crate) fn for_kind(kind: &Kind) -> Self {
        let exception: Option<&KindNames> = KINDS.find(|names| names.kind == kind.name);
        let word = |of: fn(&KindNames) -> Option<&'static str>, else_: String| {
            exception.and_then(of).map_or(else_, str::to_owned)
        };
        let object = word(|names| names.object, kind.name.clone());
        let mutation = word(|names| names.mutation, kind.name.clone());
        let verb = if kind.upserts() { "createOrUpdate" } else { "create" };
        Self {
            created: word(|names| names.created, object.clone()),
            one: word(|names| names.one, kind.camel_name()),
            many: word(|names| names.many, field_of_path(&kind.path)),
            create: word(|names| names.create, format!("{verb}{mutation}")),
            mutation,
            actions: word(|names| names.actions, kind.name.clone()),
            draft: word(|names| names.draft, format!("{}Draft", kind.name)),
            deleted: exception.and_then(|names| names.deleted),
            object,
        }
    }
}

impl GraphQlNames {
    /// Returns the names for the caller's own documents (below `me`); `None` if the kind has none.
    pub(crate) fn for_own_documents(kind: &Kind) -> Option<Self> {
        let mine = kind.mine.as_ref()?;
        let own: Option<&KindNames> = KINDS.find(|names| names.kind == mine.name);
        let word = |of: fn(&KindNames) -> Option<&'static str>, else_: String| {
            own.and_then(of).map_or(else_, str::to_owned)
        };
        let shared = Self::for_kind(kind);
        let object = mine.object.map_or(shared.object, |_| mine.name.clone());
        let created = if kind.created_beside.is_some() { shared.created } else { object.clone() };
        Some(Self {
            created: word(|names| names.created, created),
            create: word(|names| names.create, format!("create{}", mine.name)),
            one: word(|names| names.one, shared.one),
            many: word(|names| names.many, field_of_path(&mine.path)),
            mutation: word(|names| names.mutation, mine.name.clone()),
            actions: mine.name.clone(),
            draft: word(|names| names.draft, format!("{}Draft", mine.name)),
            deleted: own.and_then(|names| names.deleted),
            object: word(|names| names.object, object),
        })
    }
}

fn argument(name: &str, ty: &str, doc: &'static str) -> FieldArgument {
    FieldArgument { name: name.to_owned(), ty: ty.to_owned(), doc }
}
