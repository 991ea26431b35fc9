//! Names and types of the official schema that do not follow the conventions, for Shipping Methods and their rates.
//! [`ExceptionArea`] explains the tables.

use super::ExceptionArea;

pub(super) const AREA: ExceptionArea = ExceptionArea {
    output_names: &[
        ("CartClassificationTier", "ShippingRateCartClassificationPriceTier"),
        ("CartScoreTier", "ShippingRateCartScorePriceTier"),
        ("CartValueTier", "ShippingRateCartValuePriceTier"),
    ],
    input_names: &[
        ("CartClassificationTierDraft", "ShippingRatePriceTierCartClassificationDraft"),
        ("CartScoreTierDraft", "ShippingRatePriceTierCartScoreDraft"),
        ("CartValueTierDraft", "ShippingRatePriceTierCartValueDraft"),
        ("ClassificationShippingRateInputDraft", "ClassificationShippingRateInputDraft"),
        ("EstimatedDelivery", "EstimatedDeliveryDraft"),
        ("PriceFunction", "PriceFunctionDraft"),
        ("ScoreShippingRateInput", "ScoreShippingRateInputDraft"),
        ("ShippingRateInputDraft", "ShippingRateInputDraft"),
        ("ShippingRatePriceTierDraft", "ShippingRatePriceTierDraft"),
    ],
    input_aliases: &[("MoneyDraft", "Money")],
    hidden: &[
        ("Query", "shippingMethodsByCartLocation"),
        ("ShippingMethod", "description"),
        ("ShippingRatePriceTier", "isMatching"),
    ],
    hidden_inputs: &[
        ("SetMyCartShippingMethod", "externalTaxRate"),
        ("MoneyDraft", "fractionDigits"),
        ("MoneyDraft", "type"),
    ],
    renamed: &[("shippingMethodsByCart", "cartId", "id")],
    retyped: &[
        ("ScoreShippingRateInput", "score", "Int!", None),
        ("Shipping", "shippingAddress", "Address", None),
        ("Shipping", "shippingInfo", "ShippingInfo", None),
        ("Shipping", "shippingKey", "String", None),
        ("ShippingInfo", "deliveries", "[Delivery!]!", None),
        ("ShippingMethod", "taxCategoryRef", "Reference", None),
        ("ShippingRateCartScorePriceTier", "score", "Int!", None),
        ("ShippingRateCartValuePriceTier", "minimumCentAmount", "Int!", None),
        ("ZoneRate", "zoneRef", "Reference", None),
    ],
    retyped_inputs: &[
        ("AddCartCustomShippingMethod", "deliveries", "[DeliveryDraft!] = []"),
        ("AddCartShippingMethod", "deliveries", "[DeliveryDraft!] = []"),
        ("CustomShippingDraft", "shippingAddress", "AddressInput!"),
        ("CustomShippingDraft", "taxCategory", "ReferenceInput"),
        ("ScoreShippingRateInputDraft", "score", "Int!"),
        ("ShippingDraft", "shippingMethod", "ResourceIdentifierInput"),
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
    ..ExceptionArea::NONE
};
