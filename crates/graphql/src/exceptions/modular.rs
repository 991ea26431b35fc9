//! Exceptions of Variants that are resources of their own.

use super::variants::PRICE_PARAMETERS;
use super::{Area, Extra, Form, KindNames, MapPage, NO_EXCEPTION, Selector, Shown, Side, Splice};

const CHOICE: &[(&str, &str)] = &[("includeNames", "[String!]"), ("excludeNames", "[String!]")];

/// The master variant of a Product whose variants are resources of their own: such a Product has none, and the schema
/// requires the field.
pub(super) const NO_VARIANT: Option<&str> = Some("{\"id\": 0}");

const PRICE: Splice = Splice {
    kind: "VariantProjection",
    at: "",
    in_list: false,
    needs: &["id", "product", "sku"],
    parameters: PRICE_PARAMETERS,
    asked: &[],
    shows: "price",
    form: Form::Value,
};

const OF_CHANNELS: MapPage = MapPage {
    field: "channels",
    arguments: ("includeChannelIds", "excludeChannelIds"),
    reference: ("channel", "channel"),
    value: "availability",
};

pub(super) const AREA: Area = Area {
    kinds: &[KindNames {
        kind: "Variant",
        deleted: Some(("VariantDeletionResult", "variant")),
        ..NO_EXCEPTION
    }],
    not_expandable: &["Variant"],
    output_names: &[
        ("VariantAttributes", "ProductProjectionVariantAttributes"),
        ("VariantAttributesAttributeMetadata", "VariantAttributeDefinition"),
        ("VariantAttributesAvailability", "VariantAttributeAvailability"),
        ("VariantAttributesVariant", "VariantAttributeVariant"),
    ],
    hidden: &[
        ("Variant", "warnings"),
        ("VariantCreated", "attributes"),
        ("VariantData", "attributes"),
        ("TypedWarning", "type"),
        ("VariantUnpublished", "product"),
        ("VariantProjection", "attributes"),
        ("VariantProjection", "categories"),
        ("VariantProjection", "categoryOrderHints"),
        ("VariantProjection", "price"),
        ("VariantProjection", "product"),
        ("VariantAttributeAvailability", "availableQuantity"),
        ("VariantAttributeAvailability", "channels"),
        ("VariantAttributeAvailability", "isOnStock"),
        ("VariantAttributeAvailability", "restockableInDays"),
        ("VariantAttributeVariant", "attributes"),
    ],
    action_names: &[
        ("Variant", "moveImageToPosition", "MoveImageToPosition"),
        ("Variant", "removeStagedChanges", "RemoveStagedChanges"),
    ],
    retyped: &[
        ("ProductData", "masterVariant", "ProductVariant!", NO_VARIANT),
        ("ProductProjectionMessagePayload", "masterVariant", "ProductVariant!", NO_VARIANT),
        ("VariantCreated", "assets", "[Asset!]!", None),
        ("VariantCreated", "images", "[Image!]!", None),
        ("VariantData", "assets", "[Asset!]!", None),
        ("VariantData", "images", "[Image!]!", None),
    ],
    retyped_inputs: &[
        ("MoveImageToPosition", "position", "Int!"),
        ("SetVariantAssetSources", "sources", "[AssetSourceInput!] = []"),
        ("SetVariantAssetTags", "tags", "[String!] = []"),
        ("SetVariantAssets", "assets", "[AssetDraftInput!] = []"),
        ("SetVariantAttributes", "attributes", "[ProductAttributeInput!] = []"),
        ("SetVariantImages", "images", "[ImageInput!] = []"),
        ("VariantDraft", "assets", "[AssetDraftInput!] = []"),
        ("VariantDraft", "attributes", "[ProductAttributeInput!] = []"),
        ("VariantDraft", "images", "[ImageInput!] = []"),
        ("VariantDraft", "publish", "Boolean = false"),
    ],
    selectors: &[
        Selector {
            kind: "Variant",
            argument: ("productId", "String"),
            many: true,
            predicate: "product(id={})",
        },
        Selector {
            kind: "VariantProjection",
            argument: ("productId", "String"),
            many: true,
            predicate: "product(id={})",
        },
        Selector { kind: "VariantProjection", argument: ("sku", "String"), many: false, predicate: "sku={}" },
        Selector { kind: "Variant", argument: ("sku", "String"), many: false, predicate: "current(sku={})" },
        Selector {
            kind: "Variant",
            argument: ("stagedSku", "String"),
            many: false,
            predicate: "staged(sku={})",
        },
    ],
    sides: &[Side {
        kind: "VariantProjection",
        parameters: &[("localeProjection", "[Locale!]", "localeProjection")],
        named: "attributes",
    }],
    shown: &[Shown {
        kind: "ProductProjection",
        object: "VariantAttributes",
        field: "productProjectionVariantAttributes",
        parameters: &[
            ("includeAttributeNames", "[String!]!", "filter[attributes]"),
            ("localeProjection", "[Locale!]", "localeProjection"),
            ("includeChannelIds", "[String!]", "filter[supplyChannels]"),
        ],
    }],
    extra_enums: &[(
        "TypedWarningCode",
        &[
            "CannotChangeReservationExpiry",
            "CannotCreateReservation",
            "CannotUpdateReservation",
            "DefaultVariantDeleted",
            "General",
            "ImageProcessingOngoing",
        ],
    )],
    extra_unions: &[(
        "TypedWarning",
        "A warning about the effects of a change.",
        "code",
        &[
            ("CannotChangeReservationExpiry", "CannotChangeReservationExpiryTypedWarning"),
            ("CannotCreateReservation", "CannotCreateReservationTypedWarning"),
            ("CannotUpdateReservation", "CannotUpdateReservationTypedWarning"),
            ("DefaultVariantDeleted", "DefaultVariantDeletedTypedWarning"),
            ("General", "GeneralTypedWarning"),
            ("ImageProcessingOngoing", "ImageProcessingOngoingTypedWarning"),
        ],
    )],
    extra_outputs: &[
        ("DefaultVariantDeletedTypedWarning", "The Variant was the default variant of its Product."),
        ("GeneralTypedWarning", "Any other warning."),
        ("ImageProcessingOngoingTypedWarning", "Sizes of an image are still being generated."),
        ("RawAttribute", "An Attribute as plain JSON."),
        ("VariantAttributeChannelAvailability", "The availability of a Variant in a Channel."),
        ("VariantAttributeSimpleAvailability", "The availability of a Variant."),
    ],
    extra: &[
        ("VariantCreated", "attributesRaw", &[], "[RawAttribute!]!", Extra::NamedValues("attributes")),
        ("DefaultVariantDeletedTypedWarning", "code", &[], "TypedWarningCode!", Extra::Stored("code")),
        ("DefaultVariantDeletedTypedWarning", "message", &[], "String!", Extra::Stored("message")),
        ("DefaultVariantDeletedTypedWarning", "type", &[], "String!", Extra::Stored("code")),
        ("GeneralTypedWarning", "code", &[], "TypedWarningCode!", Extra::Stored("code")),
        ("GeneralTypedWarning", "message", &[], "String!", Extra::Stored("message")),
        ("GeneralTypedWarning", "type", &[], "String!", Extra::Stored("code")),
        ("ImageProcessingOngoingTypedWarning", "code", &[], "TypedWarningCode!", Extra::Stored("code")),
        ("ImageProcessingOngoingTypedWarning", "message", &[], "String!", Extra::Stored("message")),
        ("ImageProcessingOngoingTypedWarning", "type", &[], "String!", Extra::Stored("code")),
        (
            "VariantAttributeAvailability",
            "channels",
            &[],
            "[VariantAttributeChannelAvailability!]!",
            Extra::MapReferences(&OF_CHANNELS),
        ),
        (
            "VariantAttributeAvailability",
            "noChannel",
            &[],
            "VariantAttributeSimpleAvailability",
            Extra::Having("isOnStock"),
        ),
        (
            "VariantAttributeChannelAvailability",
            "availability",
            &[],
            "VariantAttributeSimpleAvailability!",
            Extra::Stored("availability"),
        ),
        (
            "VariantAttributeChannelAvailability",
            "channelRef",
            &[],
            "Reference!",
            Extra::Reference(&["channel"]),
        ),
        (
            "VariantAttributeSimpleAvailability",
            "availableQuantity",
            &[],
            "Long!",
            Extra::Stored("availableQuantity"),
        ),
        ("VariantAttributeSimpleAvailability", "isOnStock", &[], "Boolean!", Extra::Stored("isOnStock")),
        (
            "VariantAttributeVariant",
            "attributesRaw",
            &[],
            "[RawAttribute!]!",
            Extra::NamedValues("attributes"),
        ),
        ("VariantProjection", "productRef", &[], "Reference!", Extra::Reference(&["product"])),
        ("VariantUnpublished", "productRef", &[], "Reference!", Extra::Reference(&["product"])),
        ("VariantDeletionResult", "warnings", &[], "[TypedWarning!]!", Extra::Stored("warnings")),
        ("VariantProjection", "attributes", CHOICE, "[RawAttribute!]!", Extra::NamedValues("attributes")),
        (
            "VariantProjection",
            "price",
            &[
                ("currency", "Currency!"),
                ("country", "Country"),
                ("customerGroupId", "String"),
                ("customerGroupAssignmentIds", "[String!]"),
                ("channelId", "String"),
                ("date", "DateTime"),
                ("recurrencePolicyId", "String"),
            ],
            "ProductPrice",
            Extra::Spliced(&PRICE),
        ),
        ("VariantData", "attributesRaw", CHOICE, "[RawAttribute!]!", Extra::NamedValues("attributes")),
        ("RawAttribute", "attributesRaw", &[], "[RawAttribute!]", Extra::EntryNamedValues),
        ("RawAttribute", "name", &[], "String!", Extra::EntryName),
        ("RawAttribute", "referencedResource", &[], "ReferenceExpandable", Extra::EntryTarget),
        ("RawAttribute", "referencedResourceSet", &[], "[ReferenceExpandable!]!", Extra::EntryTargets),
        ("RawAttribute", "value", &[], "Json!", Extra::EntryValue),
    ],
    ..Area::NONE
};
