//! Fuzzes the model reader: any model file is accepted or reported with problems, without a panic.
#![no_main]

use kontor_model::{Model, ModelFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problems) = Model::read(&[ModelFile { name: "fuzz.graphql".into(), text }]) {
        assert!(!problems.0.is_empty());
    }
});
