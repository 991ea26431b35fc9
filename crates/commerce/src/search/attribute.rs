//! Indexes Attributes: the fields of each type of Attribute, and its values in an entry. Start at [`put_attribute`].
//!
//! | type | field | kind |
//! |---|---|---|
//! | boolean | `color` | boolean |
//! | text | `color` | text |
//! | ltext | `color` | text in a language |
//! | enum | `color.key`, `color.label` | keyword, text |
//! | lenum | `color.key`, `color.label` | keyword, text in a language |
//! | number | `color` | number |
//! | money | `color.centAmount`, `color.currencyCode` | number, keyword |
//! | date, datetime, time | `color` | moment, moment, time of the day |
//! | reference | `color.id`, `color.typeId` | keyword |
//!
//! A set has the fields of its elements, with several values. Nested Attributes have none.
//!
//! Source: Document B, "Searchable Product fields"; reference type `SearchFieldType`.

use super::digest::known_as;
use super::node::{add_value, parse_day_ms, parse_time_ms, put_localized, time_of_day};
use crate::attribute::is_searchable;
use kontor_engine::Document;
use kontor_engine::document::{get, list, must_text, text};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::ApiResult;
use kontor_json::Value as Json;
use kontor_search::{EntryNode, Expressions, FieldKind, FieldLevel, FieldType, SearchField, SearchValue};
use std::sync::Arc;

/// The type of an Attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AttributeKind {
    /// The type of one value; never a set.
    element: FieldType,
    /// Whether there may be several.
    is_set: bool,
}

impl AttributeKind {
    /// Reads the `type` of an AttributeDefinition; `None` if such Attributes cannot be searched.
    pub(super) fn from_definition_type(definition_type: &Document) -> Option<Self> {
        let name = text(definition_type, &["name"])?;
        if name == "set" {
            let element = text(definition_type, &["elementType", "name"])?;
            return Some(Self { element: simple(element)?, is_set: true });
        }
        Some(Self { element: simple(name)?, is_set: false })
    }

    /// Returns the corresponding `fieldType` of requests.
    pub(super) fn field_type(self) -> Option<FieldType> {
        if !self.is_set {
            return Some(self.element);
        }
        FieldType::parse(&format!("set_{}", self.element.as_str()))
    }

    /// Whether a sent `fieldType` fits. Sets are treated like their elements; for keys of enums it does not matter
    /// whether labels are localized.
    pub(super) fn fits_field_type(self, sent: FieldType, part: &str) -> bool {
        let name = sent.as_str();
        let Some(sent) = simple(name.strip_prefix("set_").unwrap_or(name)) else { return false };
        let is_enum = |field_type| matches!(field_type, FieldType::Enum | FieldType::LocalizedEnum);
        sent == self.element || (part == "key" && is_enum(sent) && is_enum(self.element))
    }

    /// Returns the part that a name without a part refers to: for enums the label if a language is sent, else the key;
    /// for references the id.
    pub(super) fn part_meant(self, part: &str, has_language: bool) -> Option<AttributePart> {
        let named = match (part, self.element) {
            ("", FieldType::LocalizedEnum) if has_language => "label",
            ("", FieldType::Enum | FieldType::LocalizedEnum) => "key",
            ("", FieldType::Reference) => "id",
            (part, _) => part,
        };
        self.parts().iter().find(|known| known.name == named).copied()
    }

    fn parts(self) -> &'static [AttributePart] {
        match self.element {
            FieldType::Boolean => &[BOOLEAN],
            FieldType::Text => &[TEXT],
            FieldType::LocalizedText => &[LOCALIZED_TEXT],
            FieldType::Enum => &[KEY, LABEL],
            FieldType::LocalizedEnum => &[KEY, LOCALIZED_LABEL],
            FieldType::Number => &[NUMBER],
            FieldType::Money => &[CENT_AMOUNT, CURRENCY],
            FieldType::Date | FieldType::DateTime => &[TIME],
            FieldType::Time => &[TIME_OF_DAY],
            FieldType::Reference => &[ID, TYPE_ID],
            _ => &[],
        }
    }
}

/// A field of an Attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AttributePart {
    /// The suffix after the name of the Attribute; empty for the Attribute itself.
    pub(super) name: &'static str,
    /// The kind of its values.
    pub(super) kind: FieldKind,
    /// Which expressions it can be used in.
    pub(super) expressions: Expressions,
    /// Whether its values are localized.
    pub(super) is_localized: bool,
}

const BOOLEAN: AttributePart = AttributePart::new("", FieldKind::Boolean, Expressions::Boolean);
const TEXT: AttributePart = AttributePart::new("", FieldKind::Text, Expressions::Text);
const LOCALIZED_TEXT: AttributePart = TEXT.localized();
const KEY: AttributePart = AttributePart::new("key", FieldKind::Keyword, Expressions::Keyword);
const LABEL: AttributePart = AttributePart::new("label", FieldKind::Text, Expressions::Text);
const LOCALIZED_LABEL: AttributePart = LABEL.localized();
const NUMBER: AttributePart = AttributePart::new("", FieldKind::Double, Expressions::Ordered);
const CENT_AMOUNT: AttributePart = AttributePart::new("centAmount", FieldKind::Long, Expressions::Ordered);
const CURRENCY: AttributePart = AttributePart::new("currencyCode", FieldKind::Keyword, Expressions::Keyword);
const TIME: AttributePart = AttributePart::new("", FieldKind::Time, Expressions::Ordered);
const TIME_OF_DAY: AttributePart = AttributePart::new("", FieldKind::Keyword, Expressions::Ordered);
const ID: AttributePart = AttributePart::new("id", FieldKind::Keyword, Expressions::Keyword);
const TYPE_ID: AttributePart = AttributePart::new("typeId", FieldKind::Keyword, Expressions::Keyword);

impl AttributePart {
    const fn new(name: &'static str, kind: FieldKind, expressions: Expressions) -> Self {
        Self { name, kind, expressions, is_localized: false }
    }

    const fn localized(self) -> Self {
        Self { is_localized: true, ..self }
    }

    /// Returns the index field of this part of an Attribute. `prefix` precedes the name, e.g. `variants.attributes.`.
    pub(super) fn field(self, prefix: &str, attribute: &str, level: FieldLevel) -> SearchField {
        let dot = if self.name.is_empty() { "" } else { "." };
        let name = format!("{prefix}{attribute}{dot}{}", self.name);
        SearchField { name: Arc::from(name), language: None, level, kind: self.kind }
    }
}

fn simple(name: &str) -> Option<FieldType> {
    FieldType::parse(name).filter(|_| !name.starts_with("set_"))
}

/// Puts the value of an Attribute into a node. Texts longer than searchable Attributes allow are left out: they were
/// written before the Attribute became searchable (reference type `ProductTypeChangeIsSearchableAction`).
pub(super) fn put_attribute(
    node: &mut EntryNode,
    kind: AttributeKind,
    (prefix, name, level): (&str, &str, FieldLevel),
    value: &Json,
    languages: &[Arc<str>],
) {
    let elements = match value {
        Json::Array(elements) if kind.is_set => elements.as_slice(),
        value => std::slice::from_ref(value),
    };
    for part in kind.parts() {
        let field = part.field(prefix, name, level);
        for element in elements {
            let value = match element {
                Json::Object(object) if !part.name.is_empty() => object.get(part.name),
                element if part.name.is_empty() => Some(element),
                _ => None,
            };
            match value {
                Some(Json::Object(texts)) if part.is_localized => {
                    put_localized(node, &field, texts, languages, is_searchable);
                }
                Some(value) if !part.is_localized => {
                    if let Some(value) = typed(kind.element, *part, value) {
                        add_value(node, &field, value);
                    }
                }
                _ => {}
            }
        }
    }
}

fn typed(element: FieldType, part: AttributePart, value: &Json) -> Option<SearchValue> {
    Some(match (part.kind, element) {
        (FieldKind::Boolean, _) => SearchValue::Boolean(value.as_bool()?),
        (FieldKind::Long, _) => SearchValue::Long(value.as_i64()?),
        (FieldKind::Double, _) => SearchValue::Double(value.as_f64().filter(|number| !number.is_nan())?),
        (FieldKind::Time, FieldType::Date) => SearchValue::Time(parse_day_ms(value.as_str()?)?),
        (FieldKind::Time, _) => SearchValue::Time(parse_time_ms(value.as_str()?)?),
        (FieldKind::Keyword, FieldType::Time) => SearchValue::Text(time_of_day(value.as_str()?)?),
        (FieldKind::Keyword | FieldKind::Id | FieldKind::Text, _) => {
            SearchValue::Text(value.as_str().filter(|text| is_searchable(text))?.to_owned())
        }
    })
}

/// Returns the names of Attributes that a Product Type excludes from the search.
pub(super) fn unsearchable_attributes(product_type: &Document) -> impl Iterator<Item = &str> {
    let definitions = list(product_type, &["attributes"]).iter().filter_map(Json::as_object);
    let not_searchable =
        definitions.filter(|definition| definition.get("isSearchable") != Some(&Json::Bool(true)));
    not_searchable.filter_map(|definition| text(definition, &["name"]))
}

/// Returns the searchable Attributes of a Product Type on one level (`Product`, `Variant`), in their order.
pub(super) fn searchable_attributes(
    product_type: &Document,
    level: AttributeLevelEnum,
) -> impl Iterator<Item = (&str, AttributeKind)> {
    let of_level = list(product_type, &["attributes"])
        .iter()
        .filter_map(Json::as_object)
        .filter(move |definition| {
            text(definition, &["level"]).unwrap_or(AttributeLevelEnum::Variant.as_str()) == level.as_str()
        })
        .filter(|definition| definition.get("isSearchable") == Some(&Json::Bool(true)));
    of_level.filter_map(|definition| {
        let definition_type = get(definition, &["type"])?.as_object()?;
        Some((text(definition, &["name"])?, AttributeKind::from_definition_type(definition_type)?))
    })
}

/// Returns a short text for the parts of a Product Type that entries of Products contain: equal if the
/// searchable Attributes are equal.
pub(super) fn known_type(product_type: &Document) -> ApiResult<String> {
    let of_level = |level: AttributeLevelEnum| {
        searchable_attributes(product_type, level)
            .map(move |(name, kind)| format!("{level} {name} {:?}", kind.field_type()))
    };
    Ok(known_as(
        must_text(product_type, &["id"])?,
        AttributeLevelEnum::ALL.iter().copied().flat_map(of_level),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::remove_duplicates;
    use crate::test_shop::object;
    use kontor_json::json;

    fn indexed(definition_type: Json, value: Json) -> Vec<(String, Option<String>, SearchValue)> {
        let kind = AttributeKind::from_definition_type(&object(definition_type)).unwrap();
        let mut node = EntryNode::default();
        let languages = [Arc::from("en"), Arc::from("de")];
        put_attribute(&mut node, kind, ("variants.attributes.", "x", FieldLevel::Child), &value, &languages);
        remove_duplicates(&mut node);
        node.values
            .into_iter()
            .map(|put| {
                let name = put.field.name.strip_prefix("variants.attributes.").unwrap().to_owned();
                (name, put.field.language.map(|language| language.to_string()), put.value)
            })
            .collect()
    }

    fn text(value: &str) -> SearchValue {
        SearchValue::Text(value.to_owned())
    }

    #[test]
    fn each_type_has_its_fields() {
        let one = |name: &str, value: Json| indexed(json!({"name": name}), value);
        let x = |value| vec![("x".to_owned(), None, value)];
        assert_eq!(one("boolean", json!(true)), x(SearchValue::Boolean(true)));
        assert_eq!(one("text", json!("Red")), x(text("Red")));
        assert_eq!(one("number", json!(5)), x(SearchValue::Double(5.0)));
        assert_eq!(one("date", json!("1970-01-02")), x(SearchValue::Time(86_400_000)));
        assert_eq!(one("datetime", json!("1970-01-01T00:00:01.000Z")), x(SearchValue::Time(1000)));
        assert_eq!(one("time", json!("10:30:00.000")), x(text("10:30:00.000")));
        assert_eq!(
            one("ltext", json!({"en": "Red", "de": "Rot", "fr": "Rouge"})),
            [("x".into(), Some("en".into()), text("Red")), ("x".into(), Some("de".into()), text("Rot"))]
        );
        assert_eq!(
            one("enum", json!({"key": "r", "label": "Red"})),
            [("x.key".into(), None, text("r")), ("x.label".into(), None, text("Red"))]
        );
        assert_eq!(
            one("lenum", json!({"key": "r", "label": {"de": "Rot"}})),
            [("x.key".into(), None, text("r")), ("x.label".into(), Some("de".into()), text("Rot"))]
        );
        assert_eq!(
            one("money", json!({"currencyCode": "EUR", "centAmount": 100})),
            [
                ("x.centAmount".into(), None, SearchValue::Long(100)),
                ("x.currencyCode".into(), None, text("EUR"))
            ]
        );
        assert_eq!(
            one("reference", json!({"typeId": "product", "id": "p"})),
            [("x.id".into(), None, text("p")), ("x.typeId".into(), None, text("product"))]
        );
    }

    #[test]
    fn a_set_has_several_values_and_each_once() {
        let set = json!({"name": "set", "elementType": {"name": "text"}});
        assert_eq!(
            indexed(set, json!(["a", "b", "a"])),
            [("x".to_owned(), None, text("a")), ("x".to_owned(), None, text("b"))]
        );
    }

    #[test]
    fn texts_beyond_the_searchable_length_are_left_out() {
        let long = "x".repeat(10_923);
        assert_eq!(indexed(json!({"name": "text"}), json!(long)), []);
        let texts = json!({"en": long, "de": "kurz"});
        assert_eq!(indexed(json!({"name": "ltext"}), texts), [("x".into(), Some("de".into()), text("kurz"))]);
    }

    #[test]
    fn nested_attributes_cannot_be_searched() {
        let nested = json!({"name": "nested", "typeReference": {"typeId": "product-type", "id": "t"}});
        assert_eq!(AttributeKind::from_definition_type(&object(nested)), None);
    }

    #[test]
    fn a_field_type_means_a_set_as_well_as_its_elements() {
        let kind = AttributeKind { element: FieldType::LocalizedEnum, is_set: true };
        assert_eq!(kind.field_type(), Some(FieldType::SetLocalizedEnum));
        for sent in [FieldType::LocalizedEnum, FieldType::SetLocalizedEnum, FieldType::Enum] {
            assert!(kind.fits_field_type(sent, "key"));
        }
        assert!(
            !kind.fits_field_type(FieldType::Enum, "label") && !kind.fits_field_type(FieldType::Text, "key")
        );
    }
}
