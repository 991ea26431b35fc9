//! The syntax tree of a predicate, with the position of every name and value.
//!
//! The tree is normalized: `and` and `or` never contain themselves directly and always have two or more
//! members. So a predicate that is printed and parsed again equals itself.
//!
//! Source: <https://docs.commercetools.com/api/predicates/query>.

use crate::number::ExactNumber;
use crate::source::{Span, is_name_char};
use std::fmt;

/// One parsed `where`: the tree, and its source text for messages.
#[derive(Debug, Clone)]
pub struct Predicate {
    pub(crate) expression: PredicateExpression,
    pub(crate) text: String,
    pub(crate) parameter: String,
}

/// A condition on the fields of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum PredicateExpression {
    /// All members must be true. Two or more; none is itself `All`.
    All(Vec<PredicateExpression>),
    /// At least one member must be true. Two or more; none is itself `Any`.
    Any(Vec<PredicateExpression>),
    /// The member must not be true.
    Not(Box<PredicateExpression>),
    /// A test of one field.
    Field(PredicateName, PredicateTest),
    /// A constant: in predicates of discounts only.
    Constant(bool),
}

/// The name of a field as written, without backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateName {
    /// The name itself.
    pub text: String,
    /// Its position.
    pub span: Span,
}

/// The test of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum PredicateTest {
    /// `field < 5`
    Compare(Comparison, Operand),
    /// `field = ("a", "b")`: the list has these values and no others (`!=`: none of them). In predicates of
    /// discounts only.
    Equals {
        /// `!=`
        negated: bool,
        /// The values.
        values: PredicateValues,
    },
    /// `field in ("a", "b")`, `field not in :values`
    In {
        /// `not in`
        negated: bool,
        /// The values.
        values: PredicateValues,
    },
    /// `field contains all ("a", "b")`, `field contains any ("a", "b")`
    Contains {
        /// `all` of the values, or `any`.
        all: bool,
        /// The values.
        values: PredicateValues,
    },
    /// `field is defined`
    Defined {
        /// `is not`
        negated: bool,
    },
    /// `field is empty`
    Empty {
        /// `is not`
        negated: bool,
    },
    /// `field within circle(longitude, latitude, radius in metres)`
    WithinCircle(Box<[Operand; 3]>),
    /// `field matches ignore case "text"`
    MatchesIgnoreCase(Operand),
    /// `field has changed`: in conditions of API Extensions only.
    Changed {
        /// `has not`
        negated: bool,
    },
    /// `field(…)`: on an object its fields, on a list the fields of one element.
    Nested(Box<PredicateExpression>),
    /// `function(…) > 5`: compares the result of a function over the elements that meet a condition. In predicates
    /// about Carts and Orders only.
    Outcome {
        /// The condition on the elements.
        filter: Box<PredicateExpression>,
        /// How the result is compared.
        comparison: Comparison,
        /// The compared value.
        operand: Operand,
    },
}

/// Compares a field with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it all.
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The values of `in` and `contains`.
#[derive(Debug, Clone, PartialEq)]
pub enum PredicateValues {
    /// `("a", :b)`: one or more.
    Listed(Vec<Operand>),
    /// `:values`: an input variable that may be repeated.
    Variable(Operand),
}

/// A value as written, with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// The literal.
    pub value: Literal,
    /// Its position.
    pub span: Span,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `"text"`, without quotes and escapes.
    Text(String),
    /// `42`, `-1.5`
    Number(ExactNumber),
    /// `true`
    Boolean(bool),
    /// `:name`, without the colon.
    Variable(String),
}

impl Predicate {
    /// Returns the root of the syntax tree.
    pub fn expression(&self) -> &PredicateExpression {
        &self.expression
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Predicate {
    fn eq(&self, other: &Self) -> bool {
        self.expression == other.expression
    }
}

impl PredicateExpression {
    /// Returns the `and` of `members`, normalized.
    pub fn all(members: Vec<PredicateExpression>) -> PredicateExpression {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            match member {
                PredicateExpression::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { PredicateExpression::All(flat) }
    }

    /// Returns the `or` of `members`, normalized.
    pub fn any(members: Vec<PredicateExpression>) -> PredicateExpression {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            match member {
                PredicateExpression::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { PredicateExpression::Any(flat) }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.fmt(f)
    }
}

impl fmt::Display for PredicateExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `and` binds closer than `or`, so only an `or` within an `and` needs parentheses.
            PredicateExpression::All(members) => joined(f, members, " and ", |member, f| match member {
                PredicateExpression::Any(_) => write!(f, "({member})"),
                other => other.fmt(f),
            }),
            PredicateExpression::Any(members) => joined(f, members, " or ", fmt::Display::fmt),
            PredicateExpression::Not(inner) => write!(f, "not({inner})"),
            PredicateExpression::Field(name, test) => write!(f, "{name}{test}"),
            PredicateExpression::Constant(constant) => write!(f, "{constant}"),
        }
    }
}

impl fmt::Display for PredicateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = !self.text.is_empty()
            && self.text.chars().all(is_name_char)
            && !self.text.eq_ignore_ascii_case("not");
        if plain { f.write_str(&self.text) } else { write!(f, "`{}`", self.text) }
    }
}

impl fmt::Display for PredicateTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |negated: &bool| if *negated { "not " } else { "" };
        match self {
            PredicateTest::Compare(comparison, operand) => write!(f, " {} {operand}", comparison.symbol()),
            PredicateTest::Equals { negated, values } => {
                write!(f, " {}= {values}", if *negated { "!" } else { "" })
            }
            PredicateTest::In { negated, values } => write!(f, " {}in {values}", not(negated)),
            PredicateTest::Contains { all, values } => {
                write!(f, " contains {} {values}", if *all { "all" } else { "any" })
            }
            PredicateTest::Defined { negated } => write!(f, " is {}defined", not(negated)),
            PredicateTest::Empty { negated } => write!(f, " is {}empty", not(negated)),
            PredicateTest::WithinCircle(circle) => {
                let [longitude, latitude, radius] = &**circle;
                write!(f, " within circle({longitude}, {latitude}, {radius})")
            }
            PredicateTest::MatchesIgnoreCase(operand) => write!(f, " matches ignore case {operand}"),
            PredicateTest::Changed { negated } => write!(f, " has {}changed", not(negated)),
            PredicateTest::Nested(inner) => write!(f, "({inner})"),
            PredicateTest::Outcome { filter, comparison, operand } => {
                write!(f, "({filter}) {} {operand}", comparison.symbol())
            }
        }
    }
}

impl Comparison {
    /// Returns the operator's text.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl fmt::Display for PredicateValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PredicateValues::Variable(operand) => operand.fmt(f),
            PredicateValues::Listed(operands) => {
                f.write_str("(")?;
                joined(f, operands, ", ", fmt::Display::fmt)?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            // The escapes of the language are those of JSON.
            Literal::Text(text) => write!(f, "{}", kontor_json::Value::String(text.clone())),
            Literal::Number(number) => number.fmt(f),
            Literal::Boolean(boolean) => boolean.fmt(f),
            Literal::Variable(name) => write!(f, ":{name}"),
        }
    }
}

fn joined<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    separator: &str,
    print: impl Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        print(item, f)?;
    }
    Ok(())
}
