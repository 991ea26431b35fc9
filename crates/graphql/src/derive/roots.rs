//! Derives the fields of `Query` and `Mutation` from the operations of each served kind. Begin at `roots`.

use super::field::field_of;
use super::kind_operations::{self, KindOperations};
use super::{SchemaDerivation, argument};
use crate::exceptions::{
    AS_ASSOCIATE_ARGUMENT, ERASURES, KEYS_WITHOUT_KEY, LIMITED_PAGES, SELECTORS, STORE_KEY, VIEWS,
};
use crate::schema_types::{
    FieldArgument, FieldValueSource, OutputField, OutputType, PageField, RootOperation, TypeBody,
};
use apollo_compiler::collections::IndexMap;
use kontor_model::{Addressing, KindId, Model, Operation, PathPrefix, Shape};

/// Output fields by name.
pub(super) type OutputFields = IndexMap<String, OutputField>;

pub(super) const BY_ID: &str = "The resource with this id.";
pub(super) const BY_KEY: &str = "The resource with this key.";

/// The description of the argument with an associate and a unit.
pub(super) const ONLY_WHERE_THEY_MAY: &str =
    "The associate and the business unit on whose behalf the caller acts.";

impl SchemaDerivation<'_> {
    /// Adds `Query` and `Mutation`, and with them every type that they reach.
    pub(super) fn add_roots(&mut self) {
        self.reserve("Query", "All queries.");
        self.reserve(
            "Mutation",
            "All mutations. Fields are executed one after the other; each succeeds or fails as a whole.",
        );
        let (mut queries, mut mutations) = (OutputFields::default(), OutputFields::default());
        // Kinds with `@projection` have queries only if a table says so.
        let is_side = |offered: &KindOperations<'_>| self.model.kind(offered.kind).projection.is_some();
        let (sides, others): (Vec<_>, Vec<_>) = self.offered.clone().into_iter().partition(is_side);
        for offered in others {
            self.add_queries(offered, kind_operations::is_in_project, &mut queries);
            self.mutations(offered, &mut mutations);
            self.my_mutations(offered, &mut mutations);
            self.bulk_mutation(offered, &mut mutations);
            self.endpoint_fields(offered, &mut queries, &mut mutations);
            self.reader_queries(offered, &mut queries);
            self.service_queries(offered.kind, &mut queries);
        }
        for offered in sides {
            self.side_queries(offered, &mut queries);
            self.shown_queries(offered, &mut queries);
        }
        self.narrowed_queries(&mut queries);
        self.limits(&mut queries);
        self.add_searches(&mut queries);
        self.parameter_searches(&mut queries);
        self.set("Query", TypeBody::Output(OutputType { fields: queries, ..OutputType::default() }));
        self.set("Mutation", TypeBody::Output(OutputType { fields: mutations, ..OutputType::default() }));
    }

    /// Adds the queries of a kind for which `on` matches the side of an operation.
    pub(super) fn add_queries(
        &mut self,
        offered: KindOperations<'_>,
        on: fn(PathPrefix) -> bool,
        fields: &mut OutputFields,
    ) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let words = self.names_of(kind);
        let (gets, lists) = (offered.offers(Operation::Get, on), offered.offers(Operation::Query, on));
        if gets && entry.addressing == Addressing::Singleton {
            let object = self.output_kind(kind);
            put_root(fields, &words.one, format!("{object}!"), RootOperation::One(kind), vec![]);
            return;
        }
        if gets {
            let object = self.output_kind(kind);
            let mut arguments = self.address_arguments(kind);
            arguments.extend(selector_arguments(&entry.name, false));
            arguments.extend(view_arguments(&entry.name));
            if entry.in_store.as_ref().is_some_and(|in_store| in_store.through.is_some()) {
                arguments.push(store_key());
            }
            put_root(fields, &words.one, object, RootOperation::One(kind), arguments);
        }
        if lists {
            let object = self.output_kind(kind);
            let page = self.page(&object);
            let mut arguments = query_arguments();
            if let Addressing::Fields(names) = &entry.addressing
                && let Some(first) = names.first()
            {
                arguments.push(argument(first, "String!", "The resources in this container."));
            }
            arguments.extend(selector_arguments(&entry.name, true));
            arguments.extend(view_arguments(&entry.name));
            put_root(fields, &words.many, format!("{page}!"), RootOperation::Many(kind), arguments);
        }
    }

    fn mutations(&mut self, offered: KindOperations<'_>, fields: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let words = self.names_of(kind);
        let object = self.output_kind(kind);
        if offered.offers(Operation::Create, kind_operations::is_for_any_owner)
            && let Some(draft) = self.add_draft(kind)
        {
            let created = match &entry.creation_field() {
                Some(name) => {
                    self.document_holder(&words.created, name, &object, Some(kind));
                    format!("{}!", words.created)
                }
                None => {
                    self.kind_object(kind, &words.created);
                    words.created
                }
            };
            let mut arguments = vec![argument("draft", &format!("{draft}!"), "")];
            arguments.extend(associate_argument(offered, Operation::Create));
            arguments.extend(store_argument(offered, Operation::Create));
            put_root(fields, &words.create, created, RootOperation::Create(kind, false), arguments);
        }
        // GraphQL forbids an input without fields, so kinds without actions have no update.
        if offered.offers(Operation::Update, kind_operations::is_for_any_owner) && !entry.actions.is_empty() {
            let actions = self.add_actions(kind);
            let mut arguments = vec![
                version(true),
                argument(
                    "actions",
                    &format!("[{actions}!]!"),
                    "Update actions, applied in this order; all of them or none.",
                ),
            ];
            arguments.extend(self.address_arguments(kind));
            if self.model.takes_dry_run(kind) {
                arguments.push(argument(
                    "dryRun",
                    "Boolean = false",
                    "Returns the result without storing it.",
                ));
            }
            arguments.extend(associate_argument(offered, Operation::Update));
            arguments.extend(store_argument(offered, Operation::Update));
            let name = format!("update{}", words.mutation);
            put_root(fields, &name, object.clone(), RootOperation::Update(kind, false), arguments);
        }
        if offered.offers(Operation::Delete, kind_operations::is_for_any_owner) {
            self.delete_mutation(offered, fields);
        }
    }

    fn delete_mutation(&mut self, offered: KindOperations<'_>, fields: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let words = self.names_of(kind);
        let object = self.output_kind(kind);
        let mut arguments = Vec::new();
        if self.model.object(entry.object).field("version").is_some() {
            arguments.push(version(!entry.upserts()));
        }
        arguments.extend(self.address_arguments(kind));
        if entry.erasure || ERASURES.contains(&format!("delete{}", words.mutation)) {
            arguments.push(erasure_argument());
        }
        arguments.extend(associate_argument(offered, Operation::Delete));
        arguments.extend(store_argument(offered, Operation::Delete));
        let response = match words.deleted {
            Some((holder, name)) => {
                self.document_holder(holder, name, &object, None);
                holder.to_owned()
            }
            None => object,
        };
        put_root(
            fields,
            &format!("delete{}", words.mutation),
            response,
            RootOperation::Delete(kind, false),
            arguments,
        );
    }

    /// Adds an object that holds a document under a name, and the second document of a creation (e.g. the Cart of a
    /// sign-up).
    pub(super) fn document_holder(
        &mut self,
        object: &str,
        name: &str,
        document: &str,
        created: Option<KindId>,
    ) {
        if !self.reserve(object, "A document in a response.") {
            let mut fields = OutputFields::default();
            let beside = created.and_then(|kind| self.model.kind(kind).created_beside);
            let source = match beside {
                Some(_) => FieldValueSource::Stored(name.to_owned(), None),
                None => FieldValueSource::Itself,
            };
            fields.insert(name.to_owned(), field_of(format!("{document}!"), source));
            if let Some(beside) = beside {
                let (name, object) = (self.model.kind(beside).camel_name(), self.output_kind(beside));
                fields.insert(name.clone(), field_of(object, FieldValueSource::Stored(name, None)));
            }
            self.extra_fields(object, &mut fields);
            self.set(object, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
        }
    }

    /// Returns the arguments that address one document.
    pub(super) fn address_arguments(&self, kind: KindId) -> Vec<FieldArgument> {
        let mut arguments = self.own_address(kind);
        if let Some(target) = target_through(self.model, kind) {
            let name = self.model.kind(target).camel_name();
            arguments.push(argument(
                &format!("{name}Id"),
                "String",
                "The resource in the Store for this id.",
            ));
            arguments.push(argument(
                &format!("{name}Key"),
                "String",
                "The resource in the Store for this key.",
            ));
        }
        arguments
    }

    fn own_address(&self, kind: KindId) -> Vec<FieldArgument> {
        match &self.model.kind(kind).addressing {
            Addressing::Singleton => Vec::new(),
            Addressing::Id { by_key: false }
                if !KEYS_WITHOUT_KEY.contains(&self.model.kind(kind).name)
                    && target_through(self.model, kind).is_none() =>
            {
                vec![argument("id", "String!", BY_ID)]
            }
            Addressing::Id { .. } => {
                let key = &self.model.kind(kind).key_field;
                vec![argument("id", "String", BY_ID), argument(key, "String", BY_KEY)]
            }
            Addressing::Fields(names) => {
                let mut arguments = vec![argument("id", "String", BY_ID)];
                arguments.extend(names.iter().rev().map(|name| {
                    argument(name, "String", "Required together with the other fields of the address.")
                }));
                arguments
            }
        }
    }

    /// Adds the type of a page of objects, and returns its name, e.g. `StateQueryResult`.
    pub(super) fn page(&mut self, object: &str) -> String {
        let name = format!("{object}QueryResult");
        if !self.reserve(&name, "A page of a query.") {
            let mut fields = OutputFields::default();
            if LIMITED_PAGES.contains(object) {
                fields.insert(
                    "limit".to_owned(),
                    field_of("Int!".to_owned(), FieldValueSource::Page(PageField::Limit)),
                );
            }
            for (field, ty, part) in [
                ("offset", "Int!", PageField::Offset),
                ("count", "Int!", PageField::Count),
                ("total", "Long!", PageField::Total),
                ("exists", "Boolean!", PageField::Exists),
                ("results", &format!("[{object}!]!"), PageField::Results),
            ] {
                fields.insert(field.to_owned(), field_of(ty.to_owned(), FieldValueSource::Page(part)));
            }
            self.set(&name, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
        }
        name
    }
}

/// Returns the argument for the Store that a change can be limited to, if the operation exists in Stores.
fn store_argument(offered: KindOperations<'_>, operation: Operation) -> Option<FieldArgument> {
    offered.offers(operation, kind_operations::is_in_one_store).then(store_key)
}

/// Returns the argument of the acting associate, if the operation allows one.
fn associate_argument(offered: KindOperations<'_>, operation: Operation) -> Option<FieldArgument> {
    if !offered.offers(operation, kind_operations::is_for_associate) {
        return None;
    }
    let (name, ty) = AS_ASSOCIATE_ARGUMENT;
    let is_optional = offered.offers(operation, kind_operations::is_in_project);
    let ty = if is_optional { ty.to_owned() } else { format!("{ty}!") };
    Some(argument(name, &ty, ONLY_WHERE_THEY_MAY))
}

/// Returns the arguments of a query for a page of documents.
pub(super) fn query_arguments() -> Vec<FieldArgument> {
    vec![
        argument("where", "String", "A query predicate."),
        argument("sort", "[String!]", "Sort expressions; the first has priority."),
        argument("limit", "Int", "Maximum number of results: 0 to 500. Default: 20."),
        argument("offset", "Int", "Number of results to skip: 0 to 10000."),
    ]
}

/// Returns the argument for the version of a change.
pub(super) fn version(required: bool) -> FieldArgument {
    let ty = if required { "Long!" } else { "Long" };
    argument("version", ty, "The version of the resource that the caller has read last.")
}

/// Returns the argument of deletions that erase personal data.
pub(super) fn erasure_argument() -> FieldArgument {
    argument("personalDataErasure", "Boolean = false", "Deletes all personal data of the resource.")
}

/// Returns the argument for the Store that a change is limited to.
pub(super) fn store_key() -> FieldArgument {
    argument(
        STORE_KEY,
        "KeyReferenceInput",
        "The resource must belong to this Store. The scopes of the Store are sufficient.",
    )
}

/// Adds a root field of this operation.
pub(super) fn put_root(
    fields: &mut OutputFields,
    name: &str,
    ty: String,
    root: RootOperation,
    arguments: Vec<FieldArgument>,
) {
    fields.insert(name.to_owned(), OutputField { arguments, ..field_of(ty, FieldValueSource::Root(root)) });
}

/// Returns the kind that leads to documents of `kind` in a Store (the model's `through`), if there is one.
pub(crate) fn target_through(model: &Model, kind: KindId) -> Option<KindId> {
    let entry = model.kind(kind);
    let field = model.object(entry.object).field(entry.in_store.as_ref()?.through.as_deref()?)?;
    match &field.shape {
        Shape::Reference(targets) => targets.single(),
        _ => None,
    }
}

/// Returns the arguments that change how sides of documents are shown, e.g. in some languages only.
fn view_arguments(kind: &str) -> impl Iterator<Item = FieldArgument> {
    let of_kind = VIEWS.filter(move |view| view.kind == kind);
    let arguments = of_kind.flat_map(|view| {
        let (name, ty, _) = view.parameter;
        let below = argument(
            view.reference_argument,
            "Boolean = false",
            "The same for resources that attributes refer to.",
        );
        [argument(name, ty, "Localized strings in these languages only."), below]
    });
    arguments.collect::<Vec<_>>().into_iter()
}

/// Returns the arguments that replace predicates.
pub(super) fn selector_arguments(kind: &str, many: bool) -> impl Iterator<Item = FieldArgument> {
    let of_kind = SELECTORS.filter(move |selector| selector.kind == kind);
    let meant = of_kind.filter(move |selector| selector.many == many);
    meant
        .map(|selector| argument(selector.argument.0, selector.argument.1, ""))
        .collect::<Vec<_>>()
        .into_iter()
}
