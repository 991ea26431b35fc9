//! Search requests: reading never panics, and what was read is answered.

#![no_main]

use kontor_search::plain::PlainIndex;
use kontor_search::{
    Expressions, Field, FieldProblem, FieldUse, Fields, Found, Kind, Level, Rank, SearchIndex, Shape,
    Spelling, read,
};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

/// Fields of every kind and level: their first letter says which.
struct AnyFields([Arc<str>; 1]);

impl Fields for AnyFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<Found, FieldProblem> {
        let (level, kind, expressions, rank) = match used.name.bytes().next() {
            Some(b'a') => (Level::Root, Kind::Text, Expressions::Text, Rank::Resource),
            Some(b'b') => (Level::Child, Kind::Long, Expressions::Ordered, Rank::Resource),
            Some(b'c') => (Level::Grandchild, Kind::Time, Expressions::Ordered, Rank::Price),
            Some(b'd') => (Level::Root, Kind::Keyword, Expressions::Keyword, Rank::Context),
            Some(b'e') => (Level::Child, Kind::Keyword, Expressions::Ordered, Rank::Resource),
            _ => return Err(FieldProblem::Unknown),
        };
        let language = used.language.map(Arc::from);
        let is_localized = kind == Kind::Text;
        Ok(Found {
            field: Field { name: used.name.into(), language, level, kind },
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
    let shape = Shape::Storefront { entries: "products", children: "variants", mark: "markMatchingVariants" };
    if let Ok(request) = read(&body, shape, &Spelling::default(), &AnyFields(["en".into()])) {
        let _ = PlainIndex::new().search(&request);
    }
});
