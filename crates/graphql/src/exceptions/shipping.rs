//! Shipping Methods and their rates.

use super::Area;

pub(super) const AREA: Area = Area {
    output_names: &[
        ("CartClassificationTier", "ShippingRateCartClassificationPriceTier"),
        ("CartScoreTier", "ShippingRateCartScorePriceTier"),
        ("CartValueTier", "ShippingRateCartValuePriceTier"),
    ],
    input_names: &[
        ("CartClassificationTierDraft", "ShippingRatePriceTierCartClassificationDraft"),
        ("CartScoreTierDraft", "ShippingRatePriceTierCartScoreDraft"),
        ("CartValueTierDraft", "ShippingRatePriceTierCartValueDraft"),
        ("PriceFunction", "PriceFunctionDraft"),
        ("ShippingRatePriceTierDraft", "ShippingRatePriceTierDraft"),
    ],
    input_aliases: &[("MoneyDraft", "Money")],
    hidden: &[("ShippingMethod", "description"), ("ShippingRatePriceTier", "isMatching")],
    hidden_inputs: &[("MoneyDraft", "fractionDigits"), ("MoneyDraft", "type")],
    retyped: &[
        ("ShippingMethod", "taxCategoryRef", "Reference", None),
        ("ShippingRateCartScorePriceTier", "score", "Int!", None),
        ("ShippingRateCartValuePriceTier", "minimumCentAmount", "Int!", None),
        ("ZoneRate", "zoneRef", "Reference", None),
    ],
    retyped_inputs: &[
        ("ShippingMethodDraft", "zoneRates", "[ZoneRateDraft!] = []"),
        ("ShippingRateDraft", "freeAbove", "MoneyDraft"),
        ("ShippingRateDraft", "price", "MoneyDraft!"),
        ("ShippingRateDraft", "tiers", "[ShippingRatePriceTierDraft!] = []"),
        ("ShippingRatePriceTierCartClassificationDraft", "price", "MoneyDraft!"),
        ("ShippingRatePriceTierCartScoreDraft", "price", "MoneyDraft"),
        ("ShippingRatePriceTierCartScoreDraft", "score", "Int!"),
        ("ShippingRatePriceTierCartValueDraft", "minimumCentAmount", "Int!"),
        ("ShippingRatePriceTierCartValueDraft", "price", "MoneyDraft!"),
        ("ZoneRateDraft", "shippingRates", "[ShippingRateDraft!] = []"),
    ],
    ..Area::NONE
};
