//! `GET /`: the start page, with links to the other pages. It is public, so it contains no secret; the key of
//! a single project is in every address of its storefront anyway.

use crate::html_page::html_page;
use crate::server::Server;
use kontor_rest::response::HttpResponse;

const HTML: &str = include_str!("../page/start.html");

const TEST_CONTROLS: &str = "<h2>Tests</h2>\n<p>The test controls are on: projects on demand, clock, snapshots, faults, below \
    <code>/_test</code>.</p>";

const OPEN_GRAPHQL: &str = "<form id=\"graphql\"><label>GraphQL of the project <input name=\"project\" required \
    placeholder=\"key\" autocomplete=\"off\" spellcheck=\"false\"></label> <button>Open</button></form>";

const CONSOLE: &str = "  <dt><a href=\"/console/\">Console</a></dt>\n  <dd>The user interface for merchandisers, support and \
    developers. Operators sign in with their e-mail address.</dd>\n";

/// The page, for the projects that there are.
pub(crate) fn respond(server: &Server) -> HttpResponse {
    let projects = server.auth.projects();
    let only = match projects.as_slice() {
        [one] => Some(one.key()),
        _ => None,
    };
    let console = if server.serves_console() { CONSOLE } else { "" };
    html_page(page(only, projects.len(), server.options.test_controls, console))
}

/// The HTML. Project keys are letters, digits, `_` and `-`, which mean nothing in it.
fn page(only: Option<&str>, projects: usize, test_controls: bool, console: &str) -> String {
    let said = match only {
        Some(key) => format!("Its project is <code>{key}</code>."),
        None => format!("It has {projects} projects."),
    };
    let graphql = match only {
        Some(key) => format!("<a href=\"/{key}/graphql\">GraphQL</a>"),
        None => OPEN_GRAPHQL.to_owned(),
    };
    HTML.replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{projects}", &said)
        .replace("{graphql}", &graphql)
        .replace("{console}", console)
        .replace("{test_controls}", if test_controls { TEST_CONTROLS } else { "" })
        .replace("{project}", only.unwrap_or("PROJECT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_one_project_and_no_others() {
        assert!(page(Some("shop"), 1, false, "").contains("href=\"/shop/graphql\""));
        let several = page(None, 2, false, CONSOLE);
        assert!(several.contains("It has 2 projects") && !several.contains("shop"), "{several}");
        assert!(page(None, 0, true, "").contains("/_test"));
    }

    #[test]
    fn fills_every_placeholder() {
        for filled in [page(Some("shop"), 1, true, CONSOLE), page(None, 0, false, "")] {
            for name in ["{version}", "{project", "{graphql}", "{test_controls}", "{console}"] {
                assert!(!filled.contains(name), "{name}");
            }
        }
    }
}
