//! Any model file is accepted, or reported with problems.
#![no_main]

use kontor_model::{Model, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problems) = Model::read(&[Source { name: "fuzz.graphql".into(), text }]) {
        assert!(!problems.0.is_empty());
    }
});
