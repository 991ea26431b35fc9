//! Names and types of the official schema that do not follow the conventions, for Variants that are resources of their
//! own. [`ExceptionArea`] explains the tables.

use super::variants::PRICE_PARAMETERS;
use super::{
    ExceptionArea, ExtraSource, KindNames, MapPage, NO_EXCEPTION, Selector, ShownQuery, SideQuery, Splice,
    SpliceForm,
};

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
    fixed_parameters: &[],
    shows: "price",
    form: SpliceForm::Value,
};

const OF_CHANNELS: MapPage = MapPage {
    field: "channels",
    arguments: ("includeChannelIds", "excludeChannelIds"),
    reference: ("channel", "channel"),
    value: "availability",
};

pub(super) const AREA: ExceptionArea = ExceptionArea {
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
    side_queries: &[SideQuery {
        kind: "VariantProjection",
        parameters: &[("localeProjection", "[Locale!]", "localeProjection")],
        named: "attributes",
    }],
    shown_queries: &[ShownQuery {
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
            "StoreSettingOngoing",
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
            ("StoreSettingOngoing", "StoreSettingOngoingTypedWarning"),
        ],
    )],
    extra_outputs: &[
        ("DefaultVariantDeletedTypedWarning", "The Variant was the default variant of its Product."),
        ("GeneralTypedWarning", "Any other warning."),
        ("ImageProcessingOngoingTypedWarning", "Sizes of an image are still being generated."),
        ("RawAttribute", "An Attribute as plain JSON."),
        (
            "StoreSettingOngoingTypedWarning",
            "The Stores of a Category and its descendants are still being changed.",
        ),
        ("VariantAttributeChannelAvailability", "The availability of a Variant in a Channel."),
        ("VariantAttributeSimpleAvailability", "The availability of a Variant."),
    ],
    extra: &[
        ("VariantCreated", "attributesRaw", &[], "[RawAttribute!]!", ExtraSource::NamedValues("attributes")),
        ("DefaultVariantDeletedTypedWarning", "code", &[], "TypedWarningCode!", ExtraSource::Stored("code")),
        ("DefaultVariantDeletedTypedWarning", "message", &[], "String!", ExtraSource::Stored("message")),
        ("DefaultVariantDeletedTypedWarning", "type", &[], "String!", ExtraSource::Stored("code")),
        ("GeneralTypedWarning", "code", &[], "TypedWarningCode!", ExtraSource::Stored("code")),
        ("GeneralTypedWarning", "message", &[], "String!", ExtraSource::Stored("message")),
        ("GeneralTypedWarning", "type", &[], "String!", ExtraSource::Stored("code")),
        ("ImageProcessingOngoingTypedWarning", "code", &[], "TypedWarningCode!", ExtraSource::Stored("code")),
        ("ImageProcessingOngoingTypedWarning", "message", &[], "String!", ExtraSource::Stored("message")),
        ("ImageProcessingOngoingTypedWarning", "type", &[], "String!", ExtraSource::Stored("code")),
        ("StoreSettingOngoingTypedWarning", "code", &[], "TypedWarningCode!", ExtraSource::Stored("code")),
        ("StoreSettingOngoingTypedWarning", "message", &[], "String!", ExtraSource::Stored("message")),
        ("StoreSettingOngoingTypedWarning", "type", &[], "String!", ExtraSource::Stored("code")),
        (
            "VariantAttributeAvailability",
            "channels",
            &[],
            "[VariantAttributeChannelAvailability!]!",
            ExtraSource::MapReferences(&OF_CHANNELS),
        ),
        (
            "VariantAttributeAvailability",
            "noChannel",
            &[],
            "VariantAttributeSimpleAvailability",
            ExtraSource::IfPresent("isOnStock"),
        ),
        (
            "VariantAttributeChannelAvailability",
            "availability",
            &[],
            "VariantAttributeSimpleAvailability!",
            ExtraSource::Stored("availability"),
        ),
        (
            "VariantAttributeChannelAvailability",
            "channelRef",
            &[],
            "Reference!",
            ExtraSource::Reference(&["channel"]),
        ),
        (
            "VariantAttributeSimpleAvailability",
            "availableQuantity",
            &[],
            "Long!",
            ExtraSource::Stored("availableQuantity"),
        ),
        (
            "VariantAttributeSimpleAvailability",
            "isOnStock",
            &[],
            "Boolean!",
            ExtraSource::Stored("isOnStock"),
        ),
        (
            "VariantAttributeVariant",
            "attributesRaw",
            &[],
            "[RawAttribute!]!",
            ExtraSource::NamedValues("attributes"),
        ),
        ("VariantProjection", "productRef", &[], "Reference!", ExtraSource::Reference(&["product"])),
        ("VariantDeletionResult", "warnings", &[], "[TypedWarning!]!", ExtraSource::Stored("warnings")),
        (
            "VariantProjection",
            "attributes",
            CHOICE,
            "[RawAttribute!]!",
            ExtraSource::NamedValues("attributes"),
        ),
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
            ExtraSource::Spliced(&PRICE),
        ),
        ("VariantData", "attributesRaw", CHOICE, "[RawAttribute!]!", ExtraSource::NamedValues("attributes")),
        ("RawAttribute", "attributesRaw", &[], "[RawAttribute!]", ExtraSource::EntryNamedValues),
        ("RawAttribute", "name", &[], "String!", ExtraSource::EntryName),
        ("RawAttribute", "referencedResource", &[], "ReferenceExpandable", ExtraSource::EntryTarget),
        ("RawAttribute", "referencedResourceSet", &[], "[ReferenceExpandable!]!", ExtraSource::EntryTargets),
        ("RawAttribute", "value", &[], "Json!", ExtraSource::EntryValue),
    ],
    ..ExceptionArea::NONE
};
