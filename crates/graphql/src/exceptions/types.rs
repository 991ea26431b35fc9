//! Names and types of the official schema that do not follow the conventions, for the Types of custom fields.
//! [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, KindNames, NO_EXCEPTION};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[KindNames {
        kind: "Type",
        object: Some("TypeDefinition"),
        one: Some("typeDefinition"),
        many: Some("typeDefinitions"),
        mutation: Some("TypeDefinition"),
        draft: Some("TypeDefinitionDraft"),
        ..NO_EXCEPTION
    }],
    output_names: &[
        ("CustomFieldBooleanType", "BooleanType"),
        ("CustomFieldDateTimeType", "DateTimeType"),
        ("CustomFieldDateType", "DateType"),
        ("CustomFieldEnumType", "EnumType"),
        ("CustomFieldEnumValue", "EnumValue"),
        ("CustomFieldLocalizedEnumType", "LocalizedEnumType"),
        ("CustomFieldLocalizedEnumValue", "LocalizedEnumValue"),
        ("CustomFieldLocalizedStringType", "LocalizedStringType"),
        ("CustomFieldMoneyType", "MoneyType"),
        ("CustomFieldNumberType", "NumberType"),
        ("CustomFieldReferenceType", "ReferenceType"),
        ("CustomFieldSetType", "SetType"),
        ("CustomFieldStringType", "StringType"),
        ("CustomFieldTimeType", "TimeType"),
        ("TypeTextInputHint", "TextInputHint"),
    ],
    input_names: &[
        ("CustomFieldBooleanType", "SimpleFieldTypeDraft"),
        ("CustomFieldDateTimeType", "SimpleFieldTypeDraft"),
        ("CustomFieldDateType", "SimpleFieldTypeDraft"),
        ("CustomFieldEnumType", "FieldTypeEnumTypeDraft"),
        ("CustomFieldEnumValue", "EnumValueInput"),
        ("CustomFieldLocalizedEnumType", "FieldTypeLocalizedEnumTypeDraft"),
        ("CustomFieldLocalizedEnumValue", "LocalizedEnumValueInput"),
        ("CustomFieldLocalizedStringType", "SimpleFieldTypeDraft"),
        ("CustomFieldMoneyType", "SimpleFieldTypeDraft"),
        ("CustomFieldNumberType", "SimpleFieldTypeDraft"),
        ("CustomFieldReferenceType", "FieldTypeReferenceTypeDraft"),
        ("CustomFieldSetType", "FieldTypeSetTypeDraft"),
        ("CustomFieldStringType", "SimpleFieldTypeDraft"),
        ("CustomFieldTimeType", "SimpleFieldTypeDraft"),
        ("FieldDefinitionDraft", "FieldDefinitionInput"),
    ],
    input_aliases: &[("FieldTypeSetElementTypeDraft", "FieldType")],
    hidden_members: &[("FieldTypeSetElementTypeDraft", "Set")],
    hidden_actions: &[("Type", "changeFieldDefinitionLabel")],
    retyped: &[("FieldDefinition", "inputHint", "TextInputHint!", Some("\"SingleLine\""))],
    retyped_inputs: &[
        ("FieldDefinitionInput", "inputHint", "TextInputHint!"),
        ("FieldTypeSetTypeDraft", "elementType", "FieldTypeSetElementTypeDraft!"),
    ],
    named_lists: &[("TypeDefinition", "fieldDefinitions")],
    ..ExceptionArea::NONE
};
