//! Sums of numbers, or of amounts of one currency.

use crate::amount::CurrencyAmount;
use crate::number::ExactNumber;
use crate::value::{ConditionValue, Scalar};

/// A running sum; `None` after an addition failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sum(Option<Addend>);

#[derive(Debug, Clone, Copy)]
enum Addend {
    Number(ExactNumber),
    Amount(CurrencyAmount),
}

impl Sum {
    /// Starts with zero: a number, or an amount of a currency.
    pub(crate) fn from(nothing: &ConditionValue) -> Sum {
        Sum(match nothing {
            ConditionValue::Number(number) => Some(Addend::Number(*number)),
            ConditionValue::Amount(amount) => Some(Addend::Amount(*amount)),
            ConditionValue::Text(_) | ConditionValue::Boolean(_) => None,
        })
    }

    /// Adds a value. After an incompatible value (another type or currency, an overflow) there is no sum.
    pub(crate) fn add(&mut self, value: &Scalar<'_>) {
        self.0 = match (self.0, value) {
            (Some(Addend::Number(sum)), Scalar::Number(number)) => sum.plus(*number).map(Addend::Number),
            (Some(Addend::Amount(sum)), Scalar::Amount(amount)) => sum.plus(amount).map(Addend::Amount),
            _ => None,
        };
    }

    /// Returns the sum.
    pub(crate) fn total(self) -> Scalar<'static> {
        match self.0 {
            Some(Addend::Number(number)) => Scalar::Number(number),
            Some(Addend::Amount(amount)) => Scalar::Amount(amount),
            None => Scalar::Other,
        }
    }
}
