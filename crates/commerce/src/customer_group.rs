//! Customer Group: its custom fields.

use crate::custom_fields::follow_type;
use kontor_engine::{Behaviour, Derivation};

pub(crate) struct CustomerGroup;

impl Behaviour for CustomerGroup {
    fn resource(&self) -> &'static str {
        "CustomerGroup"
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[follow_type("custom.type.id")];
        ALL
    }
}
