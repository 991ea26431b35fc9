//! Names and types of the official schema that do not follow the conventions, for Product Types and the types of
//! Attributes. [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION, PagedList};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[KindNames { kind: "ProductType", object: Some("ProductTypeDefinition"), ..NO_EXCEPTION }],
    not_expandable: &["AttributeGroup"],
    output_names: &[
        ("AttributeBooleanType", "BooleanAttributeDefinitionType"),
        ("AttributeDateTimeType", "DateTimeAttributeDefinitionType"),
        ("AttributeDateType", "DateAttributeDefinitionType"),
        ("AttributeEnumType", "EnumAttributeDefinitionType"),
        ("AttributeLevelEnum", "Level"),
        ("AttributeLocalizableTextType", "LocalizableTextAttributeDefinitionType"),
        ("AttributeLocalizedEnumType", "LocalizableEnumAttributeDefinitionType"),
        ("AttributeLocalizedEnumValue", "LocalizableEnumValueType"),
        ("AttributeMoneyType", "MoneyAttributeDefinitionType"),
        ("AttributeNestedType", "NestedAttributeDefinitionType"),
        ("AttributeNumberType", "NumberAttributeDefinitionType"),
        ("AttributePlainEnumValue", "PlainEnumValue"),
        ("AttributeReferenceType", "ReferenceAttributeDefinitionType"),
        ("AttributeSetType", "SetAttributeDefinitionType"),
        ("AttributeTextType", "TextAttributeDefinitionType"),
        ("AttributeTimeType", "TimeAttributeDefinitionType"),
        ("AttributeType", "AttributeDefinitionType"),
    ],
    input_names: &[
        ("AttributeBooleanType", "SimpleAttributeTypeDraft"),
        ("AttributeDateTimeType", "SimpleAttributeTypeDraft"),
        ("AttributeDateType", "SimpleAttributeTypeDraft"),
        ("AttributeEnumType", "EnumTypeDraft"),
        ("AttributeLocalizableTextType", "SimpleAttributeTypeDraft"),
        ("AttributeLocalizedEnumType", "LocalizableEnumTypeDraft"),
        ("AttributeLocalizedEnumValue", "LocalizedEnumValueDraft"),
        ("AttributeMoneyType", "SimpleAttributeTypeDraft"),
        ("AttributeNumberType", "SimpleAttributeTypeDraft"),
        ("AttributePlainEnumValue", "PlainEnumValueDraft"),
        ("AttributeReferenceType", "ReferenceTypeDefinitionDraft"),
        ("AttributeSetTypeDraft", "AttributeSetTypeDraft"),
        ("AttributeTextType", "SimpleAttributeTypeDraft"),
        ("AttributeTimeType", "SimpleAttributeTypeDraft"),
        ("AttributeTypeDraft", "AttributeTypeDraft"),
    ],
    input_aliases: &[("AttributeSetElementTypeDraft", "AttributeTypeDraft")],
    hidden: &[("NestedAttributeDefinitionType", "typeReference")],
    hidden_members: &[
        ("AttributeSetElementTypeDraft", "nested"),
        ("AttributeSetElementTypeDraft", "set"),
        ("AttributeTypeDraft", "nested"),
    ],
    hidden_actions: &[("ProductType", "changeAttributeConstraint")],
    bare_actions: &["ProductType"],
    renamed: &[
        ("ProductTypeDefinition", "attributes", "attributeDefinitions"),
        ("ProductTypeDraft", "attributes", "attributeDefinitions"),
        ("addAttributeDefinition", "attribute", "attributeDefinition"),
        ("changeAttributeOrder", "attributes", "attributeDefinitions"),
    ],
    retyped_inputs: &[
        ("AttributeDefinitionDraft", "isSearchable", "Boolean!"),
        ("AttributeSetTypeDraft", "elementType", "AttributeSetElementTypeDraft!"),
    ],
    extra: &[(
        "NestedAttributeDefinitionType",
        "typeRef",
        &[],
        "Reference!",
        ExtraSource::Reference(&["typeReference"]),
    )],
    paged_lists: &[
        PagedList {
            field: ("EnumAttributeDefinitionType", "values"),
            by: "key",
            arguments: ("includeKeys", "excludeKeys"),
            result: "PlainEnumValueResult",
        },
        PagedList {
            field: ("LocalizableEnumAttributeDefinitionType", "values"),
            by: "key",
            arguments: ("includeKeys", "excludeKeys"),
            result: "LocalizableEnumValueTypeResult",
        },
        PagedList {
            field: ("ProductTypeDefinition", "attributes"),
            by: "name",
            arguments: ("includeNames", "excludeNames"),
            result: "AttributeDefinitionResult",
        },
    ],
    ..ExceptionArea::NONE
};
