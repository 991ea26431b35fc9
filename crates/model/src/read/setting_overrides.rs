//! Parses the headers by which a request replaces settings of the Project.

use super::ModelReader;
use super::directives::DirectiveUse;
use crate::Model;
use crate::kind::SettingOverride;
use crate::shape::Shape;

/// Returns the headers of a kind; [`derive`] adds their values.
pub(super) fn read(directive: DirectiveUse<'_>, reader: &mut ModelReader) -> Vec<SettingOverride> {
    let mut found = Vec::new();
    for text in directive.texts("overrides", reader) {
        match text.split_once(": ") {
            Some((header, setting)) => found.push(SettingOverride {
                header: header.to_owned(),
                setting: setting.to_owned(),
                values: Vec::new(),
            }),
            None => reader.problem(
                directive.location(),
                format!("overrides: expected 'header: setting', found '{text}'"),
            ),
        }
    }
    found
}

/// Adds the values of the settings, which are enums of the Project, and collects the headers of all kinds.
pub(super) fn derive(model: &mut Model, reader: &mut ModelReader) {
    let project = model.kind_by_path("").map(|project| model.kind(project).object);
    for position in 0..model.kinds.len() {
        let mut overrides = std::mem::take(&mut model.kinds[position].overrides);
        for one in &mut overrides {
            let field = project.and_then(|project| model.object(project).field(&one.setting));
            match field.map(|field| &field.shape) {
                Some(Shape::Enum(id)) => {
                    let values = &model.enumeration(*id).values;
                    one.values = values.iter().map(|value| value.value.clone()).collect();
                }
                _ => reader.problem(None, format!("overrides: the Project has no enum '{}'", one.setting)),
            }
            if !model.setting_overrides.contains(one) {
                model.setting_overrides.push(one.clone());
            }
        }
        model.kinds[position].overrides = overrides;
    }
}
