//! Names and types of the official schema that do not follow the conventions, for Prices, Standalone Prices, Product
//! Discounts and Recurrence Policies. [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[KindNames { kind: "StandalonePrice", draft: Some("CreateStandalonePrice"), ..NO_EXCEPTION }],
    not_expandable: &["RecurrencePolicy", "StandalonePrice"],
    output_names: &[
        ("ProductDiscountValueRelative", "RelativeDiscountValue"),
        ("ProductDiscountValueAbsolute", "AbsoluteDiscountValue"),
        ("ProductDiscountValueExternal", "ExternalDiscountValue"),
        ("DiscountedPrice", "DiscountedProductPriceValue"),
        ("Price", "ProductPrice"),
        ("PriceTier", "ProductPriceTier"),
        ("ProductPriceDiscountsSetUpdatedPrice", "ProductPriceDiscountUpdateMessagePayload"),
    ],
    input_names: &[
        ("ProductDiscountValueRelative", "RelativeDiscountValueInput"),
        ("ProductDiscountValueAbsoluteDraft", "AbsoluteDiscountValueInput"),
        ("ProductDiscountValueExternal", "ExternalDiscountValueInput"),
        ("ProductDiscountValueDraft", "ProductDiscountValueInput"),
        ("DiscountedPriceDraft", "DiscountedProductPriceValueInput"),
        ("PriceDraft", "ProductPriceDataInput"),
        ("PriceTierDraft", "ProductPriceTierInput"),
    ],
    output_aliases: &[("DiscountedProductSearchPriceValue", "DiscountedPrice")],
    hidden: &[("ProductDiscount", "references")],
    hidden_inputs: &[
        ("RemoveProductPrice", "price"),
        ("RemoveProductPrice", "sku"),
        ("RemoveProductPrice", "variantId"),
    ],
    action_names: &[
        ("StandalonePrice", "addPriceTier", "AddStandalonePriceTier"),
        ("StandalonePrice", "applyStagedChanges", "ApplyStagedChanges"),
        ("StandalonePrice", "removePriceTier", "RemoveStandalonePriceTier"),
        ("StandalonePrice", "removeStagedChanges", "RemoveStagedChanges"),
        ("StandalonePrice", "setCustomField", "SetStandalonePriceCustomFields"),
        ("StandalonePrice", "setCustomType", "CustomFieldsDraft"),
        ("StandalonePrice", "setPriceTiers", "SetStandalonePriceTiers"),
    ],
    renamed: &[("StandalonePriceTierRemoved", "removedTier", "tier")],
    retyped: &[
        ("RelativeDiscountValue", "permyriad", "Int!", None),
        ("ProductPrice", "id", "String", None),
        ("ProductPriceTier", "minimumQuantity", "Int!", None),
        ("ScopedPrice", "country", "String", None),
        ("ScopedPrice", "discounted", "DiscountedProductSearchPriceValue", None),
        ("StandardSchedule", "value", "Int!", None),
        ("StandalonePriceDeleted", "sku", "String", None),
        ("StandalonePriceStagedChangesRemoved", "stagedChanges", "StagedStandalonePrice", None),
    ],
    retyped_inputs: &[
        ("ChangeProductPrice", "priceId", "String"),
        ("RelativeDiscountValueInput", "permyriad", "Int!"),
        ("ProductDiscountDraft", "isActive", "Boolean = true"),
        ("ChangeStandalonePriceValue", "staged", "Boolean"),
        ("CreateStandalonePrice", "active", "Boolean! = true"),
        ("CreateStandalonePrice", "tiers", "[ProductPriceTierInput!] = []"),
        ("ProductPriceDataInput", "customerGroup", "ReferenceInput"),
        ("ProductPriceDataInput", "tiers", "[ProductPriceTierInput!] = []"),
        ("ProductPriceTierInput", "minimumQuantity", "Int!"),
        ("RemoveStandalonePriceTier", "minimumQuantity", "Int!"),
        ("StandardScheduleInput", "value", "Int!"),
    ],
    extra: &[
        ("ProductDiscount", "isValid", &[], "Boolean!", ExtraSource::Constant("true")),
        ("ProductDiscount", "referenceRefs", &[], "[Reference!]!", ExtraSource::Stored("references")),
    ],
    ignored_inputs: &[("ChangeProductPrice", "variantId", "Int"), ("ChangeProductPrice", "sku", "String")],
    ..ExceptionArea::NONE
};
