//! Paths of resources in the HTTP API, built from the model's table of operations.

use anyhow::anyhow;
use kontor_json::Value;
use kontor_model::{
    Addressing, Kind, Model, OperationKind, PathPrefix, PathSegment, PathTarget, ServedOperation,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that are percent-encoded in a path segment: all but unreserved ones (RFC 3986).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Longer names are ignored: they fit into no path, and no resource has them.
const NAME_BYTES_MAX: usize = 2048;

/// Percent-encodes a text for a path segment or a query value.
pub(crate) fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Builds paths of the resources of a project.
#[derive(Clone, Copy)]
pub(crate) struct ResourcePaths<'m> {
    pub(crate) model: &'m Model,
    pub(crate) project: &'m str,
}

impl ResourcePaths<'_> {
    /// Returns the path of all resources of a resource type. Fails if there is no operation for them.
    pub(crate) fn all(self, kind: &Kind) -> anyhow::Result<String> {
        let path = self.path(kind, PathTarget::All, &[self.project]);
        path.ok_or_else(|| anyhow!("documents of '{}' have no path of their own", kind.type_id))
    }

    /// Returns the path at which a draft is created: that of its resource type or, for resources that exist only in
    /// business units, that of the unit that the draft names by key. Returns `None` if the draft names no unit.
    pub(crate) fn creation_path(self, kind: &Kind, draft: &Value) -> Option<String> {
        match unit_field(kind) {
            None if kind.create_path.is_some() => self.path(kind, PathTarget::New, &[self.project]),
            None => self.path(kind, PathTarget::All, &[self.project]),
            Some(field) => self.in_unit(kind, draft.get(field)?.get("key")?.as_str()?),
        }
    }

    /// Returns the path of the resources of a business unit. The operator is no associate, so the path has `-` for one.
    pub(crate) fn in_unit(self, kind: &Kind, unit: &str) -> Option<String> {
        let unit = Some(unit).filter(|key| key.len() <= NAME_BYTES_MAX)?;
        self.path(kind, PathTarget::All, &[self.project, "-", unit])
    }

    /// Returns the path of the resource that a draft describes, by its key or another user-defined name; `None` if it
    /// has none.
    pub(crate) fn by_name(self, kind: &Kind, draft: &Value) -> Option<String> {
        let text = |field: &str| {
            draft.get(field).and_then(Value::as_str).filter(|text| text.len() <= NAME_BYTES_MAX)
        };
        let (target, names) = match &kind.addressing {
            Addressing::Id { by_key: true } => (PathTarget::Key, vec![text(&kind.key_field)?]),
            Addressing::Id { by_key: false } | Addressing::Singleton => return None,
            Addressing::Fields(fields) => {
                (PathTarget::Fields, fields.iter().map(|field| text(field)).collect::<Option<_>>()?)
            }
        };
        let unit = match unit_field(kind) {
            None => vec![],
            Some(field) => vec!["-", draft.get(field)?.get("key")?.as_str()?],
        };
        let values = [vec![self.project], unit, names].concat();
        self.path(kind, target, &values)
    }

    /// Returns the path of the resource with a key; `None` if the resource type has no keys.
    pub(crate) fn by_key(self, kind: &Kind, key: &str) -> Option<String> {
        self.path(kind, PathTarget::Key, &[self.project, key])
    }

    /// Returns the path of the resource with an id; `None` if the resource type has no such operation.
    pub(crate) fn by_id(self, kind: &Kind, id: &str) -> Option<String> {
        self.path(kind, PathTarget::Id, &[self.project, id])
    }

    /// Returns the path of the first operation with this target, filled with the values in order.
    fn path(self, kind: &Kind, target: PathTarget, values: &[&str]) -> Option<String> {
        let is_meant = |row: &&ServedOperation| {
            row.target == target
                && matches!(row.operation_kind, OperationKind::Documents(_))
                && matches!(row.side, PathPrefix::Project | PathPrefix::InUnit)
                && row.kind.is_some_and(|other| self.model.kind(other).type_id == kind.type_id)
        };
        let row = self.model.operations().iter().find(is_meant)?;
        let mut values = values.iter();
        row.path.iter().try_fold(String::new(), |path, segment| match segment {
            PathSegment::Fixed(text) => Some(format!("{path}/{text}")),
            PathSegment::Value { prefix, .. } => {
                Some(format!("{path}/{prefix}{}", percent_encoded(values.next()?)))
            }
        })
    }
}

/// Returns the field with the business unit, for a resource type that exists only in business units.
pub(crate) fn unit_field(kind: &Kind) -> Option<&str> {
    let own = kind.associates.as_ref().filter(|own| own.only)?;
    own.unit.first().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn drafts_lead_to_the_paths_of_the_table() {
        let model = Model::embedded().unwrap();
        let addresses = ResourcePaths { model: &model, project: "a shop" };
        let kind = |type_id: &str| model.kind(model.kind_by_type_id(type_id).unwrap());
        let named = |type_id: &str, draft: Value| addresses.by_name(kind(type_id), &draft);
        assert_eq!(named("state", json!({"key": "a/b"})).unwrap(), "/a%20shop/states/key=a%2Fb");
        assert_eq!(named("state", json!({})), None);
        let object = json!({"container": "c", "key": "k"});
        assert_eq!(named("key-value-document", object).unwrap(), "/a%20shop/custom-objects/c/k");
        assert_eq!(addresses.by_id(kind("review"), "1").unwrap(), "/a%20shop/reviews/1");
        assert_eq!(addresses.all(kind("review")).unwrap(), "/a%20shop/reviews");
        let rule = json!({"key": "k", "businessUnit": {"key": "unit"}});
        let place = addresses.creation_path(kind("approval-rule"), &rule).unwrap();
        assert_eq!(place, "/a%20shop/as-associate/-/in-business-unit/key=unit/approval-rules");
    }
}
