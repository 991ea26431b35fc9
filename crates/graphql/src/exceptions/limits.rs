//! The rows of the query `limits`: each limit of the project, and where its value comes from.

use super::Name;

/// The field of `Query`, and its type.
pub(crate) const LIMITS: (&str, &str) = ("limits", "ProjectCustomLimitsProjection");
/// The suffixes of the types of its fields, and of counted limits.
pub(crate) const LIMITS_PROJECTION: &str = "LimitsProjection";
pub(crate) const LIMIT_WITH_CURRENT: &str = "LimitWithCurrent";

/// The limits of one subject, e.g. `products`.
pub(crate) struct LimitsOf {
    pub(crate) field: Name,
    /// Its type, without the suffix [`LIMITS_PROJECTION`].
    pub(crate) ty: Name,
    /// The kind that must be served for the subject to exist.
    pub(crate) needs: Option<Name>,
    pub(crate) limits: &'static [(Name, LimitOf)],
}

/// Where the value of a limit comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LimitOf {
    /// The maximum number of documents of the kind, with the current number.
    Documents(Name),
    /// The maximum number of documents of the kind.
    Most(Name),
    /// A limit that the Rust of the kind enforces and counts, by name.
    Counted(Name, Name),
    /// A limit that the Rust of the kind enforces, by name.
    Told(Name, Name),
    /// The maximum length of a list in an object of the model.
    Items(Name, Name),
    /// The maximum offset of a query.
    Offset,
    /// The maximum length of a search text.
    SearchText,
    /// Refresh tokens, which are not documents.
    RefreshTokens,
    /// There is no limit.
    Unlimited,
}

const fn documents(field: Name, ty: Name, kind: Name, limits: &'static [(Name, LimitOf)]) -> LimitsOf {
    LimitsOf { field, ty, needs: Some(kind), limits }
}

pub(crate) const ALL_LIMITS: &[LimitsOf] = &[
    LimitsOf { field: "query", ty: "Query", needs: None, limits: &[("offset", LimitOf::Offset)] },
    documents(
        "products",
        "Product",
        "Product",
        &[
            ("pricesPerVariant", LimitOf::Items("ProductVariant", "prices")),
            ("variants", LimitOf::Items("ProductData", "variants")),
            ("productTailoring", LimitOf::Most("ProductTailoring")),
        ],
    ),
    documents(
        "shoppingLists",
        "ShoppingList",
        "ShoppingList",
        &[
            ("lineItems", LimitOf::Items("ShoppingList", "lineItems")),
            ("textLineItems", LimitOf::Items("ShoppingList", "textLineItems")),
            ("total", LimitOf::Documents("ShoppingList")),
        ],
    ),
    documents(
        "extensions",
        "Extension",
        "Extension",
        &[
            ("timeoutInMs", LimitOf::Told("Extension", "timeoutInMs")),
            ("maxExtensionsUpdateActions", LimitOf::Told("Extension", "updateActions")),
        ],
    ),
    documents(
        "subscriptions",
        "Subscriptions",
        "Subscription",
        &[("maxSubscriptions", LimitOf::Most("Subscription"))],
    ),
    documents(
        "productDiscounts",
        "ProductDiscount",
        "ProductDiscount",
        &[("totalActive", LimitOf::Counted("ProductDiscount", "active"))],
    ),
    documents(
        "cartDiscounts",
        "CartDiscount",
        "CartDiscount",
        &[("totalActiveWithoutDiscountCodes", LimitOf::Counted("CartDiscount", "active"))],
    ),
    documents(
        "discountGroups",
        "DiscountGroup",
        "DiscountGroup",
        &[("totalActive", LimitOf::Counted("DiscountGroup", "active"))],
    ),
    documents("orderEdits", "OrderEdit", "OrderEdit", &[("total", LimitOf::Documents("OrderEdit"))]),
    documents(
        "stores",
        "Store",
        "Store",
        &[
            ("productSelections", LimitOf::Told("Store", "productSelections")),
            ("inventorySupplyChannels", LimitOf::Told("Store", "supplyChannels")),
            ("productDistributionChannels", LimitOf::Told("Store", "distributionChannels")),
            ("cartDiscounts", LimitOf::Unlimited),
            ("total", LimitOf::Documents("Store")),
        ],
    ),
    documents(
        "businessUnits",
        "BusinessUnit",
        "BusinessUnit",
        &[
            ("maxDepthLimit", LimitOf::Told("BusinessUnit", "depth")),
            ("maxDivisions", LimitOf::Unlimited),
            ("maxAssociates", LimitOf::Items("BusinessUnit", "associates")),
            ("maxAssociateRoles", LimitOf::Most("AssociateRole")),
        ],
    ),
    documents(
        "customers",
        "Customer",
        "Customer",
        &[
            ("maxGroupsPerCustomer", LimitOf::Items("Customer", "customerGroupAssignments")),
            ("total", LimitOf::Documents("Customer")),
        ],
    ),
    documents(
        "customerGroups",
        "CustomerGroup",
        "CustomerGroup",
        &[("total", LimitOf::Documents("CustomerGroup"))],
    ),
    documents(
        "shippingMethods",
        "ShippingMethod",
        "ShippingMethod",
        &[
            ("stores", LimitOf::Told("ShippingMethod", "stores")),
            ("total", LimitOf::Documents("ShippingMethod")),
        ],
    ),
    documents("zones", "Zone", "Zone", &[("total", LimitOf::Documents("Zone"))]),
    documents("taxCategories", "TaxCategory", "TaxCategory", &[("total", LimitOf::Documents("TaxCategory"))]),
    LimitsOf {
        field: "refreshTokens",
        ty: "RefreshToken",
        needs: None,
        limits: &[("total", LimitOf::RefreshTokens)],
    },
    documents(
        "customObjects",
        "CustomObject",
        "CustomObject",
        &[("total", LimitOf::Documents("CustomObject"))],
    ),
    documents("carts", "Cart", "Cart", &[("total", LimitOf::Documents("Cart"))]),
    LimitsOf { field: "search", ty: "Search", needs: None, limits: &[("maxTextSize", LimitOf::SearchText)] },
    documents("category", "Category", "Category", &[("maxCategories", LimitOf::Most("Category"))]),
    documents("productType", "ProductType", "ProductType", &[("total", LimitOf::Documents("ProductType"))]),
];
