//! The searchable fields of resource types, and the conversion of their documents into index entries.
//!
//! The worker that keeps the indexes calls these rules (`engine::Searchable`); they know no index and no
//! query.
//!
//! Source: Document B, "Searchable … fields"; reference types `SearchFieldType`, `ProductSearchRequest`.

mod attribute;
mod business_unit;
mod custom;
mod customer;
mod digest;
mod flat;
mod languages;
mod node;
mod order;
mod product;

use kontor_engine::Searchable;
use std::sync::Arc;

/// Returns the searches of all searchable resource types.
pub fn searchables() -> Vec<Arc<dyn Searchable>> {
    vec![
        Arc::new(customer::CUSTOMERS),
        Arc::new(business_unit::BUSINESS_UNITS),
        Arc::new(order::OrderSearch),
        Arc::new(product::ProductSearch::USUAL),
        Arc::new(product::ProductSearch::MODULAR),
        Arc::new(product::ProjectionSearch::CURRENT),
        Arc::new(product::ProjectionSearch::STAGED),
    ]
}
