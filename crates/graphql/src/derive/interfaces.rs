//! Derives interfaces for references to several kinds and for common fields of types (the table `INTERFACES`).

use super::SchemaDerivation;
use super::field::field_of;
use crate::exceptions::{INTERFACES, Interface};
use crate::names::named_type;
use crate::schema_types::{FieldArgument, OutputField, OutputType, TypeBody, TypeResolution};
use apollo_compiler::collections::IndexMap;

impl SchemaDerivation<'_> {
    /// Makes types implement their interfaces. Must run last, when all types exist.
    pub(super) fn join_interfaces(&mut self) {
        for (member, interface) in std::mem::take(&mut self.pending_interfaces) {
            self.implement(&member, &interface);
        }
        for interface in INTERFACES {
            self.interface_of(interface);
        }
    }

    fn interface_of(&mut self, interface: &Interface) {
        let is_known = |(_, ty): &(_, &'static str)| self.types.contains_key(named_type(ty));
        if !interface.wider.iter().all(is_known) {
            return;
        }
        let mut shared: Option<IndexMap<String, OutputField>> = None;
        for of in interface.of {
            let Some(fields) = self.shared_interface_fields(of, interface) else { continue };
            shared.get_or_insert(fields);
            self.implement(of, interface.name);
        }
        let Some(fields) = shared else { return };
        self.reserve(interface.name, interface.doc);
        let output = OutputType { interface: Some(TypeResolution::Kind), fields, ..OutputType::default() };
        self.set(interface.name, TypeBody::Output(output));
    }

    /// Returns a type's version of the fields of an interface; `None` if the type lacks one.
    fn shared_interface_fields(
        &self,
        of: &str,
        interface: &Interface,
    ) -> Option<IndexMap<String, OutputField>> {
        let TypeBody::Output(output) = &self.types.get(of)?.body else { return None };
        let copy =
            |one: &FieldArgument| FieldArgument { name: one.name.clone(), ty: one.ty.clone(), doc: one.doc };
        let field = |name: &&'static str| {
            let field = output.fields.get(*name)?;
            let wider = interface.wider.iter().find(|(of, _)| of == name).map(|(_, ty)| (*ty).to_owned());
            let arguments = field.arguments.iter().map(copy).collect();
            let ty = wider.unwrap_or_else(|| field.ty.clone());
            Some(((*name).to_owned(), OutputField { arguments, ..field_of(ty, field.source.clone()) }))
        };
        interface.fields.iter().map(field).collect()
    }

    fn implement(&mut self, member: &str, interface: &str) {
        if let Some(TypeBody::Output(output)) = self.types.get_mut(member).map(|entry| &mut entry.body)
            && !output.implements.iter().any(|known| known == interface)
        {
            output.implements.push(interface.to_owned());
        }
    }
}
