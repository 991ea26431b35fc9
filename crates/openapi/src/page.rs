//! Builds the page that shows the document: one HTML file, made of several.

const HTML: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const EXAMPLE: &str = include_str!("../page/example.js");
const REQUEST: &str = include_str!("../page/request.js");
const SCRIPT: &str = include_str!("../page/page.js");

/// Returns the HTML with its style and scripts inlined. It loads `openapi.json` from the same folder; its
/// sample requests go to the same server.
pub fn page() -> String {
    HTML.replace("/* page.css */", STYLE)
        .replace("/* example.js */", EXAMPLE)
        .replace("/* request.js */", REQUEST)
        .replace("/* page.js */", SCRIPT)
}
