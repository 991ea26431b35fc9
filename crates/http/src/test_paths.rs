//! The paths of the test controls.

/// The path of the test controls, without a slash at the end.
const TEST_CONTROLS: &str = "/_test";

/// Returns whether a path is one of the test controls.
pub(crate) fn is_test_path(path: &str) -> bool {
    path.strip_prefix(TEST_CONTROLS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
