//! `cargo xtask codegen [--check]`: writes the files that are derived from the model, or says which are stale.
//!
//! They are committed so that a change of the model shows in reviews as a change of the API.

use crate::run::root;
use kontor_model::Model;

/// A derived file.
struct Generated {
    /// Below the root.
    path: &'static str,
    text: fn(&Model) -> Result<String, String>,
}

const GENERATED: &[Generated] = &[
    Generated { path: "docs/api/openapi.json", text: openapi },
    Generated { path: "docs/api/schema.graphql", text: graphql },
];

/// Writes what is stale. With `--check` it writes nothing and fails instead.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let only_checks = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("expected no argument or --check".to_owned()),
    };
    let model = Model::embedded().map_err(|problems| problems.to_string())?;
    for generated in GENERATED {
        let path = root().join(generated.path);
        let text = (generated.text)(&model)?;
        // A file that cannot be read is as stale as one that is not there.
        if std::fs::read_to_string(&path).is_ok_and(|committed| committed == text) {
            continue;
        }
        if only_checks {
            return Err(format!("{} is stale; `cargo xtask codegen` writes it anew", generated.path));
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", generated.path))?;
        eprintln!("wrote {}", generated.path);
    }
    Ok(())
}

fn openapi(model: &Model) -> Result<String, String> {
    // The alternate form of a JSON value is the readable one.
    Ok(format!("{:#}\n", kontor_openapi::document(model, "", env!("CARGO_PKG_VERSION"))))
}

fn graphql(model: &Model) -> Result<String, String> {
    Ok(kontor_graphql::Schema::of(model)?.sdl().to_owned())
}
