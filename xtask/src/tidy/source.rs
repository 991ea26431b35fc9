//! The Rust files of the workspace, each parsed once into the facts that rules need.
//!
//! A fact is plain data, so that all cores can read files; a syntax tree may not leave its thread.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// One Rust file.
#[derive(Default)]
pub(super) struct Source {
    /// Below the root, with slashes.
    pub(super) path: String,
    pub(super) lines: usize,
    pub(super) functions: Vec<Function>,
    pub(super) constants: Vec<Constant>,
    /// Texts in code that is not a test, and neither a comment nor an attribute.
    pub(super) texts: BTreeMap<String, Lines>,
    /// Likewise names of any kind.
    pub(super) names: BTreeMap<String, Lines>,
    /// Paths that lead to other modules: in `use`, in types, in expressions and in macros.
    pub(super) paths: Vec<ModulePath>,
    /// Names that this module re-exports.
    pub(super) reexports: Vec<Reexport>,
    /// Names of the items at the top of the file.
    pub(super) items: BTreeSet<String>,
    /// Types and traits of code that is not a test, at the top of the file, with their lines.
    pub(super) types: Vec<(String, usize)>,
    /// Modules in files of their own that only tests have.
    of_tests: BTreeSet<String>,
}

/// A function that is not a test.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    /// From its first word to its closing brace.
    pub(super) lines: usize,
}

/// A constant that is not of tests.
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) line: usize,
    /// Its value as it is written, with one space between tokens.
    pub(super) value: String,
}

/// Where something stands, from one.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// A path in code that is not a test.
#[derive(Clone)]
pub(super) struct ModulePath {
    pub(super) segments: Vec<String>,
    /// Inline modules around the path in its file.
    pub(super) module_depth: usize,
    pub(super) line: usize,
}

/// `pub use`: a name of this module that is defined elsewhere.
pub(super) struct Reexport {
    /// `*` for all names.
    pub(super) name: String,
    pub(super) path: ModulePath,
}

impl Source {
    /// Reads the text of a file.
    pub(super) fn read(path: &str, text: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| {
            let start = error.span().start();
            format!("{path}:{}: {error}", start.line)
        })?;
        let mut source = Self { path: path.to_owned(), lines: text.lines().count(), ..Self::default() };
        source.items = file.items.iter().filter_map(name_of).collect();
        if is_of_tests(path) || is_for_tests(&file.attrs) {
            return Ok(source);
        }
        let for_tests = file.items.iter().filter(|item| is_for_tests(attributes_of(item)));
        source.of_tests.extend(for_tests.filter_map(|item| match item {
            syn::Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        }));
        let product = file.items.iter().filter(|item| !is_for_tests(attributes_of(item)));
        source.types =
            product.filter_map(type_of).map(|name| (name.to_string(), name.span().start().line)).collect();
        let mut reading = Reading { source: &mut source, within: 0 };
        for item in file.items.iter().filter(|item| !is_for_tests(attributes_of(item))) {
            reading.visit_item(item);
            reading.names_of(item.to_token_stream());
        }
        Ok(source)
    }

    /// The folder of the crate and the module's path in it, for the files of a crate's own code.
    pub(super) fn module(&self) -> Option<(&str, Vec<&str>)> {
        let (folder, below) = self.path.split_once("/src/")?;
        let below = below.strip_suffix(".rs")?;
        let mut module: Vec<&str> = below.split('/').collect();
        if matches!(module.as_slice(), ["lib" | "main"]) || module.last() == Some(&"mod") {
            module.pop();
        }
        Some((folder, module))
    }
}

/// All Rust files below folders of the root, in the order of their paths.
pub(super) fn read_all(root: &Path, folders: &[&str]) -> Result<Vec<Source>, String> {
    let mut paths = Vec::new();
    for folder in folders {
        paths.extend(rust_files(&root.join(folder))?);
    }
    paths.sort();
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let below = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        Source::read(&below, &text)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let shares = paths.chunks(paths.len().div_ceil(cores).max(1));
    std::thread::scope(|scope| {
        let read = &read;
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().map(|path| read(path)).collect::<Vec<_>>()))
            .collect();
        let mut all = Vec::with_capacity(paths.len());
        for thread in threads {
            all.extend(thread.join().map_err(|_| "a file cannot be read".to_owned())?);
        }
        all.into_iter().collect::<Result<Vec<_>, _>>().map(without_tests)
    })
}

/// Leaves of files that only tests have what concerns tests too: how long they are.
fn without_tests(mut sources: Vec<Source>) -> Vec<Source> {
    let mut of_tests: BTreeSet<(String, Vec<String>)> = BTreeSet::new();
    for source in &sources {
        if let Some((folder, module)) = source.module() {
            let named =
                |name: &String| module.iter().map(|part| (*part).to_owned()).chain([name.clone()]).collect();
            of_tests.extend(source.of_tests.iter().map(|name| (folder.to_owned(), named(name))));
        }
    }
    for source in &mut sources {
        let Some((folder, module)) = source.module() else { continue };
        let own = (folder.to_owned(), module.iter().map(|part| (*part).to_owned()).collect());
        if of_tests.contains(&own) {
            let Source { path, lines, .. } = std::mem::take(source);
            *source = Source { path, lines, ..Source::default() };
        }
    }
    sources
}

/// Returns the Rust files below a folder, except in `target` and `node_modules`. Fails if a folder cannot be read.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    Ok(paths)
}

fn collect(folder: &Path, paths: &mut Vec<std::path::PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let is_skipped = path.file_name().is_some_and(|name| name == "target" || name == "node_modules");
        if path.is_dir() && !is_skipped {
            collect(&path, paths)?;
        } else if is_rust {
            paths.push(path);
        }
    }
    Ok(())
}

/// True for files that hold tests alone.
fn is_of_tests(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "examples"))
        && !path.starts_with("tests/runner/src/")
}

/// True below `#[test]` and `#[cfg(test)]`.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test"))
    })
}

fn note(written: &mut BTreeMap<String, Lines>, text: String, span: Span) {
    let line = span.start().line;
    let lines = written.entry(text).or_insert(Lines { first: line, last: line });
    lines.last = line;
}

/// The attributes of items that may exist for tests alone.
fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::TraitAlias(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The name of a type, of an alias or of a trait.
fn type_of(item: &syn::Item) -> Option<&syn::Ident> {
    match item {
        syn::Item::Enum(item) => Some(&item.ident),
        syn::Item::Struct(item) => Some(&item.ident),
        syn::Item::Trait(item) => Some(&item.ident),
        syn::Item::Type(item) => Some(&item.ident),
        syn::Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

struct Reading<'s> {
    source: &'s mut Source,
    within: usize,
}

impl Reading<'_> {
    fn function(&mut self, signature: &syn::Signature, all: Span) {
        let start = signature.span().start().line;
        let end = all.end().line;
        let name = signature.ident.to_string();
        self.source.functions.push(Function { name, line: start, lines: end + 1 - start });
    }

    fn path(&mut self, segments: Vec<String>, line: usize) {
        if segments.len() > 1 {
            self.source.paths.push(ModulePath { segments, module_depth: self.within, line });
        }
    }

    /// The paths of a `use`, one for each name at its end.
    fn collect_use_paths(&mut self, tree: &syn::UseTree, before: &[String], is_passed_on: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (name, segments, line) = match tree {
            syn::UseTree::Path(path) => {
                return self.collect_use_paths(&path.tree, &with(&path.ident), is_passed_on);
            }
            syn::UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|tree| self.collect_use_paths(tree, before, is_passed_on));
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned().unwrap_or_default(), before.to_vec(), name.span().start().line)
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), with(&name.ident), name.span().start().line),
            syn::UseTree::Rename(rename) => {
                (rename.rename.to_string(), with(&rename.ident), rename.span().start().line)
            }
            syn::UseTree::Glob(glob) => ("*".to_owned(), before.to_vec(), glob.span().start().line),
        };
        if is_passed_on {
            let path = ModulePath { segments, module_depth: self.within, line };
            self.source.reexports.push(Reexport { name, path });
        } else {
            self.path(segments, line);
        }
    }

    /// Names, texts and paths in tokens; attributes are left out, and documentation with them.
    fn names_of(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    if matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
                        tokens.next();
                    }
                    tokens.next();
                }
                TokenTree::Group(group) => self.names_of(group.stream()),
                TokenTree::Ident(name) => {
                    note(&mut self.source.names, name.to_string(), name.span());
                }
                TokenTree::Literal(literal) => {
                    if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                        note(&mut self.source.texts, text.value(), text.span());
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    /// Paths in the tokens of a macro, which are no syntax to the parser.
    fn paths_of(&mut self, tokens: TokenStream) {
        let mut segments: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if !segments.is_empty() && colons == 2 => {
                    segments.push(name.to_string());
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                other => {
                    self.path(std::mem::take(&mut segments), line);
                    match other {
                        TokenTree::Ident(name) => {
                            line = name.span().start().line;
                            segments.push(name.to_string());
                        }
                        TokenTree::Group(group) => self.paths_of(group.stream()),
                        _ => {}
                    }
                }
            }
            colons = 0;
        }
        self.path(segments, line);
    }
}

impl<'ast> Visit<'ast> for Reading<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.within += 1;
        visit::visit_item_mod(self, module);
        self.within -= 1;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, function.block.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            self.function(&function.sig, function.block.span());
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, block.span());
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_const(&mut self, constant: &'ast syn::ItemConst) {
        let name = constant.ident.to_string();
        let value = constant.expr.to_token_stream().to_string();
        self.source.constants.push(Constant { name, line: constant.ident.span().start().line, value });
        visit::visit_item_const(self, constant);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.collect_use_paths(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.path(segments, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.paths_of(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

#[cfg(test)]
mod tests;
