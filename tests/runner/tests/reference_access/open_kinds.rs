//! Kinds that the model marks as open (`@resource(open: true)`): every caller may name their resources.

use kontor_tests::package_folder;

/// The `typeId`s of the open kinds, and those of all others.
pub(crate) fn open_and_closed() -> (Vec<String>, Vec<String>) {
    let mut kinds = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(package_folder().join("../../model")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "graphql") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for declared in text.split("@resource(").skip(1) {
            let arguments = declared.split(')').next().unwrap_or_default();
            let type_id = arguments.split("typeId: \"").nth(1).and_then(|rest| rest.split('"').next());
            let Some(type_id) = type_id else { continue };
            let list = if arguments.contains("open: true") { &mut kinds.0 } else { &mut kinds.1 };
            list.push(type_id.to_owned());
        }
    }
    kinds.0.sort();
    kinds.1.sort();
    kinds
}
