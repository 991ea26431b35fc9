//! The rows of the query `limits`: each limit of the project, and where its value comes from.

use super::StaticName;

/// The field of `Query`, and its type.
pub(crate) const LIMITS: (&str, &str) = ("limits", "ProjectCustomLimitsProjection");
/// The suffixes of the types of its fields, and of counted limits.
pub(crate) const LIMITS_PROJECTION: &str = "LimitsProjection";
pub(crate) const LIMIT_WITH_CURRENT: &str = "LimitWithCurrent";

/// The limits of one subject, e.g. `products`.
pub(crate) struct SubjectLimits {
    pub(crate) field: StaticName,
    /// Its type, without the suffix [`LIMITS_PROJECTION`].
    pub(crate) ty: StaticName,
    /// The kind that must be served for the subject to exist.
    pub(crate) needs: Option<StaticName>,
    pub(crate) limits: &'static [(StaticName, LimitRow)],
}

/// Where the value of a limit comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LimitRow {
    /// The maximum number of documents of the kind, with the current number.
    Documents(StaticName),
    /// The maximum number of documents of the kind.
    Most(StaticName),
    /// A limit that the Rust of the kind enforces and counts, by name.
    Counted(StaticName, StaticName),
    /// A limit that the Rust of the kind enforces, by name.
    KindLimit(StaticName, StaticName),
    /// The maximum length of a list in an object of the model.
    Items(StaticName, StaticName),
    /// The maximum offset of a query.
    Offset,
    /// The maximum length of a search text.
    SearchText,
    /// Refresh tokens, which are not documents.
    RefreshTokens,
    /// There is no limit.
    Unlimited,
}

const fn documents(
    field: StaticName,
    ty: StaticName,
    kind: StaticName,
    limits: &'static [(StaticName, LimitRow)],
) -> SubjectLimits {
    SubjectLimits { field, ty, needs: Some(kind), limits }
}

pub(crate) const ALL_LIMITS: &[SubjectLimits] = &[
    SubjectLimits { field: "query", ty: "Query", needs: None, limits: &[("offset", LimitRow::Offset)] },
    documents(
        "products",
        "Product",
        "Product",
        &[
            ("pricesPerVariant", LimitRow::Items("ProductVariant", "prices")),
            ("variants", LimitRow::Items("ProductData", "variants")),
            ("productTailoring", LimitRow::Most("ProductTailoring")),
        ],
    ),
    documents(
        "shoppingLists",
        "ShoppingList",
        "ShoppingList",
        &[
            ("lineItems", LimitRow::Items("ShoppingList", "lineItems")),
            ("textLineItems", LimitRow::Items("ShoppingList", "textLineItems")),
            ("total", LimitRow::Documents("ShoppingList")),
        ],
    ),
    documents(
        "extensions",
        "Extension",
        "Extension",
        &[
            ("timeoutInMs", LimitRow::KindLimit("Extension", "timeoutInMs")),
            ("maxExtensionsUpdateActions", LimitRow::KindLimit("Extension", "updateActions")),
        ],
    ),
    documents(
        "subscriptions",
        "Subscriptions",
        "Subscription",
        &[("maxSubscriptions", LimitRow::Most("Subscription"))],
    ),
    documents(
        "productDiscounts",
        "ProductDiscount",
        "ProductDiscount",
        &[("totalActive", LimitRow::Counted("ProductDiscount", "active"))],
    ),
    documents(
        "cartDiscounts",
        "CartDiscount",
        "CartDiscount",
        &[("totalActiveWithoutDiscountCodes", LimitRow::Counted("CartDiscount", "active"))],
    ),
    documents(
        "discountGroups",
        "DiscountGroup",
        "DiscountGroup",
        &[("totalActive", LimitRow::Counted("DiscountGroup", "active"))],
    ),
    documents("orderEdits", "OrderEdit", "OrderEdit", &[("total", LimitRow::Documents("OrderEdit"))]),
    documents(
        "stores",
        "Store",
        "Store",
        &[
            ("productSelections", LimitRow::KindLimit("Store", "productSelections")),
            ("inventorySupplyChannels", LimitRow::KindLimit("Store", "supplyChannels")),
            ("productDistributionChannels", LimitRow::KindLimit("Store", "distributionChannels")),
            ("cartDiscounts", LimitRow::Unlimited),
            ("total", LimitRow::Documents("Store")),
        ],
    ),
    documents(
        "businessUnits",
        "BusinessUnit",
        "BusinessUnit",
        &[
            ("maxDepthLimit", LimitRow::KindLimit("BusinessUnit", "depth")),
            ("maxDivisions", LimitRow::Unlimited),
            ("maxAssociates", LimitRow::Items("BusinessUnit", "associates")),
            ("maxAssociateRoles", LimitRow::Most("AssociateRole")),
        ],
    ),
    documents(
        "customers",
        "Customer",
        "Customer",
        &[
            ("maxGroupsPerCustomer", LimitRow::Items("Customer", "customerGroupAssignments")),
            ("total", LimitRow::Documents("Customer")),
        ],
    ),
    documents(
        "customerGroups",
        "CustomerGroup",
        "CustomerGroup",
        &[("total", LimitRow::Documents("CustomerGroup"))],
    ),
    documents(
        "shippingMethods",
        "ShippingMethod",
        "ShippingMethod",
        &[
            ("stores", LimitRow::KindLimit("ShippingMethod", "stores")),
            ("total", LimitRow::Documents("ShippingMethod")),
        ],
    ),
    documents("zones", "Zone", "Zone", &[("total", LimitRow::Documents("Zone"))]),
    documents(
        "taxCategories",
        "TaxCategory",
        "TaxCategory",
        &[("total", LimitRow::Documents("TaxCategory"))],
    ),
    SubjectLimits {
        field: "refreshTokens",
        ty: "RefreshToken",
        needs: None,
        limits: &[("total", LimitRow::RefreshTokens)],
    },
    documents(
        "customObjects",
        "CustomObject",
        "CustomObject",
        &[("total", LimitRow::Documents("CustomObject"))],
    ),
    documents("carts", "Cart", "Cart", &[("total", LimitRow::Documents("Cart"))]),
    SubjectLimits {
        field: "search",
        ty: "Search",
        needs: None,
        limits: &[("maxTextSize", LimitRow::SearchText)],
    },
    documents("category", "Category", "Category", &[("maxCategories", LimitRow::Most("Category"))]),
    documents("productType", "ProductType", "ProductType", &[("total", LimitRow::Documents("ProductType"))]),
];
