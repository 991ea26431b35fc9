//! `kontor operator`: creates, lists and removes operators of the console, changes their roles, and prints links.

use crate::arguments::{NewOperatorArguments, OperatorCommand};
use crate::list_output;
use crate::operator::{self, OperatorConnection};
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_auth::ALL_PROJECTS;
use kontor_json::{Value, json};
use std::io::Write;

/// The columns of `kontor operator list`.
const COLUMNS: [&str; 5] = ["email", "createdAt", "name", "hasPassword", "roles"];
/// The columns of `kontor operator roles`.
const ROLE_COLUMNS: [&str; 3] = ["name", "builtIn", "scopes"];

/// Runs the command.
pub(crate) fn run(command: OperatorCommand) -> anyhow::Result<()> {
    operator::run_command(async move {
        let mut out = std::io::stdout();
        match command {
            OperatorCommand::Create(new) => {
                let operator = OperatorConnection::connect(&new.data, false).await?;
                let path = "/_operator/operators";
                let created = operator.send(Method::POST, path, Some(&draft(&new))).await?.accepted()?;
                writeln!(out, "operator '{}' created", text(&created["operator"], "email"))?;
                print_link(&mut out, &created)?;
            }
            OperatorCommand::List { data, shown } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                let listed = operator.send(Method::GET, "/_operator/operators", None).await?.accepted()?;
                let mut results = listed["results"].clone();
                if !shown.json {
                    results.as_array_mut().into_iter().flatten().for_each(shorten_roles);
                }
                list_output::print_list(&mut out, &results, &COLUMNS, &shown)?;
            }
            OperatorCommand::Roles { email: None, data, shown, .. } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                let listed = operator.send(Method::GET, "/_operator/roles", None).await?.accepted()?;
                let mut results = listed["results"].clone();
                if !shown.json {
                    results.as_array_mut().into_iter().flatten().for_each(join_scopes);
                }
                list_output::print_list(&mut out, &results, &ROLE_COLUMNS, &shown)?;
            }
            OperatorCommand::Roles { email: Some(email), roles, data, .. } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                let body = json!({"roles": assignments(&roles)});
                let path = format!("{}/roles", path_of(&email));
                operator.send(Method::POST, &path, Some(&body)).await?.accepted()?;
                writeln!(out, "roles of operator '{email}': {}", roles.join(", "))?;
            }
            OperatorCommand::Remove { email, data } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                operator.send(Method::DELETE, &path_of(&email), None).await?.accepted()?;
                writeln!(out, "operator '{email}' removed")?;
            }
            OperatorCommand::Link { email, data } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                let path = format!("{}/link", path_of(&email));
                print_link(&mut out, &operator.send(Method::POST, &path, None).await?.accepted()?)?;
            }
            OperatorCommand::ResetPassword { email, data } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                let path = format!("{}/password", path_of(&email));
                print_link(&mut out, &operator.send(Method::DELETE, &path, None).await?.accepted()?)?;
            }
        }
        Ok(())
    })
}

fn path_of(email: &str) -> String {
    format!("/_operator/operators/{}", percent_encoded(email))
}

fn draft(new: &NewOperatorArguments) -> Value {
    json!({
        "email": new.email,
        "name": new.name,
        "roles": assignments(&new.role),
        "password": new.password,
    })
}

/// Parses `support` and `shop:support`.
fn assignments(roles: &[String]) -> Vec<Value> {
    let parse = |text: &String| {
        let (project, role) = text.split_once(':').unwrap_or((ALL_PROJECTS, text));
        json!({"project": project, "role": role})
    };
    roles.iter().map(parse).collect()
}

fn print_link(out: &mut impl Write, response: &Value) -> anyhow::Result<()> {
    let link = text(response, "link");
    // Without a server, its address is unknown.
    let hint = if link.starts_with('/') { " at the address of the server" } else { "" };
    writeln!(out, "open within an hour{hint}, once: {link}")?;
    Ok(())
}

/// Shows roles as they are given on the command line.
fn shorten_roles(operator: &mut Value) {
    let roles = operator["roles"].as_array().into_iter().flatten();
    let shown = roles.map(|assigned| match text(assigned, "project") {
        ALL_PROJECTS => text(assigned, "role").to_owned(),
        project => format!("{project}:{}", text(assigned, "role")),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    operator["roles"] = json!(shown);
}

fn join_scopes(role: &mut Value) {
    let scopes = role["scopes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let scopes = scopes.collect::<Vec<_>>().join(" ");
    role["scopes"] = json!(scopes);
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_for_one_project_or_for_all() {
        let given = ["support".to_owned(), "shop:read-only".to_owned()];
        let expected =
            [json!({"project": "*", "role": "support"}), json!({"project": "shop", "role": "read-only"})];
        assert_eq!(assignments(&given), expected);
    }
}
