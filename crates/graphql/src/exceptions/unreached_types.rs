//! Types of the official schema that no field leads to. Clients generated from the official schema contain them.

use super::{ExceptionArea, NamePair, StaticName};

/// A type that no response contains.
#[derive(Debug)]
pub(crate) struct UnreachedType {
    pub(crate) name: StaticName,
    pub(crate) doc: StaticName,
    pub(crate) is_interface: bool,
    pub(crate) implements: &'static [StaticName],
    /// The fields, each with its arguments and its type.
    pub(crate) fields: &'static [(StaticName, &'static [NamePair], StaticName)],
}

/// An input that only fields of [`RejectedField`] take.
#[derive(Debug)]
pub(crate) struct UnreachedInput {
    pub(crate) name: StaticName,
    pub(crate) fields: &'static [NamePair],
}

/// An input field that the model does not have: its value is forwarded under this name, and rejected like any unknown
/// field in REST.
#[derive(Debug)]
pub(crate) struct RejectedField {
    pub(crate) input: StaticName,
    pub(crate) field: StaticName,
    pub(crate) ty: StaticName,
    /// The name under which the value is forwarded.
    pub(crate) sent_as: StaticName,
}

pub(super) type UnreachedField = (StaticName, &'static [NamePair], StaticName);

const NAME: UnreachedField = ("name", &[], "String!");
const TYPE: UnreachedField = ("type", &[], "String!");
const IN_LANGUAGE: &[NamePair] = &[("locale", "Locale!")];

const fn interface(name: StaticName, doc: StaticName, fields: &'static [UnreachedField]) -> UnreachedType {
    UnreachedType { name, doc, is_interface: true, implements: &[], fields }
}

pub(super) const fn object(
    name: StaticName,
    implements: &'static [StaticName],
    fields: &'static [UnreachedField],
) -> UnreachedType {
    UnreachedType { name, doc: "No field returns this type.", is_interface: false, implements, fields }
}

const fn attribute(name: StaticName, fields: &'static [UnreachedField]) -> UnreachedType {
    object(name, &["Attribute"], fields)
}

const fn custom(name: StaticName, fields: &'static [UnreachedField]) -> UnreachedType {
    object(name, &["CustomField"], fields)
}

const fn of_order(name: StaticName, fields: &'static [UnreachedField]) -> UnreachedType {
    object(name, &["MessagePayload", "OrderMessagePayload"], fields)
}

const BOOLEAN: &[UnreachedField] = &[NAME, ("value", &[], "Boolean!")];
const DATE: &[UnreachedField] = &[NAME, ("value", &[], "Date!")];
const DATE_TIME: &[UnreachedField] = &[NAME, ("value", &[], "DateTime!")];
const MONEY: &[UnreachedField] = &[NAME, ("centAmount", &[], "Long!"), ("currencyCode", &[], "Currency!")];
const NUMBER: &[UnreachedField] = &[NAME, ("value", &[], "BigDecimal!")];
const REFERENCE: &[UnreachedField] = &[NAME, ("typeId", &[], "String!"), ("id", &[], "String!")];
const STRING: &[UnreachedField] = &[NAME, ("value", &[], "String!")];
const LOCALIZED_STRING: &[UnreachedField] = &[NAME, ("value", IN_LANGUAGE, "String")];
const LOCALIZED_ENUM: &[UnreachedField] = &[NAME, ("key", &[], "String!"), ("label", IN_LANGUAGE, "String")];
const TIME: &[UnreachedField] = &[NAME, ("value", &[], "Time!")];

pub(super) const AREA: ExceptionArea = ExceptionArea {
    unreached: &[
        interface("Attribute", "A named value of a Product Variant: see `attributesRaw`.", &[NAME]),
        attribute("BooleanAttribute", BOOLEAN),
        attribute("DateAttribute", DATE),
        attribute("DateTimeAttribute", DATE_TIME),
        attribute("EnumAttribute", &[NAME, ("key", &[], "String!"), ("label", &[], "String!")]),
        attribute("LocalizedEnumAttribute", LOCALIZED_ENUM),
        attribute("LocalizedStringAttribute", LOCALIZED_STRING),
        attribute("MoneyAttribute", MONEY),
        attribute("NumberAttribute", NUMBER),
        attribute("ReferenceAttribute", REFERENCE),
        attribute("StringAttribute", STRING),
        attribute("TimeAttribute", TIME),
        interface("CustomField", "A named value of custom fields: see `customFieldsRaw`.", &[NAME]),
        custom("BooleanField", BOOLEAN),
        custom("DateField", DATE),
        custom("DateTimeField", DATE_TIME),
        custom("EnumField", &[NAME, ("key", &[], "String!")]),
        custom("LocalizedEnumField", LOCALIZED_ENUM),
        custom("LocalizedStringField", LOCALIZED_STRING),
        custom("MoneyField", MONEY),
        custom("NumberField", NUMBER),
        custom("ReferenceField", REFERENCE),
        custom("StringField", STRING),
        custom("TimeField", TIME),
        object(
            "BusinessUnitConfiguration",
            &[],
            &[
                ("myBusinessUnitStatusOnCreation", &[], "BusinessUnitConfigurationStatus!"),
                ("myBusinessUnitAssociateRoleOnCreationRef", &[], "KeyReference"),
                ("myBusinessUnitAssociateRoleOnCreation", &[], "AssociateRole"),
            ],
        ),
        object(
            "CartCreated",
            &["MessagePayload"],
            &[
                ("totalPrice", &[], "Money!"),
                ("lineItemCount", &[], "Int!"),
                ("discountCodesRefs", &[], "[Reference!]!"),
                TYPE,
            ],
        ),
        object(
            "CartDiscountVisualizationSearchConfiguration",
            &[],
            &[
                ("status", &[], "CartDiscountVisualizationSearchStatus!"),
                ("lastModifiedBy", &[], "Initiator"),
                ("lastModifiedAt", &[], "DateTime!"),
            ],
        ),
        object("FixedPriceDiscountValue", &["CartDiscountValue"], &[TYPE, ("money", &[], "[BaseMoney!]!")]),
        of_order(
            "OrderDiscountTypeCombinationSet",
            &[("discountTypeCombination", &[], "DiscountTypeCombination!"), TYPE],
        ),
        object(
            "ShippingContainer",
            &[],
            &[
                ("shippingMode", &[], "ShippingMode!"),
                ("singleShipping", &[], "Shipping!"),
                ("multiShipping", &[], "[Shipping!]!"),
            ],
        ),
        of_order("OrderShippingContainerSet", &[("shippingContainer", &[], "ShippingContainer"), TYPE]),
        of_order(
            "OrderShippingUpdated",
            &[("current", &[], "Shipping!"), ("updated", &[], "Shipping!"), TYPE],
        ),
        object(
            "RecalculateStagedOrderOutput",
            &["StagedOrderUpdateActionOutput"],
            &[TYPE, ("updateProductData", &[], "Boolean!")],
        ),
    ],
    implements: &[
        ("AbsoluteDiscountValue", "CartDiscountValue"),
        ("RelativeDiscountValue", "CartDiscountValue"),
    ],
    ..ExceptionArea::NONE
};
