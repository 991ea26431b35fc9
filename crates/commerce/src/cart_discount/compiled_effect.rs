//! The compiled effect of a Cart Discount or a Direct Discount. Start at [`CompiledEffect::compile`].
//!
//! Source: reference types `CartDiscountValue…`, `CartDiscountTarget` and its kinds, `PatternComponent`.

use crate::discount_predicate::{CUSTOM_LINE_ITEMS, LINE_ITEMS};
use crate::price::MoneyView;
use crate::view::{Target, read, views};
use kontor_engine::Document;
use kontor_enums::{CartDiscountTargetTag, CartDiscountValueTag, PatternComponentTag};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Model;
use kontor_pricing::discount::{
    DiscountApplicationMode, DiscountEffect, DiscountTarget, DiscountValue, MultiBuy, Pattern,
    PatternComponent, SelectionMode,
};
use kontor_pricing::{CentAmount, Currency, Money, Permyriad};
use kontor_query::dialect::{DialectPredicate, DocumentLoader};

views! {
    /// The value and target of a discount.
    struct EffectView<'d> of "CartDiscount" | "DirectDiscount" {
        #[serde(borrow)]
        value: ValueView<'d>,
        target: Option<TargetView<'d>>,
    }

    /// The amount of the reduction, or the gift.
    struct ValueView<'d> of
        "CartDiscountValueRelative" | "CartDiscountValueAbsolute" | "CartDiscountValueFixed"
        | "CartDiscountValueGiftLineItem" {
        #[serde(rename = "type")]
        of: CartDiscountValueTag,
        permyriad: Option<i64>,
        #[serde(borrow)]
        money: Option<Vec<MoneyView<'d>>>,
        application_mode: Option<DiscountApplicationMode>,
        product: Option<Target<'d>>,
        variant_id: Option<i64>,
        supply_channel: Option<Target<'d>>,
        distribution_channel: Option<Target<'d>>,
    }

    /// The target of a discount.
    struct TargetView<'d> of
        "CartDiscountLineItemsTarget" | "CartDiscountCustomLineItemsTarget" | "CartDiscountShippingCostTarget"
        | "CartDiscountTotalPriceTarget" | "MultiBuyLineItemsTarget" | "MultiBuyCustomLineItemsTarget"
        | "CartDiscountPatternTarget" {
        #[serde(rename = "type")]
        of: CartDiscountTargetTag,
        predicate: Option<&'d str>,
        trigger_quantity: Option<i64>,
        discounted_quantity: Option<i64>,
        max_occurrence: Option<i64>,
        selection_mode: Option<SelectionMode>,
        trigger_pattern: Option<Vec<ComponentView<'d>>>,
        target_pattern: Option<Vec<ComponentView<'d>>>,
    }

    /// Some units of a pattern.
    struct ComponentView<'d> of "CountOnLineItemUnits" | "CountOnCustomLineItemUnits" {
        #[serde(rename = "type")]
        of: PatternComponentTag,
        predicate: &'d str,
        min_count: Option<i64>,
        max_count: Option<i64>,
        exclude_count: Option<i64>,
    }
}

/// The compiled effect of a discount.
#[derive(Debug)]
pub(crate) enum CompiledEffect {
    /// Reduces prices.
    Reduce {
        /// The amount of the reduction.
        value: CompiledValue,
        /// The part of the Cart that is reduced.
        target: Box<CompiledTarget>,
    },
    /// Adds a gift line item.
    Give(Gift),
}

/// The gift of a discount.
#[derive(Debug)]
pub(crate) struct Gift {
    /// The id of the Product.
    pub(crate) product: String,
    /// The number of the Product Variant.
    pub(crate) variant: i64,
    /// The id of the Channel.
    pub(crate) supply_channel: Option<String>,
    /// The id of the Channel.
    pub(crate) distribution_channel: Option<String>,
}

/// The value of a discount, in all of its currencies.
#[derive(Debug)]
pub(crate) struct CompiledValue {
    amount: CompiledAmount,
    mode: DiscountApplicationMode,
}

#[derive(Debug)]
enum CompiledAmount {
    Relative(Permyriad),
    Absolute(Vec<Money>),
    Fixed(Vec<Money>),
}

/// The compiled target of a discount.
#[derive(Debug)]
pub(crate) enum CompiledTarget {
    Items(ItemRule),
    /// The matches are added for each Cart.
    MultiBuy(ItemRule, MultiBuy),
    Pattern {
        trigger: Vec<CompiledComponent>,
        target: Vec<CompiledComponent>,
        max_occurrence: Option<i64>,
        selection_mode: SelectionMode,
    },
    Shipping,
    TotalPrice,
}

/// Which Line Items, or which Custom Line Items.
#[derive(Debug)]
pub(crate) struct ItemRule {
    rule: DialectPredicate,
    is_custom: bool,
}

#[derive(Debug)]
pub(crate) struct CompiledComponent {
    of: ItemRule,
    /// The matches are added for each Cart.
    template: PatternComponent,
}

/// The items of a Cart, on which predicates are evaluated.
pub(crate) struct CartItems<'c> {
    pub(crate) currency: Currency,
    pub(crate) line_items: Vec<&'c Document>,
    pub(crate) custom_line_items: Vec<&'c Document>,
    /// Looks up referenced documents.
    pub(crate) find: &'c DocumentLoader<'c>,
}

impl CartItems<'_> {
    /// Returns the indexes of the items that a predicate matches.
    fn matches(&self, of: &ItemRule) -> ApiResult<Vec<usize>> {
        let items = if of.is_custom { &self.custom_line_items } else { &self.line_items };
        let mut found = Vec::new();
        for (index, item) in items.iter().enumerate() {
            if of.rule.matches(item, self.find)? {
                found.push(index);
            }
        }
        Ok(found)
    }
}

impl CompiledEffect {
    /// Compiles `value` and `target` of a stored discount; `None` if a predicate is no longer valid.
    pub(crate) fn compile(discount: &Document, model: &Model) -> ApiResult<Option<Self>> {
        let EffectView { value, target } = read(discount)?;
        let broken = || ApiError::bug("a stored Cart Discount whose value says too little");
        if value.of == CartDiscountValueTag::GiftLineItem {
            let id = |target: Option<Target<'_>>| target.map(|target| target.id.to_owned());
            return Ok(Some(Self::Give(Gift {
                product: id(value.product).ok_or_else(broken)?,
                variant: value.variant_id.ok_or_else(broken)?,
                supply_channel: id(value.supply_channel),
                distribution_channel: id(value.distribution_channel),
            })));
        }
        let target = target.ok_or_else(broken)?;
        let value = value.read().ok_or_else(broken)??;
        let target = target.read(model).ok_or_else(broken)?;
        Ok(target.map(|target| Self::Reduce { value, target: Box::new(target) }))
    }

    /// Whether one of its predicates refers to one of these fields.
    pub(crate) fn refers_to(&self, names: &[&str]) -> bool {
        let Self::Reduce { target, .. } = self else { return false };
        match &**target {
            CompiledTarget::Items(of) | CompiledTarget::MultiBuy(of, _) => of.rule.contains_any_field(names),
            CompiledTarget::Pattern { trigger, target, .. } => {
                trigger.iter().chain(target).any(|component| component.of.rule.contains_any_field(names))
            }
            CompiledTarget::Shipping | CompiledTarget::TotalPrice => false,
        }
    }

    /// Returns the effect on a Cart with these items; `None` if the discount has no amount in their currency.
    pub(crate) fn effect_on(&self, items: &CartItems<'_>) -> ApiResult<Option<DiscountEffect>> {
        match self {
            // A gift discount belongs to no Discount Group, so its worth is not compared.
            Self::Give(_) => Ok(Some(DiscountEffect::Gift { value: CentAmount::ZERO })),
            Self::Reduce { value, target } => {
                let Some(value) = value.in_currency(items.currency) else { return Ok(None) };
                Ok(Some(DiscountEffect::Reduce { value, target: target.resolve(items)? }))
            }
        }
    }
}

impl CompiledValue {
    fn in_currency(&self, currency: Currency) -> Option<DiscountValue> {
        let mode = self.mode;
        let of_currency = |all: &[Money]| all.iter().find(|money| money.currency() == currency).copied();
        Some(match &self.amount {
            CompiledAmount::Relative(permyriad) => DiscountValue::Relative { permyriad: *permyriad, mode },
            CompiledAmount::Absolute(all) => {
                DiscountValue::Absolute { amount: of_currency(all)?.cents(), mode }
            }
            CompiledAmount::Fixed(all) => DiscountValue::Fixed { price: of_currency(all)?, mode },
        })
    }
}

impl CompiledTarget {
    fn resolve(&self, items: &CartItems<'_>) -> ApiResult<DiscountTarget> {
        Ok(match self {
            Self::Items(of) if of.is_custom => DiscountTarget::CustomLineItems(items.matches(of)?),
            Self::Items(of) => DiscountTarget::LineItems(items.matches(of)?),
            Self::MultiBuy(of, template) => {
                let multi_buy = MultiBuy { matches: items.matches(of)?, ..template.clone() };
                if of.is_custom {
                    DiscountTarget::MultiBuyCustomLineItems(multi_buy)
                } else {
                    DiscountTarget::MultiBuyLineItems(multi_buy)
                }
            }
            Self::Pattern { trigger, target, max_occurrence, selection_mode } => {
                let all = |components: &[CompiledComponent]| {
                    components.iter().map(|component| component.resolve(items)).collect::<ApiResult<Vec<_>>>()
                };
                DiscountTarget::Pattern(Pattern {
                    trigger_pattern: all(trigger)?,
                    target_pattern: all(target)?,
                    max_occurrence: *max_occurrence,
                    selection_mode: *selection_mode,
                })
            }
            Self::Shipping => DiscountTarget::Shipping,
            Self::TotalPrice => DiscountTarget::TotalPrice,
        })
    }
}

impl CompiledComponent {
    fn resolve(&self, items: &CartItems<'_>) -> ApiResult<PatternComponent> {
        let matches = items.matches(&self.of)?;
        let template = self.template.clone();
        Ok(if self.of.is_custom {
            PatternComponent { custom_line_items: matches, ..template }
        } else {
            PatternComponent { line_items: matches, ..template }
        })
    }
}

impl ValueView<'_> {
    /// Returns `None` if required fields are missing.
    fn read(&self) -> Option<ApiResult<CompiledValue>> {
        let amounts = || self.money.iter().flatten().map(MoneyView::money).collect::<ApiResult<Vec<_>>>();
        let (amount, usual) = match self.of {
            CartDiscountValueTag::Relative => (
                Ok(CompiledAmount::Relative(Permyriad::new(self.permyriad?)?)),
                DiscountApplicationMode::IndividualApplication,
            ),
            CartDiscountValueTag::Absolute => {
                (amounts().map(CompiledAmount::Absolute), DiscountApplicationMode::ProportionateDistribution)
            }
            CartDiscountValueTag::Fixed => {
                (amounts().map(CompiledAmount::Fixed), DiscountApplicationMode::IndividualApplication)
            }
            CartDiscountValueTag::GiftLineItem => return None,
        };
        let mode = self.application_mode.unwrap_or(usual);
        Some(amount.map(|amount| CompiledValue { amount, mode }))
    }
}

impl TargetView<'_> {
    /// Returns `None` if required fields are missing, `Some(None)` if a predicate is no longer valid.
    fn read(&self, model: &Model) -> Option<Option<CompiledTarget>> {
        let selection_mode = self.selection_mode.unwrap_or(SelectionMode::Cheapest);
        Some(match self.of {
            CartDiscountTargetTag::Shipping => Some(CompiledTarget::Shipping),
            CartDiscountTargetTag::TotalPrice => Some(CompiledTarget::TotalPrice),
            CartDiscountTargetTag::LineItems | CartDiscountTargetTag::CustomLineItems => {
                let is_custom = self.of == CartDiscountTargetTag::CustomLineItems;
                ItemRule::read(self.predicate?, is_custom, model).map(CompiledTarget::Items)
            }
            CartDiscountTargetTag::MultiBuyLineItems | CartDiscountTargetTag::MultiBuyCustomLineItems => {
                let template = MultiBuy {
                    matches: Vec::new(),
                    trigger_quantity: self.trigger_quantity?,
                    discounted_quantity: self.discounted_quantity?,
                    max_occurrence: self.max_occurrence,
                    selection_mode,
                };
                let is_custom = self.of == CartDiscountTargetTag::MultiBuyCustomLineItems;
                let of = ItemRule::read(self.predicate?, is_custom, model);
                of.map(|of| CompiledTarget::MultiBuy(of, template))
            }
            CartDiscountTargetTag::Pattern => {
                let read = |all: &Option<Vec<ComponentView<'_>>>| -> Option<Vec<CompiledComponent>> {
                    all.iter().flatten().map(|component| component.read(model)).collect()
                };
                let patterns = read(&self.trigger_pattern).zip(read(&self.target_pattern));
                patterns.map(|(trigger, target)| {
                    let max_occurrence = self.max_occurrence;
                    CompiledTarget::Pattern { trigger, target, max_occurrence, selection_mode }
                })
            }
        })
    }
}

impl ComponentView<'_> {
    fn read(&self, model: &Model) -> Option<CompiledComponent> {
        let is_custom = match self.of {
            PatternComponentTag::CountOnLineItemUnits => false,
            PatternComponentTag::CountOnCustomLineItemUnits => true,
        };
        let of = ItemRule::read(self.predicate, is_custom, model)?;
        let template = PatternComponent {
            line_items: Vec::new(),
            custom_line_items: Vec::new(),
            // The default (reference type `CountOnLineItemUnits`).
            min_count: self.min_count.unwrap_or(1),
            max_count: self.max_count,
            exclude_count: self.exclude_count.unwrap_or(0),
        };
        Some(CompiledComponent { of, template })
    }
}

impl ItemRule {
    fn read(predicate: &str, is_custom: bool, model: &Model) -> Option<Self> {
        let dialect = if is_custom { &CUSTOM_LINE_ITEMS } else { &LINE_ITEMS };
        dialect.read(predicate, model).ok().map(|rule| Self { rule, is_custom })
    }
}
