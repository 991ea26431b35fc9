//! Fuzzes search requests: parsing one never panics, and a search runs for every request that was parsed.

#![no_main]

use kontor_search::reference::ReferenceIndex;
use kontor_search::{
    Expressions, FieldKind, FieldLevel, FieldProblem, FieldRank, FieldUse, RequestSpelling, SearchField,
    SearchIndex, SearchShape, SearchableField, SearchableFields, read,
};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

/// A schema with a field for every name; the first letter of the name selects its kind and level.
struct AnyFields([Arc<str>; 1]);

impl SearchableFields for AnyFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem> {
        let (level, kind, expressions, rank) = match used.name.bytes().next() {
            Some(b'a') => (FieldLevel::Root, FieldKind::Text, Expressions::Text, FieldRank::Resource),
            Some(b'b') => (FieldLevel::Child, FieldKind::Long, Expressions::Ordered, FieldRank::Resource),
            Some(b'c') => (FieldLevel::Grandchild, FieldKind::Time, Expressions::Ordered, FieldRank::Price),
            Some(b'd') => (FieldLevel::Root, FieldKind::Keyword, Expressions::Keyword, FieldRank::Context),
            Some(b'e') => (FieldLevel::Child, FieldKind::Keyword, Expressions::Ordered, FieldRank::Resource),
            _ => return Err(FieldProblem::Unknown),
        };
        let language = used.language.map(Arc::from);
        let is_localized = kind == FieldKind::Text;
        Ok(SearchableField {
            field: SearchField { name: used.name.into(), language, level, kind },
            expressions,
            rank,
            is_localized,
        })
    }

    fn languages(&self) -> &[Arc<str>] {
        &self.0
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = kontor_json::from_slice(bytes) else { return };
    let shape =
        SearchShape::Storefront { entries: "products", children: "variants", mark: "markMatchingVariants" };
    if let Ok(request) = read(&body, shape, &RequestSpelling::default(), &AnyFields(["en".into()])) {
        let _ = ReferenceIndex::new().search(&request);
    }
});
