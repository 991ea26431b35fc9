//! Which packages have examples in their documentation that are compiled and run. For each of the others a tool would start, read
//! the whole package, and find nothing.

use crate::run::root;
use std::fs;
use std::path::Path;

/// The packages below `crates/`.
pub(crate) fn packages() -> Result<Vec<String>, String> {
    let mut packages = Vec::new();
    for folder in entries(&root().join("crates"))? {
        if has_examples(&folder.join("src"))? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            packages.push(format!("kontor-{name}"));
        }
    }
    Ok(packages)
}

fn has_examples(path: &Path) -> Result<bool, String> {
    if path.is_dir() {
        for entry in entries(path)? {
            if has_examples(&entry)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(is_with_example(&text))
}

/// Whether a block of code in documentation is Rust, which is what it is where nothing else is said.
fn is_with_example(text: &str) -> bool {
    let mut is_open = false;
    for line in text.lines() {
        let line = line.trim_start();
        let documented = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        let Some(said) = documented.and_then(|line| line.trim().strip_prefix("```")) else { continue };
        is_open = !is_open;
        let first = said.split(',').next().unwrap_or_default().trim();
        if is_open && ["", "rust", "no_run", "should_panic", "compile_fail"].contains(&first) {
            return true;
        }
    }
    false
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let read =
        || -> std::io::Result<Vec<_>> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    let mut entries = read().map_err(|error| format!("{}: {error}", folder.display()))?;
    entries.sort();
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::is_with_example;

    #[test]
    fn an_example_is_what_is_run() {
        assert!(is_with_example("//! ```\n//! assert!(true);\n//! ```"));
        assert!(is_with_example("/// ```text\n/// GET /\n/// ```\n/// ```no_run\n/// run();\n/// ```"));
        assert!(is_with_example("/// ```rust,no_run\n/// run();\n/// ```"));
        assert!(!is_with_example("    //! ```json\n    //! {}\n    //! ```\nlet fence = \"```\";"));
    }
}
