//! A second evaluator of discounts, as simple as possible: it treats every unit separately, distributes
//! amounts cent by cent, and applies patterns one at a time. It is slow, and shares only the definitions of
//! discounts with the product code. Prices are in cents.

use crate::cents::{cent_by_cent, in_proportion, left_of, rounded};
use kontor_pricing::cart::{Cart, Item, ItemPrice, ShippingPrice, ShippingRatePriceTier};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOutcome, DiscountTarget, DiscountValue,
    MultiBuy, Pattern, PatternComponent, SelectionMode, StackingMode,
};

/// One unit of an item, with its current price and the reduction by each discount.
#[derive(Debug, Clone)]
pub(crate) struct SimpleUnit {
    pub(crate) item: usize,
    /// The group of each unit: units of an item with the same reductions so far share one.
    group: Vec<usize>,
    pub(crate) value: i64,
    pub(crate) included: Vec<(usize, i64)>,
}

/// Units, each with its reduction.
type SimpleReductions = Vec<(usize, i64)>;

/// The price of a shipping entry after discounts, and the reduction by each discount.
pub(crate) type SimpleShipping = (i64, Vec<(usize, i64)>);

pub(crate) struct SimpleResult {
    pub(crate) units: Vec<SimpleUnit>,
    pub(crate) shipping: Vec<SimpleShipping>,
    pub(crate) off_total: Vec<(usize, i64)>,
    pub(crate) total_price: i64,
    pub(crate) outcomes: Vec<DiscountOutcome>,
}

#[derive(Clone)]
struct SimpleEvaluator<'c> {
    cart: &'c Cart<'c>,
    /// The units that allow discounts, in order.
    units: Vec<SimpleUnit>,
    on_shipping: Vec<usize>,
    on_total: Vec<usize>,
}

pub(crate) fn evaluate<'c>(cart: &'c Cart<'c>) -> SimpleResult {
    let mut simple =
        SimpleEvaluator { cart, units: units_of(cart), on_shipping: Vec::new(), on_total: Vec::new() };
    let discounts = &cart.discounts;
    let mut outcomes = vec![None; discounts.len()];
    let mut is_stopped = false;
    for index in 0..discounts.len() {
        if outcomes[index].is_some() {
            continue;
        }
        if is_stopped {
            outcomes[index] = Some(DiscountOutcome::StoppedByPreviousDiscount);
            continue;
        }
        let is_competing = |other: usize| {
            other == index
                || discounts[index].group.is_some() && discounts[other].group == discounts[index].group
        };
        let mut best: Option<(i64, usize, SimpleEvaluator<'c>)> = None;
        for competing in (0..discounts.len()).filter(|other| is_competing(*other)) {
            let mut tried = simple.clone();
            if !tried.apply(competing) {
                outcomes[competing] = Some(DiscountOutcome::WithoutEffect);
                continue;
            }
            outcomes[competing] = Some(DiscountOutcome::StoppedByGroupBestDeal);
            let taken = tried.taken_by(competing);
            if best.as_ref().is_none_or(|(most, ..)| taken > *most) {
                best = Some((taken, competing, tried));
            }
        }
        if let Some((_, chosen, after)) = best {
            simple = after;
            outcomes[chosen] = Some(DiscountOutcome::Applied);
            is_stopped = discounts[chosen].stacking_mode == StackingMode::StopAfterThisDiscount;
        }
    }
    simple.found(outcomes.into_iter().map(Option::unwrap).collect())
}

fn items_of<'c>(cart: &'c Cart<'c>) -> impl Iterator<Item = &'c Item<'c>> {
    cart.line_items.iter().chain(&cart.custom_line_items)
}

fn units_of(cart: &Cart<'_>) -> Vec<SimpleUnit> {
    let mut units = Vec::new();
    for (index, item) in items_of(cart).enumerate() {
        let is_discountable = match item.price {
            ItemPrice::ExternalTotal { .. } | ItemPrice::Gift { .. } => false,
            ItemPrice::Custom { is_discountable, .. } => is_discountable,
            _ => true,
        };
        let value = item.price.unit_price_for(item.quantity).units();
        let unit = SimpleUnit { item: index, group: Vec::new(), value, included: Vec::new() };
        units.extend(std::iter::repeat_n(unit, if is_discountable { item.quantity as usize } else { 0 }));
    }
    units
}

impl<'c> SimpleEvaluator<'c> {
    /// Applies a discount; returns whether its target matched something.
    fn apply(&mut self, index: usize) -> bool {
        let Discount { effect, .. } = &self.cart.discounts[index];
        let DiscountEffect::Reduce { value, target } = effect else { return true };
        let custom_from = self.cart.line_items.len();
        let customs = |matches: &[usize]| matches.iter().map(|index| index + custom_from).collect::<Vec<_>>();
        let takes = match target {
            DiscountTarget::LineItems(matches) => self.off_items(matches, value),
            DiscountTarget::CustomLineItems(matches) => self.off_items(&customs(matches), value),
            DiscountTarget::MultiBuyLineItems(multi_buy) => {
                self.off_some(&multi_buy.matches, multi_buy, value)
            }
            DiscountTarget::MultiBuyCustomLineItems(multi_buy) => {
                self.off_some(&customs(&multi_buy.matches), multi_buy, value)
            }
            DiscountTarget::Pattern(pattern) => self.off_pattern(pattern, value),
            DiscountTarget::Shipping => {
                self.on_shipping.push(index);
                return !self.cart.shipping.is_empty();
            }
            DiscountTarget::TotalPrice => {
                self.on_total.push(index);
                return true;
            }
        };
        self.write(index, &takes);
        !takes.is_empty()
    }

    /// Subtracts amounts from units. Units of a group with the same amount stay together, in the order of the
    /// reductions; units without one come last.
    fn write(&mut self, discount: usize, takes: &[(usize, i64)]) {
        let mut classes: Vec<(usize, Vec<usize>, i64)> = Vec::new();
        let mut class_of = vec![usize::MAX; self.units.len()];
        for (unit, amount) in takes {
            let class = (self.units[*unit].item, self.units[*unit].group.clone(), *amount);
            class_of[*unit] = classes.iter().position(|other| *other == class).unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            });
        }
        for (unit, amount) in takes {
            self.units[*unit].value -= amount;
            self.units[*unit].included.push((discount, *amount));
        }
        for (unit, class) in self.units.iter_mut().zip(class_of) {
            unit.group.push(class);
        }
        self.units.sort_by(|one, other| (one.item, &one.group).cmp(&(other.item, &other.group)));
    }

    fn units_of(&self, items: &[usize]) -> Vec<usize> {
        (0..self.units.len()).filter(|unit| items.contains(&self.units[*unit].item)).collect()
    }

    fn values(&self, units: &[usize]) -> Vec<i64> {
        units.iter().map(|unit| self.units[*unit].value.max(0)).collect()
    }

    fn off_items(&self, items: &[usize], value: &DiscountValue) -> SimpleReductions {
        let units = self.units_of(items);
        match value {
            DiscountValue::Absolute { amount, mode: DiscountApplicationMode::EvenDistribution } => {
                let given = cent_by_cent(amount.0, &self.values(&units));
                units.into_iter().zip(given).collect()
            }
            DiscountValue::Absolute { amount, mode: DiscountApplicationMode::ProportionateDistribution } => {
                let items: Vec<Vec<usize>> = items.iter().map(|item| self.units_of(&[*item])).collect();
                self.in_proportion(amount.0, &items)
            }
            _ => units.into_iter().filter_map(|unit| Some((unit, self.off_unit(unit, value)?))).collect(),
        }
    }

    /// Distributes an amount in proportion over lists of units, evenly within each list.
    fn in_proportion(&self, amount: i64, bearing: &[Vec<usize>]) -> SimpleReductions {
        let values: Vec<i64> = bearing.iter().map(|units| self.values(units).iter().sum()).collect();
        let mut takes = Vec::new();
        for (units, share) in bearing.iter().zip(in_proportion(amount, &values)) {
            takes.extend(units.iter().copied().zip(cent_by_cent(share, &self.values(units))));
        }
        takes
    }

    fn off_unit(&self, unit: usize, value: &DiscountValue) -> Option<i64> {
        let cents = self.units[unit].value;
        match value {
            DiscountValue::Relative { permyriad, .. } => Some(if cents > 0 {
                cents - left_of(cents, permyriad.parts(), self.cart.price_rounding_mode)
            } else {
                0
            }),
            DiscountValue::Absolute { amount, .. } => Some(amount.0.min(cents.max(0))),
            DiscountValue::Fixed { price, .. } => (cents > price.units()).then(|| cents - price.units()),
        }
    }

    /// Sorts units by preference; units of the same price stay in their order.
    fn preferred(&self, mut units: Vec<usize>, mode: SelectionMode) -> Vec<usize> {
        units.sort_by_key(|unit| match mode {
            SelectionMode::Cheapest => self.units[*unit].value,
            SelectionMode::MostExpensive => -self.units[*unit].value,
        });
        units
    }

    fn off_some(&self, items: &[usize], multi_buy: &MultiBuy, value: &DiscountValue) -> SimpleReductions {
        let units = self.preferred(self.units_of(items), multi_buy.selection_mode);
        let mut times = units.len() as i64 / multi_buy.trigger_quantity;
        times = times.min(multi_buy.max_occurrence.unwrap_or(times));
        let chosen = usize::try_from(times * multi_buy.discounted_quantity).unwrap().min(units.len());
        let off = |unit: &usize| Some((*unit, self.off_unit(*unit, value)?));
        let taken: Vec<(usize, i64)> = units[..chosen].iter().filter_map(off).collect();
        if taken.is_empty() {
            return taken;
        }
        let others = units.iter().filter(|unit| taken.iter().all(|(other, _)| other != *unit));
        taken.iter().copied().chain(others.map(|unit| (*unit, 0))).collect()
    }

    fn matched(&self, component: &PatternComponent) -> Vec<usize> {
        let custom_from = self.cart.line_items.len();
        let customs = component.custom_line_items.iter().map(|index| index + custom_from);
        self.units_of(&component.line_items.iter().copied().chain(customs).collect::<Vec<_>>())
    }

    fn off_pattern(&self, pattern: &Pattern, value: &DiscountValue) -> SimpleReductions {
        let mode = pattern.selection_mode;
        let opposite = match mode {
            SelectionMode::Cheapest => SelectionMode::MostExpensive,
            SelectionMode::MostExpensive => SelectionMode::Cheapest,
        };
        let useful: Vec<usize> =
            pattern.target_pattern.iter().flat_map(|target| self.matched(target)).collect();
        let mut used = vec![false; self.units.len()];
        let (mut takes, mut untouched) = (Vec::new(), Vec::new());
        for _ in 0..pattern.max_occurrence.unwrap_or(i64::MAX) {
            let mut take = |units: &[usize], most: Option<i64>| -> Vec<usize> {
                let free = units.iter().copied().filter(|unit| !used[*unit]);
                let most = usize::try_from(most.unwrap_or(i64::MAX)).unwrap();
                let taken: Vec<usize> = free.take(most).collect();
                taken.iter().for_each(|unit| used[*unit] = true);
                taken
            };
            let (mut targets, mut triggers, mut is_complete) = (Vec::new(), Vec::new(), true);
            for trigger in &pattern.trigger_pattern {
                let mut units = self.preferred(self.matched(trigger), opposite);
                units.sort_by_key(|unit| useful.contains(unit));
                let taken = take(&units, trigger.max_count);
                is_complete &= taken.len() as i64 >= trigger.min_count;
                triggers.extend(self.by_group(taken));
            }
            for target in &pattern.target_pattern {
                let aside = take(&self.preferred(self.matched(target), opposite), Some(target.exclude_count));
                let taken = take(&self.preferred(self.matched(target), mode), target.max_count);
                is_complete &=
                    aside.len() as i64 >= target.exclude_count && taken.len() as i64 >= target.min_count;
                triggers.extend(self.by_group(aside));
                targets.extend(self.by_group(taken));
            }
            if !is_complete || targets.is_empty() {
                break;
            }
            let (taken, left) = self.off_application(&targets, &triggers, value);
            takes.extend(taken);
            untouched.extend(left);
        }
        takes.into_iter().chain(untouched).collect()
    }

    /// Groups successive units by their group.
    fn by_group(&self, units: Vec<usize>) -> Vec<Vec<usize>> {
        let group = |unit: usize| (self.units[unit].item, &self.units[unit].group);
        units.chunk_by(|one, other| group(*one) == group(*other)).map(<[usize]>::to_vec).collect()
    }

    /// Returns the reduction of one application, and the units that it does not reduce.
    fn off_application(
        &self,
        targets: &[Vec<usize>],
        triggers: &[Vec<usize>],
        value: &DiscountValue,
    ) -> (SimpleReductions, SimpleReductions) {
        let worth: i64 = targets.iter().flat_map(|units| self.values(units)).sum();
        let mut bearing = targets.to_vec();
        let mut left: Vec<(usize, i64)> = triggers.iter().flatten().map(|unit| (*unit, 0)).collect();
        let (amount, mode) = match value {
            DiscountValue::Relative { permyriad, mode } => {
                if *mode != DiscountApplicationMode::IndividualApplication {
                    bearing.extend(triggers.iter().cloned());
                    left.clear();
                }
                (worth - left_of(worth, permyriad.parts(), self.cart.price_rounding_mode), *mode)
            }
            DiscountValue::Absolute { amount, mode } => (amount.0, *mode),
            DiscountValue::Fixed { price, mode } => (worth - price.units(), *mode),
        };
        let takes: Vec<(usize, i64)> = match mode {
            DiscountApplicationMode::IndividualApplication => {
                let units = targets.iter().flatten();
                units.filter_map(|unit| Some((*unit, self.off_unit(*unit, value)?))).collect()
            }
            _ if amount <= 0 && matches!(value, DiscountValue::Fixed { .. }) => Vec::new(),
            DiscountApplicationMode::ProportionateDistribution => self.in_proportion(amount, &bearing),
            DiscountApplicationMode::EvenDistribution => {
                let units = bearing.concat();
                let given = cent_by_cent(amount, &self.values(&units));
                units.into_iter().zip(given).collect()
            }
        };
        if takes.is_empty() {
            left.clear();
        }
        (takes, left)
    }

    /// Returns the shipping prices after the discounts so far, the reductions of the total price, and the
    /// remaining total.
    fn rest(&self) -> (Vec<SimpleShipping>, SimpleReductions, i64) {
        let fixed = items_of(self.cart).map(|item| match &item.price {
            ItemPrice::ExternalTotal { total, .. } => total.0,
            ItemPrice::Custom { money, is_discountable: false } => money.units() * item.quantity,
            _ => 0,
        });
        let goods = fixed.sum::<i64>() + self.units.iter().map(|unit| unit.value).sum::<i64>();
        let mut shipping: Vec<SimpleShipping> = self
            .cart
            .shipping
            .iter()
            .map(|shipping| (price_of(&shipping.price, goods), Vec::new()))
            .collect();
        let rounding = self.cart.price_rounding_mode;
        for index in &self.on_shipping {
            let DiscountEffect::Reduce { value, .. } = &self.cart.discounts[*index].effect else {
                unreachable!()
            };
            let charged: Vec<i64> = shipping.iter().map(|(charged, _)| *charged).collect();
            let taken: Vec<i64> = match value {
                DiscountValue::Relative { permyriad, .. } => charged
                    .iter()
                    .map(|charged| charged - left_of(*charged, permyriad.parts(), rounding))
                    .collect(),
                DiscountValue::Absolute { amount, .. } => in_proportion(amount.0, &charged),
                DiscountValue::Fixed { price, .. } => {
                    charged.iter().map(|charged| (charged - price.units()).max(0)).collect()
                }
            };
            for ((charged, included), taken) in shipping.iter_mut().zip(taken) {
                *charged -= taken;
                included.push((*index, taken));
            }
        }
        let mut left = goods + shipping.iter().map(|(charged, _)| charged).sum::<i64>();
        let mut off_total = Vec::new();
        for index in &self.on_total {
            let DiscountEffect::Reduce { value, .. } = &self.cart.discounts[*index].effect else {
                unreachable!()
            };
            let most = left.max(0);
            let taken = match value {
                DiscountValue::Relative { permyriad, .. } => {
                    rounded(i128::from(most) * i128::from(permyriad.parts()), 10_000, rounding)
                }
                DiscountValue::Absolute { amount, .. } => amount.0.min(most),
                DiscountValue::Fixed { price, .. } => (most - price.units()).max(0),
            };
            left -= taken;
            off_total.push((*index, taken));
        }
        (shipping, off_total, left)
    }

    fn taken_by(&self, discount: usize) -> i64 {
        if let DiscountEffect::Gift { value } = &self.cart.discounts[discount].effect {
            return value.0;
        }
        let (shipping, off_total, _) = self.rest();
        let of_units = self.units.iter().flat_map(|unit| &unit.included);
        let of_shipping = shipping.iter().flat_map(|(_, included)| included);
        let all = of_units.chain(of_shipping).chain(&off_total);
        all.filter(|(index, _)| *index == discount).map(|(_, amount)| amount).sum()
    }

    fn found(self, outcomes: Vec<DiscountOutcome>) -> SimpleResult {
        let (shipping, off_total, total_price) = self.rest();
        SimpleResult { units: self.units, shipping, off_total, total_price, outcomes }
    }
}

fn price_of(price: &ShippingPrice<'_>, goods: i64) -> i64 {
    match price {
        ShippingPrice::Fixed(price) => price.0,
        ShippingPrice::Rate { rate, .. } => {
            if rate.free_above.is_some_and(|free_above| goods >= free_above.0) {
                return 0;
            }
            let mut price = (i64::MIN, rate.price.0);
            for tier in &rate.tiers {
                let ShippingRatePriceTier::CartValue { minimum, price: of_tier } = tier else {
                    unreachable!()
                };
                if minimum.0 <= goods && minimum.0 >= price.0 {
                    price = (minimum.0, of_tier.0);
                }
            }
            price.1
        }
    }
}
