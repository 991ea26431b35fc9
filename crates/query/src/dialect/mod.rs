//! Predicate languages other than that of queries: of discounts, of rules, of Carts and Orders.
//!
//! A dialect is a table: the root of its predicates, the mapping of names, and its functions. The fields
//! themselves come from the shapes of the model. Such a predicate becomes the same [`Condition`] as that of a
//! query, and one evaluator handles both.
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

use crate::condition::Condition;
use crate::named::Document;
pub use crate::named::{Find, Named, TOP};
use crate::predicate::Predicate;
use crate::subject::Subject;
use kontor_errors::{ApiResult, Code};
use kontor_model::Model;

/// A language of predicates.
#[derive(Debug)]
pub struct Dialect {
    /// The name of the predicate in error messages: the field that contains it.
    pub parameter: &'static str,
    /// The root of the predicates.
    pub about: About,
    /// Names that are not those of the model, or the only ones of an object that there are.
    pub names: &'static [Names],
    /// Documents that objects name by id, in a text.
    pub named: &'static [Named],
    /// Functions, at the top of a predicate.
    pub functions: &'static [Function],
}

/// The root of a dialect's predicates.
#[derive(Debug, Clone, Copy)]
pub enum About {
    /// One object of the model, by its name there.
    Object(&'static str),
    /// Several, each with the name by which the paths of [`Names`] begin. Only names of [`TOP`] may be asked for.
    Parts(&'static [(&'static str, &'static str)]),
}

/// The mapping of names in objects of one name.
#[derive(Debug)]
pub struct Names {
    /// The name of the object in the model, or [`TOP`].
    pub of: &'static str,
    /// No other names may be asked for.
    pub only: bool,
    /// Names that are not found here are looked for at this path.
    pub implied: Option<&'static str>,
    /// A name, and its paths of the model's names, separated by dots. A name with several paths has the
    /// values at any of them. The empty name is the object itself, where it is compared.
    pub rows: &'static [(&'static str, &'static [&'static str])],
}

/// A function of the elements that meet the condition in its parentheses.
#[derive(Debug)]
pub struct Function {
    /// As it is written.
    pub name: &'static str,
    /// Paths of the lists (or objects) that the elements are of; a sum has one.
    pub of: &'static [&'static str],
    /// The result of the function.
    pub gives: Gives,
}

/// The result of a function.
#[derive(Debug, Clone, Copy)]
pub enum Gives {
    /// Whether an element meets the condition. It may stand alone.
    Exists,
    /// Whether all do; of no elements, yes. It may stand alone.
    All,
    /// The sum of the values at a path in matching elements: numbers, or amounts of one currency.
    Sum(&'static str),
}

/// A predicate of a dialect, checked and ready.
#[derive(Debug, Clone)]
pub struct Rule {
    condition: Condition,
    named: Vec<(String, String)>,
    dialect: &'static Dialect,
}

impl Dialect {
    /// Reads and checks a predicate.
    ///
    /// # Errors
    /// 400 that names the place: `SyntaxError` where it cannot be read, `SemanticError` where it names a field or a function
    /// that there is none of, or compares one with a value of another kind (reference types `SyntaxErrorError`,
    /// `SemanticErrorError`).
    pub fn read(&'static self, text: &str, model: &Model) -> ApiResult<Rule> {
        let predicate = Predicate::parse_dotted(text, self.parameter)
            .map_err(|error| error.told_as(Code::SyntaxError))?;
        let (condition, named) =
            bind::bind(self, &predicate, model).map_err(|error| error.told_as(Code::SemanticError))?;
        Ok(Rule { condition, named, dialect: self })
    }

    /// Returns the rows of the tables that do not fit the model. For tests: a dialect with problems refuses
    /// valid predicates.
    pub fn problems(&'static self, model: &Model) -> Vec<String> {
        resolve::problems(self, model)
    }
}

impl Rule {
    /// Returns the resources that it names by id: `typeId` and id, each once, in the order of the text.
    pub fn named(&self) -> &[(String, String)] {
        &self.named
    }

    /// Whether it asks for what is in a field of one of these names, wherever that is.
    pub fn goes_through(&self, names: &[&str]) -> bool {
        self.condition.goes_through(names)
    }

    /// Whether it holds of the object that its dialect is about.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn holds_of(&self, object: &Document, find: &Find<'_>) -> ApiResult<bool> {
        Subject::answer(&self.condition, &[(TOP, object)], self.dialect.named, find)
    }

    /// Whether it holds of the parts that its dialect is about, each by its name.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn holds_of_parts(&self, parts: &[(&str, &Document)], find: &Find<'_>) -> ApiResult<bool> {
        Subject::answer(&self.condition, parts, self.dialect.named, find)
    }
}
