//! Checks that the conversations of Order Edits preview each staged action.

use kontor_model::Model;
use std::path::Path;

#[test]
fn every_staged_action_is_in_a_conversation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/api/order-edits");
    let mut played = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        // The response of a preview follows its request.
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[1].contains("PreviewSuccess")) {
            played.push_str(pair[0]);
        }
    }
    let model = Model::embedded().unwrap();
    let set = model.staged_by_name("StagedOrder").unwrap();
    let is_played = |name: &str| played.contains(&format!("\"action\": \"{name}\""));
    let missing: Vec<_> =
        set.actions.iter().map(|action| action.name.as_str()).filter(|name| !is_played(name)).collect();
    assert!(missing.is_empty(), "no conversation stages {missing:?}");
    assert_eq!(set.actions.len(), 94);
}
