//! Exceptions of Product Variants: selected prices, availability, Attributes.

use super::{Area, EntryDefinition, Extra, Form, MapPage, Splice};

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
        asked: &[],
        shows,
        form: Form::Value,
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

pub(super) const AREA: Area = Area {
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
        ("ProductVariantAvailabilitiesResult", "A part of what Channels have."),
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
            Extra::NamedValues("attributes"),
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
            Extra::Spliced(&PRICE),
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
            Extra::Spliced(&RECURRENCE_PRICES),
        ),
        (
            "ProductVariant",
            "availability",
            &[],
            "ProductVariantAvailabilityWithChannels",
            Extra::Stored("availability"),
        ),
        (
            "ProductVariantAvailabilityWithChannels",
            "noChannel",
            &[],
            "ProductVariantAvailability",
            Extra::Having("isOnStock"),
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
            Extra::MapPage(&OF_CHANNELS),
        ),
        ("ProductVariantAvailabilitiesResult", "limit", &[], "Int", Extra::Stored("limit")),
        ("ProductVariantAvailabilitiesResult", "offset", &[], "Int", Extra::Stored("offset")),
        ("ProductVariantAvailabilitiesResult", "total", &[], "Int!", Extra::Stored("total")),
        (
            "ProductVariantAvailabilitiesResult",
            "results",
            &[],
            "[ProductVariantAvailabilityWithChannel!]!",
            Extra::Stored("results"),
        ),
        (
            "ProductVariantAvailabilityWithChannel",
            "channelRef",
            &[],
            "Reference!",
            Extra::Reference(&["channel"]),
        ),
        ("ProductVariantAvailabilityWithChannel", "channel", &[], "Channel", Extra::Target(&["channel"])),
        (
            "ProductVariantAvailabilityWithChannel",
            "availability",
            &[],
            "ProductVariantAvailability!",
            Extra::Stored("availability"),
        ),
        ("ProductVariantAvailability", "isOnStock", &[], "Boolean!", Extra::Stored("isOnStock")),
        ("ProductVariantAvailability", "restockableInDays", &[], "Int", Extra::Stored("restockableInDays")),
        ("ProductVariantAvailability", "availableQuantity", &[], "Long", Extra::Stored("availableQuantity")),
        ("ProductVariantAvailability", "version", &[], "Long", Extra::Stored("version")),
        ("ProductVariantAvailability", "id", &[], "String", Extra::Stored("id")),
        (
            "RawProductAttribute",
            "attributeDefinition",
            &[],
            "AttributeDefinition",
            Extra::EntryDefinition(&ATTRIBUTE_DEFINITION),
        ),
        ("RawProductAttribute", "attributesRaw", &[], "[RawProductAttribute!]", Extra::EntryNamedValues),
        ("RawProductAttribute", "name", &[], "String!", Extra::EntryName),
        ("RawProductAttribute", "referencedResource", &[], "ReferenceExpandable", Extra::EntryTarget),
        ("RawProductAttribute", "referencedResourceSet", &[], "[ReferenceExpandable!]!", Extra::EntryTargets),
        ("RawProductAttribute", "value", &[], "Json!", Extra::EntryValue),
    ],
    ..Area::NONE
};
