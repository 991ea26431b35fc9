//! Price functions, which calculate a shipping price from a score.
//!
//! Source: reference type `PriceFunction`: `+`, `-`, `*`, parentheses, numbers, and `x` for the score; the
//! result is in cents.

use crate::cent_amount::{CentAmount, Rounding, overflow};
use kontor_errors::{ApiError, ApiResult};
use rust_decimal::Decimal;
use std::fmt;

/// A function that was read: `(150 * x) + 300`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceFunction {
    /// In postfix notation: operands precede their operator, so that evaluation needs no parentheses and no recursion.
    steps: Vec<Step>,
}

/// The position of a syntax error in a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// The number of characters before the error.
    pub position: usize,
    /// A description of the expected token.
    pub expected: &'static str,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at position {}", self.expected, self.position)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Number(Decimal),
    Score,
    Operator(Operator),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Plus,
    Minus,
    Times,
    Negate,
}

impl Operator {
    fn precedence(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 0,
            Self::Times => 1,
            Self::Negate => 2,
        }
    }

    fn of(letter: char) -> Option<Self> {
        match letter {
            '+' => Some(Self::Plus),
            '-' => Some(Self::Minus),
            '*' => Some(Self::Times),
            _ => None,
        }
    }
}

/// An entry of the parser's stack that waits for its right operand.
#[derive(Clone, Copy)]
enum Waiting {
    Operator(Operator),
    Parenthesis,
}

const OPERAND: &str = "a number, x or (";
const OPERATOR: &str = "+, - or *";

impl PriceFunction {
    /// Reads a function.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let letters: Vec<char> = text.chars().collect();
        let mut reader = Reader { steps: Vec::new(), waiting: Vec::new(), wants_operand: true };
        let mut position = 0;
        while let Some(letter) = letters.get(position) {
            position += if letter.is_whitespace() {
                1
            } else if reader.wants_operand {
                reader.operand(&letters, position)?
            } else {
                reader.operator(*letter, position)?
            };
        }
        if reader.wants_operand {
            return Err(Unreadable { position, expected: OPERAND });
        }
        while let Some(waiting) = reader.waiting.pop() {
            let Waiting::Operator(operator) = waiting else {
                return Err(Unreadable { position, expected: ")" });
            };
            reader.steps.push(Step::Operator(operator));
        }
        Ok(Self { steps: reader.steps })
    }

    /// Returns the price for a score in cents: rounded half to even, at least 0. `MoneyOverflow` beyond 64
    /// bits.
    pub fn price_at(&self, score: i64) -> ApiResult<CentAmount> {
        let mut numbers: Vec<Decimal> = Vec::new();
        for step in &self.steps {
            let number = match step {
                Step::Number(number) => Some(*number),
                Step::Score => Some(Decimal::from(score)),
                Step::Operator(operator) => applied(*operator, &mut numbers),
            };
            numbers.push(number.ok_or_else(overflow)?);
        }
        let left = numbers.pop().ok_or_else(|| ApiError::bug("a price function that comes to nothing"))?;
        let cents = CentAmount::rounded(left, Rounding::HalfEven)?;
        Ok(cents.max(CentAmount::ZERO))
    }
}

/// Applies an operator to the last numbers; `None` if the result cannot be represented.
fn applied(operator: Operator, numbers: &mut Vec<Decimal>) -> Option<Decimal> {
    let right = numbers.pop()?;
    if operator == Operator::Negate {
        return Some(-right);
    }
    let left = numbers.pop()?;
    match operator {
        Operator::Plus => left.checked_add(right),
        Operator::Minus => left.checked_sub(right),
        Operator::Times | Operator::Negate => left.checked_mul(right),
    }
}

/// Converts infix into postfix notation: passes operands on at once, and operators after their operands.
struct Reader {
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
    wants_operand: bool,
}

impl Reader {
    /// Reads a token where an operand is expected; returns its number of characters.
    fn operand(&mut self, letters: &[char], position: usize) -> Result<usize, Unreadable> {
        let unreadable = Unreadable { position, expected: OPERAND };
        match letters[position] {
            '(' => self.waiting.push(Waiting::Parenthesis),
            '-' => self.waiting.push(Waiting::Operator(Operator::Negate)),
            'x' => {
                self.steps.push(Step::Score);
                self.wants_operand = false;
            }
            letter if letter.is_ascii_digit() => {
                let is_of_number = |letter: &&char| letter.is_ascii_digit() || **letter == '.';
                let number: String = letters[position..].iter().take_while(is_of_number).collect();
                self.steps.push(Step::Number(number.parse().map_err(|_| unreadable)?));
                self.wants_operand = false;
                return Ok(number.len());
            }
            _ => return Err(unreadable),
        }
        Ok(1)
    }

    /// Reads a token where an operator or a closing parenthesis is expected.
    fn operator(&mut self, letter: char, position: usize) -> Result<usize, Unreadable> {
        if letter == ')' {
            while let Some(waiting) = self.waiting.pop() {
                match waiting {
                    Waiting::Operator(operator) => self.steps.push(Step::Operator(operator)),
                    Waiting::Parenthesis => return Ok(1),
                }
            }
            return Err(Unreadable { position, expected: OPERATOR });
        }
        let operator = Operator::of(letter).ok_or(Unreadable { position, expected: OPERATOR })?;
        while let Some(Waiting::Operator(before)) = self.waiting.last().copied() {
            if before.precedence() < operator.precedence() {
                break;
            }
            self.waiting.pop();
            self.steps.push(Step::Operator(before));
        }
        self.waiting.push(Waiting::Operator(operator));
        self.wants_operand = true;
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;

    fn price(function: &str, score: i64) -> i64 {
        PriceFunction::parse(function).unwrap().price_at(score).unwrap().0
    }

    /// The first two are the reference's own, the third was recorded.
    #[test]
    fn functions_give_cents_for_a_score() {
        for (function, score, cents) in [
            ("(200 * x) - 1", 3, 599),
            ("(150 * x) + 300", 1, 450),
            ("50 * x + 4000", 0, 4000),
            ("2+3*x", 4, 14),
            ("(2+3)*x", 4, 20),
            ("10 - 3 - x", 4, 3),
            ("x*x-(x-(1+1))*2", 5, 19),
            ("-(x - 10) * 2", 4, 12),
            ("0.5 * x", 5, 2),
            ("x - 10", 4, 0),
        ] {
            assert_eq!(price(function, score), cents, "{function} at {score}");
        }
    }

    #[test]
    fn what_is_no_function_is_refused_where_it_ends_to_be_one() {
        for (text, position, expected) in [
            ("", 0, OPERAND),
            ("x +", 3, OPERAND),
            ("x 2", 2, OPERATOR),
            ("2 * y", 4, OPERAND),
            ("(x + 1", 6, ")"),
            ("x + 1)", 5, OPERATOR),
            ("1.2.3", 0, OPERAND),
            ("x / 2", 2, OPERATOR),
            ("€", 0, OPERAND),
        ] {
            assert_eq!(PriceFunction::parse(text), Err(Unreadable { position, expected }), "{text}");
        }
        let deep = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(price(&deep, 7), 7);
    }

    #[test]
    fn what_does_not_fit_is_an_overflow() {
        for function in ["x * x", "x * x * x * x * x * x * x"] {
            let found = PriceFunction::parse(function).unwrap().price_at(i64::MAX);
            assert_eq!(found.unwrap_err().code(), Code::MoneyOverflow);
        }
    }
}
