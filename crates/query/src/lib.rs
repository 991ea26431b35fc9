//! Query predicates, sort and expansion paths: parse, check against the model, plan, evaluate.
//!
//! [`Predicate::parse`] reads a `where` into a syntax tree, [`Predicate::bind`] compiles that into a [`Condition`],
//! [`plan()`] chooses the index lookup, and [`evaluate()`] checks one document. Predicates of other
//! kinds (of discounts, of rules) have a [`dialect`] and become conditions too.
//!
//! **Invariants.** No HTTP, no storage. A plan returns the same documents as a scan (a property test holds it).

mod amount;
mod bind;
mod change;
mod condition;
pub mod dialect;
mod document_id_field;
mod escape;
mod evaluate;
mod expand;
mod indexed_paths;
mod json;
pub mod limits;
mod linked_value;
mod literal;
mod lookup;
mod number;
mod pair;
mod parse;
mod path;
mod plan;
mod predicate;
mod scope;
mod sieve;
mod sort;
mod source;
mod sum;
mod value;
mod variables;

pub use amount::CurrencyAmount;
pub use bind::bind_all;
pub use change::{MissingField, evaluate_change};
pub use condition::{Condition, GeoCircle, Path, Range, ValueCheck};
pub use evaluate::{evaluate, evaluate_value};
pub use expand::{ExpansionTarget, Expansions, FetchedDocument, too_many_references};
pub use indexed_paths::IndexedPaths;
pub use json::{EvaluableJson, RawJson};
pub use limits::{INDEXED_TEXT_BYTES_MAX, PAIR_ROWS_MAX};
pub use lookup::IndexLookup;
pub use number::ExactNumber;
pub use pair::{any_value_row, pair_row};
pub use plan::{AccessPath, QueryPlan, plan};
pub use predicate::{
    Comparison, Literal, Operand, Predicate, PredicateExpression, PredicateName, PredicateTest,
    PredicateValues,
};
pub use scope::{FieldSource, NameScope};
pub use sort::{QuerySort, SortExpression, SortKey, TopItems};
pub use source::Span;
pub use value::{ConditionValue, Scalar};
pub use variables::InputVariables;
