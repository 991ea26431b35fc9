//! Errors of the Checkout API, where they differ from those of the API.
//!
//! Source: reference (Checkout), types `ConcurrentModificationError`,
//! `DuplicateFieldWithConflictingResourceError`, `MaxResourceLimitExceededError`, `RequiredFieldError`,
//! `ResourceNotFoundError`.

use crate::{ApiError, Code, ErrorObject};
use kontor_json::json;

/// An additional field of an error: the JSON path without a value.
pub(crate) const MISSING: &str = "missing";
/// The field of the API that the Checkout API names `resourceTypeId`.
pub(crate) const EXCEEDED_RESOURCE: &str = "exceededResource";

impl ApiError {
    /// Converts the error to the form of the Checkout API. `asked_for` is the id or the key in the path, if there is
    /// one.
    #[must_use]
    pub fn into_checkout(mut self, asked_for: Option<&str>) -> Self {
        for object in &mut self.errors {
            object.convert_to_checkout(asked_for);
        }
        self
    }
}

impl ErrorObject {
    fn convert_to_checkout(&mut self, asked_for: Option<&str>) {
        match self.code {
            Code::DuplicateField => self.code = Code::DuplicateFieldWithConflictingResource,
            Code::InvalidJsonInput => {
                if let Some(field) =
                    self.facts.get(MISSING).and_then(|field| field.as_str()).map(str::to_owned)
                {
                    *self = Self::required_field(&field);
                }
            }
            Code::ConcurrentModification | Code::MaxResourceLimitExceeded => {
                let beside = std::mem::take(&mut self.facts);
                self.fields.extend(beside);
                if let Some(type_id) = self.fields.shift_remove(EXCEEDED_RESOURCE) {
                    self.fields.insert("resourceTypeId", type_id);
                }
            }
            Code::ResourceNotFound => {
                if let Some(asked_for) = asked_for {
                    self.fields.insert("resourceIdentifier", json!(asked_for));
                    self.fields.insert("resourceId", json!(asked_for));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_checkout_fields_to_some_errors() {
        let said = |error: ApiError| error.into_checkout(Some("a-1")).body()["errors"][0].clone();
        let error = said(ApiError::concurrent_modification("a-1", 3, 5));
        assert_eq!(
            (&error["resourceId"], &error["expectedVersion"], &error["currentVersion"]),
            (&json!("a-1"), &json!(3), &json!(5))
        );
        let error = said(ApiError::resource_not_found("with ID 'a-1'"));
        assert_eq!((&error["resourceIdentifier"], &error["resourceId"]), (&json!("a-1"), &json!("a-1")));
        let error = said(ApiError::missing_value("name"));
        assert_eq!((&error["code"], &error["field"]), (&json!("RequiredField"), &json!("name")));
        let error = said(ApiError::duplicate_field("key", json!("k")));
        assert_eq!(error["code"], "DuplicateFieldWithConflictingResource");
        let error = said(ApiError::resource_limit_exceeded(5, "application"));
        assert_eq!((&error["limit"], &error["resourceTypeId"]), (&json!(5), &json!("application")));
        assert!(error.get("exceededResource").is_none());
    }

    #[test]
    fn leaves_additional_facts_out_of_api_errors() {
        let body = ApiError::missing_value("name").body();
        assert_eq!(
            (&body["errors"][0]["code"], body["errors"][0].get(MISSING)),
            (&json!("InvalidJsonInput"), None)
        );
    }
}
