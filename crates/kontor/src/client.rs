//! `kontor client`: creates, lists and removes API clients, and rotates their secrets.

use crate::arguments::{ClientCommand, NewClientArguments, ProjectArguments};
use crate::list_output::{self, column_text};
use crate::operator::{self, OperatorConnection};
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_json::{Value, json};
use std::io::Write as _;

/// Runs the command.
pub(crate) fn run(command: ClientCommand) -> anyhow::Result<()> {
    operator::run_command(async move {
        let mut out = std::io::stdout();
        match command {
            ClientCommand::Create(new) => {
                let operator = reach(&new.place).await?;
                let path = clients_path(&new.place.project);
                let client =
                    operator.send(Method::POST, &path, Some(&client_draft(&new))).await?.accepted()?;
                writeln!(out, "id:     {}", text(&client, "id"))?;
                writeln!(out, "secret: {}", text(&client, "secret"))?;
                writeln!(out, "scope:  {}", text(&client, "scope"))?;
                for (label, field) in LIFETIMES {
                    if !client[field].is_null() {
                        writeln!(out, "{label}: {}", column_text(&client, field))?;
                    }
                }
            }
            ClientCommand::List { place, shown } => {
                let operator = reach(&place).await?;
                let listed =
                    operator.send(Method::GET, &clients_path(&place.project), None).await?.accepted()?;
                list_output::print_list(&mut out, &listed["results"], &COLUMNS, &shown)?;
            }
            ClientCommand::Rotate { place, id, secret } => {
                let operator = reach(&place).await?;
                let path = format!("{}/{}/secret", clients_path(&place.project), percent_encoded(&id));
                let client =
                    operator.send(Method::POST, &path, Some(&json!({"secret": secret}))).await?.accepted()?;
                writeln!(out, "id:     {}", text(&client, "id"))?;
                writeln!(out, "secret: {}", text(&client, "secret"))?;
            }
            ClientCommand::Remove { place, id } => {
                let operator = reach(&place).await?;
                let path = format!("{}/{}", clients_path(&place.project), percent_encoded(&id));
                operator.send(Method::DELETE, &path, None).await?.accepted()?;
                writeln!(out, "client '{id}' removed")?;
            }
        }
        Ok(())
    })
}

/// The columns of `kontor client list`.
const COLUMNS: [&str; 8] = [
    "id",
    "createdAt",
    "name",
    "lastUsedAt",
    "accessTokenValiditySeconds",
    "refreshTokenValiditySeconds",
    "deleteAt",
    "scope",
];

/// Fields that `kontor client create` prints only when they differ from the defaults: label and name of the field.
const LIFETIMES: [(&str, &str); 3] = [
    ("access tokens live (seconds)", "accessTokenValiditySeconds"),
    ("refresh tokens live (seconds)", "refreshTokenValiditySeconds"),
    ("is deleted at", "deleteAt"),
];

fn client_draft(new: &NewClientArguments) -> Value {
    let mut draft = json!({
        "name": new.name,
        "id": new.id,
        "secret": new.secret,
        "accessTokenValiditySeconds": new.access_token_validity_seconds,
        "refreshTokenValiditySeconds": new.refresh_token_validity_seconds,
        "deleteDaysAfterCreation": new.delete_days_after_creation,
    });
    if !new.scope.is_empty() {
        draft["scope"] = json!(with_project_key(&new.scope, &new.place.project));
    }
    draft
}

/// Connects to the server or data folder of a project. Fails if the project does not exist.
async fn reach(place: &ProjectArguments) -> anyhow::Result<OperatorConnection> {
    let operator = OperatorConnection::connect(&place.data, false).await?;
    operator.check_project(&place.project).await?;
    Ok(operator)
}

fn clients_path(project: &str) -> String {
    format!("/_operator/projects/{}/clients", percent_encoded(project))
}

fn text<'a>(client: &'a Value, name: &str) -> &'a str {
    client[name].as_str().unwrap_or_default()
}

/// Returns the scopes separated by spaces, completed with the project key, e.g. `view_products` → `view_products:shop`.
fn with_project_key(given: &[String], project: &str) -> String {
    let scopes: Vec<String> = given
        .iter()
        .flat_map(|scope| scope.split_whitespace())
        .map(|scope| if scope.contains(':') { scope.to_owned() } else { format!("{scope}:{project}") })
        .collect();
    scopes.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_completed_with_the_project() {
        let given = ["view_products".to_owned(), "manage_orders:shop:berlin view_states".to_owned()];
        assert_eq!(
            with_project_key(&given, "shop"),
            "view_products:shop manage_orders:shop:berlin view_states:shop"
        );
    }
}
