//! Interfaces of the official schema for common fields of some types.

use super::StaticName;

/// An interface. It exists if one of its types exists and has all of the fields.
pub(crate) struct Interface {
    pub(crate) name: StaticName,
    pub(crate) doc: StaticName,
    /// Types that implement it, among them interfaces that precede it in the table.
    pub(crate) of: &'static [StaticName],
    pub(crate) fields: &'static [StaticName],
    /// Fields whose type in the interface is an interface itself, wider than the types' own.
    pub(crate) wider: &'static [(StaticName, StaticName)],
}

const fn interface(
    name: StaticName,
    doc: StaticName,
    of: &'static [StaticName],
    fields: &'static [StaticName],
) -> Interface {
    Interface { name, doc, of, fields, wider: &[] }
}

pub(crate) const INTERFACES: &[Interface] = &[
    interface(
        "MeQueryInterface",
        "Queries of the caller's own resources.",
        &["Me", "InStoreMe"],
        &["cart", "carts", "activeCart", "order", "orders", "shoppingList", "shoppingLists"],
    ),
    Interface {
        wider: &[("me", "MeQueryInterface!")],
        ..interface("MeFieldInterface", "The caller's own resources.", &["Query", "InStore"], &["me"])
    },
    interface(
        "ActiveCartInterface",
        "The active Cart.",
        &["MeQueryInterface", "Me", "InStoreMe"],
        &["activeCart"],
    ),
    interface(
        "CartDiscountQueryInterface",
        "Queries of Cart Discounts.",
        &["InStore"],
        &["cartDiscount", "cartDiscounts"],
    ),
    interface(
        "CartQueryInterface",
        "Queries of Carts.",
        &["MeQueryInterface", "Query", "InStore", "Me", "InStoreMe", "AsAssociate"],
        &["cart", "carts"],
    ),
    interface(
        "CustomerActiveCartInterface",
        "The active Cart of a Customer.",
        &["Query", "InStore"],
        &["customerActiveCart"],
    ),
    interface(
        "CustomerQueryInterface",
        "Queries of Customers.",
        &["Query", "InStore"],
        &["customer", "customers"],
    ),
    interface(
        "HasProductTailoringData",
        "The tailored data of a Product in a Store.",
        &["ProductTailoringData", "ProductTailoringCreated"],
        &[
            "name",
            "nameAllLocales",
            "description",
            "descriptionAllLocales",
            "slug",
            "slugAllLocales",
            "metaTitle",
            "metaTitleAllLocales",
            "metaDescription",
            "metaDescriptionAllLocales",
            "metaKeywords",
            "metaKeywordsAllLocales",
            "variants",
            "attributesRaw",
        ],
    ),
    interface(
        "OrderQueryInterface",
        "Queries of Orders.",
        &["MeQueryInterface", "Query", "InStore", "Me", "InStoreMe", "AsAssociate"],
        &["order", "orders"],
    ),
    interface(
        "ProductSelectionQueryInterface",
        "Queries of the Products in Product Selections.",
        &["Query"],
        &["productSelectionAssignments"],
    ),
    interface("QuoteQueryInterface", "Queries of Quotes.", &["AsAssociate"], &["quote", "quotes"]),
    interface(
        "QuoteRequestQueryInterface",
        "Queries of Quote Requests.",
        &["AsAssociate"],
        &["quoteRequest", "quoteRequests"],
    ),
    interface(
        "ShippingMethodsByCartInterface",
        "Shipping Methods that a Cart can have.",
        &["Query", "InStore"],
        &["shippingMethodsByCart"],
    ),
    interface(
        "ShoppingListQueryInterface",
        "Queries of Shopping Lists.",
        &["MeQueryInterface", "Query", "Me", "InStoreMe", "AsAssociate"],
        &["shoppingList", "shoppingLists"],
    ),
];
