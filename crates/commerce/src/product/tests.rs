//! Tests of the rules of Products, in a shop of a few documents.

use super::*;
use crate::test_shop::{TestShop, object};
use kontor_engine::{Effects, Write, trial};
use kontor_errors::Code;
use proptest::prelude::*;

fn shop() -> TestShop {
    let text = |name: &str, level: &str, constraint: &str| {
        json!({"name": name, "type": {"name": "text"}, "label": {"en": name}, "isRequired": false,
               "level": level, "attributeConstraint": constraint, "isSearchable": false})
    };
    TestShop::new()
        .with_document(
            "product-type",
            json!({"id": "shirt", "key": "shirt", "name": "Shirt", "attributes": [
                text("size", "Variant", "None"), text("ean", "Variant", "Unique"), text("fabric", "Product", "None"),
            ]}),
        )
        .with_document("category", json!({"id": "tops", "key": "tops"}))
}

fn draft(more: Value) -> Value {
    let mut draft = json!({"productType": {"key": "shirt"}, "name": {"en": "Polo"}, "slug": {"en": "polo"}});
    draft.as_object_mut().unwrap().extend(object(more));
    draft
}

fn polo() -> Document {
    let mut polo = shop()
        .create(
            "product",
            draft(json!({"masterVariant": {"sku": "s"}, "variants": [{"sku": "m"}, {"sku": "l"}]})),
        )
        .unwrap();
    polo.insert("id", json!("polo"));
    polo
}

fn changed(product: &Document, actions: Value) -> Document {
    shop().update("product", product, actions).unwrap().0
}

fn update_error_code(product: &Document, actions: Value) -> Code {
    shop().update("product", product, actions).unwrap_err().code()
}

fn ids(product: &Document, side: &str) -> Vec<i64> {
    variants(data(product, side).unwrap()).map(variant_edits::id_of).collect()
}

#[test]
fn both_sides_of_a_new_product_are_alike() {
    let polo = polo();
    assert_eq!(polo["masterData"]["current"], polo["masterData"]["staged"]);
    assert_eq!(polo["masterData"]["hasStagedChanges"], false);
    assert_eq!(ids(&polo, STAGED), [1, 2, 3]);
    assert_eq!(polo["masterData"]["staged"]["masterVariant"]["prices"], json!([]));
}

#[test]
fn a_product_without_variants_has_a_master_variant() {
    let plain = shop().create("product", draft(json!({}))).unwrap();
    assert_eq!(ids(&plain, STAGED), [1]);
    let headless = shop().create("product", draft(json!({"variants": [{"sku": "m"}]}))).unwrap();
    assert_eq!(ids(&headless, STAGED), [1, 2]);
    assert_eq!(headless["masterData"]["staged"]["masterVariant"].get("sku"), None, "an empty one is made");
}

#[test]
fn unique_keys_are_those_of_both_sides_once() {
    let renamed = changed(&polo(), json!([{"action": "changeSlug", "slug": {"en": "new", "de": "neu"}}]));
    let keys = Product.unique_keys(&renamed);
    let mut found: Vec<(&str, &str)> = keys.iter().map(|key| (&*key.path, &*key.value)).collect();
    found.sort_unstable();
    let expected = [
        ("sku", "l"),
        ("sku", "m"),
        ("sku", "s"),
        ("slug.de", "neu"),
        ("slug.en", "new"),
        ("slug.en", "polo"),
    ];
    assert_eq!(found, expected);
}

/// The id of a variant that was removed from both sides is stored in a hidden document of the Product.
#[test]
fn the_highest_id_outlives_its_variant() {
    let shop = shop();
    let kept = |actions: Value| {
        shop.rules(|rules| {
            let mut effects = Effects::default();
            shop.update_with("product", &polo(), actions, rules, &mut effects).unwrap();
            trial::effect_writes(effects, rules).unwrap()
        })
    };
    assert!(kept(json!([{"action": "removeVariant", "id": 3}])).is_empty(), "the current side has it still");
    assert!(kept(json!([{"action": "removeVariant", "id": 2, "staged": false}])).is_empty(), "3 is higher");
    let written = kept(json!([{"action": "removeVariant", "id": 3, "staged": false}]));
    let [Write::Put(put)] = &written[..] else { panic!("{written:?}") };
    assert_eq!((&*put.id, &*put.body), ("polo", &br#"{"id":3}"#[..]));
}

#[test]
fn constraints_hold_on_the_side_that_changed() {
    let one = changed(&polo(), json!([{"action": "setAttribute", "sku": "m", "name": "ean", "value": "1"}]));
    let again = json!([{"action": "setAttribute", "sku": "l", "name": "ean", "value": "1"}]);
    assert_eq!(update_error_code(&one, again), Code::DuplicateAttributeValue);
    let moved = changed(
        &one,
        json!([{"action": "setAttribute", "sku": "m", "name": "ean"}, {"action": "setAttribute", "sku": "l", "name": "ean", "value": "1"}]),
    );
    assert_eq!(moved["masterData"]["hasStagedChanges"], true);
}

#[test]
fn an_action_needs_a_variant_that_is_there() {
    for actions in [
        json!([{"action": "setAttribute", "variantId": 9, "name": "size", "value": "x"}]),
        json!([{"action": "setAttribute", "sku": "none", "name": "size", "value": "x"}]),
        json!([{"action": "removePrice", "priceId": "none"}]),
        json!([{"action": "removeVariant", "id": 1}]),
    ] {
        assert_eq!(update_error_code(&polo(), actions), Code::InvalidOperation);
    }
    assert_eq!(
        update_error_code(&polo(), json!([{"action": "setAttribute", "name": "size", "value": "x"}])),
        Code::InvalidJsonInput
    );
}

#[test]
fn a_product_has_at_most_a_hundred_further_variants() {
    let mut full = polo();
    for side in BOTH {
        let others: Vec<Value> = (2..=101)
            .map(|id| json!({"id": id, "sku": format!("v{id}"), "prices": [], "attributes": [], "images": [], "assets": []}))
            .collect();
        kontor_engine::document::set(&mut full, &["masterData", side, "variants"], Some(json!(others)));
    }
    assert_eq!(
        update_error_code(&full, json!([{"action": "addVariant", "sku": "one more"}])),
        Code::InvalidOperation
    );
    let swapped = json!([{"action": "removeVariant", "id": 2}, {"action": "addVariant", "sku": "another"}]);
    assert_eq!(ids(&changed(&full, swapped), STAGED).len(), 101);
}

#[test]
fn removed_images_are_those_that_no_side_has() {
    let image = |url: &str| json!({"url": url, "dimensions": {"w": 1, "h": 1}});
    let add = |url: &str, staged: bool| json!({"action": "addExternalImage", "variantId": 1, "staged": staged, "image": image(url)});
    let shown = changed(&polo(), json!([add("a", false), add("b", true)]));
    let told = |actions: Value| shop().update("product", &shown, actions).unwrap().1;
    let revert = told(json!([{"action": "revertStagedChanges"}]));
    assert_eq!(revert[0].1, json!({"removedImageUrls": ["b"]}));
    let publish =
        told(json!([{"action": "removeImage", "variantId": 1, "imageUrl": "a"}, {"action": "publish"}]));
    assert_eq!(publish[0].1["removedImageUrls"], json!(["a"]));
}

fn any_action() -> impl Strategy<Value = Value> {
    let staged = any::<bool>();
    let id = 1..4_i64;
    prop_oneof![
        (id.clone(), staged).prop_map(|(id, staged)| json!({"action": "setSku", "variantId": id, "sku": format!("n{id}"), "staged": staged})),
        (id.clone(), staged).prop_map(|(id, staged)| json!({"action": "setAttribute", "variantId": id, "name": "size", "value": "x", "staged": staged})),
        (id.clone(), staged).prop_map(|(id, staged)| json!({"action": "changeMasterVariant", "variantId": id, "staged": staged})),
        (id.clone(), staged).prop_map(|(id, staged)| json!({"action": "addPrice", "variantId": id, "staged": staged, "price": {"value": {"currencyCode": "EUR", "centAmount": 1}}})),
        (id, staged).prop_map(|(id, staged)| json!({"action": "removeVariant", "id": id, "staged": staged})),
        staged.prop_map(|staged| json!({"action": "setMetaTitle", "metaTitle": {"en": "T"}, "staged": staged})),
        Just(json!({"action": "publish"})),
        Just(json!({"action": "revertStagedChanges"})),
        Just(json!({"action": "unpublish"})),
    ]
}

#[test]
fn only_fields_of_predicates_change_their_matches() {
    let product = json!({
        "id": "polo", "key": "polo", "productType": {"id": "shirt"}, "masterData": {
            "current": {
                "categories": [{"id": "tops"}], "attributes": [],
                "masterVariant": {"id": 1, "sku": "s", "attributes": [], "prices": [{"id": "p"}]}, "variants": [],
            },
            "staged": {"categories": []},
        },
    });
    let differs = |change: &dyn Fn(&mut Value)| {
        let mut after = product.clone();
        change(&mut after);
        may_match_otherwise(&object(product.clone()), &object(after))
    };
    assert!(!differs(
        &|after| after["masterData"]["current"]["masterVariant"]["prices"][0]["discounted"] = json!({})
    ));
    assert!(!differs(&|after| after["masterData"]["current"]["masterVariant"]["availability"] = json!({})));
    assert!(!differs(&|after| after["masterData"]["staged"]["categories"] = json!([{"id": "tops"}])));
    assert!(differs(&|after| after["key"] = json!("blouse")));
    assert!(differs(&|after| after["masterData"]["current"]["categories"] = json!([])));
    assert!(differs(&|after| after["masterData"]["current"]["masterVariant"]["sku"] = json!("m")));
    assert!(differs(
        &|after| after["masterData"]["current"]["masterVariant"]["attributes"] = json!([{"name": "size"}])
    ));
    assert!(differs(&|after| after["masterData"]["current"]["variants"] = json!([{"id": 2}])));
}

proptest! {
    /// After any actions: the flag says whether the sides differ, each side has a master variant, ids are
    /// never reused, and after publishing the sides are equal.
    #[test]
    fn sides_stay_in_order(actions in prop::collection::vec(any_action(), 1..12)) {
        let mut product = polo();
        for action in actions {
            // A refused action leaves the Product unchanged.
            if let Ok((after, _)) = shop().update("product", &product, json!([action])) {
                product = after;
            }
            let sides = &product["masterData"];
            prop_assert_eq!(sides["hasStagedChanges"] == true, sides["current"] != sides["staged"]);
            for side in BOTH {
                let mut ids = ids(&product, side);
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                prop_assert!(count >= 1 && ids.len() == count);
            }
        }
        let published = changed(&product, json!([{"action": "publish"}]));
        prop_assert_eq!(&published["masterData"]["current"], &published["masterData"]["staged"]);
        prop_assert_eq!(&published["masterData"]["published"], true);
    }

    /// Actions on both sides of a Product with equal sides leave the sides equal.
    #[test]
    fn both_sides_change_alike(actions in prop::collection::vec(any_action(), 1..6)) {
        let mut product = polo();
        for mut action in actions {
            if action.get("staged").is_some() {
                action["staged"] = json!(false);
            }
            if let Ok((after, _)) = shop().update("product", &product, json!([action])) {
                product = after;
            }
        }
        prop_assert_eq!(&product["masterData"]["hasStagedChanges"], false);
    }
}
