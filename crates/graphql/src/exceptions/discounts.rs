//! Cart Discounts, Discount Codes, Discount Groups.

use super::{Area, Extra};

pub(super) const AREA: Area = Area {
    not_expandable: &["DiscountGroup"],
    output_names: &[
        ("CartDiscountValueRelative", "RelativeCartDiscountValue"),
        ("CartDiscountValueAbsolute", "AbsoluteCartDiscountValue"),
        ("CartDiscountValueFixed", "FixedPriceCartDiscountValue"),
        ("CartDiscountValueGiftLineItem", "GiftLineItemValue"),
        ("CartDiscountLineItemsTarget", "LineItemsTarget"),
        ("CartDiscountCustomLineItemsTarget", "CustomLineItemsTarget"),
        ("CartDiscountShippingCostTarget", "ShippingTarget"),
    ],
    input_names: &[
        ("CartDiscountValueDraft", "CartDiscountValueInput"),
        ("CartDiscountValueRelativeDraft", "RelativeCartDiscountValueInput"),
        ("CartDiscountValueAbsoluteDraft", "AbsoluteCartDiscountValueInput"),
        ("CartDiscountValueFixedDraft", "FixedPriceCartDiscountValueInput"),
        ("CartDiscountValueGiftLineItemDraft", "GiftLineItemValueInput"),
        ("CartDiscountLineItemsTarget", "LineItemsTargetInput"),
        ("CartDiscountCustomLineItemsTarget", "CustomLineItemsTargetInput"),
        ("CartDiscountShippingCostTarget", "ShippingTargetInput"),
        ("RecurringOrderScopeDraft", "RecurringOrderScopeInput"),
        ("ApplicableRecurrencePoliciesDraft", "ApplicableRecurrencePoliciesInput"),
    ],
    hidden: &[("CartDiscount", "references"), ("DiscountCode", "references")],
    retyped: &[
        ("RelativeCartDiscountValue", "permyriad", "Int!", None),
        (
            "RelativeCartDiscountValue",
            "applicationMode",
            "DiscountApplicationMode!",
            Some("\"IndividualApplication\""),
        ),
        (
            "AbsoluteCartDiscountValue",
            "applicationMode",
            "DiscountApplicationMode!",
            Some("\"ProportionateDistribution\""),
        ),
        (
            "FixedPriceCartDiscountValue",
            "applicationMode",
            "DiscountApplicationMode!",
            Some("\"IndividualApplication\""),
        ),
        ("DiscountGroupKeySet", "key", "String!", None),
        ("DiscountGroupSortOrderSet", "sortOrder", "String!", None),
        ("DiscountGroupIsActiveSet", "isActive", "Boolean!", None),
    ],
    retyped_inputs: &[
        ("RelativeCartDiscountValueInput", "permyriad", "Int!"),
        ("CartDiscountPatternTargetInput", "selectionMode", "SelectionMode"),
    ],
    extra: &[
        ("CartDiscount", "referenceRefs", &[], "[Reference!]!", Extra::Stored("references")),
        ("DiscountCode", "referenceRefs", &[], "[Reference!]!", Extra::Stored("references")),
        ("DiscountCode", "cartDiscountRefs", &[], "[Reference!]!", Extra::Stored("cartDiscounts")),
        (
            "DiscountCode",
            "applicationCount",
            &[],
            "Long!",
            Extra::Counted { kind: "DiscountCode", name: "applications" },
        ),
    ],
    ..Area::NONE
};
