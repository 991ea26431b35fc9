//! A compiled Cart Discount: parsed once, evaluated for many Carts. Start at [`CompiledCartDiscount::compile`].
//!
//! Source: reference types `CartDiscount`, `DiscountGroup`, `RecurringOrderScope`.

use super::compiled_effect::CompiledEffect;
use crate::cart_discount_epoch::DISCOUNT_GROUP;
use crate::discount_predicate::CARTS;
use crate::price::validity;
use crate::recurrence::{is_of_recurring_order, recurrences};
use crate::view::{KeyTarget, Target, read, views};
use jiff::Timestamp;
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Rules};
use kontor_enums::RecurringOrderScopeTag;
use kontor_errors::ApiResult;
use kontor_json::json;
use kontor_pricing::Validity;
use kontor_pricing::discount::{SortOrder, StackingMode};
use kontor_query::dialect::{DialectPredicate, DocumentLoader};
use std::cmp::Ordering;

views! {
    /// The conditions under which a Cart Discount applies.
    struct CartDiscountView<'d> of "CartDiscount" {
        id: &'d str,
        cart_predicate: &'d str,
        sort_order: &'d str,
        #[serde(borrow)]
        stores: Vec<KeyTarget<'d>>,
        is_active: bool,
        valid_from: Option<&'d str>,
        valid_until: Option<&'d str>,
        stacking_mode: StackingMode,
        discount_group: Option<Target<'d>>,
        recurring_order_scope: ScopeView<'d>,
    }

    /// The scope of a discount: the Orders to which it applies.
    struct ScopeView<'d> of
        "AnyOrder" | "NonRecurringOrdersOnly" | "RecurringOrdersOnly" | "ApplicableRecurrencePolicies" {
        #[serde(rename = "type")]
        of: RecurringOrderScopeTag,
        #[serde(default, borrow)]
        recurrence_policies: Vec<Target<'d>>,
    }
}

/// The kinds of Orders to which a discount applies.
#[derive(Debug)]
enum EligibleOrders {
    Any,
    /// Orders that no Recurring Order created.
    Single,
    Recurring,
    /// Orders of Recurring Orders with one of these Recurrence Policies.
    Policies(Vec<String>),
}

impl EligibleOrders {
    fn from_scope(scope: &ScopeView<'_>) -> Self {
        match scope.of {
            RecurringOrderScopeTag::AnyOrder => Self::Any,
            RecurringOrderScopeTag::NonRecurringOrdersOnly => Self::Single,
            RecurringOrderScopeTag::RecurringOrdersOnly => Self::Recurring,
            RecurringOrderScopeTag::ApplicableRecurrencePolicies => {
                let policies = scope.recurrence_policies.iter();
                Self::Policies(policies.map(|policy| policy.id.to_owned()).collect())
            }
        }
    }

    fn contains(&self, cart: &Document) -> bool {
        let recurs = is_of_recurring_order(cart);
        match self {
            Self::Any => true,
            Self::Single => !recurs,
            Self::Recurring => recurs,
            Self::Policies(ids) => {
                recurs
                    && recurrences(cart).iter().any(|recurrence| ids.iter().any(|id| id == recurrence.policy))
            }
        }
    }
}

/// A Cart Discount with parsed predicates.
#[derive(Debug)]
pub(crate) struct CompiledCartDiscount {
    pub(crate) id: String,
    sort_order: String,
    /// Whether both the discount and its group are active.
    is_active: bool,
    validity: Validity,
    /// The keys of its Stores; if empty, it applies everywhere.
    stores: Vec<String>,
    orders: EligibleOrders,
    cart_predicate: DialectPredicate,
    /// The effect of the discount.
    pub(crate) effect: CompiledEffect,
    /// Whether later discounts still apply.
    pub(crate) stacking_mode: StackingMode,
    /// The id of its group.
    pub(crate) group: Option<String>,
}

impl CompiledCartDiscount {
    /// Compiles a stored Cart Discount. Returns `None` if one of its predicates is no longer valid, since
    /// rules may have become stricter: the discount matches no Cart, and the log reports it.
    pub(crate) fn compile(document: &Document, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let view: CartDiscountView<'_> = read(document)?;
        let effect = CompiledEffect::compile(document, rules.model)?;
        let (Ok(cart_predicate), Some(effect)) = (CARTS.read(view.cart_predicate, rules.model), effect)
        else {
            let id = view.id;
            rules.warn(&format!("the Cart Discount {id} counts for no Cart: a predicate cannot be read"));
            return Ok(None);
        };
        let group = match &view.discount_group {
            Some(group) => rules.peek_now(DISCOUNT_GROUP, group.id)?,
            None => None,
        };
        let is_group_active = group.as_ref().is_none_or(|group| group.get("isActive") == Some(&json!(true)));
        // A discount follows the sort order of its group later than the epoch ends.
        let of_group = group.as_ref().map(|group| must_text(group, &["sortOrder"])).transpose()?;
        Ok(Some(Self {
            id: view.id.to_owned(),
            sort_order: of_group.unwrap_or(view.sort_order).to_owned(),
            is_active: view.is_active && is_group_active,
            validity: validity(view.valid_from, view.valid_until)?,
            stores: view.stores.iter().map(|store| store.key.to_owned()).collect(),
            orders: EligibleOrders::from_scope(&view.recurring_order_scope),
            cart_predicate,
            effect,
            stacking_mode: view.stacking_mode,
            group: view.discount_group.map(|group| group.id.to_owned()),
        }))
    }

    /// Whether it is active, as well as its group.
    pub(crate) fn is_active(&self) -> bool {
        self.is_active
    }

    /// Whether it is valid at a time.
    pub(crate) fn is_valid(&self, at: Timestamp) -> bool {
        self.validity.contains(at)
    }

    /// Whether it applies to a Cart by its Store and by whether it belongs to a Recurring Order.
    pub(crate) fn is_for(&self, cart: &Document) -> bool {
        let is_in_store = match text(cart, &["store", "key"]) {
            _ if self.stores.is_empty() => true,
            Some(store) => self.stores.iter().any(|key| key == store),
            None => false,
        };
        is_in_store && self.orders.contains(cart)
    }

    /// The keys of its Stores; none: everywhere.
    pub(crate) fn stores(&self) -> &[String] {
        &self.stores
    }

    /// Whether its `cartPredicate` matches a Cart.
    pub(crate) fn matches_cart(&self, cart: &Document, find: &DocumentLoader<'_>) -> ApiResult<bool> {
        self.cart_predicate.matches(cart, find)
    }

    /// Whether one of its predicates refers to one of these fields.
    pub(crate) fn refers_to(&self, names: &[&str]) -> bool {
        self.cart_predicate.contains_any_field(names) || self.effect.refers_to(names)
    }

    /// Compares by the order of application.
    pub(crate) fn compare_order(&self, other: &Self) -> Ordering {
        let (own, others) = (SortOrder::new(&self.sort_order), SortOrder::new(&other.sort_order));
        others.cmp(&own).then_with(|| self.id.cmp(&other.id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_discounts::discount_of_code;
    use crate::test_shop::TestShop;
    use kontor_json::{Value, json};
    use std::cmp::Ordering;

    fn discount(id: &str, sort_order: &str, group: Option<&str>) -> Value {
        json!({
            "id": id, "cartPredicate": "true", "sortOrder": sort_order, "stores": [], "isActive": true,
            "stackingMode": "Stacking", "recurringOrderScope": {"type": "AnyOrder"},
            "value": {"type": "relative", "permyriad": 1000}, "target": {"type": "totalPrice"},
            "discountGroup": group.map(|id| json!({"typeId": "discount-group", "id": id})),
        })
    }

    fn group(sort_order: &str, is_active: bool) -> Value {
        json!({"id": "best", "sortOrder": sort_order, "isActive": is_active})
    }

    #[test]
    fn a_discount_has_the_sort_order_of_its_group_before_it_has_followed() {
        let shop = TestShop::new()
            .with_document("discount-group", group("0.9", true))
            .with_document("cart-discount", discount("of-group", "0.1", Some("best")))
            .with_document("cart-discount", discount("alone", "0.5", None));
        shop.rules(|rules| {
            let ready = |id: &str| discount_of_code(id, rules).unwrap().unwrap();
            assert_eq!(ready("of-group").compare_order(&ready("alone")), Ordering::Less);
        });
    }

    #[test]
    fn cached_discounts_are_current() {
        let epoch = json!({"id": "cart-discount-epoch"});
        let shop = TestShop::new()
            .with_document("cart-discount-epoch", epoch)
            .with_document("discount-group", group("0.9", false))
            .with_cached_copy("discount-group", group("0.9", true))
            .with_document("cart-discount", discount("of-group", "0.9", Some("best")))
            .with_document("cart-discount", discount("changed", "0.5", None))
            .with_cached_copy("cart-discount", discount("changed", "0.4", None))
            .with_document("cart-discount", discount("other", "0.45", None));
        shop.rules(|rules| {
            let ready = |id: &str| discount_of_code(id, rules).unwrap().unwrap();
            assert!(!ready("of-group").is_active());
            assert_eq!(ready("changed").compare_order(&ready("other")), Ordering::Less);
        });
    }
}
