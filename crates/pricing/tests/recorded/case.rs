//! The format of `carts.jsonl`: one recorded Cart per line, its input and, under `expected`, the results. Amounts are
//! in cents; rates are texts, so that they stay exact; names of rates are shortened to letters. Taxes of one Cart are
//! left out, because its rate was not recorded.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) case: u32,
    pub(crate) currency: String,
    #[serde(default)]
    pub(crate) tax_mode: String,
    #[serde(default)]
    pub(crate) tax_calculation_mode: String,
    pub(crate) score: Option<i64>,
    #[serde(default)]
    pub(crate) multiple: bool,
    #[serde(default)]
    pub(crate) line_items: Vec<RecordedItem>,
    #[serde(default)]
    pub(crate) custom_line_items: Vec<RecordedItem>,
    #[serde(default)]
    pub(crate) shipping: Vec<Shipping>,
    #[serde(default)]
    pub(crate) direct_discounts: Vec<RecordedDiscount>,
    #[serde(default)]
    pub(crate) cart_discounts: Vec<RecordedDiscount>,
    pub(crate) expected: CartTotals,
}

/// A discount; those of a Cart are in the order of application.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecordedDiscount {
    pub(crate) index: usize,
    pub(crate) permyriad: Option<i64>,
    pub(crate) absolute: Option<i64>,
    #[serde(default)]
    pub(crate) gift: bool,
    #[serde(default)]
    pub(crate) target: String,
    pub(crate) trigger_quantity: Option<i64>,
    pub(crate) discounted_quantity: Option<i64>,
    pub(crate) selection_mode: Option<String>,
    /// Line Items, and then Custom Line Items.
    #[serde(default)]
    pub(crate) matches: Vec<usize>,
    pub(crate) sort_order: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecordedItem {
    #[serde(default)]
    pub(crate) price_mode: String,
    pub(crate) price: i64,
    pub(crate) discounted: Option<i64>,
    /// Minimum quantity and price.
    #[serde(default)]
    pub(crate) tiers: Vec<(i64, i64)>,
    pub(crate) quantity: i64,
    pub(crate) tax_rate: Option<Rate>,
    /// The number of shipping methods of its units.
    pub(crate) methods: Option<usize>,
    pub(crate) expected: PricedItem,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Rate {
    pub(crate) name: String,
    pub(crate) amount: String,
    pub(crate) included: bool,
    #[serde(default)]
    pub(crate) sub_rates: Vec<SubRate>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubRate {
    pub(crate) name: String,
    pub(crate) amount: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Shipping {
    /// The price of the rate; if it is not known, the price is fixed.
    pub(crate) rate: Option<i64>,
    pub(crate) free_above: Option<i64>,
    #[serde(default)]
    pub(crate) tiers: Vec<Tier>,
    pub(crate) tax_rate: Option<Rate>,
    pub(crate) expected: PricedShipping,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tier {
    pub(crate) value: Option<i64>,
    pub(crate) score: Option<i64>,
    pub(crate) price: Option<i64>,
    pub(crate) function: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PricedItem {
    pub(crate) unit_price: Option<i64>,
    pub(crate) total_price: i64,
    pub(crate) taxed_price: Option<RecordedTaxes>,
    pub(crate) discounted_price_per_quantity: Option<Vec<Group>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) quantity: i64,
    pub(crate) value: i64,
    /// Discount and amount; empty if they were not recorded.
    pub(crate) included: Vec<(usize, i64)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PricedShipping {
    pub(crate) price: i64,
    pub(crate) taxed_price: Option<RecordedTaxes>,
    pub(crate) discounted_price: Option<RecordedDiscountedPrice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedDiscountedPrice {
    pub(crate) value: i64,
    /// Discount and amount; empty if they were not recorded.
    pub(crate) included: Vec<(usize, i64)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnTotalPrice {
    pub(crate) amount: i64,
    pub(crate) net: Option<i64>,
    pub(crate) gross: Option<i64>,
    /// Discount and amount; empty if they were not recorded.
    #[serde(default)]
    pub(crate) included: Vec<(usize, i64)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedTaxes {
    pub(crate) net: Option<i64>,
    pub(crate) gross: i64,
    pub(crate) tax: Option<i64>,
    /// Rate, name and amount.
    pub(crate) portions: Option<Vec<(String, String, i64)>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CartTotals {
    pub(crate) total_price: Option<i64>,
    pub(crate) taxed_price: Option<RecordedTaxes>,
    pub(crate) taxed_shipping_price: Option<RecordedTaxes>,
    pub(crate) total_line_item_quantity: Option<i64>,
    pub(crate) discount_on_total_price: Option<OnTotalPrice>,
}
