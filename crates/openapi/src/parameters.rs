//! Describes parameters of paths, queries and headers.

use kontor_json::{Map, Value, json};
use kontor_model::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use kontor_model::{
    Kind, Model, Operation, OperationKind, PathPrefix, PathTarget, ServedOperation, SettingOverride,
};

/// Returns a reference to a parameter of [`components`].
pub(crate) fn by_name(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

/// Returns the parameters that many operations share.
pub(crate) fn components(model: &Model) -> Value {
    let mut components = Map::new();
    for part in [of_paths(), of_headers(), of_overrides(model), of_pages(), of_versions()] {
        if let Value::Object(part) = part {
            components.extend(part);
        }
    }
    Value::Object(components)
}

fn in_query(name: &str, schema: Value, description: &str) -> Value {
    json!({"name": name, "in": "query", "description": description, "schema": schema})
}

fn of_paths() -> Value {
    json!({
        "projectKey": {
            "name": "projectKey", "in": "path", "required": true,
            "description": "The key of the project.", "schema": {"type": "string"},
        },
        "storeKey": {
            "name": "storeKey", "in": "path", "required": true,
            "description": "The key of the Store.", "schema": {"type": "string"},
        },
        "associateId": {
            "name": "associateId", "in": "path", "required": true,
            "description": "The id of the customer who acts as an associate.", "schema": {"type": "string"},
        },
        "businessUnitKey": {
            "name": "businessUnitKey", "in": "path", "required": true,
            "description": "The key of the unit.", "schema": {"type": "string"},
        },
    })
}

fn of_headers() -> Value {
    json!({
        "correlationId": {
            "name": "X-Correlation-ID", "in": "header",
            "description": "The id of the request in logs, returned in the response. Default: a generated id.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 256},
        },
        "abTestId": {
            "name": "x-ab-test-id", "in": "header",
            "description": "Chooses another index of the search, e.g. `modular-catalog`. Unknown values have no effect.",
            "schema": {"type": "string"},
        },
        "externalUserId": {
            "name": "X-External-User-ID", "in": "header",
            "description": "The author of the change, for `createdBy` and `lastModifiedBy`.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 128},
        },
    })
}

fn of_pages() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "where": in_query("where", texts.clone(), "A predicate, for example `key = \"a\"`. Several are joined with `and`."),
        "variables": {
            "name": "variables", "in": "query", "style": "form", "explode": true,
            "description": "Values of the variables in predicates: `var.name=…` gives `:name` its value.",
            "schema": {
                "type": "object",
                "propertyNames": {"pattern": "^var[.][a-zA-Z0-9]+$"},
                "additionalProperties": {"type": "string"},
            },
        },
        "sort": in_query("sort", texts.clone(), "A path and a direction, for example `createdAt desc`. The first counts most."),
        "expand": in_query("expand", texts, "A path to references, for example `parent`. The response contains their targets."),
        "limit": in_query(
            "limit",
            json!({"type": "integer", "minimum": 0, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT}),
            "Maximum number of results of the page.",
        ),
        "offset": in_query(
            "offset",
            json!({"type": "integer", "minimum": 0, "maximum": OFFSET_MAX, "default": 0}),
            "Number of results to skip before the page.",
        ),
        "withTotal": in_query(
            "withTotal",
            json!({"type": "boolean", "default": true}),
            "Whether the total is calculated. Responses are faster without it.",
        ),
        "staged": in_query(
            "staged",
            json!({"type": "boolean", "default": false}),
            "The staged projection instead of the current one.",
        ),
        "optionalTotal": in_query(
            "withTotal",
            json!({"type": "boolean", "default": false}),
            "Whether the total is calculated. Responses are faster without it.",
        ),
    })
}

fn of_versions() -> Value {
    json!({
        "version": {
            "name": "version", "in": "query", "required": true,
            "description": "The version of the resource to delete.",
            "schema": {"type": "integer", "format": "int64"},
        },
        "optionalVersion": in_query(
            "version",
            json!({"type": "integer", "format": "int64"}),
            "The version of the resource to delete. Default: any version.",
        ),
        "dataErasure": in_query(
            "dataErasure",
            json!({"type": "boolean", "default": false}),
            "Deletes all personal data of the resource.",
        ),
    })
}

/// Returns a parameter of a kind's calculated fields. The model does not say which may be repeated.
pub(crate) fn calculated_field(name: &str) -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({"name": name, "in": "query", "schema": texts})
}

/// Returns the parameters that all methods of a path share.
pub(crate) fn of_path(model: &Model, operation: &ServedOperation) -> Vec<Value> {
    let mut all: Vec<Value> = operation.values().map(|name| of_value(model, operation, name)).collect();
    if operation.side != PathPrefix::Server {
        all.push(by_name("correlationId"));
    }
    let overrides = operation.kind.map(|kind| model.kind(kind).overrides.as_slice()).unwrap_or_default();
    all.extend(overrides.iter().map(|one| by_name(&one.header)));
    all
}

fn of_overrides(model: &Model) -> Value {
    let described = model.setting_overrides().iter().map(|SettingOverride { header, setting, values }| {
        let description = format!("Replaces `{setting}` of the Project for this request.");
        let schema = json!({"type": "string", "enum": values});
        (
            header.clone(),
            json!({"name": header, "in": "header", "description": description, "schema": schema}),
        )
    });
    described.collect()
}

fn of_value(model: &Model, operation: &ServedOperation, name: &str) -> Value {
    if ["projectKey", "storeKey", "associateId", "businessUnitKey"].contains(&name) {
        return by_name(name);
    }
    let mut schema = json!({"type": "string"});
    let kind = operation.kind.map(|kind| model.kind(kind));
    let description = match (operation.operation_kind, kind) {
        (OperationKind::Endpoint(_), _) if name != "ID" => "A token that the platform issued.".to_owned(),
        (OperationKind::List(position), Some(kind)) => {
            let parent = kind.lists.get(position).map(|list| &model.kind(list.parent).name);
            format!(
                "`{name}` of the {} that the results belong to.",
                parent.map_or("document", String::as_str)
            )
        }
        (OperationKind::Documents(_) | OperationKind::Endpoint(_), Some(kind))
            if !matches!(operation.target, PathTarget::StoreDocument { .. }) =>
        {
            let field = model.object(kind.object).field(name);
            if let Some(pattern) = field.and_then(|field| field.limits.pattern.as_ref()) {
                schema["pattern"] = json!(pattern.as_str());
            }
            if name == "ID" {
                "`id` of the resource.".to_owned()
            } else {
                format!("`{name}` of the resource.")
            }
        }
        (
            OperationKind::Fixed(_)
            | OperationKind::Import(_)
            | OperationKind::History(_)
            | OperationKind::Service(_),
            _,
        ) => {
            format!("`{name}` of the addressed resource.")
        }
        _ => format!("`{name}` of the addressed resource."),
    };
    json!({"name": name, "in": "path", "required": true, "description": description, "schema": schema})
}

/// Returns the parameters of an operation on documents.
pub(crate) fn of_operation(
    model: &Model,
    kind: &Kind,
    operation: &ServedOperation,
    does: Operation,
) -> Vec<Value> {
    let (target, side) = (operation.target, operation.side);
    let is_stored = kind.external_store.is_none();
    let names: &[&str] = match (does, target) {
        (Operation::Query, _) if !kind.counts_by_default => {
            &["where", "variables", "sort", "expand", "limit", "offset", "optionalTotal"]
        }
        (Operation::Query, _) => &["where", "variables", "sort", "expand", "limit", "offset", "withTotal"],
        (Operation::Head, PathTarget::All) => &["where", "variables"],
        (Operation::Head, _) => &[],
        // A predicate may filter the only document below `/me`.
        (Operation::Get, PathTarget::Only) if side.is_mine() => &["where", "variables", "expand"],
        (Operation::Get, _) if is_stored => &["expand"],
        (Operation::Create | Operation::Update | Operation::Delete, _) if is_stored => {
            &["expand", "externalUserId"]
        }
        _ => &[],
    };
    let has_version = model.object(kind.object).field("version").is_some();
    let deletes = does == Operation::Delete;
    let named = if kind.deletes_any_version { "optionalVersion" } else { "version" };
    let version = (deletes && has_version).then_some(named);
    let erasure = (deletes && kind.erasure && !side.is_mine()).then_some("dataErasure");
    let mut all: Vec<Value> = version.iter().chain(names).chain(&erasure).map(|name| by_name(name)).collect();
    if matches!(does, Operation::Get | Operation::Query | Operation::Head) {
        all.extend(kind.projection.as_ref().map(|_| by_name("staged")));
    }
    if matches!(does, Operation::Get | Operation::Query) {
        // A kind may list a parameter that is among the common ones already.
        let own = kind.parameters.iter().filter(|name| !names.contains(&name.as_str()));
        all.extend(own.map(|name| calculated_field(name)));
    }
    all
}
