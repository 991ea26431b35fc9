//! Headers that replace settings of the Project for one request (`overrides` in the model).

use crate::headers::single_value;
use axum::http::{HeaderMap, HeaderName};
use kontor_engine::ProjectOverrides;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::SettingOverride;

/// Returns the settings that the headers of a request replace: those of a kind, or for GraphQL of all kinds.
///
/// # Errors
/// 400 `InvalidInput` for a value that the setting does not have, and for a header that occurs twice.
pub(crate) fn read_overrides(known: &[SettingOverride], headers: &HeaderMap) -> ApiResult<ProjectOverrides> {
    let mut fields = Vec::new();
    for SettingOverride { header, setting, values } in known {
        if !headers.contains_key(header) {
            continue;
        }
        let name = HeaderName::from_bytes(header.as_bytes());
        let name = name.map_err(|_| ApiError::bug(format!("'{header}' is no name of a header")))?;
        let value = single_value(headers, name).filter(|value| values.iter().any(|known| known == value));
        let value = value.ok_or_else(|| {
            ApiError::invalid_input(format!("The header {header} must have one of {}.", values.join(", ")))
        })?;
        fields.push((setting.clone(), value.to_owned()));
    }
    Ok(ProjectOverrides::from_fields(fields))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_header_replaces_a_setting_by_a_known_value() {
        let known = SettingOverride {
            header: "x-model".to_owned(),
            setting: "model".to_owned(),
            values: vec!["Old".to_owned(), "New".to_owned()],
        };
        let read = |headers: &HeaderMap| read_overrides(std::slice::from_ref(&known), headers);
        let mut headers = HeaderMap::new();
        assert_eq!(read(&headers).unwrap(), ProjectOverrides::default());
        headers.append("x-model", HeaderValue::from_static("New"));
        let new = vec![("model".to_owned(), "New".to_owned())];
        assert_eq!(read(&headers).unwrap(), ProjectOverrides::from_fields(new));
        headers.append("x-model", HeaderValue::from_static("Old"));
        assert!(read(&headers).is_err(), "a header that occurs twice");
        headers.insert("x-model", HeaderValue::from_static("new"));
        assert!(read(&headers).is_err(), "an unknown value");
    }
}
