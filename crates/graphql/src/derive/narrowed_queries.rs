//! Derives the objects below `inStore`, `me` and `asAssociate`, and the mutations of the caller's own documents. Start
//! at [`SchemaDerivation::narrowed_queries`].

use super::endpoints::finder_name;
use super::field::field_of;
use super::kind_operations::{self, KindOperations};
use super::roots::{
    BY_ID, BY_KEY, OutputFields, erasure_argument, put_root, query_arguments, store_key, version,
};
use super::{GraphQlNames, SchemaDerivation, argument};
use crate::exceptions::{
    AS_ASSOCIATE, AS_ASSOCIATE_ARGUMENT, ASSOCIATE_ID, HIDDEN_ARGUMENTS, IN_STORE, IN_STORES, ME, STORE_KEY,
    UNIT_KEY, VIEWS,
};
use crate::names::field_of_path;
use crate::schema_types::{Conversion, FieldArgument, OutputField, OutputType, RootOperation, TypeBody};
use kontor_model::{KindId, Operation, OperationKind};

const OF_STORE: &str = "The resources that belong to the given Stores.";
const OF_ASSOCIATE: &str = "The resources that an associate may see of a business unit.";
const OF_ASKER: &str = "The resources of the customer or anonymous session that the token belongs to.";

impl SchemaDerivation<'_> {
    /// Adds the fields `inStore`, `me` and `asAssociate`.
    pub(super) fn narrowed_queries(&mut self, queries: &mut OutputFields) {
        let mut below_store = OutputFields::default();
        for offered in self.offered.clone() {
            self.queries_in_store(offered, queries, &mut below_store);
            self.sides_in_store(offered, queries, &mut below_store);
            self.lists_in_store(offered, &mut below_store);
            self.matching_in_store(offered.kind, queries, &mut below_store);
        }
        let (field, object, object_in_store) = ME;
        if self.my_queries(object, false) {
            put_root(queries, field, format!("{object}!"), RootOperation::Me, vec![]);
        }
        if self.my_queries(object_in_store, true) {
            put_root(&mut below_store, field, format!("{object_in_store}!"), RootOperation::Me, vec![]);
        }
        self.as_associate(queries);
        if below_store.is_empty() {
            return;
        }
        let (field, object) = IN_STORE;
        self.reserve(object, OF_STORE);
        self.set(object, TypeBody::Output(OutputType { fields: below_store, ..OutputType::default() }));
        let key = argument("key", "KeyReferenceInput!", BY_KEY);
        put_root(queries, field, format!("{object}!"), RootOperation::Stores, vec![key]);
        let keys = argument("keys", "[KeyReferenceInput!]!", "The Stores with these keys.");
        put_root(queries, IN_STORES, format!("{object}!"), RootOperation::Stores, vec![keys]);
    }

    /// Adds the fields below `asAssociate`.
    fn as_associate(&mut self, queries: &mut OutputFields) {
        let mut below = OutputFields::default();
        for offered in self.offered.clone() {
            self.add_queries(offered, kind_operations::is_for_associate, &mut below);
        }
        if below.is_empty() {
            return;
        }
        let (field, object) = AS_ASSOCIATE;
        self.reserve(object, OF_ASSOCIATE);
        self.set(object, TypeBody::Output(OutputType { fields: below, ..OutputType::default() }));
        let named = [(UNIT_KEY, "KeyReferenceInput!"), (ASSOCIATE_ID, "String!")];
        let arguments = named.iter().map(|(name, ty)| argument(name, ty, "")).collect();
        put_root(queries, field, format!("{object}!"), RootOperation::Associate, arguments);
        let (_, input) = AS_ASSOCIATE_ARGUMENT;
        self.add_input(
            input,
            "An associate, and the business unit that the associate acts for.",
            &named.map(|(name, ty)| (name, ty, name, Conversion::Same)),
        );
    }

    /// Adds the queries of a kind below a Store: the same as in `Query`. A kind whose documents belong to no Store has
    /// them if its sides are shown for a Store.
    fn queries_in_store(
        &self,
        offered: KindOperations<'_>,
        queries: &OutputFields,
        below: &mut OutputFields,
    ) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let allows = |operation| match &entry.in_store {
            Some(in_store) => {
                !in_store.at.is_empty() && offered.offers(operation, kind_operations::is_in_one_store)
            }
            None => {
                let view = VIEWS.find(|view| view.kind == entry.name);
                let by = view.and_then(|view| self.model.kind_by_name(view.by));
                let by = by.and_then(|by| self.operations_of_kind(by));
                by.is_some_and(|by| by.offers(operation, kind_operations::is_in_one_store))
            }
        };
        let words = self.names_of(kind);
        let found = entry.endpoints.iter().filter(|endpoint| endpoint.in_store && !endpoint.mine);
        let found = found.filter_map(|endpoint| finder_name(&entry.name, endpoint));
        let named = [(Operation::Get, words.one.as_str()), (Operation::Query, words.many.as_str())];
        for (operation, name) in named.into_iter().chain(found.map(|name| (Operation::Get, name))) {
            if let Some(field) = queries.get(name).filter(|_| allows(operation)) {
                below.insert(name.to_owned(), within_store(field));
            }
        }
    }

    /// Adds the endpoints that can also search in a Store.
    fn matching_in_store(&self, kind: KindId, queries: &OutputFields, below: &mut OutputFields) {
        let endpoints = self.model.kind(kind).endpoints.iter();
        for endpoint in endpoints.filter(|endpoint| endpoint.many && endpoint.in_store) {
            let name = self.matching_name(kind, endpoint);
            if let Some(field) = queries.get(&name) {
                below.insert(name, within_store(field));
            }
        }
    }

    /// Adds lists that are fields of a Store's object themselves.
    fn lists_in_store(&mut self, offered: KindOperations<'_>, below: &mut OutputFields) {
        let kind = offered.kind;
        for (position, list) in self.model.kind(kind).lists.iter().enumerate() {
            if list.inside && offered.has_operation(OperationKind::List(position)) {
                let object = self.output_kind(kind);
                let page = self.page(&object);
                let root = RootOperation::StoreList(kind, position);
                put_root(below, &field_of_path(&list.path), format!("{page}!"), root, query_arguments());
            }
        }
    }

    /// Adds the object with the queries of the caller's own documents; returns false if there are none.
    fn my_queries(&mut self, object: &str, in_store: bool) -> bool {
        let mut fields = OutputFields::default();
        for offered in self.offered.clone() {
            let kind = offered.kind;
            let entry = self.model.kind(kind);
            let on = if in_store { kind_operations::is_mine_in_store } else { kind_operations::is_mine };
            let (gets, lists) = (offered.offers(Operation::Get, on), offered.offers(Operation::Query, on));
            let (Some(mine), Some(words)) = (&entry.mine, GraphQlNames::for_own_documents(entry)) else {
                continue;
            };
            let shown = self.my_object(kind, &words);
            if gets && mine.path.is_empty() {
                put_root(&mut fields, &words.one, shown, RootOperation::Own(kind), vec![]);
            } else if gets {
                let arguments = self.my_address(kind);
                put_root(&mut fields, &words.one, shown.clone(), RootOperation::One(kind), arguments);
                if lists {
                    let page = self.page(&shown);
                    put_root(
                        &mut fields,
                        &words.many,
                        format!("{page}!"),
                        RootOperation::Many(kind),
                        query_arguments(),
                    );
                }
                for (position, endpoint) in entry.endpoints.iter().enumerate() {
                    if endpoint.mine && (endpoint.in_store || !in_store) {
                        self.finder_query(kind, position, &mut fields);
                    }
                }
            }
        }
        if fields.is_empty() {
            return false;
        }
        self.reserve(object, OF_ASKER);
        self.set(object, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
        true
    }

    /// Adds the type of the caller's own documents of a kind, and returns its name.
    fn my_object(&mut self, kind: KindId, words: &GraphQlNames) -> String {
        let mine = self.model.kind(kind).mine.as_ref();
        match mine.and_then(|mine| Some((mine, mine.object?))) {
            Some((mine, object)) => {
                let doc = mine.doc.clone();
                self.shown_object(object, &words.object, &doc);
                words.object.clone()
            }
            None => self.output_kind(kind),
        }
    }

    /// Returns the arguments that address the caller's own document: none if there is only one, `key` if it has one.
    fn my_address(&self, kind: KindId) -> Vec<FieldArgument> {
        let entry = self.model.kind(kind);
        let Some(mine) = &entry.mine else { return Vec::new() };
        if mine.path.is_empty() {
            return Vec::new();
        }
        let shown = self.model.object(mine.object.unwrap_or(entry.object));
        match shown.field(&entry.key_field) {
            Some(_) => self.address_arguments(kind),
            None => vec![argument("id", "String!", BY_ID)],
        }
    }

    /// Adds the mutations of the caller's own documents.
    pub(super) fn my_mutations(&mut self, offered: KindOperations<'_>, fields: &mut OutputFields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let (Some(mine), Some(words)) = (&entry.mine, GraphQlNames::for_own_documents(entry)) else { return };
        let store = || mine.in_store.then(store_key);
        let object = self.my_object(kind, &words);
        if offered.offers(Operation::Create, kind_operations::is_mine)
            && let Some(draft) = self.my_draft(kind, &words)
        {
            let created = match &entry.creation_field() {
                Some(name) => {
                    self.document_holder(&words.created, name, &object, Some(kind));
                    format!("{}!", words.created)
                }
                None => object.clone(),
            };
            let mut arguments = vec![argument("draft", &format!("{draft}!"), "")];
            arguments.extend(store());
            put_root(fields, &words.create, created, RootOperation::Create(kind, true), arguments);
        }
        if offered.offers(Operation::Update, kind_operations::is_mine) {
            let actions = self.my_actions(kind);
            let list = format!("[{actions}!]!");
            let mut arguments = vec![
                version(true),
                argument("actions", &list, "Update actions, applied in this order; all of them or none."),
            ];
            arguments.extend(self.my_address(kind));
            arguments.extend(store());
            let name = format!("update{}", words.mutation);
            put_root(fields, &name, object.clone(), RootOperation::Update(kind, true), arguments);
        }
        if offered.offers(Operation::Delete, kind_operations::is_mine) {
            let name = format!("delete{}", words.mutation);
            let mut arguments = vec![version(true)];
            arguments.extend(self.my_address(kind));
            arguments.extend(entry.erasure.then(erasure_argument));
            arguments.extend(store());
            arguments.retain(|one| !HIDDEN_ARGUMENTS.contains(&(name.as_str(), one.name.as_str())));
            put_root(fields, &name, object, RootOperation::Delete(kind, true), arguments);
        }
    }
}

/// Copies a query for use below a Store, without the argument that names the Store.
fn within_store(field: &OutputField) -> OutputField {
    let copy =
        |one: &FieldArgument| FieldArgument { name: one.name.clone(), ty: one.ty.clone(), doc: one.doc };
    let given = field.arguments.iter().filter(|one| one.name != STORE_KEY);
    OutputField { arguments: given.map(copy).collect(), ..field_of(field.ty.clone(), field.source.clone()) }
}
