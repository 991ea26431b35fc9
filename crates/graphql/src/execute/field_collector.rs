//! Collects the requested fields of an object: follows fragments, evaluates `@skip` and `@include`, merges equal names.
//! Start at [`ExecutableQuery::root_fields`].

use crate::arguments::arguments_of;
use crate::schema::Schema;
use crate::schema_types::{OutputField, OutputType};
use apollo_compiler::Node;
use apollo_compiler::ast::{Directive, Type};
use apollo_compiler::collections::{HashMap, HashSet};
use apollo_compiler::executable::{
    DirectiveList, ExecutableDocument, Field, Operation, Selection, SelectionSet,
};
use kontor_json::{Map, Value};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// From this number of fields on, a hash table replaces the linear search.
const FIELDS_LOOKED_THROUGH_MAX: usize = 16;

/// A query in execution: its document, its variables, and the schema.
pub(crate) struct ExecutableQuery<'q> {
    pub(crate) schema: &'q Schema,
    pub(crate) document: &'q ExecutableDocument,
    pub(crate) variables: &'q Map,
}

/// The requested fields of an object, in order.
pub(crate) type RequestedFields<'q> = Rc<[Rc<RequestedField<'q>>]>;

/// A requested field of an object. It is collected once, even if the object is an element of a list.
pub(crate) struct RequestedField<'q> {
    /// Its name in the response.
    pub(crate) key: &'q str,
    /// The first place in the query that requests the field under this name.
    first: &'q Node<Field>,
    /// Further places that request it; their names, arguments and types are the same.
    others: Vec<&'q Node<Field>>,
    pub(crate) meaning: FieldResolution<'q>,
    arguments: OnceCell<Map>,
    /// The requested fields of its value, by the address of the value's type. Most fields have one type.
    inner: RefCell<Vec<(usize, RequestedFields<'q>)>>,
}

/// The resolution of a field.
#[derive(Clone, Copy)]
pub(crate) enum FieldResolution<'q> {
    /// `__typename`.
    TypeName,
    /// `__schema` or `__type`, whose response the library produces.
    Introspection,
    Field(&'q OutputField),
}

impl<'q> RequestedField<'q> {
    fn new(first: &'q Node<Field>, meaning: FieldResolution<'q>) -> Self {
        Self {
            key: first.response_key().as_str(),
            first,
            others: Vec::new(),
            meaning,
            arguments: OnceCell::new(),
            inner: RefCell::default(),
        }
    }

    /// Returns the first place in the query that requests it.
    pub(crate) fn field(&self) -> &'q Node<Field> {
        self.first
    }

    /// Returns its type in the schema.
    pub(crate) fn ty(&self) -> &'q Type {
        let field: &'q Field = self.first;
        &field.definition.ty
    }

    /// Returns its arguments, which are converted once.
    pub(crate) fn arguments(&self, query: &ExecutableQuery<'q>) -> &Map {
        self.arguments.get_or_init(|| {
            if self.first.definition.arguments.is_empty() {
                return Map::new();
            }
            arguments_of(self.first, query.variables, &query.schema.compiled)
        })
    }

    /// Returns the requested fields of its value, if that is an object of the given type.
    pub(crate) fn fields(
        &self,
        query: &ExecutableQuery<'q>,
        type_name: &str,
        output: &'q OutputType,
    ) -> RequestedFields<'q> {
        // The schema outlives this object, so an address identifies a type.
        let address = std::ptr::from_ref::<OutputType>(output) as usize;
        if let Some((_, known)) = self.inner.borrow().iter().find(|(of, _)| *of == address) {
            return Rc::clone(known);
        }
        let sets = std::iter::once(&self.first).chain(&self.others).map(|field| &field.selection_set);
        let fields = query.collect(type_name, output, sets);
        self.inner.borrow_mut().push((address, Rc::clone(&fields)));
        fields
    }
}

impl<'q> ExecutableQuery<'q> {
    /// Returns the fields that an operation requests.
    pub(crate) fn root_fields(&self, operation: &'q Operation) -> RequestedFields<'q> {
        let name = operation.object_type();
        match self.schema.output(name) {
            Some(output) => self.collect(name, output, std::iter::once(&operation.selection_set)),
            None => Rc::new([]),
        }
    }

    fn collect(
        &self,
        type_name: &str,
        output: &'q OutputType,
        sets: impl Iterator<Item = &'q SelectionSet>,
    ) -> RequestedFields<'q> {
        let mut collecting = FieldCollector {
            question: self,
            type_name,
            output,
            visited: HashSet::default(),
            found: Vec::new(),
            by_key: HashMap::default(),
        };
        for set in sets {
            collecting.collect(set);
        }
        collecting.found.into_iter().map(Rc::new).collect()
    }

    fn is_included(&self, directives: &DirectiveList) -> bool {
        if directives.is_empty() {
            return true;
        }
        let condition = |name: &str| {
            let directive = directives.iter().find(|directive| directive.name == name)?;
            self.condition(directive)
        };
        condition("skip") != Some(true) && condition("include") != Some(false)
    }

    fn condition(&self, directive: &Node<Directive>) -> Option<bool> {
        let value = directive.specified_argument_by_name("if")?;
        match value.as_variable() {
            Some(name) => self.variables.get(name.as_str()).and_then(Value::as_bool),
            None => value.to_bool(),
        }
    }
}

/// The state while the fields of one object are collected.
struct FieldCollector<'a, 'q> {
    question: &'a ExecutableQuery<'q>,
    type_name: &'a str,
    output: &'q OutputType,
    visited: HashSet<&'q str>,
    found: Vec<RequestedField<'q>>,
    /// Positions by name; filled when there are too many fields for a linear search.
    by_key: HashMap<&'q str, usize>,
}

impl<'q> FieldCollector<'_, 'q> {
    fn collect(&mut self, set: &'q SelectionSet) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) if self.question.is_included(&field.directives) => self.field(field),
                Selection::InlineFragment(inline)
                    if self.question.is_included(&inline.directives)
                        && inline.type_condition.as_ref().is_none_or(|name| self.matches_type(name)) =>
                {
                    self.collect(&inline.selection_set);
                }
                Selection::FragmentSpread(spread) if self.question.is_included(&spread.directives) => {
                    if !self.visited.insert(spread.fragment_name.as_str()) {
                        continue;
                    }
                    if let Some(fragment) = self.question.document.fragments.get(&spread.fragment_name)
                        && self.matches_type(fragment.type_condition())
                    {
                        self.collect(&fragment.selection_set);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, field: &'q Node<Field>) {
        let key: &'q str = field.response_key().as_str();
        if let Some(index) = self.position(key) {
            self.found[index].others.push(field);
            return;
        }
        let meaning = match field.name.as_str() {
            "__typename" => FieldResolution::TypeName,
            "__schema" | "__type" => FieldResolution::Introspection,
            name => match self.output.fields.get(name) {
                Some(output) => FieldResolution::Field(output),
                // Cannot happen: the query was validated against the same schema.
                None => return,
            },
        };
        self.found.push(RequestedField::new(field, meaning));
        match self.found.len() {
            count if count < FIELDS_LOOKED_THROUGH_MAX => {}
            FIELDS_LOOKED_THROUGH_MAX => {
                self.by_key =
                    self.found.iter().enumerate().map(|(index, requested)| (requested.key, index)).collect();
            }
            count => _ = self.by_key.insert(key, count - 1),
        }
    }

    fn position(&self, key: &str) -> Option<usize> {
        if self.found.len() < FIELDS_LOOKED_THROUGH_MAX {
            return self.found.iter().position(|requested| requested.key == key);
        }
        self.by_key.get(key).copied()
    }

    fn matches_type(&self, condition: &str) -> bool {
        condition == self.type_name || self.output.implements.iter().any(|interface| interface == condition)
    }
}
