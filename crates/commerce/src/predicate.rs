//! Names and functions of predicates about Carts and Orders that are not in the model.
//!
//! Source: public documentation, "Discount predicates", "Cart predicate field identifiers", "Predicate
//! operators".

use kontor_query::dialect::{
    Dialect, DialectFunction, DialectRoot, DocumentIdField, FunctionResult, NameMapping,
};

/// The language of predicates about Carts, in a field of this name.
pub(crate) const fn about_carts(parameter: &'static str) -> Dialect {
    Dialect {
        parameter,
        about: DialectRoot::Object(CART),
        names: CART_NAMES,
        id_fields: NAMED,
        functions: FUNCTIONS,
    }
}

const CART: &str = "Cart";

const CART_NAMES: &[NameMapping] = &[
    NameMapping { of: CART, only: false, implied: None, rows: &[("currency", &["totalPrice.currencyCode"])] },
    LINE_ITEM,
    LINE_ITEM_PRICE,
    TAXED_PRICE,
    TAXED_ITEM_PRICE,
];

/// Line items: of the Product that they name, and of their Product Variant.
pub(crate) const LINE_ITEM: NameMapping = NameMapping {
    of: "LineItem",
    only: false,
    implied: None,
    rows: &[
        ("sku", &["variant.sku"]),
        ("variantId", &["variant.id"]),
        // Attributes of the Product and of the Variant, as far as line items copy them.
        ("attributes", &["variant.attributes"]),
        ("categories", &["product.masterData.current.categories"]),
        (
            "categoriesWithAncestors",
            &["product.masterData.current.categories", "product.masterData.current.categories.ancestors"],
        ),
    ],
};

/// A Price is compared as the amount that it is.
pub(crate) const LINE_ITEM_PRICE: NameMapping = NameMapping {
    of: "Price",
    only: false,
    implied: None,
    rows: &[
        ("", &["value"]),
        ("centAmount", &["value.centAmount"]),
        ("currency", &["value.currencyCode"]),
        ("currencyCode", &["value.currencyCode"]),
        ("discount", &["discounted.discount"]),
        ("fractionDigits", &["value.fractionDigits"]),
    ],
};

/// Taxed prices.
pub(crate) const TAXED_PRICE: NameMapping = NameMapping {
    of: "TaxedPrice",
    only: false,
    implied: None,
    rows: &[("net", &["totalNet"]), ("gross", &["totalGross"])],
};

/// Taxed prices of items and of shipping.
pub(crate) const TAXED_ITEM_PRICE: NameMapping = NameMapping { of: "TaxedItemPrice", ..TAXED_PRICE };

/// Documents that Carts, Orders and line items name by id.
pub(crate) const NAMED: &[DocumentIdField] = &[
    DocumentIdField {
        name: "customer",
        field: "customerId",
        type_id: "customer",
        has_all_fields: true,
        // Clients ask for the email address of guests by this name.
        otherwise: &[("email", "customerEmail")],
    },
    DocumentIdField {
        name: "product",
        field: "productId",
        type_id: "product",
        has_all_fields: false,
        otherwise: &[],
    },
];

const LINE_ITEMS: &[&str] = &["lineItems"];
const CUSTOM_LINE_ITEMS: &[&str] = &["customLineItems"];
/// The paths of shipping in both Shipping Modes.
const SHIPPING_INFOS: &[&str] = &["shippingInfo", "shipping.shippingInfo"];
const COUNT: FunctionResult = FunctionResult::Sum("quantity");
const TOTAL: FunctionResult = FunctionResult::Sum("totalPrice");
const NET_TOTAL: FunctionResult = FunctionResult::Sum("taxedPrice.totalNet");
const GROSS_TOTAL: FunctionResult = FunctionResult::Sum("taxedPrice.totalGross");

/// Functions of predicates about Carts and Orders.
pub(crate) const FUNCTIONS: &[DialectFunction] = &[
    DialectFunction { name: "lineItemExists", of: LINE_ITEMS, gives: FunctionResult::Exists },
    DialectFunction { name: "forAllLineItems", of: LINE_ITEMS, gives: FunctionResult::All },
    DialectFunction { name: "lineItemCount", of: LINE_ITEMS, gives: COUNT },
    DialectFunction { name: "lineItemTotal", of: LINE_ITEMS, gives: TOTAL },
    DialectFunction { name: "lineItemNetTotal", of: LINE_ITEMS, gives: NET_TOTAL },
    DialectFunction { name: "lineItemGrossTotal", of: LINE_ITEMS, gives: GROSS_TOTAL },
    DialectFunction { name: "customLineItemExists", of: CUSTOM_LINE_ITEMS, gives: FunctionResult::Exists },
    DialectFunction { name: "forAllCustomLineItems", of: CUSTOM_LINE_ITEMS, gives: FunctionResult::All },
    DialectFunction { name: "customLineItemCount", of: CUSTOM_LINE_ITEMS, gives: COUNT },
    DialectFunction { name: "customLineItemTotal", of: CUSTOM_LINE_ITEMS, gives: TOTAL },
    DialectFunction { name: "customLineItemNetTotal", of: CUSTOM_LINE_ITEMS, gives: NET_TOTAL },
    DialectFunction { name: "customLineItemGrossTotal", of: CUSTOM_LINE_ITEMS, gives: GROSS_TOTAL },
    DialectFunction { name: "shippingInfoExists", of: SHIPPING_INFOS, gives: FunctionResult::Exists },
    DialectFunction { name: "forAllShippingInfos", of: SHIPPING_INFOS, gives: FunctionResult::All },
];
