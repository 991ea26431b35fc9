//! The currently valid Product Discounts, and the best of them for a price. Start at
//! [`ValidProductDiscounts::discounted_value`].
//!
//! Source: reference types `ProductDiscount`, `ProductDiscountValue…`, `DiscountedPrice`.

use super::EPOCH;
use super::predicate::PRICES;
use super::price_in_context::PriceInContext;
use crate::price::{MoneyView, money_document, money_in, validity};
use crate::view::{read, views};
use jiff::Timestamp;
use kontor_engine::document::{reference, text};
use kontor_engine::{DerivationSources, Document, Rules};
use kontor_enums::ProductDiscountValueTag;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Model;
use kontor_pricing::{Permyriad, Reduction, Validity};
use kontor_query::dialect::DialectPredicate;
use rust_decimal::Decimal;
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// The name of the cache of all active discounts.
const CACHE_NAME: &str = "product-discounts";
/// Longer than any request, in milliseconds.
const REQUEST_MS_MAX: i64 = 60_000;

/// The Product Discounts that are active and valid at a moment, the highest sort order first.
#[derive(Debug)]
pub(crate) struct ValidProductDiscounts {
    active: Arc<ActiveProductDiscounts>,
    at: Timestamp,
}

/// The Product Discounts with `isActive`, whatever their validity period, the highest sort order first.
#[derive(Debug, Default)]
struct ActiveProductDiscounts(Vec<CompiledProductDiscount>);

#[derive(Debug)]
struct CompiledProductDiscount {
    id: String,
    sort_order: Decimal,
    validity: Validity,
    /// `None`: the stored predicate is no longer valid, so the discount matches nothing.
    predicate: Option<DialectPredicate>,
    value: Reduction,
}

impl CompiledProductDiscount {
    fn matches(&self, priced: &PriceInContext<'_>) -> ApiResult<bool> {
        self.predicate.as_ref().map_or(Ok(false), |predicate| priced.matches(predicate))
    }
}

views! {
    /// The fields of a Product Discount that the price calculation uses.
    struct ProductDiscountView<'d> of "ProductDiscount" {
        id: &'d str,
        sort_order: &'d str,
        is_active: bool,
        #[serde(borrow)]
        valid_from: Option<&'d str>,
        valid_until: Option<&'d str>,
        predicate: &'d str,
        value: ReductionView<'d>,
    }

    /// The value of a Product Discount.
    struct ReductionView<'d>
        of "ProductDiscountValueRelative" | "ProductDiscountValueAbsolute" | "ProductDiscountValueExternal" {
        #[serde(rename = "type")]
        of: ProductDiscountValueTag,
        permyriad: Option<i64>,
        #[serde(borrow)]
        money: Option<Vec<MoneyView<'d>>>,
    }
}

impl ValidProductDiscounts {
    /// Returns the discounts of the shop, for a change in preparation. If a discount changes before the
    /// commit, the change is retried.
    pub(crate) fn now(rules: &Rules<'_>) -> ApiResult<Self> {
        let Some(epoch) = rules.hidden_document(EPOCH, EPOCH)? else {
            // There has never been a discount.
            return Ok(Self { active: Arc::default(), at: rules.now });
        };
        // Hundreds of predicates need not be read for each change of a price.
        let active = rules.derived_value(CACHE_NAME, epoch.revision, || {
            let found = rules.peek_by_value("product-discount", super::ACTIVE, super::YES)?;
            let active = ActiveProductDiscounts::from_documents(
                found.iter().map(|found| &*found.document),
                rules.model,
            )?;
            // Once for as long as no discount changes.
            active.unreadable().for_each(|id| {
                rules.warn(&format!(
                    "the Product Discount {id} matches nothing: its predicate cannot be read"
                ));
            });
            Ok(active)
        })?;
        Ok(Self { active, at: evaluation_time(&epoch.document, rules.now) })
    }

    /// Returns the discounts of the shop, for a derivation: once for all documents of a chunk.
    pub(crate) fn for_derivation(sources: &dyn DerivationSources) -> ApiResult<Rc<Self>> {
        let made = sources.shared(CACHE_NAME, &mut || {
            let mut all = Vec::new();
            sources.visit_indexed("product-discount", super::ACTIVE, super::YES, &mut |discount| {
                all.push(discount.clone());
            })?;
            let active = Arc::new(ActiveProductDiscounts::from_documents(all.iter(), sources.model())?);
            Ok(Rc::new(Self { active, at: sources.now() }) as Rc<dyn Any>)
        })?;
        made.downcast::<Self>().map_err(|_| ApiError::bug(format!("{CACHE_NAME} are something else")))
    }

    fn valid(&self) -> impl Iterator<Item = &CompiledProductDiscount> {
        self.active.0.iter().filter(|discount| discount.validity.contains(self.at))
    }

    /// Whether there are no discounts.
    pub(crate) fn is_empty(&self) -> bool {
        self.valid().next().is_none()
    }

    /// Returns the new value of the price's `discounted`. A value of an external discount stays while that
    /// discount is active and its predicate matches; otherwise the first discount with a reduction applies.
    pub(crate) fn discounted_value(&self, priced: &PriceInContext<'_>) -> ApiResult<Option<Value>> {
        if self.admits_external(priced)? {
            return Ok(priced.price.get("discounted").cloned());
        }
        let value = money_in(priced.price, "value")?;
        for discount in self.valid() {
            let Some(left) = discount.value.reduce(value) else { continue };
            debug_assert_eq!(left.currency(), value.currency());
            if discount.matches(priced)? {
                let discount = reference("product-discount", &discount.id);
                return Ok(Some(json!({"value": money_document(left), "discount": discount})));
            }
        }
        Ok(None)
    }

    /// Whether `discounted` of a price names an external discount that is active and fits the price.
    pub(crate) fn admits_external(&self, priced: &PriceInContext<'_>) -> ApiResult<bool> {
        let id = text(priced.price, &["discounted", "discount", "id"]);
        let is_meant = |discount: &&CompiledProductDiscount| {
            Some(discount.id.as_str()) == id && matches!(discount.value, Reduction::External)
        };
        match self.valid().find(is_meant) {
            Some(discount) => discount.matches(priced),
            None => Ok(false),
        }
    }
}

/// Returns the time at which a change evaluates discounts: not before the start of the epoch that it relies
/// on, as the request may have begun earlier. A larger distance than any request takes means that the clock
/// was set back.
fn evaluation_time(epoch: &Document, now: Timestamp) -> Timestamp {
    let since = text(epoch, &["since"]).and_then(|since| since.parse::<Timestamp>().ok());
    since
        .filter(|since| (0..REQUEST_MS_MAX).contains(&(since.as_millisecond() - now.as_millisecond())))
        .unwrap_or(now)
}

impl ActiveProductDiscounts {
    fn from_documents<'d>(documents: impl Iterator<Item = &'d Document>, model: &Model) -> ApiResult<Self> {
        let mut discounts = Vec::new();
        for document in documents {
            let view: ProductDiscountView<'_> = read(document)?;
            if view.is_active {
                discounts.push(CompiledProductDiscount::compile(&view, model)?);
            }
        }
        discounts.sort_by(|a, b| b.sort_order.cmp(&a.sort_order).then_with(|| a.id.cmp(&b.id)));
        Ok(Self(discounts))
    }

    /// Returns the ids of discounts whose predicates are no longer valid.
    fn unreadable(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|discount| discount.predicate.is_none()).map(|discount| &*discount.id)
    }
}

impl CompiledProductDiscount {
    /// Compiles a discount. It was validated when it was written; the rules for predicates may have become stricter
    /// since.
    fn compile(view: &ProductDiscountView<'_>, model: &Model) -> ApiResult<Self> {
        let broken = |what: &str| ApiError::bug(format!("the Product Discount {} has {what}", view.id));
        Ok(Self {
            id: view.id.to_owned(),
            sort_order: view.sort_order.parse().map_err(|_| broken("a sortOrder that is no number"))?,
            validity: validity(view.valid_from, view.valid_until)?,
            predicate: PRICES.read(view.predicate, model).ok(),
            value: view.value.reduction().ok_or_else(|| broken("a value that takes nothing off"))??,
        })
    }
}

impl ReductionView<'_> {
    /// Returns `None` if required fields of the value are missing.
    fn reduction(&self) -> Option<ApiResult<Reduction>> {
        match self.of {
            ProductDiscountValueTag::Relative => {
                Some(Ok(Reduction::Relative(Permyriad::new(self.permyriad?)?)))
            }
            ProductDiscountValueTag::Absolute => Some(self.amounts()),
            ProductDiscountValueTag::External => Some(Ok(Reduction::External)),
        }
    }

    fn amounts(&self) -> ApiResult<Reduction> {
        let amounts = self.money.iter().flatten().map(|money| {
            let money = money.money()?;
            Ok((money.currency(), money.cents()))
        });
        amounts.collect::<ApiResult<_>>().map(Reduction::Absolute)
    }
}

#[cfg(test)]
mod tests;
