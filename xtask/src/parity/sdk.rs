//! Reads the type declarations of an official TypeScript SDK. They are generated, so their form is regular.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The generated declarations in a package.
const DECLARATIONS: &str = "dist/declarations/src/generated";

/// The names that an SDK declares.
#[derive(Debug, Default)]
pub(super) struct Sdk {
    pub(super) version: String,
    pub(super) interfaces: BTreeMap<String, SdkInterface>,
    /// Values by enum.
    pub(super) enums: BTreeMap<String, Vec<String>>,
    /// Names of query parameters and headers, each with a file that has it.
    pub(super) parameters: BTreeMap<String, String>,
}

/// A declared object type.
#[derive(Debug, Default)]
pub(super) struct SdkInterface {
    pub(super) bases: Vec<String>,
    pub(super) properties: BTreeSet<String>,
    /// The properties with one allowed text.
    pub(super) constants: BTreeMap<String, String>,
    /// The name of its file.
    pub(super) file: String,
}

impl Sdk {
    /// Reads an installed package.
    pub(super) fn read(package: &Path) -> Result<Self, String> {
        let manifest = read(&package.join("package.json"))?;
        let manifest: kontor_json::Value =
            kontor_json::from_str(&manifest).map_err(|error| format!("{}: {error}", package.display()))?;
        let mut sdk =
            Self { version: manifest["version"].as_str().unwrap_or("?").to_owned(), ..Self::default() };
        let (models, client) =
            (package.join(DECLARATIONS).join("models"), package.join(DECLARATIONS).join("client"));
        for path in declarations(&models)? {
            sdk.add_models(&stem(&path), &read(&path)?);
        }
        for path in declarations(&client)? {
            sdk.add_parameters(&stem(&path), &read(&path)?);
        }
        if sdk.interfaces.is_empty() {
            return Err(format!("{} declares no types", models.display()));
        }
        Ok(sdk)
    }

    fn add_models(&mut self, file: &str, text: &str) {
        let text = without_comments(text);
        let head = r"export (?:declare )?interface (\w+)(?:\s+extends\s+([^{]+))?\s*\{";
        for (captures, body) in blocks(&text, head) {
            let mut interface = SdkInterface { file: file.to_owned(), ..SdkInterface::default() };
            let bases = captures.get(1).map(String::as_str).unwrap_or_default().split(',').map(str::trim);
            interface.bases = bases.filter(|base| !base.is_empty()).map(str::to_owned).collect();
            for (name, shape) in properties(body) {
                if let Some(constant) = quoted(&shape) {
                    interface.constants.insert(name.clone(), constant.to_owned());
                }
                interface.properties.insert(name);
            }
            self.interfaces.insert(captures[0].clone(), interface);
        }
        let value = pattern(r#"=\s*['"]([^'"]*)['"]"#);
        for (captures, body) in blocks(&text, r"export (?:declare )?enum (\w+)\s*\{") {
            let values = value.captures_iter(body).map(|found| found[1].to_owned()).collect();
            self.enums.insert(captures[0].trim_end_matches("Values").to_owned(), values);
        }
    }

    fn add_parameters(&mut self, file: &str, text: &str) {
        let text = without_comments(text);
        for (_, body) in blocks(&text, r"(?:queryArgs|headers)\??\s*:\s*\{") {
            for (name, _) in properties(body) {
                self.parameters.entry(name).or_insert_with(|| file.to_owned());
            }
        }
    }

    /// Returns the bases of an interface, and theirs.
    pub(super) fn all_bases(&self, name: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let mut next = vec![name];
        while let Some(name) = next.pop() {
            for base in self.interfaces.get(name).into_iter().flat_map(|interface| &interface.bases) {
                if !found.contains(&base.as_str()) {
                    found.push(base);
                    next.push(base);
                }
            }
        }
        found
    }

    /// Whether an interface only has the common properties of a union's members, such as `IChange`.
    pub(super) fn is_base(&self, name: &str) -> bool {
        is_base_name(name)
            && self.interfaces.values().any(|interface| interface.bases.iter().any(|base| base == name))
    }
}

/// Whether a name begins as those of bases: `IChange`.
pub(super) fn is_base_name(name: &str) -> bool {
    name.starts_with('I') && name.chars().nth(1).is_some_and(|letter| letter.is_ascii_uppercase())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(".d.ts").to_owned()
}

/// Returns the declaration files below a folder, sorted.
fn declarations(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(".d.ts") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Compiles a pattern of this file.
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|error| unreachable!("a constant pattern is valid: {error}"))
}

fn without_comments(text: &str) -> String {
    pattern(r"(?s)/\*.*?\*/").replace_all(text, "").into_owned()
}

/// Returns each block that follows the pattern of its head, with the captured texts. Braces are balanced.
fn blocks<'a>(text: &'a str, head: &str) -> Vec<(Vec<String>, &'a str)> {
    let mut found = Vec::new();
    for captures in pattern(head).captures_iter(text) {
        let rest = &text[captures.get(0).map_or(0, |whole| whole.end())..];
        let mut depth = 1_usize;
        let end = rest.char_indices().find(|(_, letter)| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let body = end.map_or(rest, |(end, _)| &rest[..end]);
        let texts = captures.iter().skip(1).map(|text| text.map_or("", |text| text.as_str()).to_owned());
        found.push((texts.collect(), body));
    }
    found
}

/// Returns the properties in a body with their types, without those of nested objects.
fn properties(body: &str) -> Vec<(String, String)> {
    let mut top = String::new();
    let mut depth = 0_usize;
    for letter in body.chars() {
        if letter == '}' {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            top.push(letter);
        }
        if letter == '{' {
            depth += 1;
        }
    }
    // An index signature: any further property.
    let top = pattern(r"\[\w+\s*:\s*\w+\]\s*:[^;]*;").replace_all(&top, "");
    let property = pattern(r#"(?:readonly\s+)?(?:'([^']+)'|"([^"]+)"|(\w+))\??\s*:\s*([^;]*);"#);
    let name = |captures: &regex::Captures<'_>| {
        (1..=3).find_map(|index| captures.get(index)).map(|name| name.as_str().to_owned())
    };
    property
        .captures_iter(&top)
        .filter_map(|captures| Some((name(&captures)?, captures[4].trim().to_owned())))
        .collect()
}

/// Returns the text of a type that is one text: `'setKey'`.
fn quoted(shape: &str) -> Option<&str> {
    let inner = shape.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let inner = inner.or_else(|| shape.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')));
    inner.filter(|text| !text.is_empty() && !text.contains(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_interfaces_enums_and_parameters() {
        let mut sdk = Sdk::default();
        sdk.add_models(
            "state",
            "/** A state. */ export interface StateSetKeyAction extends IStateUpdateAction {
                readonly action: 'setKey';
                /** { */ readonly key?: string;
                readonly nested: { readonly inner: string; };
                [key: string]: any;
            }
            export interface IStateUpdateAction { readonly action: string; }
            export declare enum StateTypeValues { Open = \"Open\", Done = \"is-done\" }",
        );
        let action = &sdk.interfaces["StateSetKeyAction"];
        assert_eq!(action.bases, ["IStateUpdateAction"]);
        assert_eq!(action.properties.iter().collect::<Vec<_>>(), ["action", "key", "nested"]);
        assert_eq!(action.constants["action"], "setKey");
        assert!(sdk.is_base("IStateUpdateAction") && !sdk.is_base("StateSetKeyAction"));
        assert_eq!(sdk.enums["StateType"], ["Open", "is-done"]);
        sdk.add_parameters("by-id", "get(args?: { queryArgs?: { expand?: string; 'x-id': string; }; }): R;");
        assert_eq!(sdk.parameters.keys().collect::<Vec<_>>(), ["expand", "x-id"]);
    }
}
