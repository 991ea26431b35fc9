//! Types of the official schema that no field leads to. Clients generated from the official schema contain them.

use super::{Area, Name, Pair};

/// A type that no response contains.
#[derive(Debug)]
pub(crate) struct Unreached {
    pub(crate) name: Name,
    pub(crate) doc: Name,
    pub(crate) is_interface: bool,
    pub(crate) implements: &'static [Name],
    /// The fields, each with its arguments and its type.
    pub(crate) fields: &'static [(Name, &'static [Pair], Name)],
}

/// An input that only fields of [`RefusedField`] take.
#[derive(Debug)]
pub(crate) struct UnreachedInput {
    pub(crate) name: Name,
    pub(crate) fields: &'static [Pair],
}

/// An input field that the model does not have: its value is forwarded under this name, and rejected like any unknown
/// field in REST.
#[derive(Debug)]
pub(crate) struct RefusedField {
    pub(crate) input: Name,
    pub(crate) field: Name,
    pub(crate) ty: Name,
    /// The name under which the value is forwarded.
    pub(crate) sent_as: Name,
}

pub(super) type Field = (Name, &'static [Pair], Name);

const NAME: Field = ("name", &[], "String!");
const TYPE: Field = ("type", &[], "String!");
const IN_LANGUAGE: &[Pair] = &[("locale", "Locale!")];

const fn interface(name: Name, doc: Name, fields: &'static [Field]) -> Unreached {
    Unreached { name, doc, is_interface: true, implements: &[], fields }
}

pub(super) const fn object(name: Name, implements: &'static [Name], fields: &'static [Field]) -> Unreached {
    Unreached { name, doc: "Not returned by any field.", is_interface: false, implements, fields }
}

const fn attribute(name: Name, fields: &'static [Field]) -> Unreached {
    object(name, &["Attribute"], fields)
}

const fn custom(name: Name, fields: &'static [Field]) -> Unreached {
    object(name, &["CustomField"], fields)
}

const fn of_order(name: Name, fields: &'static [Field]) -> Unreached {
    object(name, &["MessagePayload", "OrderMessagePayload"], fields)
}

const BOOLEAN: &[Field] = &[NAME, ("value", &[], "Boolean!")];
const DATE: &[Field] = &[NAME, ("value", &[], "Date!")];
const DATE_TIME: &[Field] = &[NAME, ("value", &[], "DateTime!")];
const MONEY: &[Field] = &[NAME, ("centAmount", &[], "Long!"), ("currencyCode", &[], "Currency!")];
const NUMBER: &[Field] = &[NAME, ("value", &[], "BigDecimal!")];
const REFERENCE: &[Field] = &[NAME, ("typeId", &[], "String!"), ("id", &[], "String!")];
const STRING: &[Field] = &[NAME, ("value", &[], "String!")];
const LOCALIZED_STRING: &[Field] = &[NAME, ("value", IN_LANGUAGE, "String")];
const LOCALIZED_ENUM: &[Field] = &[NAME, ("key", &[], "String!"), ("label", IN_LANGUAGE, "String")];
const TIME: &[Field] = &[NAME, ("value", &[], "Time!")];

pub(super) const AREA: Area = Area {
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
    ..Area::NONE
};
