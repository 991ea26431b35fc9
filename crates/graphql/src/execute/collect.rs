//! Which fields an object is asked for: fragments followed, conditions applied, equal names joined.

use crate::arguments::arguments_of;
use crate::derived::{Output, OutputField};
use crate::schema::Schema;
use apollo_compiler::Node;
use apollo_compiler::ast::{Directive, Type};
use apollo_compiler::collections::{HashMap, HashSet};
use apollo_compiler::executable::{DirectiveList, ExecutableDocument, Field, Selection, SelectionSet};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Where a type and the selection sets that it is asked by are in memory.
type Addresses = (usize, Vec<usize>);

/// A query that is being executed: its text, its variables, and what has been found out about them.
pub(crate) struct Question<'q> {
    pub(crate) schema: &'q Schema,
    pub(crate) document: &'q ExecutableDocument,
    pub(crate) variables: &'q Map<String, Value>,
    /// By the type's name and the selection sets: the same ones are asked of every element of a list.
    collected: RefCell<HashMap<Addresses, Rc<Vec<Asked<'q>>>>>,
    arguments: RefCell<HashMap<usize, Rc<Map<String, Value>>>>,
    no_arguments: Rc<Map<String, Value>>,
}

/// A field that an object is asked for.
#[derive(Clone)]
pub(crate) struct Asked<'q> {
    /// Its name in the answer.
    pub(crate) key: &'q str,
    /// The first place of the query that asks for it under this name.
    first: &'q Node<Field>,
    /// Further ones; their names, arguments and types are the same.
    others: Vec<&'q Node<Field>>,
    pub(crate) meaning: Meaning<'q>,
}

/// What a field means.
#[derive(Clone, Copy)]
pub(crate) enum Meaning<'q> {
    /// `__typename`.
    TypeName,
    /// `__schema` or `__type`, which the library answers.
    Introspection,
    Field(&'q OutputField),
}

impl<'q> Asked<'q> {
    /// The first place of the query that asks for it.
    pub(crate) fn field(&self) -> &'q Node<Field> {
        self.first
    }

    pub(crate) fn ty(&self) -> &'q Type {
        let field: &'q Field = self.first;
        &field.definition.ty
    }

    pub(crate) fn selections(&self) -> Vec<&'q SelectionSet> {
        let all = std::iter::once(&self.first).chain(&self.others);
        all.map(|field| -> &'q SelectionSet { &field.selection_set }).collect()
    }
}

impl<'q> Question<'q> {
    pub(crate) fn new(
        schema: &'q Schema,
        document: &'q ExecutableDocument,
        variables: &'q Map<String, Value>,
    ) -> Self {
        Self {
            schema,
            document,
            variables,
            collected: RefCell::default(),
            arguments: RefCell::default(),
            no_arguments: Rc::default(),
        }
    }

    /// The arguments of a field.
    pub(crate) fn arguments(&self, field: &'q Node<Field>) -> Rc<Map<String, Value>> {
        if field.definition.arguments.is_empty() {
            return Rc::clone(&self.no_arguments);
        }
        let address = std::ptr::from_ref::<Field>(field) as usize;
        if let Some(known) = self.arguments.borrow().get(&address) {
            return Rc::clone(known);
        }
        let arguments = Rc::new(arguments_of(field, self.variables, &self.schema.compiled));
        self.arguments.borrow_mut().insert(address, Rc::clone(&arguments));
        arguments
    }

    /// The fields that an object of a type is asked for by selection sets.
    pub(crate) fn fields(
        &self,
        type_name: &str,
        output: &'q Output,
        sets: &[&'q SelectionSet],
    ) -> Rc<Vec<Asked<'q>>> {
        // The query and the schema outlive this, so addresses name their parts.
        let addresses = sets.iter().map(|set| std::ptr::from_ref::<SelectionSet>(set) as usize).collect();
        let key = (std::ptr::from_ref::<Output>(output) as usize, addresses);
        if let Some(known) = self.collected.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut collecting = Collecting {
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
        let fields = Rc::new(collecting.found);
        self.collected.borrow_mut().insert(key, Rc::clone(&fields));
        fields
    }

    fn is_included(&self, directives: &DirectiveList) -> bool {
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

struct Collecting<'a, 'q> {
    question: &'a Question<'q>,
    type_name: &'a str,
    output: &'q Output,
    visited: HashSet<&'q str>,
    found: Vec<Asked<'q>>,
    by_key: HashMap<&'q str, usize>,
}

impl<'q> Collecting<'_, 'q> {
    fn collect(&mut self, set: &'q SelectionSet) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) if self.question.is_included(&field.directives) => self.field(field),
                Selection::InlineFragment(inline)
                    if self.question.is_included(&inline.directives)
                        && inline.type_condition.as_ref().is_none_or(|name| self.is(name)) =>
                {
                    self.collect(&inline.selection_set);
                }
                Selection::FragmentSpread(spread) if self.question.is_included(&spread.directives) => {
                    if !self.visited.insert(spread.fragment_name.as_str()) {
                        continue;
                    }
                    if let Some(fragment) = self.question.document.fragments.get(&spread.fragment_name)
                        && self.is(fragment.type_condition())
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
        if let Some(index) = self.by_key.get(key) {
            self.found[*index].others.push(field);
            return;
        }
        let meaning = match field.name.as_str() {
            "__typename" => Meaning::TypeName,
            "__schema" | "__type" => Meaning::Introspection,
            name => match self.output.fields.get(name) {
                Some(output) => Meaning::Field(output),
                // The query has been checked against the same schema.
                None => return,
            },
        };
        self.by_key.insert(key, self.found.len());
        self.found.push(Asked { key, first: field, others: Vec::new(), meaning });
    }

    fn is(&self, condition: &str) -> bool {
        condition == self.type_name || self.output.implements.iter().any(|interface| interface == condition)
    }
}
