//! The syntax tree of a predicate, with the position of every name and value.
//!
//! The tree is normalized: `and` and `or` never contain themselves directly and always have two or more
//! members. So a predicate that is printed and parsed again equals itself.
//!
//! Source: <https://docs.commercetools.com/api/predicates/query>.

use crate::number::Number;
use crate::source::{Span, is_name_char};
use std::fmt;

/// One parsed `where`: the tree, and its source text for messages.
#[derive(Debug, Clone)]
pub struct Predicate {
    pub(crate) expression: Expression,
    pub(crate) text: String,
    pub(crate) parameter: String,
}

/// A condition on the fields of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// All members must be true. Two or more; none is itself `All`.
    All(Vec<Expression>),
    /// At least one member must be true. Two or more; none is itself `Any`.
    Any(Vec<Expression>),
    /// The member must not be true.
    Not(Box<Expression>),
    /// A test of one field.
    Field(Name, Test),
    /// A constant: in predicates of discounts only.
    Constant(bool),
}

/// The name of a field as written, without backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name itself.
    pub text: String,
    /// Its position.
    pub span: Span,
}

/// The test of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// `field < 5`
    Compare(Comparison, Operand),
    /// `field = ("a", "b")`: the list has these values and no others (`!=`: none of them). In predicates of
    /// discounts only.
    Equals {
        /// `!=`
        negated: bool,
        /// The values.
        values: Values,
    },
    /// `field in ("a", "b")`, `field not in :values`
    In {
        /// `not in`
        negated: bool,
        /// The values.
        values: Values,
    },
    /// `field contains all ("a", "b")`, `field contains any ("a", "b")`
    Contains {
        /// `all` of the values, or `any`.
        all: bool,
        /// The values.
        values: Values,
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
    Inside(Box<Expression>),
    /// `function(…) > 5`: compares the result of a function over the elements that meet a condition. In predicates
    /// about Carts and Orders only.
    Outcome {
        /// The condition on the elements.
        of: Box<Expression>,
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
pub enum Values {
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
    Number(Number),
    /// `true`
    Boolean(bool),
    /// `:name`, without the colon.
    Variable(String),
}

impl Predicate {
    /// The root of the syntax tree.
    pub fn expression(&self) -> &Expression {
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

impl Expression {
    /// Returns the `and` of `members`, normalized.
    pub fn all(members: Vec<Expression>) -> Expression {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            match member {
                Expression::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { Expression::All(flat) }
    }

    /// Returns the `or` of `members`, normalized.
    pub fn any(members: Vec<Expression>) -> Expression {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            match member {
                Expression::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { Expression::Any(flat) }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.fmt(f)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `and` binds closer than `or`, so only an `or` within an `and` needs parentheses.
            Expression::All(members) => joined(f, members, " and ", |member, f| match member {
                Expression::Any(_) => write!(f, "({member})"),
                other => other.fmt(f),
            }),
            Expression::Any(members) => joined(f, members, " or ", fmt::Display::fmt),
            Expression::Not(inner) => write!(f, "not({inner})"),
            Expression::Field(name, test) => write!(f, "{name}{test}"),
            Expression::Constant(constant) => write!(f, "{constant}"),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = !self.text.is_empty()
            && self.text.chars().all(is_name_char)
            && !self.text.eq_ignore_ascii_case("not");
        if plain { f.write_str(&self.text) } else { write!(f, "`{}`", self.text) }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |negated: &bool| if *negated { "not " } else { "" };
        match self {
            Test::Compare(comparison, operand) => write!(f, " {} {operand}", comparison.symbol()),
            Test::Equals { negated, values } => write!(f, " {}= {values}", if *negated { "!" } else { "" }),
            Test::In { negated, values } => write!(f, " {}in {values}", not(negated)),
            Test::Contains { all, values } => {
                write!(f, " contains {} {values}", if *all { "all" } else { "any" })
            }
            Test::Defined { negated } => write!(f, " is {}defined", not(negated)),
            Test::Empty { negated } => write!(f, " is {}empty", not(negated)),
            Test::WithinCircle(circle) => {
                let [longitude, latitude, radius] = &**circle;
                write!(f, " within circle({longitude}, {latitude}, {radius})")
            }
            Test::MatchesIgnoreCase(operand) => write!(f, " matches ignore case {operand}"),
            Test::Changed { negated } => write!(f, " has {}changed", not(negated)),
            Test::Inside(inner) => write!(f, "({inner})"),
            Test::Outcome { of, comparison, operand } => {
                write!(f, "({of}) {} {operand}", comparison.symbol())
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

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Variable(operand) => operand.fmt(f),
            Values::Listed(operands) => {
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
