//! Rack: it begins with one level.

use kontor_engine::{Behaviour, Document, Effects, Rules};
use kontor_errors::ApiResult;
use kontor_json::json;

pub(crate) struct Rack;

impl Behaviour for Rack {
    fn resource(&self) -> &'static str {
        "Rack"
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        after.insert("levels".into(), json!(1));
        Ok(())
    }
}
