//! Applies discounts. [`apply`] has the only order of the steps.

use super::definition::{Discount, DiscountEffect, DiscountOrigin, DiscountTarget, DiscountValue};
use super::items::takes_of_items;
use super::multi_buy::takes_of_multi_buy;
use super::outcome::DiscountOutcome;
use super::pattern_takes::takes_of_pattern;
use super::shipping::{DiscountedShipping, takes_of_shipping};
use super::take::{MILLIONTHS, UnitReduction, total_reduction, write};
use super::total_price::taken_off_total;
use crate::cent_amount::CentAmount;
use crate::money::Money;
use crate::priced::PricedItem;
use kontor_enums::{RoundingMode, StackingMode};
use kontor_errors::ApiResult;
use std::borrow::Cow;

/// The prices that discounts reduce. Discounts on items change the items.
pub(crate) struct DiscountablePrices<'c, P> {
    /// Line Items, and then Custom Line Items.
    pub(crate) items: &'c mut [PricedItem],
    /// The index of the first Custom Line Item among them.
    pub(crate) custom_from: usize,
    /// Calculates the price of each shipping entry from the price of the items.
    pub(crate) price_shipping: P,
    /// How a reduced price is rounded.
    pub(crate) rounding: RoundingMode,
    /// Whether line items are not discounted, because Product Discounts are the better deal for them. Direct Discounts
    /// that are not compared apply all the same.
    pub(crate) keeps_line_items: bool,
    /// Whether only the discounts that are compared with Product Discounts apply.
    pub(crate) has_compared_only: bool,
}

/// The result of all discounts apart from the changed items.
pub(crate) struct DiscountedPrices {
    /// The shipping entries.
    pub(crate) shipping: Vec<DiscountedShipping>,
    /// The sum of everything before discounts on the total price.
    pub(crate) price: CentAmount,
    /// Discounts on the total price: the index of each, and its reduction.
    pub(crate) off_total: Vec<(usize, CentAmount)>,
    /// The outcome of each discount.
    pub(crate) outcomes: Vec<DiscountOutcome>,
}

/// Applies discounts in their order: see the [module](super).
pub(crate) fn apply<P: Fn(CentAmount) -> ApiResult<Vec<CentAmount>>>(
    discounts: &[Discount],
    discounted: DiscountablePrices<'_, P>,
) -> ApiResult<DiscountedPrices> {
    let stopped = |discount: &Discount| {
        if !discount.is_compared() {
            return discounted.has_compared_only.then_some(DiscountOutcome::WithoutEffect);
        }
        let is_stopped = discounted.keeps_line_items && discount.effect.is_on_line_items();
        is_stopped.then_some(DiscountOutcome::StoppedByProductDiscounts)
    };
    let mut outcomes: Vec<Option<DiscountOutcome>> = discounts.iter().map(stopped).collect();
    let mut application =
        DiscountApplication { discounts, discounted, on_shipping: Vec::new(), on_total: Vec::new() };
    let mut is_stopped = false;
    for index in 0..discounts.len() {
        if outcomes[index].is_some() {
            continue;
        }
        if is_stopped && discounts[index].origin == DiscountOrigin::CartDiscount {
            outcomes[index] = Some(DiscountOutcome::StoppedByPreviousDiscount);
            continue;
        }
        let chosen = match discounts[index].group {
            None => application.effect_of(index)?.map(|effect| (index, effect)),
            Some(group) => application.best_of(group, &mut outcomes)?,
        };
        outcomes[index].get_or_insert(DiscountOutcome::WithoutEffect);
        if let Some((chosen, effect)) = chosen {
            application.carry_out(chosen, effect)?;
            outcomes[chosen] = Some(DiscountOutcome::Applied);
            is_stopped |= discounts[chosen].stacking_mode == StackingMode::StopAfterThisDiscount;
        }
    }
    let (shipping, price, off_total) = application.remaining()?;
    let outcomes = outcomes.into_iter().map(|outcome| outcome.unwrap_or(DiscountOutcome::WithoutEffect));
    Ok(DiscountedPrices { shipping, price, off_total, outcomes: outcomes.collect() })
}

/// The effect that a discount would have.
enum PendingReduction {
    Items(Vec<UnitReduction>),
    Shipping,
    TotalPrice,
    Gift,
}

/// The shipping entries, the total price with them, and the reduction by each discount on the total price.
type RemainingPrices = (Vec<DiscountedShipping>, CentAmount, Vec<(usize, CentAmount)>);

struct DiscountApplication<'d, 'c, P> {
    discounts: &'d [Discount],
    discounted: DiscountablePrices<'c, P>,
    /// Discounts that apply after those on items.
    on_shipping: Vec<usize>,
    /// Discounts that apply after those on shipping.
    on_total: Vec<usize>,
}

impl<P: Fn(CentAmount) -> ApiResult<Vec<CentAmount>>> DiscountApplication<'_, '_, P> {
    /// Returns the effect that a discount has on the current state; `None` if it has nothing to apply to.
    fn effect_of(&self, index: usize) -> ApiResult<Option<PendingReduction>> {
        let DiscountEffect::Reduce { value, target } = &self.discounts[index].effect else {
            return Ok(Some(PendingReduction::Gift));
        };
        match target {
            DiscountTarget::TotalPrice => Ok(Some(PendingReduction::TotalPrice)),
            DiscountTarget::Shipping => {
                let is_shipped = !(self.discounted.price_shipping)(CentAmount::ZERO)?.is_empty();
                Ok(is_shipped.then_some(PendingReduction::Shipping))
            }
            _ => {
                let DiscountablePrices { custom_from, rounding, .. } = self.discounted;
                let items = refined(self.discounted.items, value)?;
                let takes = takes_of(&items, custom_from, target, value, rounding)?;
                Ok((!takes.is_empty()).then_some(PendingReduction::Items(takes)))
            }
        }
    }

    /// Returns the discount of a group with the greatest reduction, the first one among equals; the others are stopped.
    /// `None` if none of them applies.
    fn best_of(
        &self,
        group: usize,
        outcomes: &mut [Option<DiscountOutcome>],
    ) -> ApiResult<Option<(usize, PendingReduction)>> {
        let mut best: Option<(i128, usize, PendingReduction)> = None;
        for (index, discount) in self.discounts.iter().enumerate() {
            if discount.group != Some(group) || outcomes[index].is_some() {
                continue;
            }
            let Some(effect) = self.effect_of(index)? else {
                outcomes[index] = Some(DiscountOutcome::WithoutEffect);
                continue;
            };
            outcomes[index] = Some(DiscountOutcome::StoppedByGroupBestDeal);
            let saved = self.saved_by(index, &effect)?;
            if best.as_ref().is_none_or(|(most, ..)| saved > *most) {
                best = Some((saved, index, effect));
            }
        }
        Ok(best.map(|(_, index, effect)| (index, effect)))
    }

    /// Returns the reduction of the current Cart by a discount, in [`MILLIONTHS`] of a cent.
    fn saved_by(&self, index: usize, effect: &PendingReduction) -> ApiResult<i128> {
        let cents = |cents: CentAmount| i128::from(cents.0) * MILLIONTHS;
        match (effect, &self.discounts[index].effect) {
            (_, DiscountEffect::Gift { value }) => Ok(cents(*value)),
            (PendingReduction::Items(takes), DiscountEffect::Reduce { value, .. }) => {
                Ok(total_reduction(&refined(self.discounted.items, value)?, takes))
            }
            (PendingReduction::Shipping, DiscountEffect::Reduce { value, .. }) => {
                let (shipping, ..) = self.remaining()?;
                let takes = takes_of_shipping(&shipping, value, self.discounted.rounding)?;
                CentAmount::sum(takes).map(cents)
            }
            (_, DiscountEffect::Reduce { value, .. }) => {
                let (_, price, off_total) = self.remaining()?;
                let left = price.minus(CentAmount::sum(off_total.iter().map(|(_, off)| *off))?)?;
                taken_off_total(left, value, self.discounted.rounding).map(cents)
            }
        }
    }

    /// Applies an effect: on items at once, on shipping and the total price after all discounts on items.
    fn carry_out(&mut self, index: usize, effect: PendingReduction) -> ApiResult<()> {
        match effect {
            PendingReduction::Gift => Ok(()),
            PendingReduction::Shipping => {
                self.on_shipping.push(index);
                Ok(())
            }
            PendingReduction::TotalPrice => {
                self.on_total.push(index);
                Ok(())
            }
            PendingReduction::Items(takes) => {
                let items = &mut *self.discounted.items;
                if let DiscountEffect::Reduce { value: DiscountValue::Fixed { price, .. }, .. } =
                    &self.discounts[index].effect
                {
                    takes.iter().try_for_each(|take| items[take.item].refine(*price))?;
                }
                write(items, &takes, index)
            }
        }
    }

    /// Returns the price of shipping and the total price after the discounts so far.
    fn remaining(&self) -> ApiResult<RemainingPrices> {
        let rounding = self.discounted.rounding;
        let goods = CentAmount::sum(self.discounted.items.iter().map(|item| item.total_price))?;
        let prices = (self.discounted.price_shipping)(goods)?;
        let mut shipping: Vec<DiscountedShipping> = prices.into_iter().map(DiscountedShipping::new).collect();
        for (index, value) in self.values(&self.on_shipping) {
            let takes = takes_of_shipping(&shipping, value, rounding)?;
            for (shipping, taken) in shipping.iter_mut().zip(takes) {
                shipping.charged = shipping.charged.minus(taken)?;
                shipping.included.push((index, taken));
            }
        }
        let price = goods.plus(CentAmount::sum(shipping.iter().map(|shipping| shipping.charged))?)?;
        let (mut left, mut off_total) = (price, Vec::new());
        for (index, value) in self.values(&self.on_total) {
            let taken = taken_off_total(left, value, rounding)?;
            left = left.minus(taken)?;
            off_total.push((index, taken));
        }
        Ok((shipping, price, off_total))
    }

    fn values<'s>(&'s self, indexes: &'s [usize]) -> impl Iterator<Item = (usize, &'s DiscountValue)> {
        indexes.iter().filter_map(|index| match &self.discounts[*index].effect {
            DiscountEffect::Reduce { value, .. } => Some((*index, value)),
            DiscountEffect::Gift { .. } => None,
        })
    }
}

/// Returns the reductions of units of items by a discount.
fn takes_of(
    items: &[PricedItem],
    custom_from: usize,
    target: &DiscountTarget,
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Vec<UnitReduction>> {
    let line_items = |matches| discountable(items, matches, 0, custom_from);
    let custom_line_items = |matches| discountable(items, matches, custom_from, items.len());
    match target {
        DiscountTarget::Shipping | DiscountTarget::TotalPrice => Ok(Vec::new()),
        DiscountTarget::LineItems(matches) => takes_of_items(items, &line_items(matches), value, rounding),
        DiscountTarget::CustomLineItems(matches) => {
            takes_of_items(items, &custom_line_items(matches), value, rounding)
        }
        DiscountTarget::MultiBuyLineItems(multi_buy) => {
            takes_of_multi_buy(items, &line_items(&multi_buy.matches), multi_buy, value, rounding)
        }
        DiscountTarget::MultiBuyCustomLineItems(multi_buy) => {
            takes_of_multi_buy(items, &custom_line_items(&multi_buy.matches), multi_buy, value, rounding)
        }
        DiscountTarget::Pattern(pattern) => takes_of_pattern(items, custom_from, pattern, value, rounding),
    }
}

/// The items from `from` to `until` that are matched and admit discounts, by their index among all.
fn discountable(items: &[PricedItem], matches: &[usize], from: usize, until: usize) -> Vec<usize> {
    let indexes = matches.iter().map(|index| index.saturating_add(from)).filter(|index| *index < until);
    indexes.filter(|index| items[*index].is_discountable).collect()
}

/// Returns the items with at least the precision of a fixed price, so that their prices can become exactly that.
fn refined<'i>(items: &'i [PricedItem], value: &DiscountValue) -> ApiResult<Cow<'i, [PricedItem]>> {
    let DiscountValue::Fixed { price: price @ Money::High(_), .. } = value else {
        return Ok(Cow::Borrowed(items));
    };
    let mut items = items.to_vec();
    items.iter_mut().try_for_each(|item| item.refine(*price))?;
    Ok(Cow::Owned(items))
}
