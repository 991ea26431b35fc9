//! `kontor client`.

use crate::arguments::ClientCommand;
use crate::operator::{self, Operator};
use crate::resource::encoded;
use axum::http::Method;
use serde_json::{Value, json};
use std::io::Write as _;

/// Creates, lists and removes API clients.
pub(crate) fn run(command: ClientCommand) -> anyhow::Result<()> {
    operator::run(async move {
        let mut out = std::io::stdout();
        match command {
            ClientCommand::Create { place, name, scope, id, secret } => {
                let operator = Operator::reach(&place.data, false).await?;
                let mut draft = json!({"name": name, "id": id, "secret": secret});
                if !scope.is_empty() {
                    draft["scope"] = json!(scopes_of(&scope, &place.project));
                }
                let path = clients_path(&place.project);
                let client = operator.send(Method::POST, &path, Some(&draft)).await?.accepted()?;
                writeln!(out, "id:     {}", text(&client, "id"))?;
                writeln!(out, "secret: {}", text(&client, "secret"))?;
                writeln!(out, "scope:  {}", text(&client, "scope"))?;
            }
            ClientCommand::List { place } => {
                let operator = Operator::reach(&place.data, false).await?;
                let listed =
                    operator.send(Method::GET, &clients_path(&place.project), None).await?.accepted()?;
                for client in listed["results"].as_array().into_iter().flatten() {
                    let (id, name) = (text(client, "id"), text(client, "name"));
                    writeln!(out, "{id}\t{}\t{name}\t{}", text(client, "createdAt"), text(client, "scope"))?;
                }
            }
            ClientCommand::Remove { place, id } => {
                let operator = Operator::reach(&place.data, false).await?;
                let path = format!("{}/{}", clients_path(&place.project), encoded(&id));
                operator.send(Method::DELETE, &path, None).await?.accepted()?;
                writeln!(out, "client '{id}' removed")?;
            }
        }
        Ok(())
    })
}

fn clients_path(project: &str) -> String {
    format!("/_operator/projects/{}/clients", encoded(project))
}

fn text<'a>(client: &'a Value, name: &str) -> &'a str {
    client[name].as_str().unwrap_or_default()
}

/// Scopes may be given without the project, which is known.
fn scopes_of(given: &[String], project: &str) -> String {
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
            scopes_of(&given, "shop"),
            "view_products:shop manage_orders:shop:berlin view_states:shop"
        );
    }
}
