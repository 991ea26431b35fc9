//! Fuzzes the validation of drafts: no draft causes a panic, and validating an accepted draft again accepts and changes
//! nothing.
#![no_main]

use kontor_model::{Model, Validator};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::embedded().expect("a test holds that it reads"));

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = kontor_json::from_slice::<kontor_json::Value>(bytes) else { return };
    let validator = Validator::new(&MODEL);
    for (_, kind) in MODEL.kinds() {
        let Some(draft) = kind.draft else { continue };
        let mut once = value.clone();
        if validator.object(draft, &mut once, "").is_ok() {
            let mut twice = once.clone();
            assert!(validator.object(draft, &mut twice, "").is_ok());
            assert_eq!(once, twice, "bringing into form twice is the same as once");
        }
    }
});
