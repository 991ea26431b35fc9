//! Arguments of directives that one file of the model alone uses: a directive serves three kinds, or is a Rust function.

use super::finding::Finding;
use apollo_compiler::ast::{self, Definition, DirectiveList};
use std::collections::BTreeMap;
use std::path::Path;

/// A file of the model: its path below the root, and its text.
pub(super) type ModelFile = (String, String);

/// All files of the model.
pub(super) fn read_all(root: &Path, folder: &str) -> Result<Vec<ModelFile>, String> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(root.join(&folder)).map_err(|error| format!("{folder}: {error}"))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{folder}: {error}"))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let below = format!("{folder}/{name}");
            if path.is_dir() {
                open.push(below);
            } else if name.ends_with(".graphql") {
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{below}: {error}"))?;
                files.push((below, text));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// One finding for each argument that one file has.
pub(super) fn findings(files: &[ModelFile]) -> Vec<Finding> {
    let mut uses: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for (path, text) in files {
        // What cannot be read is told by the reader of the model, with its place.
        let document = ast::Document::parse(text, path).unwrap_or_else(|mistakes| mistakes.partial);
        for list in document.definitions.iter().flat_map(directives) {
            for directive in &list.0 {
                for argument in &directive.arguments {
                    let line =
                        argument.line_column_range(&document.sources).map_or(1, |range| range.start.line);
                    let files = uses.entry(format!("@{}({}:)", directive.name, argument.name)).or_default();
                    files.entry(path).or_insert(line);
                }
            }
        }
    }
    let alone = uses.into_iter().filter(|(_, files)| files.len() == 1);
    alone
        .flat_map(|(entry, files)| {
            files.into_iter().map(move |(path, line)| Finding {
                path: path.to_owned(),
                line,
                entry: entry.clone(),
                problem: format!(
                    "no other file uses {entry}; let the engine derive what it says, or say it in crates/commerce"
                ),
            })
        })
        .collect()
}

/// The directives of a definition and of all that stands in it.
fn directives(definition: &Definition) -> Vec<&DirectiveList> {
    let mut all = vec![definition.directives()];
    match definition {
        Definition::ObjectTypeDefinition(object) => fields(&object.fields, &mut all),
        Definition::ObjectTypeExtension(object) => fields(&object.fields, &mut all),
        Definition::InterfaceTypeDefinition(interface) => fields(&interface.fields, &mut all),
        Definition::InputObjectTypeDefinition(input) => {
            all.extend(input.fields.iter().map(|field| &field.directives));
        }
        Definition::InputObjectTypeExtension(input) => {
            all.extend(input.fields.iter().map(|field| &field.directives));
        }
        Definition::EnumTypeDefinition(values) => {
            all.extend(values.values.iter().map(|value| &value.directives));
        }
        _ => {}
    }
    all
}

fn fields<'a>(fields: &'a [apollo_compiler::Node<ast::FieldDefinition>], all: &mut Vec<&'a DirectiveList>) {
    for field in fields {
        all.push(&field.directives);
        all.extend(field.arguments.iter().map(|argument| &argument.directives));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_of_one_file_is_found_where_it_first_stands() {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let found = findings(&[
            file(
                "model/zone.graphql",
                "type Zone @resource(path: \"zones\", few: true) {\n  key: Key @index\n}",
            ),
            file(
                "model/state.graphql",
                "type State @resource(path: \"states\") {\n  key: Key @index(late: true)\n}",
            ),
            file(
                "model/type.graphql",
                "input Type {\n  key: Key @below(\n late: true) name(a: Int @below(late: true)): B\n}",
            ),
            file("model/b.graphql", "type B { name(a: Int @below(late: true)): Key }"),
        ]);
        let places: Vec<String> = found
            .iter()
            .map(|finding| format!("{} {}:{}", finding.entry, finding.path, finding.line))
            .collect();
        assert_eq!(places, ["@index(late:) model/state.graphql:2", "@resource(few:) model/zone.graphql:1"]);
    }
}
