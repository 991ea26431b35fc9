//! Names of derivations by position. Project files up to format 3 store positions in their work items; this table
//! translates them.

/// The names of the derivations at these positions, frozen when positions were last written: new derivations
/// are not added, and a removed one keeps its name here, which is then ignored.
pub(crate) const NUMBERED_DERIVATIONS: &[&str] = &[
    "ApprovalRule.custom.type.id",
    "AssociateRole.custom.type.id",
    "BusinessUnit.custom.type.id",
    "BusinessUnit.addresses.custom.type.id",
    "BusinessUnit.inheritance",
    "Category.ancestors",
    "Category.custom.type.id",
    "Category.assets.custom.type.id",
    "Channel.reviews",
    "Channel.custom.type.id",
    "Channel.address.custom.type.id",
    "CustomerGroup.custom.type.id",
    "Customer.custom.type.id",
    "Customer.addresses.custom.type.id",
    "InventoryEntry.custom.type.id",
    "Payment.custom.type.id",
    "Payment.paymentMethodInfo.custom.type.id",
    "Payment.transactions.custom.type.id",
    "Payment.interfaceInteractions.type.id",
    "ProductSelection.custom.type.id",
    "ProductSelection.assignments",
    "ProductSelectionAssignment.end-of-selection",
    "ProductSelectionAssignment.end-of-product",
    "ProductTailoring.current.variants.assets.custom.type.id",
    "ProductTailoring.staged.variants.assets.custom.type.id",
    "ProductTailoring.end-of-product",
    "ProductTailoring.attributes-of-product-type",
    "ProductTailoring.end-of-store",
    "Product.inventory",
    "Product.reviews",
    "Product.attributes-of-product-type",
    "Product.end-of-current-categories",
    "Product.end-of-staged-categories",
    "Product.end-of-current-default-variant",
    "Product.end-of-staged-default-variant",
    "Product.discounts",
    "Product.discounts-by-current-categories",
    "Product.discounts-by-staged-categories",
    "Product.discounts-by-current-categories-above",
    "Product.discounts-by-staged-categories-above",
    "Product.masterData.current.masterVariant.prices.custom.type.id",
    "Product.masterData.current.masterVariant.assets.custom.type.id",
    "Product.masterData.current.variants.prices.custom.type.id",
    "Product.masterData.current.variants.assets.custom.type.id",
    "Product.masterData.staged.masterVariant.prices.custom.type.id",
    "Product.masterData.staged.masterVariant.assets.custom.type.id",
    "Product.masterData.staged.variants.prices.custom.type.id",
    "Product.masterData.staged.variants.assets.custom.type.id",
    "Review.custom.type.id",
    "ShoppingList.custom.type.id",
    "ShoppingList.lineItems.custom.type.id",
    "ShoppingList.textLineItems.custom.type.id",
    "ShoppingList.products",
    "ShoppingList.variants",
    "StandalonePrice.custom.type.id",
    "StandalonePrice.discounts",
    "StandalonePrice.discounts-by-products",
    "StandalonePrice.discounts-by-variants",
    "StandalonePrice.discounts-by-products-of-variants",
    "StandalonePrice.discounts-by-categories",
    "StandalonePrice.discounts-by-categories-of-variants",
    "StandalonePrice.discounts-by-categories-above",
    "StandalonePrice.discounts-by-categories-above-of-variants",
    "Store.custom.type.id",
    "Variant.current.assets.custom.type.id",
    "Variant.staged.assets.custom.type.id",
    "Variant.attributes-of-product-type",
];

#[cfg(test)]
mod tests {
    use super::NUMBERED_DERIVATIONS;
    use crate::join_behaviours;
    use kontor_model::Model;

    #[test]
    fn derivations_keep_their_names() {
        let joined = join_behaviours(&Model::embedded().unwrap()).unwrap();
        for name in NUMBERED_DERIVATIONS {
            assert!(joined.has_derivation(name), "{name}: work that waits for it would be lost");
        }
    }
}
