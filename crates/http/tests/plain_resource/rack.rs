//! A resource for tests: a rack begins with one level, and can be raised.

use kontor_engine::document::must_integer;
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, Rules};
use kontor_errors::ApiResult;
use kontor_json::json;

pub(crate) struct Rack;

impl Behaviour for Rack {
    fn resource(&self) -> &'static str {
        "Rack"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("raise", raise)]
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        after.insert("levels", json!(1));
        Ok(())
    }
}

/// The action `raise`: adds one level.
fn raise(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    let levels = must_integer(context.document, &["levels"])?;
    context.document.insert("levels", json!(levels + 1));
    Ok(())
}
