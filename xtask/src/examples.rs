//! Finds the packages whose documentation has examples that are compiled and run. `cargo test --doc` reads a whole package
//! before it notices that there is no example, so only these packages are tested.

use crate::run::root;
use crate::tidy::rust_files;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;

/// The packages below `crates/`.
pub(crate) fn packages() -> Result<BTreeSet<String>, String> {
    let crates = root().join("crates");
    let mut packages = BTreeSet::new();
    for path in rust_files(&crates)? {
        let mut parts = path.strip_prefix(&crates).unwrap_or(&path).iter().filter_map(OsStr::to_str);
        let (Some(folder), Some("src")) = (parts.next(), parts.next()) else { continue };
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if is_with_example(&text) {
            packages.insert(format!("kontor-{folder}"));
        }
    }
    Ok(packages)
}

/// Whether a code block in documentation is Rust, which is the default of a block without a language.
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
