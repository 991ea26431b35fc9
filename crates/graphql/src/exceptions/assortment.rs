//! Names and types of the official schema that do not follow the conventions, for Product Selections and Product
//! Tailoring. [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION, PAGE};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[
        KindNames { kind: "ProductSelection", draft: Some("CreateProductSelectionDraft"), ..NO_EXCEPTION },
        KindNames {
            kind: "ProductSelectionAssignment",
            object: Some("ProductAssignment"),
            many: Some("productSelectionAssignments"),
            ..NO_EXCEPTION
        },
        KindNames { kind: "ProductTailoring", many: Some("productTailoringList"), ..NO_EXCEPTION },
    ],
    not_expandable: &["ProductSelection", "ProductTailoring"],
    output_names: &[
        ("AssignedProductReference", "ProductOfSelection"),
        ("AssignedProductSelection", "SelectionOfProduct"),
        ("ProductVariantSelectionExclusion", "ProductVariantSelectionIncludeAllExcept"),
        ("ProductVariantSelectionInclusion", "ProductVariantSelectionIncludeOnly"),
    ],
    input_names: &[
        ("ProductVariantExclusion", "ProductVariantExclusionDraft"),
        ("ProductVariantSelection", "ProductVariantSelectionDraft"),
        ("ProductVariantTailoringDraft", "ProductVariantTailoringInput"),
    ],
    output_aliases: &[("VariantTailoring", "ProductVariantTailoring")],
    hidden: &[
        ("ProductAssignment", "createdAt"),
        ("ProductAssignment", "lastModifiedAt"),
        ("ProductSelection", "type"),
        ("ProductTailoring", "warnings"),
        ("ProductTailoringData", "attributes"),
        ("ProductVariantTailoring", "attributes"),
        ("ProductTailoringCreated", "attributes"),
        ("VariantTailoring", "attributes"),
        ("VariantTailoring", "id"),
    ],
    hidden_inputs: &[("ProductTailoringDraft", "store"), ("CreateProductSelectionDraft", "type")],
    hidden_members: &[
        ("ProductVariantSelectionDraft", "exclusion"),
        ("ProductVariantSelectionDraft", "inclusion"),
    ],
    bare_members: &["ProductVariantSelectionDraft"],
    action_names: &[
        ("ProductTailoring", "addVariant", "AddProductVariantTailoring"),
        ("ProductTailoring", "publish", "PublishTailoring"),
        ("ProductTailoring", "removeVariant", "RemoveProductVariantTailoring"),
        ("ProductTailoring", "setProductAttribute", "SetProductLevelTailoringAttribute"),
        ("ProductTailoring", "unpublish", "UnpublishTailoring"),
    ],
    renamed: &[("ProductTailoringCreated", "published", "publish")],
    retyped: &[
        ("ProductTailoring", "current", "ProductTailoringData", None),
        ("ProductTailoring", "staged", "ProductTailoringData", None),
        ("ProductTailoringCreated", "variants", "[ProductVariantTailoring!]!", None),
        ("ProductVariantTailoring", "id", "Int!", None),
        ("ProductVariantTailoringAdded", "variant", "VariantTailoring!", None),
        ("ProductVariantTailoringRemoved", "variant", "VariantTailoring!", None),
    ],
    retyped_inputs: &[
        ("ChangeStoreProductSelectionActive", "active", "Boolean!"),
        ("SetStoreProductSelections", "productSelections", "[ProductSelectionSettingInActionInput!]"),
        ("ProductVariantExclusionDraft", "skus", "[String!]"),
        ("MoveProductTailoringImageToPosition", "position", "Int!"),
        ("SetProductTailoringAssetSources", "sources", "[AssetSourceInput!] = []"),
        ("SetProductTailoringAssetTags", "tags", "[String!] = []"),
        ("RemoveProductVariantTailoring", "id", "Int"),
        ("AddProductVariantTailoring", "id", "Int"),
        ("AddProductVariantTailoring", "attributes", "[ProductAttributeInput!] = []"),
        ("ProductVariantTailoringInput", "id", "Int"),
        ("ProductVariantTailoringInput", "attributes", "[ProductAttributeInput!] = []"),
        ("ProductTailoringDraft", "attributes", "[ProductAttributeInput!] = []"),
        ("ProductTailoringDraft", "variants", "[ProductVariantTailoringInput!] = []"),
        ("ProductTailoringDraft", "publish", "Boolean"),
    ],
    extra: &[
        (
            "ProductSelection",
            "productRefs",
            PAGE,
            "ProductOfSelectionQueryResult!",
            ExtraSource::ListPage { kind: "ProductSelectionAssignment", list: "ofProductSelection" },
        ),
        ("SelectionOfProduct", "lastModifiedAt", &[], "DateTime!", ExtraSource::Stored("lastModifiedAt")),
        (
            "ProductTailoringCreated",
            "attributesRaw",
            &[],
            "[RawProductAttribute!]!",
            ExtraSource::NamedValues("attributes"),
        ),
        (
            "ProductTailoringData",
            "attributesRaw",
            &[],
            "[RawProductAttribute!]!",
            ExtraSource::NamedValues("attributes"),
        ),
        (
            "ProductVariantTailoring",
            "attributesRaw",
            &[],
            "[RawProductAttribute!]!",
            ExtraSource::NamedValues("attributes"),
        ),
    ],
    unfollowed_messages: &["product-tailoring"],
    ..ExceptionArea::NONE
};
