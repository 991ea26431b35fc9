//! The result of processing an operation.

use kontor_engine::Document;
use kontor_enums::ProcessingState;
use kontor_errors::{ApiError, Code};
use kontor_json::{Value, json};

/// A missing target of a reference: its `typeId` and its key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MissingReference {
    pub(crate) type_id: String,
    pub(crate) key: String,
}

/// The result of processing an operation.
#[derive(Debug, Clone)]
pub(crate) enum OperationOutcome {
    /// The resource was imported and has this version.
    Imported(i64),
    /// The operation waits for missing references.
    Unresolved(Vec<MissingReference>),
    /// A Product waits for its first product variant, without which it cannot be created.
    WaitForMasterVariant,
    /// The resource is invalid.
    ValidationFailed(Vec<Value>),
    /// All attempts failed because of a server error.
    Rejected(Vec<Value>),
}

/// Why a resource was not imported.
#[derive(Debug)]
pub(crate) enum ImportFailure {
    /// The API refused the change.
    Refused(ApiError),
    /// An error that only the Import API has.
    Failed(Value),
    /// The operation waits.
    Waits(OperationOutcome),
}

/// The result of importing a resource, usually its version.
pub(crate) type ImportResult<T> = std::result::Result<T, ImportFailure>;

impl From<ApiError> for ImportFailure {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl ImportFailure {
    /// Immutable fields were sent with other values (reference: InvalidFieldsUpdateError).
    pub(crate) fn immutable_fields(fields: &[String]) -> Self {
        let message = "The following fields are currently not supported for changes/updates";
        Self::Failed(json!({"code": "InvalidFieldUpdate", "message": message, "fields": fields}))
    }

    /// The operation waits for one missing reference.
    pub(crate) fn waiting_for(type_id: &str, key: &str) -> Self {
        let missing = MissingReference { type_id: type_id.to_owned(), key: key.to_owned() };
        Self::Waits(OperationOutcome::Unresolved(vec![missing]))
    }

    /// Whether a retry may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::Refused(error)
            if error.status() >= 500
                || matches!(error.code(), Code::ConcurrentModification | Code::ReferencedResourceNotFound))
    }

    /// Returns the state to store after the last attempt.
    pub(crate) fn outcome(self) -> OperationOutcome {
        match self {
            Self::Waits(outcome) => outcome,
            Self::Failed(error) => OperationOutcome::ValidationFailed(vec![error]),
            Self::Refused(error) => {
                let mut errors = match error.body().get_mut("errors") {
                    Some(Value::Array(errors)) => std::mem::take(errors),
                    _ => Vec::new(),
                };
                // Callers did not send the update actions, so errors must not mention them.
                for error in errors.iter_mut().filter_map(Value::as_object_mut) {
                    error.shift_remove("action");
                    error.shift_remove("actionIndex");
                    // The Import API has another code for it.
                    if error.get("code").is_some_and(|code| code == Code::General.name()) {
                        error.insert("code", json!("Generic"));
                    }
                }
                let is_ours = error.status() >= 500 || error.code() == Code::ConcurrentModification;
                if is_ours {
                    OperationOutcome::Rejected(errors)
                } else {
                    OperationOutcome::ValidationFailed(errors)
                }
            }
        }
    }
}

impl OperationOutcome {
    /// Returns the state of the operation (reference type `ProcessingState`).
    pub(crate) fn state(&self) -> ProcessingState {
        match self {
            Self::Imported(_) => ProcessingState::Imported,
            Self::Unresolved(_) => ProcessingState::Unresolved,
            Self::WaitForMasterVariant => ProcessingState::WaitForMasterVariant,
            Self::ValidationFailed(_) => ProcessingState::ValidationFailed,
            Self::Rejected(_) => ProcessingState::Rejected,
        }
    }

    /// Returns the event, and the fields of the operation in it.
    pub(crate) fn event(&self) -> Option<(&'static str, &'static [&'static str])> {
        const FIELDS: &[&str] = &["id", "version", "importContainerKey"];
        match self {
            Self::Imported(_) => None,
            Self::Unresolved(_) => Some(("ImportUnresolved", FIELDS)),
            Self::WaitForMasterVariant => Some(("ImportWaitForMasterVariant", FIELDS)),
            Self::ValidationFailed(_) => Some(("ImportValidationFailed", FIELDS)),
            Self::Rejected(_) => Some(("ImportOperationRejected", &["id"])),
        }
    }

    /// Whether the operation is finished.
    pub(crate) fn is_end(&self) -> bool {
        !matches!(self, Self::Unresolved(_) | Self::WaitForMasterVariant)
    }

    /// Writes the result into the operation.
    pub(crate) fn write_to(&self, operation: &mut Document) {
        let (name, value) = match self {
            Self::Imported(version) => ("resourceVersion", json!(version)),
            Self::Unresolved(missing) => {
                let missing_json = |one: &MissingReference| json!({"key": one.key, "typeId": one.type_id});
                ("unresolvedReferences", missing.iter().map(missing_json).collect())
            }
            Self::WaitForMasterVariant => return,
            Self::ValidationFailed(errors) | Self::Rejected(errors) => ("errors", json!(errors)),
        };
        operation.insert(name, value);
    }
}
