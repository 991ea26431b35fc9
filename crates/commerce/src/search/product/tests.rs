use super::*;
use crate::test_shop::{TestShop, object};
use kontor_json::json;
use kontor_search::{
    EntryNode, Expressions, FieldProblem, FieldRank, FieldType, FieldUse, SearchValue as Indexed,
    SearchableField,
};

const SEARCH: ProductSearch = ProductSearch::USUAL;

fn attribute(name: &str, level: &str, kind: &str, searchable: bool) -> Value {
    json!({"name": name, "type": {"name": kind}, "level": level, "isSearchable": searchable, "label": {}})
}

fn shop() -> TestShop {
    TestShop::new()
        .with_document(
            "product-type",
            json!({"id": "boots", "attributes": [
                attribute("brand", "Product", "text", true),
                attribute("color", "Variant", "lenum", true),
                attribute("secret", "Variant", "text", false),
            ]}),
        )
        .with_document("category", json!({"id": "shoes", "ancestors": []}))
        .with_document(
            "category",
            json!({"id": "winter", "ancestors": [{"typeId": "category", "id": "shoes"}]}),
        )
}

fn side() -> Value {
    json!({
        "name": {"en": "Boots", "de": "Stiefel", "fr": "Bottes"},
        "slug": {"en": "boots"},
        "categories": [{"typeId": "category", "id": "winter"}],
        "categoryOrderHints": {"winter": "0.5"},
        "searchKeywords": {"de": [{"text": "Schnee"}]},
        "attributes": [{"name": "brand", "value": "Alp"}],
        "masterVariant": {
            "id": 1, "sku": "b-1",
            "prices": [{"id": "p1", "value": {"currencyCode": "EUR", "centAmount": 100}}],
            "attributes": [
                {"name": "color", "value": {"key": "r", "label": {"en": "Red"}}},
                {"name": "secret", "value": "x"},
            ],
            "availability": {
                "isOnStock": true, "availableQuantity": 3,
                "channels": {"berlin": {"isOnStock": false}, "paris": {"isOnStock": true}},
            },
        },
        "variants": [{"id": 2, "prices": [], "attributes": []}],
    })
}

fn boots(mode: &str, published: bool) -> Document {
    object(json!({
        "id": "p", "version": 1, "key": "boots", "createdAt": "1970-01-01T00:00:01.000Z",
        "lastModifiedAt": "1970-01-01T00:00:02.000Z", "productType": {"typeId": "product-type", "id": "boots"},
        "priceMode": mode, "reviewRatingStatistics": {"averageRating": 4.5, "count": 2},
        "masterData": {"published": published, "current": side(), "staged": {}},
    }))
}

fn entry_of(shop: &TestShop, product: &Document) -> SearchEntry {
    shop.rules(|rules| SEARCH.entry(product, rules)).unwrap().unwrap()
}

/// The values of a field of a node, as texts.
fn values(node: &EntryNode, name: &str) -> Vec<String> {
    let of_name = node.values.iter().filter(|put| &*put.field.name == name);
    of_name
        .map(|put| {
            let language =
                put.field.language.as_ref().map_or(String::new(), |language| format!("{language}:"));
            match &put.value {
                Indexed::Text(text) => format!("{language}{text}"),
                Indexed::Boolean(value) => value.to_string(),
                Indexed::Long(value) | Indexed::Time(value) => value.to_string(),
                Indexed::Double(value) => value.to_string(),
            }
        })
        .collect()
}

#[test]
fn an_entry_has_the_fields_of_the_product_its_variants_and_their_prices() {
    let SearchEntry { id, root } = entry_of(&shop(), &boots("Embedded", true));
    assert_eq!(id, "p");
    for (name, expected) in [
        ("id", &["p"][..]),
        ("key", &["boots"]),
        ("productType", &["boots"]),
        ("createdAt", &["1000"]),
        ("lastModifiedAt", &["2000"]),
        ("reviewRatingStatistics.averageRating", &["4.5"]),
        ("reviewRatingStatistics.count", &["2"]),
        ("name", &["en:Boots", "de:Stiefel"]),
        ("slug", &["en:boots"]),
        ("searchKeywords", &["de:Schnee"]),
        ("categories", &["winter"]),
        ("categoriesSubTree", &["shoes", "winter"]),
        ("categoryOrderHints.winter", &["0.5"]),
        ("attributes.brand", &["Alp"]),
    ] {
        assert_eq!(values(&root, name), expected, "{name}");
    }
    let [master, other] = &root.children[..] else { panic!("two variants") };
    for (name, expected) in [
        ("variants.id", &["1"][..]),
        ("variants.sku", &["b-1"]),
        ("variants.availability.isOnStock", &["true"]),
        ("variants.availability.availableQuantity", &["3"]),
        ("variants.availability.isOnStockForChannel", &["paris"]),
        ("variants.availability.hasInventoryEntryForChannel", &["berlin", "paris"]),
        ("variants.attributes.color.key", &["r"]),
        ("variants.attributes.color.label", &["en:Red"]),
        ("variants.attributes.secret", &[]),
    ] {
        assert_eq!(values(master, name), expected, "{name}");
    }
    assert_eq!(kontor_json::from_str::<Value>(&master.label).unwrap(), json!({"id": 1, "sku": "b-1"}));
    assert_eq!(kontor_json::from_str::<Value>(&other.label).unwrap(), json!({"id": 2, "sku": null}));
    assert_eq!(values(&master.children[0], "variants.prices.centAmount"), ["100"]);
    assert!(other.children.is_empty());
}

#[test]
fn unpublished_products_are_not_indexed() {
    shop().rules(|rules| assert_eq!(SEARCH.entry(&boots("Embedded", false), rules).unwrap(), None));
}

#[test]
fn standalone_prices_stand_for_embedded_ones() {
    let price = |id: &str, active: bool| json!({"id": id, "sku": "b-1", "active": active, "value": {"currencyCode": "EUR", "centAmount": 70}});
    let shop = shop()
        .with_document("standalone-price", price("s1", true))
        .with_document("standalone-price", price("s2", false));
    let entry = entry_of(&shop, &boots("Standalone", true));
    let prices = &entry.root.children[0].children;
    assert_eq!(prices.len(), 1);
    assert_eq!(values(&prices[0], "variants.prices.id"), ["s1"]);
}

#[test]
fn the_first_fifty_attributes_that_a_variant_has_are_indexed_in_the_sequence_of_the_product_type() {
    let name = |number: usize| format!("a{number:02}");
    let definitions: Vec<Value> = (0..60).map(|at| attribute(&name(at), "Variant", "text", true)).collect();
    let shop =
        TestShop::new().with_document("product-type", json!({"id": "boots", "attributes": definitions}));
    let has = |numbers: &mut dyn Iterator<Item = usize>| -> Vec<Value> {
        numbers.map(|number| json!({"name": name(number), "value": "x"})).collect()
    };
    let mut product = boots("Embedded", true);
    // The order of the Attributes in the Product does not matter.
    product["masterData"]["current"]["masterVariant"]["attributes"] = has(&mut (0..60).rev()).into();
    product["masterData"]["current"]["variants"][0]["attributes"] = has(&mut (55..60)).into();
    let root = entry_of(&shop, &product).root;
    let indexed = |variant: usize| -> Vec<usize> {
        let content = |number: &usize| {
            !values(&root.children[variant], &format!("variants.attributes.{}", name(*number))).is_empty()
        };
        (0..60).filter(content).collect()
    };
    assert_eq!(indexed(0), (0..50).collect::<Vec<_>>());
    assert_eq!(indexed(1), (55..60).collect::<Vec<_>>());
    // A field that is not indexed may be queried, without hits.
    let found = shop.rules(|rules| {
        let used =
            FieldUse { name: "variants.attributes.a59", language: None, field_type: Some(FieldType::Text) };
        SEARCH.fields(rules).unwrap().find(&used).is_ok()
    });
    assert!(found);
}

#[test]
fn ten_thousand_standalone_prices_of_a_product_are_shared_by_its_variants() {
    let country = |number: usize| {
        let letter = |at: usize| char::from(b'A' + (at % 26) as u8);
        format!("{}{}", letter(number / 26), letter(number))
    };
    // Each of two variants has 5,000 prices. The rest is cut off at the end of the documented order.
    let mut shop = shop();
    for (number, currency) in (0..5_010).map(|number| (number, ["EUR", "USD"][number / 4_000])) {
        let price = json!({
            "id": format!("s{number:04}"), "sku": "b-1", "active": true, "country": country(number % 676),
            "channel": {"typeId": "channel", "id": format!("c{}", number / 676)},
            "value": {"currencyCode": currency, "centAmount": number},
        });
        shop = shop.with_new("standalone-price", price);
    }
    let root = entry_of(&shop, &boots("Standalone", true)).root;
    let prices = &root.children[0].children;
    assert_eq!(prices.len(), 5_000);
    let of = |currency: &str| {
        let is = |node: &&EntryNode| values(node, "variants.prices.currencyCode") == [currency];
        prices.iter().filter(is).count()
    };
    // All prices in euros come first; the ten that are left out are the last ones in dollars.
    assert_eq!((of("EUR"), of("USD")), (4_000, 1_000));
    assert!(root.children[1].children.is_empty());
}

fn selection(id: &str, mode: &str) -> Value {
    json!({"id": id, "mode": mode})
}

fn store(id: &str, selections: &[(&str, bool)]) -> Value {
    let setting = |(id, active): &(&str, bool)| json!({"productSelection": {"typeId": "product-selection", "id": id}, "active": active});
    json!({"id": id, "productSelections": selections.iter().map(setting).collect::<Vec<_>>()})
}

fn assigned(selection: &str, more: Value) -> Value {
    let mut assignment = object(json!({
        "id": format!("{selection}:p"),
        "product": {"typeId": "product", "id": "p"},
        "productSelection": {"typeId": "product-selection", "id": selection},
    }));
    assignment.extend(object(more));
    Value::Object(assignment)
}

#[test]
fn of_too_many_product_selections_as_many_as_are_indexed_count() {
    use super::assortment::{Assortment, AssortmentLimits};
    let mut shop = shop();
    for id in ["s1", "s2", "s3", "s4"] {
        shop = shop
            .with_document("product-selection", selection(id, "Individual"))
            .with_document("product-selection-assignment", assigned(id, json!({})))
            .with_document("store", store(&format!("store-{id}"), &[(id, true)]));
    }
    let found = |most: AssortmentLimits| {
        let assortment = shop.rules(|rules| Assortment::for_product_within(most, "p", rules)).unwrap();
        (assortment.selections.len(), assortment.stores.len())
    };
    assert_eq!(found(AssortmentLimits { selections: 3, stores: 9 }), (3, 3));
    assert_eq!(found(AssortmentLimits { selections: 9, stores: 2 }), (4, 2));
    assert_eq!(found(AssortmentLimits::INDEXED), (4, 4));
}

#[test]
fn stores_have_what_their_selections_have() {
    let only = json!({"variantSelection": {"type": "includeOnly", "skus": ["b-1"]}});
    let shop = shop()
        .with_document("product-selection", selection("summer", "Individual"))
        .with_document("product-selection", selection("empty", "Individual"))
        .with_document("product-selection", selection("recalled", "IndividualExclusion"))
        .with_document("product-selection", selection("kept", "IndividualExclusion"))
        .with_document("product-selection-assignment", assigned("summer", only))
        .with_document("product-selection-assignment", assigned("recalled", json!({})))
        .with_document("store", store("all", &[]))
        .with_document("store", store("added", &[("summer", true)]))
        .with_document("store", store("waiting", &[("summer", false)]))
        .with_document("store", store("nothing", &[("empty", true)]))
        .with_document("store", store("recalling", &[("recalled", true)]))
        .with_document("store", store("keeping", &[("kept", true)]))
        .with_document("store", store("inactive", &[("recalled", false)]));
    let root = entry_of(&shop, &boots("Embedded", true)).root;
    assert_eq!(values(&root, "productSelections"), ["summer"]);
    assert_eq!(values(&root, "stores"), ["added", "all", "inactive", "keeping"]);
    let [master, other] = &root.children[..] else { panic!("two variants") };
    assert_eq!(values(master, "variants.productSelections"), ["summer"]);
    assert_eq!(values(master, "variants.stores"), ["added", "all", "inactive", "keeping"]);
    assert_eq!(values(other, "variants.productSelections"), [""; 0]);
    assert_eq!(values(other, "variants.stores"), ["all", "inactive", "keeping"]);
}

fn find(
    name: &str,
    language: Option<&str>,
    field_type: Option<FieldType>,
) -> Result<SearchableField, FieldProblem> {
    shop().rules(|rules| SEARCH.fields(rules).unwrap().find(&FieldUse { name, language, field_type }))
}

#[test]
fn fields_have_their_rank_and_their_language() {
    assert_eq!(find("stores", None, None).unwrap().rank, FieldRank::Context);
    assert_eq!(find("variants.stores", None, None).unwrap().rank, FieldRank::Resource);
    assert_eq!(find("variants.prices.centAmount", None, None).unwrap().rank, FieldRank::Price);
    let name = find("name", Some("de"), None).unwrap();
    assert!(name.is_localized && name.field.language.as_deref() == Some("de"));
    assert_eq!(find("categoryOrderHints.winter", None, None).unwrap().expressions, Expressions::Keyword);
    for unknown in ["color", "variants", "categoryOrderHints.", "variants.attributes.", "name.en"] {
        assert_eq!(find(unknown, None, None).unwrap_err(), FieldProblem::Unknown, "{unknown}");
    }
}

#[test]
fn attributes_are_found_by_name_and_type() {
    let color = |part: &str, field_type| find(&format!("variants.attributes.color{part}"), None, field_type);
    let lenum = Some(FieldType::LocalizedEnum);
    assert_eq!(&*color(".key", lenum).unwrap().field.name, "variants.attributes.color.key");
    assert_eq!(&*color("", lenum).unwrap().field.name, "variants.attributes.color.key");
    assert!(color(".label", lenum).unwrap().is_localized);
    assert_eq!(color(".key", None).unwrap_err(), FieldProblem::FieldTypeMissing);
    assert_eq!(color(".key", Some(FieldType::Number)).unwrap_err(), FieldProblem::FieldTypeWrong(lenum));
    assert_eq!(color(".size", lenum).unwrap_err(), FieldProblem::Unknown);
    let text = Some(FieldType::Text);
    assert!(find("attributes.brand", None, text).is_ok());
    for unknown in ["variants.attributes.brand", "variants.attributes.secret", "attributes.color"] {
        assert_eq!(find(unknown, None, text).unwrap_err(), FieldProblem::Unknown, "{unknown}");
    }
}

#[test]
fn inputs_of_all_entries_change_the_generation() {
    let generation = |shop: &TestShop| shop.rules(|rules| SEARCH.generation(rules).unwrap());
    let before = generation(&shop());
    assert_eq!(generation(&shop()), before);
    let mut languages = shop();
    languages.project.insert("languages", json!(["en"]));
    // Changed Attributes and Stores need no new index.
    let searched = json!({"id": "t", "attributes": [attribute("x", "Variant", "text", true)]});
    assert_eq!(generation(&shop().with_document("product-type", searched)), before);
    for selections in [&[("summer", true)][..], &[]] {
        assert_eq!(generation(&shop().with_document("store", store("s", selections))), before);
    }
    assert_ne!(generation(&languages), before);
}

/// An index with these entries, which were made without any open Store and with other Attributes.
struct EntriesIndex<'a>(&'a [&'a str]);

impl IndexContent for EntriesIndex<'_> {
    fn ids_with(&self, field: &str, _: &str) -> kontor_errors::ApiResult<Vec<String>> {
        let content =
            if [fields::OPEN_STORES, fields::ATTRIBUTES_OF].contains(&field) { &[] } else { self.0 };
        Ok(content.iter().map(|id| (*id).to_owned()).collect())
    }

    fn ids_without(&self, field: &str, _: &str) -> kontor_errors::ApiResult<Vec<String>> {
        assert_eq!(field, fields::OPEN_STORES);
        Ok(self.0.iter().map(|id| (*id).to_owned()).collect())
    }
}

fn concerned(shop: &TestShop, kind: &str, id: &str, content: &[&str]) -> Vec<String> {
    shop.rules(|rules| SEARCH.affected_entries(kind, id, rules, &EntriesIndex(content)).unwrap())
}

#[test]
fn a_change_of_something_else_concerns_the_products_that_hold_it() {
    let price = json!({"id": "s", "sku": "b-1", "value": {"currencyCode": "EUR", "centAmount": 70}});
    let shop = shop()
        .with_document("product", Value::Object(boots("Standalone", true)))
        .with_document("standalone-price", price)
        .with_document("product-selection", selection("summer", "Individual"))
        .with_document("product-selection-assignment", assigned("summer", json!({})))
        .with_document("store", store("added", &[("summer", true)]))
        .with_document("store", store("all", &[]));
    assert_eq!(concerned(&shop, "standalone-price", "s", &[]), ["p"]);
    assert_eq!(concerned(&shop, "standalone-price", "gone", &["p"]), ["p"]);
    assert_eq!(concerned(&shop, "product-selection-assignment", "summer:p", &[]), ["p"]);
    assert_eq!(concerned(&shop, "category", "winter", &["p"]), ["p"]);
    // For a Store, added and removed Products.
    assert_eq!(concerned(&shop, "store", "added", &[]), ["p"]);
    assert_eq!(concerned(&shop, "store", "added", &["p"]), [""; 0]);
    assert_eq!(concerned(&shop, "store", "added", &["p", "q"]), ["q"]);
    assert_eq!(concerned(&shop, "store", "gone", &["q"]), ["q"]);
    // For a Store with nearly all Products, those whose entries do not have it.
    assert_eq!(concerned(&shop, "store", "all", &["p"]), ["p"]);
}

/// An index with one entry.
struct SingleEntryIndex(SearchEntry);

impl IndexContent for SingleEntryIndex {
    fn ids_with(&self, field: &str, value: &str) -> kontor_errors::ApiResult<Vec<String>> {
        let holds = self
            .0
            .root
            .values
            .iter()
            .any(|put| &*put.field.name == field && put.value == Indexed::Text(value.to_owned()));
        Ok(holds.then(|| self.0.id.clone()).into_iter().collect())
    }

    fn ids_without(&self, field: &str, value: &str) -> kontor_errors::ApiResult<Vec<String>> {
        let has = self.ids_with(field, value)?;
        Ok(has.is_empty().then(|| self.0.id.clone()).into_iter().collect())
    }
}

#[test]
fn a_product_type_concerns_its_products_once_other_attributes_can_be_searched() {
    let boots = boots("Embedded", true);
    let made = SingleEntryIndex(entry_of(&shop(), &boots));
    let concerned = |shop: &TestShop, id: &str| {
        shop.rules(|rules| SEARCH.affected_entries("product-type", id, rules, &made).unwrap())
    };
    let changed = |attributes: Value| {
        shop().with_document("product-type", json!({"id": "boots", "attributes": attributes}))
    };
    let brand = attribute("brand", "Product", "text", true);
    let color = attribute("color", "Variant", "lenum", true);
    let secret = |is_searchable| attribute("secret", "Variant", "text", is_searchable);
    assert_eq!(concerned(&shop(), "boots"), [""; 0]);
    // Others cannot be searched, or are of another Product Type.
    let more = [&brand, &color, &secret(false), &attribute("size", "Variant", "text", false)];
    assert_eq!(concerned(&changed(json!(more)), "boots"), [""; 0]);
    let hats = json!({"id": "hats", "attributes": [attribute("size", "Variant", "number", true)]});
    assert_eq!(concerned(&shop().with_document("product-type", hats), "hats"), [""; 0]);
    assert_eq!(concerned(&shop(), "gone"), [""; 0]);
    // One Attribute became searchable, one no longer is, one has another type.
    assert_eq!(concerned(&changed(json!([&brand, &color, &secret(true)])), "boots"), ["p"]);
    assert_eq!(concerned(&changed(json!([&brand])), "boots"), ["p"]);
    assert_eq!(
        concerned(&changed(json!([&brand, attribute("color", "Variant", "text", true)])), "boots"),
        ["p"]
    );
}
