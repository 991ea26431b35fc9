//! Adds types of the official schema that no field leads to, and interfaces that cannot be derived.

use super::field::field_of;
use super::{SchemaDerivation, argument};
use crate::exceptions::{IMPLEMENTS, REFUSED_INPUTS, UNREACHED, UNREACHED_INPUTS, UnreachedType};
use crate::names::named_type;
use crate::reachable_types::BUILT_IN;
use crate::schema_types::{
    Conversion, FieldValueSource, InputField, OutputField, OutputType, TypeBody, TypeResolution,
};
use apollo_compiler::collections::IndexMap;
use kontor_json::Value;

impl SchemaDerivation<'_> {
    /// Adds the rows of these tables. Must run after all other types exist: rows whose types the model does not have
    /// are skipped.
    pub(super) fn unreached_types(&mut self) {
        for row in UNREACHED.iter() {
            self.unreached_type(row);
        }
        for row in UNREACHED_INPUTS.iter() {
            let fields: Vec<_> =
                row.fields.iter().map(|(field, ty)| (*field, *ty, *field, Conversion::Same)).collect();
            self.add_input(row.name, "No field uses this type.", &fields);
        }
        for row in REFUSED_INPUTS.iter() {
            if let Some(TypeBody::Input(input)) = self.types.get_mut(row.input).map(|entry| &mut entry.body) {
                let field = InputField {
                    doc: "Refused.".to_owned(),
                    ty: row.ty.to_owned(),
                    to: vec![row.sent_as.to_owned()],
                    conversion: Conversion::Same,
                };
                input.fields.insert(row.field.to_owned(), field);
            }
        }
        for (name, interface) in IMPLEMENTS.iter() {
            if self.types.contains_key(*interface) {
                self.pending_interfaces.push(((*name).to_owned(), (*interface).to_owned()));
            }
        }
    }

    fn unreached_type(&mut self, row: &UnreachedType) {
        for (_, _, ty) in row.fields {
            self.output_of_tables(named_type(ty));
        }
        let is_known = |name: &str| BUILT_IN.contains(&name) || self.types.contains_key(name);
        let types = row.fields.iter().map(|(_, _, ty)| named_type(ty));
        if !types.chain(row.implements.iter().copied()).all(is_known) || self.reserve(row.name, row.doc) {
            return;
        }
        let fields = row.fields.iter().map(|(field, arguments, ty)| {
            let arguments = arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            let nothing = field_of((*ty).to_owned(), FieldValueSource::Constant(Value::Null));
            ((*field).to_owned(), OutputField { arguments, ..nothing })
        });
        let output = OutputType {
            interface: row.is_interface.then_some(TypeResolution::Kind),
            implements: row.implements.iter().map(|name| (*name).to_owned()).collect(),
            fields: IndexMap::from_iter(fields),
            ..OutputType::default()
        };
        self.set(row.name, TypeBody::Output(output));
    }
}
