//! Arithmetic of the simple evaluator: shares are distributed cent by cent.

use kontor_pricing::RoundingMode;

/// Returns a positive amount after a relative reduction.
pub(crate) fn left_of(amount: i64, permyriad: i64, rounding: RoundingMode) -> i64 {
    rounded(i128::from(amount) * i128::from(10_000 - permyriad), 10_000, rounding)
}

pub(crate) fn rounded(parts: i128, whole: i128, rounding: RoundingMode) -> i64 {
    let (below, twice) = (parts / whole, parts % whole * 2);
    let is_up = twice > whole
        || twice == whole
            && match rounding {
                RoundingMode::HalfEven => below % 2 == 1,
                RoundingMode::HalfUp => true,
                RoundingMode::HalfDown => false,
            };
    i64::try_from(below).unwrap() + i64::from(is_up)
}

/// Distributes an amount in rounds: each value above 0 gives a cent per round; in the last round only the last ones do.
pub(crate) fn cent_by_cent(mut amount: i64, values: &[i64]) -> Vec<i64> {
    let mut given = vec![0; values.len()];
    while amount > 0 {
        let able: Vec<usize> = (0..values.len()).filter(|index| given[*index] < values[*index]).collect();
        if able.is_empty() {
            break;
        }
        let round = able.len().min(usize::try_from(amount).unwrap());
        for index in &able[able.len() - round..] {
            given[*index] += 1;
            amount -= 1;
        }
    }
    given
}

/// Distributes an amount in proportion; missing cents go to the greatest values with a fraction of a cent.
pub(crate) fn in_proportion(amount: i64, values: &[i64]) -> Vec<i64> {
    let whole: i64 = values.iter().sum();
    let amount = amount.min(whole);
    if amount == 0 {
        return vec![0; values.len()];
    }
    let exact = |value: &i64| i128::from(amount) * i128::from(*value);
    let mut shares: Vec<i64> =
        values.iter().map(|value| i64::try_from(exact(value) / i128::from(whole)).unwrap()).collect();
    let mut missing = amount - shares.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|index| -values[*index]);
    for index in order {
        if missing > 0 && exact(&values[index]) % i128::from(whole) > 0 {
            shares[index] += 1;
            missing -= 1;
        }
    }
    shares
}
