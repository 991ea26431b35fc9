//! Transaction of Checkout: its Payment Integrations belong to one Application. Kontor does not execute it, so it
//! stays `Initial` (reference types `TransactionDraft`, `TransactionStatus`).

use kontor_engine::document::{list, must_text, text};
use kontor_engine::{Behaviour, Document, Effects, Rules};
use kontor_enums::CheckoutTransactionState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

pub(crate) struct CheckoutTransaction;

impl Behaviour for CheckoutTransaction {
    fn resource(&self) -> &'static str {
        "CheckoutTransaction"
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let items = list(after, &["transactionItems"]);
        if items.is_empty() {
            return Err(ApiError::required_field("transactionItems"));
        }
        let application = must_text(after, &["application", "id"])?;
        for (index, item) in items.iter().enumerate() {
            let Some(id) = item["paymentIntegration"]["id"].as_str() else { continue };
            let integration = rules.peek_type("payment-integration", id)?;
            let of = integration.as_ref().and_then(|integration| text(integration, &["application", "id"]));
            if of.is_some_and(|of| of != application) {
                return Err(ApiError::invalid_input(format!(
                    "transactionItems[{index}]: the Payment Integration with ID '{id}' is one of another Application."
                )));
            }
        }
        after.insert("transactionStatus", json!({"state": CheckoutTransactionState::Initial}));
        Ok(())
    }
}
