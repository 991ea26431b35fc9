//! Parses predicates. A hand-written recursive descent: the grammar is small, and messages must list the expected
//! tokens in the platform's own form, which parser libraries do not support.
//!
//! ```text
//! any     = all ("or" all)*
//! all     = one ("and" one)*
//! one     = "not" one | "(" any ")" | name test
//! test    = "(" any ")"
//!         | ("=" | "!=" | "<>" | "<" | "<=" | ">" | ">=") value
//!         | "not"? "in" values | "contains" ("all" | "any") values
//!         | "is" "not"? ("defined" | "empty") | "has" "not"? "changed"
//!         | "within" "circle" "(" value "," value "," value ")"
//!         | "matches" "ignore" "case" value
//! values  = "(" value ("," value)* ")" | variable
//! value   = string | number | "true" | "false" | variable
//! name    = (letter | digit | "_" | "-")+ | "`" any but "`" "`"
//! ```
//! Keywords are read in any case, names only in their own. After `and` or `(` a word is a name, even one
//! that is a keyword elsewhere: `name(is="Peysa")` tests the Icelandic name.

use crate::escape::unescape;
use crate::limits::{LIST_VALUES_MAX, PREDICATE_BYTES_MAX, PREDICATE_DEPTH_MAX};
use crate::number::ExactNumber;
use crate::predicate::{
    Comparison, Literal, Operand, Predicate, PredicateExpression, PredicateName, PredicateTest,
    PredicateValues,
};
use crate::source::{ParameterText, Span, is_name_char};
use kontor_errors::{ApiError, ApiResult};

const VALUE: &[&str] = &["StringLiteral", "NumberLiteral", "boolean", "inputParam"];
const TEST: &[&str] =
    &["comparison operator", "not", "in", "contains", "is", "within", "matches", "has", "'('"];

impl Predicate {
    /// Parses a predicate; `parameter` is its name in messages, e.g. `where` or `condition`.
    ///
    /// # Errors
    /// 400 `InvalidInput` with the position and the expected tokens there; also beyond the limits of
    /// [`crate::limits`].
    pub fn parse(text: &str, parameter: &str) -> ApiResult<Predicate> {
        Self::read(text, parameter, Language::Query)
    }

    /// Parses the condition of an API Extension: like [`Predicate::parse`], and constants may be compared with each
    /// other (`1 = 0`) or occur alone (`true`).
    ///
    /// # Errors
    /// Those of [`Predicate::parse`].
    pub fn parse_condition(text: &str, parameter: &str) -> ApiResult<Predicate> {
        Self::read(text, parameter, Language::Condition)
    }

    /// Parses the predicate of a discount: names contain dots (`attributes.size`, one name in the tree),
    /// `= (…)` compares with a whole list, `contains` also takes one value, and constants (`1 = 1`) and results of
    /// functions (`lineItemCount(…) > 1`) may be compared. Source: public documentation, "Discount predicates".
    ///
    /// # Errors
    /// Those of [`Predicate::parse`].
    pub fn parse_dotted(text: &str, parameter: &str) -> ApiResult<Predicate> {
        Self::read(text, parameter, Language::Dotted)
    }

    fn read(text: &str, parameter: &str, language: Language) -> ApiResult<Predicate> {
        if text.len() > PREDICATE_BYTES_MAX {
            return Err(ApiError::invalid_input(format!(
                "Malformed parameter: {parameter}: The predicate has {} bytes; at most {PREDICATE_BYTES_MAX} are \
                 allowed.",
                text.len()
            )));
        }
        let dotted = language == Language::Dotted;
        let has_constants = language != Language::Query;
        let mut parser =
            Parser { source: ParameterText { text, parameter }, at: 0, depth: 0, dotted, has_constants };
        let expression = parser.parse_or()?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.expected(&["and", "or", "end of input"]));
        }
        Ok(Predicate { expression, text: text.to_owned(), parameter: parameter.to_owned() })
    }
}

/// The language of a predicate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    /// Query predicates.
    Query,
    /// Conditions of API Extensions: query predicates with constants.
    Condition,
    /// Predicates of discounts and of other rules.
    Dotted,
}

struct Parser<'a> {
    source: ParameterText<'a>,
    at: usize,
    depth: usize,
    /// Whether names contain dots: predicates of discounts.
    dotted: bool,
    /// Whether conditions may compare two constants: `1 = 1`.
    has_constants: bool,
}

impl<'a> Parser<'a> {
    fn parse_or(&mut self) -> ApiResult<PredicateExpression> {
        let mut members = vec![self.parse_and()?];
        while self.keyword("or") {
            members.push(self.parse_and()?);
        }
        Ok(PredicateExpression::any(members))
    }

    fn parse_and(&mut self) -> ApiResult<PredicateExpression> {
        let mut members = vec![self.parse_term()?];
        while self.keyword("and") {
            members.push(self.parse_term()?);
        }
        Ok(PredicateExpression::all(members))
    }

    fn parse_term(&mut self) -> ApiResult<PredicateExpression> {
        if self.keyword("not") {
            let inner = self.nested(Self::parse_term)?;
            return Ok(PredicateExpression::Not(Box::new(inner)));
        }
        if self.symbol("(") {
            let inner = self.nested(Self::parse_or)?;
            self.close(&["and", "or", "')'"])?;
            return Ok(inner);
        }
        if self.has_constants
            && let Some(constant) = self.constant()?
        {
            return Ok(PredicateExpression::Constant(constant));
        }
        let name = self.name()?;
        let test = self.test()?;
        Ok(PredicateExpression::Field(name, test))
    }

    /// Parses a constant in the place of a name: alone, or compared with another one.
    fn constant(&mut self) -> ApiResult<Option<bool>> {
        self.skip_space();
        let start = self.at;
        let is_literal = self.rest().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
        let is_boolean = !is_literal && (self.keyword("true") || self.keyword("false"));
        // `true.x` is a name.
        let is_name = is_boolean && self.rest().starts_with('.');
        self.at = start;
        if !is_literal && (!is_boolean || is_name) {
            return Ok(None);
        }
        let left = match self.value(VALUE) {
            Ok(left) => left,
            // A name may begin with a digit if names have no dots.
            Err(_) if !self.dotted => {
                self.at = start;
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        match self.comparison() {
            Some(comparison) => {
                let right = self.value(VALUE)?;
                Ok(Some(compared(&left.value, comparison, &right.value)))
            }
            None if left.value == Literal::Boolean(true) => Ok(Some(true)),
            None if left.value == Literal::Boolean(false) => Ok(Some(false)),
            None => Err(self.expected(&["comparison operator"])),
        }
    }

    /// Runs `read` one level deeper: the only way this parser calls itself, so the stack is bounded.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> ApiResult<T>) -> ApiResult<T> {
        if self.depth == PREDICATE_DEPTH_MAX {
            let sentence = format!("Conditions nest deeper than {PREDICATE_DEPTH_MAX} levels");
            return Err(self.source.error_at(self.at, &sentence));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn name(&mut self) -> ApiResult<PredicateName> {
        let mut name = self.name_part()?;
        while self.dotted && self.rest().starts_with('.') {
            self.at += 1;
            let part = self.name_part()?;
            name = PredicateName {
                text: format!("{}.{}", name.text, part.text),
                span: Span { start: name.span.start, end: part.span.end },
            };
        }
        Ok(name)
    }

    fn name_part(&mut self) -> ApiResult<PredicateName> {
        self.skip_space();
        let start = self.at;
        let text = if self.symbol("`") {
            let Some(end) = self.rest().find('`').filter(|&end| end > 0) else {
                return Err(self.expected(&["a field name and a closing backtick"]));
            };
            let text = &self.rest()[..end];
            self.at += end + 1;
            text
        } else {
            self.word()
        };
        if text.is_empty() {
            return Err(self.expected(&["not", "conditional expression"]));
        }
        Ok(PredicateName { text: text.to_owned(), span: Span { start, end: self.at } })
    }

    fn test(&mut self) -> ApiResult<PredicateTest> {
        self.skip_space();
        if self.symbol("(") {
            let inner = self.nested(Self::parse_or)?;
            self.close(&["and", "or", "')'"])?;
            let filter = Box::new(inner);
            if self.dotted
                && let Some(comparison) = self.comparison()
            {
                return Ok(PredicateTest::Outcome { filter, comparison, operand: self.value(VALUE)? });
            }
            return Ok(PredicateTest::Nested(filter));
        }
        if let Some(comparison) = self.comparison() {
            self.skip_space();
            let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            if self.dotted && is_equality && self.rest().starts_with('(') {
                let negated = comparison == Comparison::NotEqual;
                return Ok(PredicateTest::Equals { negated, values: self.values()? });
            }
            return Ok(PredicateTest::Compare(
                comparison,
                self.value(&["input parameter", "primitive value"])?,
            ));
        }
        let start = self.at;
        match self.word().to_ascii_lowercase().as_str() {
            "in" => Ok(PredicateTest::In { negated: false, values: self.values()? }),
            "not" => {
                self.require("in")?;
                Ok(PredicateTest::In { negated: true, values: self.values()? })
            }
            "contains"
                if self.dotted
                    && self.skipped().starts_with(|next: char| matches!(next, '"' | '-' | '0'..='9')) =>
            {
                let value = self.value(VALUE)?;
                Ok(PredicateTest::Contains { all: true, values: PredicateValues::Listed(vec![value]) })
            }
            "contains" => {
                let all = self.choice("all", "any")?;
                Ok(PredicateTest::Contains { all, values: self.values()? })
            }
            "is" => {
                let negated = self.keyword("not");
                if self.choice("defined", "empty")? {
                    Ok(PredicateTest::Defined { negated })
                } else {
                    Ok(PredicateTest::Empty { negated })
                }
            }
            "has" => {
                let negated = self.keyword("not");
                self.require("changed")?;
                Ok(PredicateTest::Changed { negated })
            }
            "within" => self.parse_circle(),
            "matches" => {
                self.require("ignore")?;
                self.require("case")?;
                Ok(PredicateTest::MatchesIgnoreCase(self.value(&["StringLiteral", "inputParam"])?))
            }
            _ => {
                self.at = start;
                Err(self.expected(TEST))
            }
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        // The longer symbols come first: `<` is a prefix of three of them.
        const SYMBOLS: [(&str, Comparison); 7] = [
            ("!=", Comparison::NotEqual),
            ("<>", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("=", Comparison::Equal),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        SYMBOLS.iter().find(|(symbol, _)| self.symbol(symbol)).map(|&(_, comparison)| comparison)
    }

    fn parse_circle(&mut self) -> ApiResult<PredicateTest> {
        const NUMBER: &[&str] = &["NumberLiteral", "inputParam"];
        self.require("circle")?;
        self.punctuation("(", "'('")?;
        let longitude = self.value(NUMBER)?;
        self.punctuation(",", "comma")?;
        let latitude = self.value(NUMBER)?;
        self.punctuation(",", "comma")?;
        let radius = self.value(NUMBER)?;
        self.close(&["')'"])?;
        Ok(PredicateTest::WithinCircle(Box::new([longitude, latitude, radius])))
    }

    fn values(&mut self) -> ApiResult<PredicateValues> {
        self.skip_space();
        if self.rest().starts_with(':') {
            return Ok(PredicateValues::Variable(self.value(VALUE)?));
        }
        self.punctuation("(", "'(' or inputParam")?;
        let mut values = vec![self.value(VALUE)?];
        while self.symbol(",") {
            if values.len() == LIST_VALUES_MAX {
                let sentence = format!("A list may have at most {LIST_VALUES_MAX} values");
                return Err(self.source.error_at(self.at, &sentence));
            }
            values.push(self.value(VALUE)?);
        }
        self.close(&["comma", "')'"])?;
        Ok(PredicateValues::Listed(values))
    }

    fn value(&mut self, expected: &[&str]) -> ApiResult<Operand> {
        self.skip_space();
        let start = self.at;
        let value = match self.rest().as_bytes().first() {
            Some(b'"') => Literal::Text(self.string()?),
            Some(b':') => {
                self.at += 1;
                let name = self.word();
                if name.is_empty() {
                    return Err(self.expected(&["the name of an input variable"]));
                }
                Literal::Variable(name.to_owned())
            }
            Some(b'-' | b'0'..=b'9') => Literal::Number(self.number(expected)?),
            _ => match self.word().to_ascii_lowercase().as_str() {
                "true" => Literal::Boolean(true),
                "false" => Literal::Boolean(false),
                _ => {
                    self.at = start;
                    return Err(self.expected(expected));
                }
            },
        };
        Ok(Operand { value, span: Span { start, end: self.at } })
    }

    fn number(&mut self, expected: &[&str]) -> ApiResult<ExactNumber> {
        let rest = self.rest();
        let length = rest
            .char_indices()
            .find(|&(index, c)| {
                // A sign belongs to the number at its beginning and after an exponent's `e`.
                let signed = index == 0 || matches!(rest.as_bytes()[index - 1], b'e' | b'E');
                !(is_name_char(c) && c != '-') && c != '.' && !(signed && matches!(c, '-' | '+'))
            })
            .map_or(rest.len(), |(index, _)| index);
        match ExactNumber::parse(&rest[..length]) {
            Some(number) => {
                self.at += length;
                Ok(number)
            }
            None => Err(self.expected(expected)),
        }
    }

    fn string(&mut self) -> ApiResult<String> {
        let mut escaped = false;
        let end = self.rest().char_indices().skip(1).find(|&(_, c)| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let Some((end, _)) = end else {
            self.at = self.source.text.len();
            return Err(self.expected(&["'\"'"]));
        };
        let quoted = &self.rest()[..=end];
        let text = unescape(&quoted[1..end]).map_err(|offset| {
            let sentence = "Invalid escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX";
            self.source.error_at(self.at + 1 + offset, sentence)
        })?;
        self.at += end + 1;
        Ok(text)
    }

    /// Consumes the word `keyword`, in any case, if it comes next.
    fn keyword(&mut self, keyword: &str) -> bool {
        self.skip_space();
        let start = self.at;
        let found = self.word().eq_ignore_ascii_case(keyword);
        if !found {
            self.at = start;
        }
        found
    }

    fn require(&mut self, keyword: &str) -> ApiResult<()> {
        if self.keyword(keyword) { Ok(()) } else { Err(self.expected(&[keyword])) }
    }

    /// Whether `first` comes next, or else `second`.
    fn choice(&mut self, first: &str, second: &str) -> ApiResult<bool> {
        if self.keyword(first) {
            Ok(true)
        } else if self.keyword(second) {
            Ok(false)
        } else {
            Err(self.expected(&[first, second]))
        }
    }

    fn punctuation(&mut self, symbol: &str, expected: &str) -> ApiResult<()> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.expected(&[expected])) }
    }

    fn close(&mut self, expected: &[&str]) -> ApiResult<()> {
        if self.symbol(")") { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn skipped(&self) -> &'a str {
        self.rest().trim_start()
    }

    fn rest(&self) -> &'a str {
        &self.source.text[self.at..]
    }

    fn expected(&self, expected: &[&str]) -> ApiError {
        let space = self.rest().len() - self.rest().trim_start().len();
        self.source.syntax_error(self.at + space, expected)
    }
}

/// Whether a comparison of two constants is true. Values of different types are neither equal nor ordered.
fn compared(left: &Literal, comparison: Comparison, right: &Literal) -> bool {
    use std::cmp::Ordering::Equal;
    let ordering = match (left, right) {
        (Literal::Text(left), Literal::Text(right)) => Some(left.cmp(right)),
        (Literal::Number(left), Literal::Number(right)) => Some(left.cmp(right)),
        (Literal::Boolean(left), Literal::Boolean(right)) => Some(left.cmp(right)),
        _ => None,
    };
    match comparison {
        Comparison::Equal => ordering == Some(Equal),
        Comparison::NotEqual => ordering != Some(Equal),
        Comparison::Less => ordering.is_some_and(|ordering| ordering.is_lt()),
        Comparison::LessOrEqual => ordering.is_some_and(|ordering| ordering.is_le()),
        Comparison::Greater => ordering.is_some_and(|ordering| ordering.is_gt()),
        Comparison::GreaterOrEqual => ordering.is_some_and(|ordering| ordering.is_ge()),
    }
}
