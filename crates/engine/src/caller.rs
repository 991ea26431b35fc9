//! The caller of a request: the author of its changes, and the documents that it may access.

use crate::access_scope::AccessScope;
use crate::document::{Document, reference};
use crate::reference_scope::ReferenceScope;
use crate::sender::Sender;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Name, Value, json};
use kontor_model::{IgnoredFields, Model, Validator};
use std::sync::Arc;

/// The `typeId` of references to operators, who are no documents.
const USER: &str = "user";
/// The source of changes by the Import API.
pub const IMPORT: &str = "Import";

/// The caller of a request, as recorded in `createdBy` and `lastModifiedBy` (reference type `ClientLogging`).
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The API client whose token was used.
    pub client_id: Option<String>,
    /// The operator whose token was used, i.e. a user of the console.
    pub user_id: Option<String>,
    /// The client's own user, from the header `X-External-User-ID`.
    pub external_user_id: Option<String>,
    /// The customer whose token was used.
    pub customer_id: Option<String>,
    /// The anonymous session whose token was used.
    pub anonymous_id: Option<String>,
    /// The program that makes the change on behalf of the client, e.g. `Import` (reference type `AttributionSource`).
    pub attributed_to: Option<&'static str>,
    /// Details of the request, e.g. for Change History.
    pub sender: Sender,
    /// The documents that the request is limited to.
    pub bounds: AccessScope,
    /// The documents that references of the request lead to; `None`: all.
    pub references: Option<Arc<ReferenceScope>>,
    /// Collects unknown fields of the body, to report them; `None`: they are refused.
    pub ignored: Option<Arc<IgnoredFields>>,
}

impl Caller {
    /// Returns the validator for the bodies of this caller.
    pub(crate) fn validator<'a>(&'a self, model: &'a Model) -> Validator<'a> {
        Validator::new(model).with_ignored_fields(self.ignored.as_deref())
    }

    /// Ignores and collects unknown top-level fields of a body, or refuses them; `expected` says in the error
    /// which fields are known.
    pub(crate) fn ignore_or_refuse<'n>(
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

    /// Returns whether an import makes the change.
    pub fn is_import(&self) -> bool {
        self.attributed_to == Some(IMPORT)
    }

    /// Returns the value of `createdBy` or `lastModifiedBy`; `None` if the caller is unknown.
    pub fn to_json(&self) -> Option<Value> {
        let mut value = Document::new();
        if let Some(id) = &self.client_id {
            value.insert("clientId", json!(id));
        }
        if let Some(id) = &self.user_id {
            value.insert("isPlatformClient", json!(true));
            value.insert("user", reference(USER, id));
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
        if let Some(source) = self.attributed_to {
            let mut attribution = Document::new();
            if let Some(id) = &self.client_id {
                attribution.insert("clientId", json!(id));
            }
            attribution.insert("source", json!(source));
            value.insert("attributedTo", Value::Object(attribution));
        }
        (!value.is_empty()).then_some(Value::Object(value))
    }
}
