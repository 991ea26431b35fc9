//! The model files that are built into the binary.

use crate::read::ModelFile;
use include_dir::{Dir, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../model");

/// The subfolders of `model/`.
const FOLDERS: [&str; 7] =
    ["errors", "events", "history", "history/changes", "imports", "services", "values"];

/// All `.graphql` files of `model/` and its folders, in the order of their names.
pub(crate) fn sources() -> Vec<ModelFile<'static>> {
    let mut sources: Vec<_> = FILES
        .files()
        .chain(FOLDERS.into_iter().filter_map(|name| FILES.get_dir(name)).flat_map(Dir::files))
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "graphql"))
        .filter_map(|file| {
            Some(ModelFile { name: file.path().to_str()?.to_owned(), text: file.contents_utf8()? })
        })
        .collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    sources
}
