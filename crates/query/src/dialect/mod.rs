//! Predicate languages other than that of queries: of discounts, of rules, of Carts and Orders.
//!
//! A dialect is a table: the root of its predicates, the mapping of names, and its functions. The fields
//! themselves come from the shapes of the model. [`Dialect::read`] compiles such a predicate to the same [`Condition`]
//! as that of a query, and one evaluator handles both.
//!
//! ```text
//! sku = "a" and categories.key contains any ("hats", "caps")     names lead through dots, and through references
//! price > "10.00 EUR" and custom.note is defined                 amounts are compared with amounts
//! lineItemCount(attributes.color = "red") >= 2                   functions of the elements that meet a condition
//! ```
//! For a list, `=` requires all elements and `!=` none; every other comparison requires one element.
//!
//! Source: public documentation, "Discount predicates", "Predicate operators".

mod bind;
mod resolve;
mod table_check;

use crate::condition::Condition;
use crate::document_id_field::DocumentMap;
pub use crate::document_id_field::{DocumentIdField, DocumentLoader, TOP};
use crate::linked_value::LinkedValue;
use crate::predicate::Predicate;
use kontor_errors::{ApiResult, Code};
use kontor_model::Model;

/// A language of predicates.
#[derive(Debug)]
pub struct Dialect {
    /// The name of the predicate in error messages: the field that contains it.
    pub parameter: &'static str,
    /// The root of the predicates.
    pub about: DialectRoot,
    /// Names that differ from those of the model, or the only allowed names of an object.
    pub names: &'static [NameMapping],
    /// Text fields of objects that hold the id of a document, which predicates can look into.
    pub id_fields: &'static [DocumentIdField],
    /// Functions, allowed at the top level of a predicate.
    pub functions: &'static [DialectFunction],
}

/// The root of a dialect's predicates.
#[derive(Debug, Clone, Copy)]
pub enum DialectRoot {
    /// One object of the model, by its name there.
    Object(&'static str),
    /// Several objects, each with the first name of its paths in [`NameMapping`]. Predicates may use names of [`TOP`] only.
    Parts(&'static [(&'static str, &'static str)]),
}

/// The mapping of names for one object of the model.
#[derive(Debug)]
pub struct NameMapping {
    /// The name of the object in the model, or [`TOP`].
    pub of: &'static str,
    /// Predicates may use no other names of this object.
    pub only: bool,
    /// Names without a row are resolved at this path.
    pub implied: Option<&'static str>,
    /// Each row maps a name to its paths in the model, separated by dots. A name with several paths has the
    /// values at any of them. The empty name is the object itself, if it is compared.
    pub rows: &'static [(&'static str, &'static [&'static str])],
}

/// A function over the elements that meet the condition in its parentheses.
#[derive(Debug)]
pub struct DialectFunction {
    /// The name in predicates.
    pub name: &'static str,
    /// Paths of the lists (or objects) with the elements; a sum has one.
    pub of: &'static [&'static str],
    /// The result of the function.
    pub gives: FunctionResult,
}

/// The result of a function.
#[derive(Debug, Clone, Copy)]
pub enum FunctionResult {
    /// Whether at least one element meets the condition. Needs no comparison.
    Exists,
    /// Whether all elements do; true if there are none. Needs no comparison.
    All,
    /// The sum of the values at a path in matching elements: numbers, or amounts of one currency.
    Sum(&'static str),
}

/// A compiled predicate of a dialect.
#[derive(Debug, Clone)]
pub struct DialectPredicate {
    condition: Condition,
    referenced_documents: Vec<(String, String)>,
    dialect: &'static Dialect,
}

impl Dialect {
    /// Parses and compiles a predicate.
    ///
    /// # Errors
    /// 400 with the position: `SyntaxError` if it cannot be parsed, `SemanticError` for an unknown field or function,
    /// or a comparison with a value of another type (reference types `SyntaxErrorError`, `SemanticErrorError`).
    pub fn read(&'static self, text: &str, model: &Model) -> ApiResult<DialectPredicate> {
        let predicate = Predicate::parse_dotted(text, self.parameter)
            .map_err(|error| error.with_code(Code::SyntaxError))?;
        let (condition, referenced_documents) =
            bind::bind(self, &predicate, model).map_err(|error| error.with_code(Code::SemanticError))?;
        Ok(DialectPredicate { condition, referenced_documents, dialect: self })
    }

    /// Returns the rows of the tables that do not fit the model. For tests: a dialect with problems refuses
    /// valid predicates.
    pub fn problems(&'static self, model: &Model) -> Vec<String> {
        table_check::problems(self, model)
    }
}

impl DialectPredicate {
    /// Returns the documents that the predicate references by id: `typeId` and id, each once, in the order of the text.
    pub fn referenced_documents(&self) -> &[(String, String)] {
        &self.referenced_documents
    }

    /// Whether the predicate uses a field of one of these names, at any depth.
    pub fn contains_any_field(&self, names: &[&str]) -> bool {
        self.condition.contains_any_field(names)
    }

    /// Returns whether the predicate matches an object; `find` loads referenced documents.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn matches(&self, object: &DocumentMap, find: &DocumentLoader<'_>) -> ApiResult<bool> {
        LinkedValue::evaluate_linked(&self.condition, &[(TOP, object)], self.dialect.id_fields, find)
    }

    /// Like [`holds_of`](Self::holds_of), for dialects over several objects, each with its name.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn matches_parts(
        &self,
        parts: &[(&str, &DocumentMap)],
        find: &DocumentLoader<'_>,
    ) -> ApiResult<bool> {
        LinkedValue::evaluate_linked(&self.condition, parts, self.dialect.id_fields, find)
    }
}
