//! Describes the paths of the table of operations, each with its methods.

use crate::operation::{Described, object};
use crate::parameters::of_path;
use crate::schemas::Schemas;
use crate::{
    beside, documents, endpoints, graphql, history, imports, lists, parameter_searches, platform, searches,
    services,
};
use kontor_json::{Map, json};
use kontor_model::{Doing, ServedOperation};

/// Adds the paths of all operations.
pub(crate) fn add(schemas: &mut Schemas<'_>, paths: &mut Map) {
    let model = schemas.model;
    for operation in model.operations() {
        let described = match operation.doing {
            Doing::Fixed(fixed) => {
                match graphql::described(fixed).or_else(|| platform::described(operation, fixed)) {
                    Some(described) => described,
                    // Only for test servers.
                    None => continue,
                }
            }
            Doing::Service(does) => match services::described(schemas, does) {
                Some(described) => object(model, operation, described),
                None => continue,
            },
            Doing::Import(does) => match imports::described(schemas, does) {
                Some(described) => object(model, operation, described),
                None => continue,
            },
            Doing::History(does) => match history::described(schemas, does) {
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

fn of_kind(schemas: &mut Schemas<'_>, operation: &ServedOperation) -> Option<Described> {
    let id = operation.kind?;
    let kind = schemas.model.kind(id);
    Some(match operation.doing {
        Doing::Documents(does) => documents::described(schemas, operation, id, does),
        Doing::Endpoint(position) => endpoints::described(schemas, operation, kind.endpoints.get(position)?),
        Doing::Upload(action) => {
            let action = kind.actions.get(action)?;
            beside::uploaded(schemas, operation, id, (action, action.upload.as_ref()?))
        }
        Doing::Search => searches::found(schemas, id, kind.search.as_ref()?),
        Doing::SearchExists => searches::exists(),
        Doing::SearchStatus => searches::status(schemas, id),
        Doing::ParameterSearch => parameter_searches::found(schemas, operation, id),
        Doing::Suggest => parameter_searches::suggested(schemas, id),
        Doing::List(position) => lists::described(schemas, kind.lists.get(position)?),
        Doing::View(position) => beside::shown_as(schemas, id, kind.views.get(position)?),
        Doing::Bulk => beside::bulk(kind),
        Doing::Import(_) | Doing::History(_) | Doing::Service(_) | Doing::Fixed(_) => return None,
    })
}
