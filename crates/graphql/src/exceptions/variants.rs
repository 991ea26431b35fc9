//! Names and types of the official schema that do not follow the conventions, for Product Variants: selected prices,
//! availability, Attributes. [`ExceptionArea`] explains the tables.

use super::{EntryDefinition, ExceptionArea, ExtraSource, MapPage, Splice, SpliceForm};

pub(super) const PRICE_PARAMETERS: &[(&str, &str)] = &[
    ("currency", "priceCurrency"),
    ("country", "priceCountry"),
    ("customerGroupId", "priceCustomerGroup"),
    ("customerGroupAssignmentIds", "priceCustomerGroupAssignments"),
    ("channelId", "priceChannel"),
    ("date", "priceDate"),
    ("recurrencePolicyId", "priceRecurrencePolicy"),
];

pub(super) const fn price_of(shows: &'static str) -> Splice {
    Splice {
        kind: "ProductProjection",
        at: "masterVariant",
        in_list: false,
        needs: &["sku", "prices"],
        parameters: PRICE_PARAMETERS,
        fixed_parameters: &[],
        shows,
        form: SpliceForm::Value,
    }
}

const PRICE: Splice = price_of("price");
const RECURRENCE_PRICES: Splice = price_of("recurrencePrices");

const OF_CHANNELS: MapPage = MapPage {
    field: "channels",
    arguments: ("includeChannelIds", "excludeChannelIds"),
    reference: ("channel", "channel"),
    value: "availability",
};

static ATTRIBUTE_DEFINITION: EntryDefinition = EntryDefinition {
    reference: "productType",
    list: "attributes",
    nested: &[&["type", "typeReference"], &["type", "elementType", "typeReference"]],
};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    input_names: &[("Attribute", "ProductAttributeInput"), ("ProductVariantDraft", "ProductVariantInput")],
    hidden: &[
        ("ProductVariant", "attributes"),
        ("ProductVariant", "availability"),
        ("ProductVariant", "isMatchingVariant"),
        ("ProductVariant", "price"),
        ("ProductVariant", "recurrencePrices"),
        ("ProductVariant", "scopedPrice"),
        ("ProductVariant", "scopedPriceDiscounted"),
    ],
    hidden_inputs: &[("AddProductVariant", "isMasterVariant")],
    retyped: &[
        ("ProductVariant", "assets", "[Asset!]!", None),
        ("ProductVariant", "id", "Int!", None),
        ("ProductVariant", "images", "[Image!]!", None),
        ("ProductVariantDeleted", "staged", "Boolean", None),
    ],
    retyped_inputs: &[
        ("AddProductVariant", "assets", "[AssetDraftInput!] = []"),
        ("AddProductVariant", "attributes", "[ProductAttributeInput!] = []"),
        ("AddProductVariant", "images", "[ImageInput!] = []"),
        ("AddProductVariant", "prices", "[ProductPriceDataInput!] = []"),
        ("ProductVariantInput", "assets", "[AssetDraftInput!] = []"),
        ("ProductVariantInput", "attributes", "[ProductAttributeInput!] = []"),
        ("ProductVariantInput", "images", "[ImageInput!] = []"),
        ("ProductVariantInput", "prices", "[ProductPriceDataInput!] = []"),
        ("RemoveProductVariant", "id", "Int"),
    ],
    extra_outputs: &[
        ("RawProductAttribute", "An Attribute as plain JSON."),
        ("ProductVariantAvailabilitiesResult", "A page of the availabilities by Channel."),
        ("ProductVariantAvailability", "The availability of a Product Variant."),
        ("ProductVariantAvailabilityWithChannel", "The availability of a Product Variant in a Channel."),
        (
            "ProductVariantAvailabilityWithChannels",
            "The availability of a Product Variant, in total and by Channel.",
        ),
    ],
    extra: &[
        (
            "ProductVariant",
            "attributesRaw",
            &[("includeNames", "[String!]"), ("excludeNames", "[String!]")],
            "[RawProductAttribute!]!",
            ExtraSource::NamedValues("attributes"),
        ),
        (
            "ProductVariant",
            "price",
            &[
                ("currency", "Currency!"),
                ("country", "Country"),
                ("customerGroupId", "String"),
                ("customerGroupAssignmentIds", "[String!]"),
                ("channelId", "String"),
                ("date", "DateTime"),
                ("recurrencePolicyId", "String"),
                ("returnAllPricesByRecurrencePolicy", "Boolean"),
            ],
            "ProductPrice",
            ExtraSource::Spliced(&PRICE),
        ),
        (
            "ProductVariant",
            "allRecurrencePrices",
            &[
                ("currency", "Currency!"),
                ("country", "Country"),
                ("customerGroupId", "String"),
                ("channelId", "String"),
                ("date", "DateTime"),
                ("recurrencePolicyId", "String"),
                ("returnAllPricesByRecurrencePolicy", "Boolean"),
            ],
            "[ProductPrice!]",
            ExtraSource::Spliced(&RECURRENCE_PRICES),
        ),
        (
            "ProductVariant",
            "availability",
            &[],
            "ProductVariantAvailabilityWithChannels",
            ExtraSource::Stored("availability"),
        ),
        (
            "ProductVariantAvailabilityWithChannels",
            "noChannel",
            &[],
            "ProductVariantAvailability",
            ExtraSource::IfPresent("isOnStock"),
        ),
        (
            "ProductVariantAvailabilityWithChannels",
            "channels",
            &[
                ("includeChannelIds", "[String!]"),
                ("excludeChannelIds", "[String!]"),
                ("limit", "Int"),
                ("offset", "Int"),
            ],
            "ProductVariantAvailabilitiesResult!",
            ExtraSource::MapPage(&OF_CHANNELS),
        ),
        ("ProductVariantAvailabilitiesResult", "limit", &[], "Int", ExtraSource::Stored("limit")),
        ("ProductVariantAvailabilitiesResult", "offset", &[], "Int", ExtraSource::Stored("offset")),
        ("ProductVariantAvailabilitiesResult", "total", &[], "Int!", ExtraSource::Stored("total")),
        (
            "ProductVariantAvailabilitiesResult",
            "results",
            &[],
            "[ProductVariantAvailabilityWithChannel!]!",
            ExtraSource::Stored("results"),
        ),
        (
            "ProductVariantAvailabilityWithChannel",
            "channelRef",
            &[],
            "Reference!",
            ExtraSource::Reference(&["channel"]),
        ),
        (
            "ProductVariantAvailabilityWithChannel",
            "channel",
            &[],
            "Channel",
            ExtraSource::Target(&["channel"]),
        ),
        (
            "ProductVariantAvailabilityWithChannel",
            "availability",
            &[],
            "ProductVariantAvailability!",
            ExtraSource::Stored("availability"),
        ),
        ("ProductVariantAvailability", "isOnStock", &[], "Boolean!", ExtraSource::Stored("isOnStock")),
        (
            "ProductVariantAvailability",
            "restockableInDays",
            &[],
            "Int",
            ExtraSource::Stored("restockableInDays"),
        ),
        (
            "ProductVariantAvailability",
            "availableQuantity",
            &[],
            "Long",
            ExtraSource::Stored("availableQuantity"),
        ),
        ("ProductVariantAvailability", "version", &[], "Long", ExtraSource::Stored("version")),
        ("ProductVariantAvailability", "id", &[], "String", ExtraSource::Stored("id")),
        (
            "RawProductAttribute",
            "attributeDefinition",
            &[],
            "AttributeDefinition",
            ExtraSource::EntryDefinition(&ATTRIBUTE_DEFINITION),
        ),
        (
            "RawProductAttribute",
            "attributesRaw",
            &[],
            "[RawProductAttribute!]",
            ExtraSource::EntryNamedValues,
        ),
        ("RawProductAttribute", "name", &[], "String!", ExtraSource::EntryName),
        ("RawProductAttribute", "referencedResource", &[], "ReferenceExpandable", ExtraSource::EntryTarget),
        (
            "RawProductAttribute",
            "referencedResourceSet",
            &[],
            "[ReferenceExpandable!]!",
            ExtraSource::EntryTargets,
        ),
        ("RawProductAttribute", "value", &[], "Json!", ExtraSource::EntryValue),
    ],
    ..ExceptionArea::NONE
};
