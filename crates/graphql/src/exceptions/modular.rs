//! Variants that are resources of their own.

use super::{Area, Extra, Selector};

const CHOICE: &[(&str, &str)] = &[("includeNames", "[String!]"), ("excludeNames", "[String!]")];

/// What stands where a Product has no master variant, as its variants are resources of their own: the schema admits
/// nothing less than one.
const NO_VARIANT: Option<&str> = Some("{\"id\": 0}");

pub(super) const AREA: Area = Area {
    not_expandable: &["Variant"],
    hidden: &[
        ("Variant", "warnings"),
        ("VariantCreated", "attributes"),
        ("VariantData", "attributes"),
        ("VariantUnpublished", "product"),
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
        Selector { kind: "Variant", argument: ("sku", "String"), predicate: "current(sku={})" },
        Selector { kind: "Variant", argument: ("stagedSku", "String"), predicate: "staged(sku={})" },
    ],
    extra_outputs: &[("RawAttribute", "An Attribute as plain JSON.")],
    extra: &[
        ("VariantCreated", "attributesRaw", &[], "[RawAttribute!]!", Extra::NamedValues("attributes")),
        ("VariantData", "attributesRaw", CHOICE, "[RawAttribute!]!", Extra::NamedValues("attributes")),
        ("RawAttribute", "attributesRaw", &[], "[RawAttribute!]", Extra::EntryNamedValues),
        ("RawAttribute", "name", &[], "String!", Extra::EntryName),
        ("RawAttribute", "referencedResource", &[], "ReferenceExpandable", Extra::EntryTarget),
        ("RawAttribute", "referencedResourceSet", &[], "[ReferenceExpandable!]!", Extra::EntryTargets),
        ("RawAttribute", "value", &[], "Json!", Extra::EntryValue),
    ],
    ..Area::NONE
};
