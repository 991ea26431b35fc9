//! Input variables: `where=key in :keys&var.keys=a&var.keys=b`.
//!
//! A value has no quotes; the compared field determines how it is parsed. A variable may be repeated where a
//! list of values is expected.
//!
//! Source: reference trait `query` (`var.<varName>`, String, repeatable).

use std::collections::BTreeMap;

/// The input variables of a request, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputVariables(BTreeMap<String, Vec<String>>);

/// The prefix of query parameters that set a variable.
const PREFIX: &str = "var.";

impl InputVariables {
    /// Returns no variables.
    pub fn none() -> Self {
        Self::default()
    }

    /// Collects the variables from all query parameters of a request; ignores the others.
    pub fn from_parameters<'a>(parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut variables = Self::default();
        for (name, value) in parameters {
            if let Some(name) = name.strip_prefix(PREFIX) {
                variables.0.entry(name.to_owned()).or_default().push(value.to_owned());
            }
        }
        variables
    }

    /// Returns the values of the variable `name`, in the order of the request; `None` if there are none.
    pub fn values(&self, name: &str) -> Option<&[String]> {
        self.0.get(name).map(Vec::as_slice)
    }
}
