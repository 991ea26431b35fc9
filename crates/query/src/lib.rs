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
mod escape;
mod evaluate;
mod expand;
mod indexed_paths;
mod json;
pub mod limits;
mod literal;
mod lookup;
mod named;
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
mod subject;
mod sum;
mod value;
mod variables;

pub use amount::Amount;
pub use bind::bind_all;
pub use change::{MissingField, evaluate_change};
pub use condition::{Check, Circle, Condition, Path, Range};
pub use evaluate::{evaluate, evaluate_value};
pub use expand::{Expansions, Fetched, Target, too_many_references};
pub use indexed_paths::IndexedPaths;
pub use json::{Json, Raw};
pub use limits::{INDEXED_TEXT_BYTES_MAX, PAIR_ROWS_MAX};
pub use lookup::Lookup;
pub use number::Number;
pub use pair::{any_value_row, pair_row};
pub use plan::{Access, Plan, plan};
pub use predicate::{Comparison, Expression, Literal, Name, Operand, Predicate, Test, Values};
pub use scope::{FieldSource, Scope};
pub use sort::{Sort, SortExpression, SortKey, Top};
pub use source::Span;
pub use value::{Scalar, Value};
pub use variables::Variables;
