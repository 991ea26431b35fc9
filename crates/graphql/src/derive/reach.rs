//! Derives the objects below `inStore`, `me` and `asAssociate`, and the mutations of the caller's own documents.

use super::endpoints::finder;
use super::field::plain;
use super::offered::{self, Offered};
use super::roots::{BY_ID, BY_KEY, Fields, erasure, put, query_arguments, store_key, version};
use super::{Deriving, Words, argument};
use crate::derived::{Argument, Body, Conversion, Output, OutputField, Root};
use crate::exceptions::{
    ACTS, AS_ASSOCIATE, ASSOCIATE_ID, HIDDEN_ARGUMENTS, IN_STORE, IN_STORES, ME, STORE_KEY, UNIT_KEY, VIEWS,
};
use crate::names::field_of_path;
use kontor_model::{Doing, KindId, Operation};

const OF_STORE: &str = "The resources that belong to the given Stores.";
const OF_ASSOCIATE: &str = "The resources that an associate may see of a business unit.";
const OF_ASKER: &str = "The resources of the customer or anonymous session that the token belongs to.";

impl Deriving<'_> {
    /// Adds the fields `inStore`, `me` and `asAssociate`.
    pub(super) fn reached(&mut self, queries: &mut Fields) {
        let mut below_store = Fields::default();
        for offered in self.offered.clone() {
            self.queries_in_store(offered, queries, &mut below_store);
            self.sides_in_store(offered, queries, &mut below_store);
            self.lists_in_store(offered, &mut below_store);
            self.matching_in_store(offered.kind, queries, &mut below_store);
        }
        let (field, object, object_in_store) = ME;
        if self.my_queries(object, false) {
            put(queries, field, format!("{object}!"), Root::Me, vec![]);
        }
        if self.my_queries(object_in_store, true) {
            put(&mut below_store, field, format!("{object_in_store}!"), Root::Me, vec![]);
        }
        self.as_associate(queries);
        if below_store.is_empty() {
            return;
        }
        let (field, object) = IN_STORE;
        self.has(object, OF_STORE);
        self.set(object, Body::Output(Output { fields: below_store, ..Output::default() }));
        let key = argument("key", "KeyReferenceInput!", BY_KEY);
        put(queries, field, format!("{object}!"), Root::Stores, vec![key]);
        let keys = argument("keys", "[KeyReferenceInput!]!", "The Stores with these keys.");
        put(queries, IN_STORES, format!("{object}!"), Root::Stores, vec![keys]);
    }

    /// Adds the fields below `asAssociate`.
    fn as_associate(&mut self, queries: &mut Fields) {
        let mut below = Fields::default();
        for offered in self.offered.clone() {
            self.queries(offered, offered::for_associate, &mut below);
        }
        if below.is_empty() {
            return;
        }
        let (field, object) = AS_ASSOCIATE;
        self.has(object, OF_ASSOCIATE);
        self.set(object, Body::Output(Output { fields: below, ..Output::default() }));
        let named = [(UNIT_KEY, "KeyReferenceInput!"), (ASSOCIATE_ID, "String!")];
        let arguments = named.iter().map(|(name, ty)| argument(name, ty, "")).collect();
        put(queries, field, format!("{object}!"), Root::Associate, arguments);
        let (_, input) = ACTS;
        self.input(
            input,
            "An associate, and the business unit that the associate acts for.",
            &named.map(|(name, ty)| (name, ty, name, Conversion::Same)),
        );
    }

    /// Adds the queries of a kind below a Store: the same as in `Query`. A kind whose documents belong to no Store has
    /// them if its sides are shown for a Store.
    fn queries_in_store(&self, offered: Offered<'_>, queries: &Fields, below: &mut Fields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let allows = |operation| match &entry.in_store {
            Some(in_store) => !in_store.at.is_empty() && offered.has(operation, offered::in_store),
            None => {
                let view = VIEWS.find(|view| view.kind == entry.name);
                let by = view.and_then(|view| self.model.kind_by_name(view.by));
                let by = by.and_then(|by| self.offered_of(by));
                by.is_some_and(|by| by.has(operation, offered::in_store))
            }
        };
        let words = self.words(kind);
        let found = entry.endpoints.iter().filter(|endpoint| endpoint.in_store && !endpoint.mine);
        let found = found.filter_map(|endpoint| finder(&entry.name, endpoint));
        let named = [(Operation::Get, words.one.as_str()), (Operation::Query, words.many.as_str())];
        for (operation, name) in named.into_iter().chain(found.map(|name| (Operation::Get, name))) {
            if let Some(field) = queries.get(name).filter(|_| allows(operation)) {
                below.insert(name.to_owned(), within_store(field));
            }
        }
    }

    /// Adds the endpoints that can also search in a Store.
    fn matching_in_store(&self, kind: KindId, queries: &Fields, below: &mut Fields) {
        let endpoints = self.model.kind(kind).endpoints.iter();
        for endpoint in endpoints.filter(|endpoint| endpoint.many && endpoint.in_store) {
            let name = self.matching_name(kind, endpoint);
            if let Some(field) = queries.get(&name) {
                below.insert(name, within_store(field));
            }
        }
    }

    /// Adds lists that are fields of a Store's object themselves.
    fn lists_in_store(&mut self, offered: Offered<'_>, below: &mut Fields) {
        let kind = offered.kind;
        for (position, list) in self.model.kind(kind).lists.iter().enumerate() {
            if list.inside && offered.has_other(Doing::List(position)) {
                let object = self.output_kind(kind);
                let page = self.page(&object);
                let root = Root::Inside(kind, position);
                put(below, &field_of_path(&list.path), format!("{page}!"), root, query_arguments());
            }
        }
    }

    /// Adds the object with the queries of the caller's own documents; returns false if there are none.
    fn my_queries(&mut self, object: &str, in_store: bool) -> bool {
        let mut fields = Fields::default();
        for offered in self.offered.clone() {
            let kind = offered.kind;
            let entry = self.model.kind(kind);
            let on = if in_store { offered::mine_in_store } else { offered::mine };
            let (gets, lists) = (offered.has(Operation::Get, on), offered.has(Operation::Query, on));
            let (Some(mine), Some(words)) = (&entry.mine, Words::of_mine(entry)) else { continue };
            let shown = self.my_object(kind, &words);
            if gets && mine.path.is_empty() {
                put(&mut fields, &words.one, shown, Root::Own(kind), vec![]);
            } else if gets {
                let arguments = self.my_address(kind);
                put(&mut fields, &words.one, shown.clone(), Root::One(kind), arguments);
                if lists {
                    let page = self.page(&shown);
                    put(&mut fields, &words.many, format!("{page}!"), Root::Many(kind), query_arguments());
                }
                for (position, endpoint) in entry.endpoints.iter().enumerate() {
                    if endpoint.mine && (endpoint.in_store || !in_store) {
                        self.finder(kind, position, &mut fields);
                    }
                }
            }
        }
        if fields.is_empty() {
            return false;
        }
        self.has(object, OF_ASKER);
        self.set(object, Body::Output(Output { fields, ..Output::default() }));
        true
    }

    /// Adds the type of the caller's own documents of a kind, and returns its name.
    fn my_object(&mut self, kind: KindId, words: &Words) -> String {
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
    fn my_address(&self, kind: KindId) -> Vec<Argument> {
        let entry = self.model.kind(kind);
        let Some(mine) = &entry.mine else { return Vec::new() };
        if mine.path.is_empty() {
            return Vec::new();
        }
        let shown = self.model.object(mine.object.unwrap_or(entry.object));
        match shown.field(&entry.key_field) {
            Some(_) => self.address(kind),
            None => vec![argument("id", "String!", BY_ID)],
        }
    }

    /// Adds the mutations of the caller's own documents.
    pub(super) fn my_mutations(&mut self, offered: Offered<'_>, fields: &mut Fields) {
        let kind = offered.kind;
        let entry = self.model.kind(kind);
        let (Some(mine), Some(words)) = (&entry.mine, Words::of_mine(entry)) else { return };
        let store = || mine.in_store.then(store_key);
        let object = self.my_object(kind, &words);
        if offered.has(Operation::Create, offered::mine)
            && let Some(draft) = self.my_draft(kind, &words)
        {
            let created = match &entry.created_as() {
                Some(name) => {
                    self.holder_of(&words.created, name, &object, Some(kind));
                    format!("{}!", words.created)
                }
                None => object.clone(),
            };
            let mut arguments = vec![argument("draft", &format!("{draft}!"), "")];
            arguments.extend(store());
            put(fields, &words.create, created, Root::Create(kind, true), arguments);
        }
        if offered.has(Operation::Update, offered::mine) {
            let actions = self.my_actions(kind);
            let list = format!("[{actions}!]!");
            let mut arguments = vec![
                version(true),
                argument("actions", &list, "Update actions, applied in this order; all of them or none."),
            ];
            arguments.extend(self.my_address(kind));
            arguments.extend(store());
            let name = format!("update{}", words.mutation);
            put(fields, &name, object.clone(), Root::Update(kind, true), arguments);
        }
        if offered.has(Operation::Delete, offered::mine) {
            let name = format!("delete{}", words.mutation);
            let mut arguments = vec![version(true)];
            arguments.extend(self.my_address(kind));
            arguments.extend(entry.erasure.then(erasure));
            arguments.extend(store());
            arguments.retain(|one| !HIDDEN_ARGUMENTS.contains(&(name.as_str(), one.name.as_str())));
            put(fields, &name, object, Root::Delete(kind, true), arguments);
        }
    }
}

/// Copies a query for use below a Store, without the argument that names the Store.
fn within_store(field: &OutputField) -> OutputField {
    let copy = |one: &Argument| Argument { name: one.name.clone(), ty: one.ty.clone(), doc: one.doc };
    let given = field.arguments.iter().filter(|one| one.name != STORE_KEY);
    OutputField { arguments: given.map(copy).collect(), ..plain(field.ty.clone(), field.source.clone()) }
}
