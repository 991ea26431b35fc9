//! Names and types of the official schema that do not follow the conventions, for shared values: money, places, Assets,
//! authors, Messages. [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    keys_without_key: &["Message"],
    output_names: &[
        ("CentPrecisionMoney", "Money"),
        ("CreatedBy", "Initiator"),
        ("GeoJson", "Geometry"),
        ("GeoJsonPoint", "Point"),
        ("LastModifiedBy", "Initiator"),
        ("TypedMoney", "BaseMoney"),
    ],
    input_names: &[
        ("AssetDraft", "AssetDraftInput"),
        ("BaseAddress", "AddressInput"),
        ("CentPrecisionMoneyDraft", "MoneyInput"),
        ("GeoJson", "GeometryInput"),
        ("HighPrecisionMoneyDraft", "HighPrecisionMoneyInput"),
        ("Money", "MoneyInput"),
        ("TypedMoneyDraft", "BaseMoneyInput"),
    ],
    flat_unions: &["GeoJson"],
    extra_enum_values: &[("AttributionSource", "ManagedCommerceMCP")],
    hidden: &[
        ("Geometry", "coordinates"),
        ("Initiator", "associate"),
        ("Initiator", "customer"),
        ("Initiator", "user"),
        ("UserProvidedIdentifiers", "containerAndKey"),
    ],
    hidden_inputs: &[
        ("HighPrecisionMoneyInput", "type"),
        ("MoneyInput", "fractionDigits"),
        ("MoneyInput", "type"),
    ],
    renamed: &[
        ("AssetDimensions", "h", "height"),
        ("AssetDimensions", "w", "width"),
        ("AssetDimensionsInput", "h", "height"),
        ("AssetDimensionsInput", "w", "width"),
        ("Message", "resourceUserProvidedIdentifiers", "userProvidedIdentifiers"),
    ],
    retyped: &[("Asset", "tags", "[String!]!", None)],
    retyped_inputs: &[("AssetDraftInput", "sources", "[AssetSourceInput!]")],
    ignored_inputs: &[("AssetDraftInput", "type", "ResourceIdentifierInput")],
    int_fields: &["variantId"],
    shown_defaults: &[("staged", "true")],
    extra_outputs: &[("ReferenceId", "A reference that is not followed.")],
    extra: &[
        ("Attribution", "userRef", &[], "Reference", ExtraSource::Constant("null")),
        (
            "CustomObject",
            "referencedResources",
            &[("expand", "[String!]")],
            "[ReferencedResource!]",
            ExtraSource::ReferencedResources,
        ),
        ("Initiator", "associateRef", &[], "Reference", ExtraSource::Reference(&["associate"])),
        ("Initiator", "customerRef", &[], "Reference", ExtraSource::Reference(&["customer"])),
        ("Initiator", "userRef", &[], "Reference", ExtraSource::Reference(&["user"])),
        ("ReferenceId", "id", &[], "String!", ExtraSource::Stored("id")),
        ("ReferenceId", "typeId", &[], "String!", ExtraSource::Stored("typeId")),
    ],
    ..ExceptionArea::NONE
};
