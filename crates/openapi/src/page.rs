//! The page that shows the document: one file, made of three.

const HTML: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPT: &str = include_str!("../page/page.js");

/// HTML with its style and script inside. It reads `openapi.json` beside itself and nothing else.
pub fn page() -> String {
    HTML.replace("/* page.css */", STYLE).replace("/* page.js */", SCRIPT)
}
