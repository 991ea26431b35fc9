//! Settings of the Project that one request may replace, by a header.

/// A header that replaces a setting of the Project for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingOverride {
    /// The name of the header, in lower case.
    pub header: String,
    /// The field of the Project.
    pub setting: String,
    /// The allowed values.
    pub values: Vec<String>,
}
