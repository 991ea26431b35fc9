//! Price functions, which calculate a shipping price from a score.
//!
//! Source: reference type `PriceFunction`: `+`, `-`, `*`, parentheses, numbers, and `x` for the score; the
//! result is in cents.

use crate::cent_amount::{CentAmount, overflow_error};
use kontor_enums::RoundingMode;
use kontor_errors::{ApiError, ApiResult};
use rust_decimal::Decimal;
use std::fmt;

/// A function that was read: `(150 * x) + 300`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceFunction {
    /// In postfix notation: operands precede their operator, so that evaluation needs no parentheses and no recursion.
    steps: Vec<PostfixStep>,
}

/// The position of a syntax error in a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceFunctionError {
    /// The number of characters before the error.
    pub position: usize,
    /// A description of the expected token.
    pub expected: &'static str,
}

impl fmt::Display for PriceFunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at position {}", self.expected, self.position)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PostfixStep {
    Number(Decimal),
    Score,
    Operator(ArithmeticOperator),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ArithmeticOperator {
    Plus,
    Minus,
    Times,
    Negate,
}

impl ArithmeticOperator {
    fn precedence(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 0,
            Self::Times => 1,
            Self::Negate => 2,
        }
    }

    fn from_letter(letter: char) -> Option<Self> {
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
enum PendingToken {
    Operator(ArithmeticOperator),
    Parenthesis,
}

const OPERAND: &str = "a number, x or (";
const OPERATOR: &str = "+, - or *";

impl PriceFunction {
    /// Reads a function. Fails with the position of the first unexpected character, and what was expected there.
    pub fn parse(text: &str) -> Result<Self, PriceFunctionError> {
        let letters: Vec<char> = text.chars().collect();
        let mut reader = PriceFunctionParser { steps: Vec::new(), waiting: Vec::new(), wants_operand: true };
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
            return Err(PriceFunctionError { position, expected: OPERAND });
        }
        while let Some(waiting) = reader.waiting.pop() {
            let PendingToken::Operator(operator) = waiting else {
                return Err(PriceFunctionError { position, expected: ")" });
            };
            reader.steps.push(PostfixStep::Operator(operator));
        }
        Ok(Self { steps: reader.steps })
    }

    /// Returns the price for a score in cents: rounded half to even, at least 0. Fails with `MoneyOverflow` beyond 64
    /// bits.
    pub fn price_at(&self, score: i64) -> ApiResult<CentAmount> {
        let mut numbers: Vec<Decimal> = Vec::new();
        for step in &self.steps {
            let number = match step {
                PostfixStep::Number(number) => Some(*number),
                PostfixStep::Score => Some(Decimal::from(score)),
                PostfixStep::Operator(operator) => applied(*operator, &mut numbers),
            };
            numbers.push(number.ok_or_else(overflow_error)?);
        }
        let left = numbers.pop().ok_or_else(|| ApiError::bug("a price function that comes to nothing"))?;
        let cents = CentAmount::round(left, RoundingMode::HalfEven)?;
        Ok(cents.max(CentAmount::ZERO))
    }
}

/// Applies an operator to the last numbers; `None` if the result cannot be represented.
fn applied(operator: ArithmeticOperator, numbers: &mut Vec<Decimal>) -> Option<Decimal> {
    let right = numbers.pop()?;
    if operator == ArithmeticOperator::Negate {
        return Some(-right);
    }
    let left = numbers.pop()?;
    match operator {
        ArithmeticOperator::Plus => left.checked_add(right),
        ArithmeticOperator::Minus => left.checked_sub(right),
        ArithmeticOperator::Times | ArithmeticOperator::Negate => left.checked_mul(right),
    }
}

/// Converts infix into postfix notation: passes operands on at once, and operators after their operands.
struct PriceFunctionParser {
    steps: Vec<PostfixStep>,
    waiting: Vec<PendingToken>,
    wants_operand: bool,
}

impl PriceFunctionParser {
    /// Reads a token where an operand is expected; returns its number of characters.
    fn operand(&mut self, letters: &[char], position: usize) -> Result<usize, PriceFunctionError> {
        let unreadable = PriceFunctionError { position, expected: OPERAND };
        match letters[position] {
            '(' => self.waiting.push(PendingToken::Parenthesis),
            '-' => self.waiting.push(PendingToken::Operator(ArithmeticOperator::Negate)),
            'x' => {
                self.steps.push(PostfixStep::Score);
                self.wants_operand = false;
            }
            letter if letter.is_ascii_digit() => {
                let is_of_number = |letter: &&char| letter.is_ascii_digit() || **letter == '.';
                let number: String = letters[position..].iter().take_while(is_of_number).collect();
                self.steps.push(PostfixStep::Number(number.parse().map_err(|_| unreadable)?));
                self.wants_operand = false;
                return Ok(number.len());
            }
            _ => return Err(unreadable),
        }
        Ok(1)
    }

    /// Reads a token where an operator or a closing parenthesis is expected.
    fn operator(&mut self, letter: char, position: usize) -> Result<usize, PriceFunctionError> {
        if letter == ')' {
            while let Some(waiting) = self.waiting.pop() {
                match waiting {
                    PendingToken::Operator(operator) => self.steps.push(PostfixStep::Operator(operator)),
                    PendingToken::Parenthesis => return Ok(1),
                }
            }
            return Err(PriceFunctionError { position, expected: OPERATOR });
        }
        let operator = ArithmeticOperator::from_letter(letter)
            .ok_or(PriceFunctionError { position, expected: OPERATOR })?;
        while let Some(PendingToken::Operator(before)) = self.waiting.last().copied() {
            if before.precedence() < operator.precedence() {
                break;
            }
            self.waiting.pop();
            self.steps.push(PostfixStep::Operator(before));
        }
        self.waiting.push(PendingToken::Operator(operator));
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
    fn refuses_invalid_functions_with_the_position() {
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
            assert_eq!(PriceFunction::parse(text), Err(PriceFunctionError { position, expected }), "{text}");
        }
        let deep = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(price(&deep, 7), 7);
    }

    #[test]
    fn a_result_beyond_64_bits_is_an_overflow() {
        for function in ["x * x", "x * x * x * x * x * x * x"] {
            let found = PriceFunction::parse(function).unwrap().price_at(i64::MAX);
            assert_eq!(found.unwrap_err().code(), Code::MoneyOverflow);
        }
    }
}
