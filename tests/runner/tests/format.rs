//! Parses every conversation file, and checks that each refusal says what was refused. Needs no server.

use kontor_tests::{Conversation, conversation_files, file_name};
use std::{fs, path::Path};

#[test]
fn every_file_is_a_conversation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api");
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in fs::read_dir(root).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            count += 1;
            let text = fs::read_to_string(file.path()).unwrap();
            match Conversation::read(&text) {
                Err(error) => wrong.push(format!("{}: {error}", file.path().display())),
                Ok(conversation) if conversation.steps.is_empty() => {
                    wrong.push(format!("{}: nothing is said", file.path().display()));
                }
                Ok(_) if !text.starts_with("# ") => {
                    wrong.push(format!("{}: begins without saying what it is about", file.path().display()));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(count > 0, "there are conversations");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refusals_say_what_was_refused() {
    let mut bare = Vec::new();
    for file in conversation_files() {
        let conversation = Conversation::read(&fs::read_to_string(&file).unwrap()).unwrap();
        bare.extend(conversation.bare_refusals().iter().map(|line| format!("{}:{line}", file_name(&file))));
    }
    let bare = bare.join("\n");
    assert!(
        bare.is_empty(),
        "UPDATE=1 adds what these expected errors lack (see tests/api/README.md):\n{bare}"
    );
}
