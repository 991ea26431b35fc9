//! Describes the paths of the table of operations, each with its methods.

use crate::operation::{OperationDescription, object};
use crate::parameters::of_path;
use crate::schemas::Schemas;
use crate::{
    documents, endpoints, graphql, history, imports, lists, parameter_searches, platform, searches, services,
    special_operations,
};
use kontor_json::{Map, json};
use kontor_model::{OperationKind, ServedOperation};

/// Adds the paths of all operations.
pub(crate) fn add(schemas: &mut Schemas<'_>, paths: &mut Map) {
    let model = schemas.model;
    for operation in model.operations() {
        let described = match operation.operation_kind {
            OperationKind::Fixed(fixed) => {
                match graphql::describe(model, fixed).or_else(|| platform::describe(operation, fixed)) {
                    Some(described) => described,
                    // Only for test servers.
                    None => continue,
                }
            }
            OperationKind::Service(does) => match services::describe(schemas, does) {
                Some(described) => object(model, operation, described),
                None => continue,
            },
            OperationKind::Import(does) => match imports::describe(schemas, does) {
                Some(described) => object(model, operation, described),
                None => continue,
            },
            OperationKind::History(does) => match history::describe(schemas, does) {
                Some(described) => object(model, operation, described),
                None => continue,
            },
            _ => match of_kind(schemas, operation) {
                Some(described) => object(model, operation, described),
                None => continue,
            },
        };
        let item = paths.entry(operation.template()).or_insert_with(|| match of_path(model, operation) {
            parameters if parameters.is_empty() => json!({}),
            parameters => json!({"parameters": parameters}),
        });
        item[operation.method.as_str().to_ascii_lowercase()] = described;
    }
}

fn of_kind(schemas: &mut Schemas<'_>, operation: &ServedOperation) -> Option<OperationDescription> {
    let id = operation.kind?;
    let kind = schemas.model.kind(id);
    Some(match operation.operation_kind {
        OperationKind::Documents(does) => documents::describe(schemas, operation, id, does),
        OperationKind::Endpoint(position) => {
            endpoints::describe(schemas, operation, kind.endpoints.get(position)?)
        }
        OperationKind::Upload(action) => {
            let action = kind.actions.get(action)?;
            special_operations::describe_upload(schemas, operation, id, (action, action.upload.as_ref()?))
        }
        OperationKind::Search => searches::describe_search(schemas, id, kind.search.as_ref()?),
        OperationKind::SearchExists => searches::describe_exists(),
        OperationKind::SearchStatus => searches::describe_status(schemas, id),
        OperationKind::ParameterSearch => parameter_searches::describe_search(schemas, operation, id),
        OperationKind::Suggest => parameter_searches::describe_suggestions(schemas, id),
        OperationKind::List(position) => lists::describe(schemas, kind.lists.get(position)?),
        OperationKind::View(position) => {
            special_operations::describe_view(schemas, id, kind.views.get(position)?)
        }
        OperationKind::Bulk => special_operations::describe_bulk(kind),
        OperationKind::Import(_)
        | OperationKind::History(_)
        | OperationKind::Service(_)
        | OperationKind::Fixed(_) => return None,
    })
}
