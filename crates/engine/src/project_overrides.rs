//! Settings of the Project that one request replaces (`overrides` in the model), e.g. by the header `x-catalog-model`.

use crate::document::Document;
use kontor_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The replaced settings, by the names of their fields. They are all texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectOverrides(Option<Arc<[(String, String)]>>);

impl ProjectOverrides {
    /// Replaces these fields.
    pub fn from_fields(fields: Vec<(String, String)>) -> Self {
        Self((!fields.is_empty()).then(|| fields.into()))
    }

    /// Returns the settings of the Project as the request sees them.
    pub(crate) fn apply<'p>(&self, project: &'p Document) -> Cow<'p, Document> {
        let Some(fields) = &self.0 else { return Cow::Borrowed(project) };
        let mut replaced = project.clone();
        for (name, value) in fields.iter() {
            replaced.insert(name.as_str(), Value::from(value.as_str()));
        }
        Cow::Owned(replaced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn replaces_fields_of_the_settings() {
        let project = json!({"key": "shop", "model": "old"}).as_object().cloned().unwrap();
        let unchanged = ProjectOverrides::default().apply(&project).into_owned();
        assert_eq!(unchanged, project);
        let overrides = ProjectOverrides::from_fields(vec![("model".to_owned(), "new".to_owned())]);
        assert_eq!(
            Value::Object(overrides.apply(&project).into_owned()),
            json!({"key": "shop", "model": "new"})
        );
    }
}
