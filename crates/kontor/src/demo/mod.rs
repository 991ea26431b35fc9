//! `kontor demo`: a server with a small generated shop to try.
//!
//! [`run`] starts the server, fills the project through the API, and prints an API client with some example requests.
//! The drafts come from [`basic_data`], [`catalog`], [`company`] and [`shipping`].

mod assortment;
mod basic_data;
mod catalog;
mod company;
mod furniture;
mod orders;
mod product_images;
mod shipping;

use crate::arguments::{DemoArguments, HttpServerArguments};
use crate::data_folder::DataFolder;
use crate::database::PlatformStores;
use crate::import::{ImportItem, ImportOutcome, Importer};
use crate::import_rules::embedded_model;
use crate::operator::OperatorConnection;
use crate::resource_paths::percent_encoded;
#[cfg(feature = "console")]
use crate::serve::ListeningServer;
use crate::serve::{UnboundServer, must_not_be_public, start};
use anyhow::{Context as _, bail};
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::Model;
use product_images::Pictures;
use std::io::Write as _;

/// The id of the API client that the demo creates at each start.
const CLIENT_ID: &str = "demo-client";

/// Its secret where only this machine reaches the server, so that scripts keep working after a restart.
const CLIENT_SECRET: &str = "demo-secret";

/// The operator of the console that the demo creates, with the password.
#[cfg(feature = "console")]
const OPERATOR: (&str, &str) = ("operator@example.com", "demo-password");

/// Runs the command.
pub(crate) fn run(arguments: DemoArguments) -> anyhow::Result<()> {
    must_not_be_public("demo", &arguments.http)?;
    start(async move {
        let folder = match &arguments.data {
            Some(path) => DataFolder::open(path)?,
            None => DataFolder::temporary()?,
        };
        let public_url = arguments.http.public_url.clone();
        let on_loopback = || arguments.http.listen.ip().is_loopback().then(|| CLIENT_SECRET.to_owned());
        let fixed_secret = arguments.client_secret.or_else(on_loopback);
        // People who try Kontor run their own services on the same machine.
        let http = HttpServerArguments {
            allow_private_destinations: true,
            accept_unreachable_destinations: true,
            // For older storefronts.
            projection_search: true,
            ..arguments.http
        };
        let server = UnboundServer::open(PlatformStores::in_folder(folder), http)?;
        let operator = OperatorConnection::over_routes(server.control());
        let images = server.images.clone();
        // Image URLs contain the address, so it is bound before the shop is filled.
        let bound = server.bind().await?;
        let url = bound.url()?;
        let project = &arguments.project;
        ensure_project(&operator, project).await?;
        // Before the shop is filled, so that all resources are searchable right after that.
        activate_searches(&operator, project).await?;
        let pictures = if is_full(&operator, project).await? {
            Pictures::default()
        } else {
            Pictures::draw(&images, project, public_url.as_deref().unwrap_or(&url)).await?
        };
        let count = fill(&operator, project, &pictures).await?;
        assortment::assign(&operator, project, furniture::SERIES).await?;
        let count = count + orders::create_orders(&operator, project).await?;
        let secret = renew_client(&operator, project, fixed_secret).await?;
        #[cfg(feature = "console")]
        let link = operator_link(&operator).await?;
        let listening = bound.listen()?;
        #[cfg(feature = "console")]
        let console = console_hint(&listening, &link)?;
        #[cfg(not(feature = "console"))]
        let console = String::new();
        print_hints(&url, project, &secret, count, &console)?;
        listening.serve().await
    })
}

async fn ensure_project(operator: &OperatorConnection, project: &str) -> anyhow::Result<()> {
    let draft = json!({"key": project, "name": basic_data::NAME});
    match operator.send(Method::POST, "/_operator/projects", Some(&draft)).await?.accepted() {
        Err(refusal) if refusal.code == "DuplicateField" => Ok(()),
        other => Ok(other.map(drop)?),
    }
}

/// Activates both product searches and the order search. Changes nothing if they are active.
async fn activate_searches(operator: &OperatorConnection, project: &str) -> anyhow::Result<()> {
    let path = format!("/{}", percent_encoded(project));
    let settings = operator.send(Method::GET, &path, None).await?.accepted()?;
    let activate =
        |mode: &str| json!({"action": "changeProductSearchIndexingEnabled", "enabled": true, "mode": mode});
    let mut actions = ["ProductsSearch", "ProductProjectionsSearch"].map(activate).to_vec();
    actions.push(json!({"action": "changeOrderSearchStatus", "status": "Activated"}));
    let update = json!({"version": settings["version"], "actions": actions});
    operator.send(Method::POST, &path, Some(&update)).await?.accepted()?;
    Ok(())
}

/// True if an earlier start has created all products, with their images.
async fn is_full(operator: &OperatorConnection, project: &str) -> anyhow::Result<bool> {
    let path = format!("/{}/products/key={}", percent_encoded(project), catalog::last_product_key());
    Ok(operator.send(Method::GET, &path, None).await?.status == 200)
}

/// Creates the resources that do not exist yet. Returns how many resources the shop has.
async fn fill(operator: &OperatorConnection, project: &str, pictures: &Pictures) -> anyhow::Result<usize> {
    let model = embedded_model()?;
    let importer = Importer::without_progress(operator, &model, project);
    let mut drafts = basic_data::drafts();
    drafts.extend(catalog::drafts(pictures));
    drafts.extend(company::drafts());
    drafts.extend(shipping::drafts());
    let count = drafts.len();
    for (index, (type_id, draft)) in drafts.into_iter().enumerate() {
        let item = item(&model, type_id, index, draft)?;
        if let ImportOutcome::Refused(refusal) = importer.import_one(&item).await? {
            bail!("the demo shop has a {type_id} that is refused: {refusal}: {}", item.draft);
        }
    }
    Ok(count)
}

fn item(model: &Model, type_id: &str, index: usize, draft: Value) -> anyhow::Result<ImportItem> {
    let kind = model.kind_by_type_id(type_id).with_context(|| format!("there is no kind '{type_id}'"))?;
    Ok(ImportItem {
        kind,
        batch: 0,
        index,
        draft,
        id: None,
        label: None,
        actions: Vec::new(),
        number: None,
        is_whole: false,
        metadata: None,
    })
}

/// Creates an API client and returns its secret: the given one, or a new one. The client of an earlier start is removed.
async fn renew_client(
    operator: &OperatorConnection,
    project: &str,
    secret: Option<String>,
) -> anyhow::Result<String> {
    let path = format!("/_operator/projects/{}/clients", percent_encoded(project));
    let removed = operator.send(Method::DELETE, &format!("{path}/{CLIENT_ID}"), None).await?;
    if removed.status != 404 {
        removed.accepted()?;
    }
    let draft = json!({"id": CLIENT_ID, "name": "Demo", "secret": secret});
    let client = operator.send(Method::POST, &path, Some(&draft)).await?.accepted()?;
    Ok(client["secret"].as_str().unwrap_or_default().to_owned())
}

/// Creates an operator unless there is one, and returns the token of a link to sign in.
#[cfg(feature = "console")]
async fn operator_link(operator: &OperatorConnection) -> anyhow::Result<String> {
    let (email, password) = OPERATOR;
    let roles = json!([{"project": "*", "role": "administrator"}]);
    let draft = json!({"email": email, "name": "Demo Operator", "roles": roles, "password": password});
    let path = "/_operator/operators";
    let response = match operator.send(Method::POST, path, Some(&draft)).await?.accepted() {
        Err(refusal) if refusal.code == "DuplicateField" => {
            let path = format!("{path}/{}/link", percent_encoded(email));
            operator.send(Method::POST, &path, None).await?.accepted()?
        }
        other => other?,
    };
    let link = response["link"].as_str().unwrap_or_default();
    Ok(link.rsplit_once('=').map_or("", |(_, token)| token).to_owned())
}

/// Returns the line about the console.
#[cfg(feature = "console")]
fn console_hint(listening: &ListeningServer, token: &str) -> anyhow::Result<String> {
    if !listening.serves_console() {
        return Ok(String::new());
    }
    let (email, password) = OPERATOR;
    let link = listening.console_link(token)?;
    Ok(format!("the console:   {link}\n               (signs in once; later {email}, password {password})\n"))
}

/// Prints the URL, the credentials and three sample requests. The tutorial has more.
fn print_hints(url: &str, project: &str, secret: &str, count: usize, console: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        r#"
Open {url}/ in a browser: the API and GraphQL, with an example of everything.

project key:   {project}   ({name}, {count} resources)
client id:     {CLIENT_ID}
client secret: {secret}
a customer:    {customer}, password {password}
{console}
Or try:
  TOKEN=$(curl -s -u '{CLIENT_ID}:{secret}' -d grant_type=client_credentials {url}/oauth/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s -H "Authorization: Bearer $TOKEN" '{url}/{project}/product-projections/search?text.en=chairs&limit=3'
  curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{{"query": "{{ products(limit: 2) {{ total results {{ key }} }} }}"}}' '{url}/{project}/graphql'
"#,
        name = basic_data::NAME,
        customer = catalog::CUSTOMERS[0].0,
        password = catalog::PASSWORD,
    )?;
    out.flush()?;
    Ok(())
}
