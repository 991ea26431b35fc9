//! Currencies and their fraction digits: those of ISO 4217, and a few variants without fraction digits (`HUF0`), which
//! count as currencies of their own.
//!
//! Sources: reference types `CurrencyCode` and `NonStandardCurrency`.

use iso_currency::Currency as Standard;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// A currency. `HUF0` and `HUF` are different currencies: their amounts are never compared or added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency {
    standard: Standard,
    /// The code of the variant without fraction digits; `None` for the standard currency.
    whole: Option<&'static str>,
}

/// The codes of the variants without fraction digits, and their standard currencies.
const WHOLE: [(&str, Standard); 6] = [
    ("CZK0", Standard::CZK),
    ("HUF0", Standard::HUF),
    ("ILS0", Standard::ILS),
    ("KZT0", Standard::KZT),
    ("TRY0", Standard::TRY),
    ("TWD0", Standard::TWD),
];

/// Every currency by its code. A map, because the library searches its list linearly.
static BY_CODE: LazyLock<HashMap<&str, Currency>> = LazyLock::new(|| {
    let standard = (0..NUMBERS_END).filter_map(Standard::from_numeric).map(Currency::from_standard);
    let whole = WHOLE.iter().map(|(whole, standard)| Currency { standard: *standard, whole: Some(whole) });
    standard.chain(whole).map(|currency| (currency.code(), currency)).collect()
});

/// The numeric codes of ISO 4217 have three digits.
const NUMBERS_END: u16 = 1_000;

impl Currency {
    /// The euro.
    pub const EUR: Self = Self::from_standard(Standard::EUR);
    /// The pound sterling.
    pub const GBP: Self = Self::from_standard(Standard::GBP);
    /// The yen, which has no fraction digits.
    pub const JPY: Self = Self::from_standard(Standard::JPY);
    /// The Kuwaiti dinar, which has three fraction digits.
    pub const KWD: Self = Self::from_standard(Standard::KWD);
    /// The US dollar.
    pub const USD: Self = Self::from_standard(Standard::USD);

    const fn from_standard(standard: Standard) -> Self {
        Self { standard, whole: None }
    }

    /// Returns the codes of the variants without fraction digits.
    pub fn whole_codes() -> impl Iterator<Item = &'static str> {
        WHOLE.iter().map(|(code, _)| *code)
    }

    /// Returns the currency with a code in upper case; `None` for any other text.
    pub fn from_code(code: &str) -> Option<Self> {
        BY_CODE.get(code).copied()
    }

    /// Returns the code, e.g. `EUR` or `HUF0`.
    pub fn code(self) -> &'static str {
        self.whole.unwrap_or_else(|| self.standard.code())
    }

    /// Returns the number of fraction digits; `None` if the standard defines none, e.g. for gold.
    pub fn exponent(self) -> Option<u16> {
        match self.whole {
            Some(_) => Some(0),
            None => self.standard.exponent(),
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by panicking.
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standard_and_six_more() {
        for (code, exponent) in [("EUR", 2), ("JPY", 0), ("KWD", 3), ("HUF", 2), ("HUF0", 0), ("TWD0", 0)] {
            let currency = Currency::from_code(code).unwrap();
            assert_eq!((currency.code(), currency.exponent()), (code, Some(exponent)));
        }
        for none in ["", "eur", "EUR0", "huf0", "HUF00", "XYZQ"] {
            assert_eq!(Currency::from_code(none), None, "{none}");
        }
        assert_ne!(Currency::from_code("HUF"), Currency::from_code("HUF0"));
        assert_eq!(Currency::from_code("XAU").unwrap().exponent(), None);
    }

    #[test]
    fn all_currencies_of_the_standard_are_there() {
        let letters = || 'A'..='Z';
        for code in letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| [a, b, c]))) {
            let code = String::from_iter(code);
            assert_eq!(
                Currency::from_code(&code),
                Standard::from_code(&code).map(Currency::from_standard),
                "{code}"
            );
        }
    }
}
