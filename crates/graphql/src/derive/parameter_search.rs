//! Derives the root fields of searches with parameters (`@searchByParameters` in the model) and their types.

use super::roots::{OutputFields, put_root};
use super::{SchemaDerivation, argument};
use crate::exceptions::projection_search::{INPUTS, SEARCH_ARGUMENTS, SUGGEST_ARGUMENTS};
use crate::exceptions::{NamePair, PARAMETER_SEARCHES};
use crate::schema_types::RootOperation;
use kontor_model::OperationKind;

impl SchemaDerivation<'_> {
    /// Adds the searches and suggestions of each kind that has them, and their input types.
    pub(super) fn parameter_searches(&mut self, queries: &mut OutputFields) {
        let mut any = false;
        for offered in self.offered.clone() {
            let kind = offered.kind;
            let entry = self.model.kind(kind);
            let own = PARAMETER_SEARCHES.iter().find(|root| root.kind == entry.name);
            let Some(root) = own.filter(|_| offered.has_operation(OperationKind::ParameterSearch)) else {
                continue;
            };
            let Some(search) = &entry.parameter_search else { continue };
            let doc = entry.doc.clone();
            self.shown_object(entry.object, &entry.name, &doc);
            // Facet results have the names of the model; their container has the GraphQL name.
            if let Some(facets) = search.facets {
                self.output_union(facets);
            }
            let given =
                |arguments: &[NamePair]| arguments.iter().map(|(name, ty)| argument(name, ty, "")).collect();
            for (field, response, arguments, kind) in [
                (
                    root.search,
                    root.response_type,
                    SEARCH_ARGUMENTS,
                    RootOperation::FindByParameters(kind, root),
                ),
                (root.suggest, root.suggested, SUGGEST_ARGUMENTS, RootOperation::Suggest(kind)),
            ] {
                self.extra_output(response);
                put_root(queries, field, format!("{response}!"), kind, given(arguments));
            }
            any = true;
        }
        if any {
            for (name, fields) in INPUTS {
                self.search_input(name, fields);
            }
        }
    }
}
