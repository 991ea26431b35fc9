//! Exceptions of Shopping Lists.

use super::{Area, Extra, Form, Pair, Splice};

/// A value that a list adds to its items if `expand` requests it.
const fn of_product(asked: &'static [Pair], shows: &'static str, form: Form) -> Splice {
    Splice {
        kind: "ShoppingList",
        at: "lineItems",
        in_list: true,
        needs: &["productId", "variantId"],
        parameters: &[],
        asked,
        shows,
        form,
    }
}

const SLUG_ASKED: &[Pair] = &[("expand", "lineItems[*].productSlug")];
const VARIANT: Splice = of_product(&[("expand", "lineItems[*].variant")], "variant", Form::Value);
const PRODUCT_SLUG: Splice = of_product(SLUG_ASKED, "productSlug", Form::Text);
const PRODUCT_SLUGS: Splice = of_product(SLUG_ASKED, "productSlug", Form::Texts);

pub(super) const AREA: Area = Area {
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
    told_below: &[("ShoppingListLineItem", &["productType"])],
    extra: &[
        ("ShoppingListLineItem", "variant", &[], "ProductVariant", Extra::Spliced(&VARIANT)),
        (
            "ShoppingListLineItem",
            "productSlug",
            &[("locale", "Locale"), ("acceptLanguage", "[Locale!]")],
            "String",
            Extra::Spliced(&PRODUCT_SLUG),
        ),
        (
            "ShoppingListLineItem",
            "productSlugAllLocales",
            &[],
            "[LocalizedString!]",
            Extra::Spliced(&PRODUCT_SLUGS),
        ),
    ],
    ..Area::NONE
};
