//! Who makes a change.

use crate::bounds::Bounds;
use crate::document::{Document, reference};
use crate::reference_scope::ReferenceScope;
use crate::sender::Sender;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Name, Value, json};
use kontor_model::{Ignored, Model, Validator};
use std::sync::Arc;

/// Who makes a change, as `createdBy` and `lastModifiedBy` tell it (reference type `ClientLogging`).
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The API client whose token was used.
    pub client_id: Option<String>,
    /// What the client says of its own user: the header `X-External-User-ID`.
    pub external_user_id: Option<String>,
    /// The customer whose token was used.
    pub customer_id: Option<String>,
    /// The anonymous session whose token was used.
    pub anonymous_id: Option<String>,
    /// The client asked for an import, which makes the change.
    pub imports: bool,
    /// Who sends the request, for those who want to know more of it.
    pub sender: Sender,
    /// The documents that the request is limited to.
    pub bounds: Bounds,
    /// The documents that references of the request lead to; `None`: all.
    pub references: Option<Arc<ReferenceScope>>,
    /// Where fields of the body are named that no shape has, so that they can be told; `None`: they are refused.
    pub ignored: Option<Arc<Ignored>>,
}

impl Caller {
    /// Who reads what this caller sends.
    pub(crate) fn validator<'a>(&'a self, model: &'a Model) -> Validator<'a> {
        Validator::new(model).ignoring(self.ignored.as_deref())
    }

    /// Passes over fields at the top of a body that nobody knows, or refuses them; `expected` says what is known.
    pub(crate) fn pass_over<'n>(
        &self,
        mut unknown: impl Iterator<Item = &'n Name>,
        expected: &str,
    ) -> ApiResult<()> {
        match (&self.ignored, unknown.next()) {
            (Some(ignored), first) => {
                first.into_iter().chain(unknown).for_each(|name| ignored.add(name.to_string()))
            }
            (None, Some(name)) => {
                return Err(ApiError::invalid_json(format!("{name}: unknown field; {expected}")));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// The value of `createdBy` or `lastModifiedBy`; `None` where nobody is known.
    pub fn to_json(&self) -> Option<Value> {
        let mut value = Document::new();
        if let Some(id) = &self.client_id {
            value.insert("clientId", json!(id));
        }
        if let Some(id) = &self.external_user_id {
            value.insert("externalUserId", json!(id));
        }
        if let Some(id) = &self.customer_id {
            value.insert("customer", reference("customer", id));
        }
        if let Some(id) = self.bounds.associate.as_ref().and_then(|associate| associate.id.as_ref()) {
            value.insert("associate", reference("customer", id));
        }
        if let Some(id) = &self.anonymous_id {
            value.insert("anonymousId", json!(id));
        }
        // Reference types `Attribution`, `AttributionSource`.
        if self.imports {
            let mut attribution = Document::new();
            if let Some(id) = &self.client_id {
                attribution.insert("clientId", json!(id));
            }
            attribution.insert("source", json!("Import"));
            value.insert("attributedTo", Value::Object(attribution));
        }
        (!value.is_empty()).then_some(Value::Object(value))
    }
}
