//! Names and types of the official schema that do not follow the conventions, for Shopping Lists. [`ExceptionArea`]
//! explains the tables.

use super::{ExceptionArea, ExtraSource, NamePair, Splice, SpliceForm};

/// A value that a list adds to its items if `expand` requests it.
const fn of_product(fixed_parameters: &'static [NamePair], shows: &'static str, form: SpliceForm) -> Splice {
    Splice {
        kind: "ShoppingList",
        at: "lineItems",
        in_list: true,
        needs: &["productId", "variantId"],
        parameters: &[],
        fixed_parameters,
        shows,
        form,
    }
}

const SLUG_ASKED: &[NamePair] = &[("expand", "lineItems[*].productSlug")];
const VARIANT: Splice = of_product(&[("expand", "lineItems[*].variant")], "variant", SpliceForm::Value);
const PRODUCT_SLUG: Splice = of_product(SLUG_ASKED, "productSlug", SpliceForm::Text);
const PRODUCT_SLUGS: Splice = of_product(SLUG_ASKED, "productSlug", SpliceForm::Texts);

pub(super) const AREA: ExceptionArea = ExceptionArea {
    hidden: &[("ShoppingListLineItem", "variant"), ("ShoppingListLineItem", "productSlug")],
    retyped: &[
        ("ShoppingListLineItem", "productType", "ProductTypeDefinition!", None),
        ("ShoppingList", "deleteDaysAfterLastModification", "Int", None),
        ("ShoppingListLineItem", "quantity", "Int!", None),
        ("TextLineItem", "quantity", "Int!", None),
    ],
    retyped_inputs: &[
        ("AddShoppingListLineItem", "quantity", "Int = 1"),
        ("AddShoppingListTextLineItem", "quantity", "Int = 1"),
        ("ChangeShoppingListLineItemQuantity", "quantity", "Int!"),
        ("ChangeShoppingListTextLineItemQuantity", "quantity", "Int!"),
        ("MyShoppingListDraft", "deleteDaysAfterLastModification", "Int"),
        ("MyShoppingListDraft", "lineItems", "[ShoppingListLineItemDraft!] = []"),
        ("MyShoppingListDraft", "textLineItems", "[TextLineItemDraft!] = []"),
        ("RemoveShoppingListLineItem", "quantity", "Int"),
        ("RemoveShoppingListTextLineItem", "quantity", "Int"),
        ("SetShoppingListDeleteDaysAfterLastModification", "deleteDaysAfterLastModification", "Int"),
        ("ShoppingListDraft", "deleteDaysAfterLastModification", "Int"),
        ("ShoppingListDraft", "lineItems", "[ShoppingListLineItemDraft!] = []"),
        ("ShoppingListDraft", "textLineItems", "[TextLineItemDraft!] = []"),
        ("ShoppingListLineItemDraft", "quantity", "Int = 1"),
        ("TextLineItemDraft", "quantity", "Int = 1"),
    ],
    hidden_arguments: &[("deleteMyShoppingList", "personalDataErasure")],
    passed_fields: &[("ShoppingListLineItem", &["productType"])],
    extra: &[
        ("ShoppingListLineItem", "variant", &[], "ProductVariant", ExtraSource::Spliced(&VARIANT)),
        (
            "ShoppingListLineItem",
            "productSlug",
            &[("locale", "Locale"), ("acceptLanguage", "[Locale!]")],
            "String",
            ExtraSource::Spliced(&PRODUCT_SLUG),
        ),
        (
            "ShoppingListLineItem",
            "productSlugAllLocales",
            &[],
            "[LocalizedString!]",
            ExtraSource::Spliced(&PRODUCT_SLUGS),
        ),
    ],
    ..ExceptionArea::NONE
};
