//! The GraphiQL page (`/{projectKey}/graphql` in a browser): one HTML file, and the files of the editor.

use crate::schema::Schema;
use kontor_json::json;

const HTML: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPT: &str = include_str!("../page/page.js");

/// A part of the files' URLs, so that browsers can cache them. Change it with any of the files
/// (`page/graphiql/README.md`).
const EDITOR_VERSION: &str = "3.9.0";

/// A file of the editor.
#[derive(Debug, Clone, Copy)]
pub struct EditorFile {
    /// The content, compressed by gzip.
    pub gzip: &'static [u8],
    /// Its media type.
    pub content_type: &'static str,
}

/// Returns the file with this name, which the page refers to by a relative URL; `None` for other names.
pub fn editor_file(name: &str) -> Option<EditorFile> {
    let (gzip, content_type): (&[u8], _) = match name {
        "graphiql.js" => {
            (include_bytes!("../page/graphiql/graphiql.js.gz"), "text/javascript; charset=utf-8")
        }
        "graphiql.css" => (include_bytes!("../page/graphiql/graphiql.css.gz"), "text/css; charset=utf-8"),
        "licenses.txt" => (include_bytes!("../page/graphiql/licenses.txt.gz"), "text/plain; charset=utf-8"),
        _ => return None,
    };
    Some(EditorFile { gzip, content_type })
}

impl Schema {
    /// Returns the page as HTML with its style, its script and the schema. It sends requests only to the URL that it is
    /// served at, to files below that URL ([`editor_file`]), and to the token endpoints of the same server.
    pub fn page(&self) -> String {
        // `</script>` in a string would end the script element; JSON can escape `<`.
        let schema = json!(self.sdl()).to_string().replace('<', "\\u003c");
        HTML.replace("/* page.css */", STYLE)
            .replace("/* schema */", &schema)
            .replace("/* page.js */", SCRIPT)
            .replace("/* version */", EDITOR_VERSION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::Model;

    #[test]
    fn the_page_loads_nothing_from_other_servers() {
        let page = Schema::derive(&Model::embedded().unwrap()).unwrap().page();
        assert!(page.contains("credentials: \"omit\""), "the browser's own login dialog would open");
        for outside in
            ["src=\"http", "href=\"http", "//cdn", "@import", "/* page.", "/* version", "/* schema"]
        {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_files_that_the_page_names_are_there() {
        for name in ["graphiql.js", "graphiql.css", "licenses.txt"] {
            assert!(SCRIPT.contains(&format!("/{name}")), "{name}");
            assert!(editor_file(name).unwrap().gzip.starts_with(&[0x1f, 0x8b]), "{name}");
        }
        assert!(editor_file("graphiql.js.gz").is_none());
    }
}
