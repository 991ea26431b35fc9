//! Import circles: modules of one crate that need each other cannot be read, moved or tested one after the other.
//!
//! A module is a file. It needs the modules that define the names it uses or re-exports (`pub use`); a re-exported name
//! leads to its origin. A module and those below it may use each other freely, e.g. `cart` and `cart::price`. A circle
//! through a sibling or another folder is a finding. The files and folders directly below `src` are rooms; rooms may not
//! need each other in a circle either, by any of their files.

use super::finding::Finding;
use super::source::{ModulePath, Source};
use std::collections::{BTreeMap, BTreeSet};

/// The farthest that a passed-on name is followed.
const HOPS_MAX: usize = 8;

/// One finding for each module that is in a circle, under its path, and for each further room.
pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, BTreeMap<Vec<&str>, &Source>> = BTreeMap::new();
    for source in sources {
        if let Some((folder, module)) = source.module() {
            crates.entry(folder).or_default().insert(module, source);
        }
    }
    crates.into_values().flat_map(|modules| Modules(modules).findings()).collect()
}

/// The modules of a crate by their paths.
struct Modules<'s>(BTreeMap<Vec<&'s str>, &'s Source>);

/// A place that a name leads to, and the file and line that lead there.
type Needs<'s> = BTreeMap<&'s str, (&'s Source, usize)>;

impl<'s> Modules<'s> {
    fn findings(&self) -> Vec<Finding> {
        let files: BTreeMap<&str, Needs<'s>> = self
            .0
            .iter()
            .map(|(module, source)| (source.path.as_str(), self.needed_modules(module, source)))
            .collect();
        let mut findings = in_circles(&files);
        let of_files: BTreeSet<String> =
            findings.iter().filter_map(|finding| top_module(&finding.entry)).map(str::to_owned).collect();
        let of_rooms = in_circles(&top_modules(&files));
        findings.extend(of_rooms.into_iter().filter(|finding| !of_files.contains(&finding.entry)));
        findings
    }

    /// The other modules of the crate that a module needs.
    fn needed_modules(&self, module: &[&str], source: &'s Source) -> Needs<'s> {
        let mut needs = Needs::new();
        let passed_on = source.reexports.iter().map(|passed| &passed.path);
        for path in source.paths.iter().chain(passed_on) {
            if let Some(target) = self.target(module, path, HOPS_MAX)
                && target.path != source.path
                && !target.module().is_some_and(|(_, below)| below.starts_with(module))
            {
                needs.entry(&target.path).or_insert((source, path.line));
            }
        }
        needs
    }

    /// The module that defines what a path names.
    fn target(&self, module: &[&str], path: &ModulePath, hops: usize) -> Option<&'s Source> {
        let mut segments = path.segments.iter().map(String::as_str).peekable();
        let mut within = path.module_depth;
        let mut at: Vec<&str> = module.to_vec();
        match *segments.peek()? {
            "crate" => {
                at.clear();
                segments.next();
            }
            "self" => {
                segments.next();
            }
            "super" => {
                while segments.next_if(|segment| *segment == "super").is_some() {
                    // Out of a module that is written out in the same file first.
                    match within {
                        0 => drop(at.pop()?),
                        _ => within -= 1,
                    }
                }
            }
            child => {
                let below = [module, &[child]].concat();
                self.0.get(&below)?;
            }
        }
        let mut found = *self.0.get(&at)?;
        while let Some(segment) = segments.next() {
            at.push(segment);
            let Some(next) = self.0.get(&at) else {
                at.pop();
                return self.definer(&at, found, segment, hops);
            };
            found = next;
            if segments.peek().is_none() {
                break;
            }
        }
        Some(found)
    }

    /// Where a name of a module comes from.
    fn definer(&self, module: &[&str], source: &'s Source, name: &str, hops: usize) -> Option<&'s Source> {
        if source.items.contains(name) || hops == 0 {
            return Some(source);
        }
        let named = source.reexports.iter().find(|passed| passed.name == name);
        if let Some(named) = named {
            return self.target(module, &named.path, hops - 1).or(Some(source));
        }
        let all = source.reexports.iter().filter(|passed| passed.name == "*");
        let from_all = all.filter_map(|passed| {
            let mut path = passed.path.clone();
            path.segments.push(name.to_owned());
            self.target(module, &path, hops - 1)
        });
        from_all.into_iter().find(|source| source.items.contains(name)).or(Some(source))
    }
}

/// One finding for each that is in a circle.
fn in_circles<'s>(needs: &BTreeMap<&'s str, Needs<'s>>) -> Vec<Finding> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        needs.keys().map(|name| (*name, reached(name, needs))).collect();
    let mut findings = Vec::new();
    for (name, needed) in needs {
        let back: Vec<_> = needed.iter().filter(|(other, _)| reached[*other].contains(name)).collect();
        let Some((_, (from, line))) = back.first() else { continue };
        let places = back.iter().map(|(other, (from, line))| format!("{other} ({}:{line})", from.path));
        findings.push(Finding {
            path: from.path.clone(),
            line: *line,
            entry: (*name).to_owned(),
            problem: format!(
                "{name} is in a circle with {}; move what both need to a module below them",
                places.collect::<Vec<_>>().join(", ")
            ),
        });
    }
    findings
}

/// The needs of each room: the rooms of all modules that its files need.
fn top_modules<'s>(files: &BTreeMap<&'s str, Needs<'s>>) -> BTreeMap<&'s str, Needs<'s>> {
    let mut rooms: BTreeMap<&'s str, Needs<'s>> = BTreeMap::new();
    for (path, needed) in files {
        let Some(own) = top_module(path) else { continue };
        let of_room = rooms.entry(own).or_default();
        for (other, place) in needed {
            if let Some(other) = top_module(other).filter(|other| *other != own) {
                of_room.entry(other).or_insert(*place);
            }
        }
    }
    rooms
}

/// The room of a file, by its path without an ending. The root of a crate is in none.
fn top_module(path: &str) -> Option<&str> {
    let start = path.find("/src/")? + "/src/".len();
    let below = path.get(start..).filter(|below| !matches!(*below, "lib.rs" | "main.rs"))?;
    path.get(..start + below.find(['/', '.'])?)
}

/// All modules that one leads to, itself where it is in a circle.
fn reached<'s>(from: &str, needs: &BTreeMap<&'s str, Needs<'s>>) -> BTreeSet<&'s str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(path) = open.pop() {
        for other in needs.get(path).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(*other) {
                open.push(other);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::read(path, text).unwrap()).collect();
        findings(&sources).into_iter().map(|finding| finding.entry).collect()
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let files = [
            ("crates/a/src/lib.rs", "mod shop; mod write; mod stamp;"),
            ("crates/a/src/shop.rs", "pub struct Shop; fn put() { crate::write::put() }"),
            ("crates/a/src/write.rs", "use crate::shop::Shop; use super::stamp::now; pub fn put() {}"),
            ("crates/a/src/stamp.rs", "pub fn now() {}"),
        ];
        assert_eq!(circles(&files), ["crates/a/src/shop.rs", "crates/a/src/write.rs"]);
    }

    #[test]
    fn a_name_that_is_passed_on_leads_to_where_it_comes_from() {
        let files = [
            ("crates/a/src/lib.rs", "mod parts;"),
            ("crates/a/src/parts/mod.rs", "mod head; mod tail; pub(crate) use head::Head; pub use tail::*;"),
            ("crates/a/src/parts/head.rs", "use super::Tail; pub struct Head;"),
            ("crates/a/src/parts/tail.rs", "pub struct Tail;"),
        ];
        assert_eq!(circles(&files), Vec::<String>::new());
        let mut files = files;
        files[3].1 = "pub struct Tail(super::Head);";
        assert_eq!(circles(&files), ["crates/a/src/parts/head.rs", "crates/a/src/parts/tail.rs"]);
    }

    #[test]
    fn reexports_count_as_needs() {
        let files = [
            ("crates/a/src/lib.rs", "mod cart; mod order;"),
            ("crates/a/src/cart.rs", "pub use crate::order::Order; pub struct Cart;"),
            ("crates/a/src/order.rs", "pub struct Order(crate::cart::Cart);"),
        ];
        assert_eq!(circles(&files), ["crates/a/src/cart.rs", "crates/a/src/order.rs"]);
    }

    #[test]
    fn rooms_that_need_each_other_are_a_circle_though_no_two_files_are() {
        let files = [
            ("crates/a/src/lib.rs", "mod cart; mod order;"),
            ("crates/a/src/cart/mod.rs", "mod ordering; pub fn keys() {}"),
            ("crates/a/src/cart/ordering.rs", "use crate::order::made;"),
            ("crates/a/src/order/mod.rs", "mod import; pub fn made() {}"),
            ("crates/a/src/order/import.rs", "use crate::cart::keys;"),
        ];
        assert_eq!(circles(&files), ["crates/a/src/cart", "crates/a/src/order"]);
    }

    #[test]
    fn counts_uses_in_macros_but_not_in_tests() {
        let files = [
            ("crates/a/src/lib.rs", "mod one; mod two; mod three;"),
            ("crates/a/src/one.rs", "pub fn f() -> String { format!(\"{}\", crate::two::g()) }"),
            ("crates/a/src/two.rs", "use crate::one::f; pub fn g() {}"),
            ("crates/a/src/three.rs", "#[cfg(test)] mod tests { use crate::one::f; use super::*; }"),
        ];
        assert_eq!(circles(&files), ["crates/a/src/one.rs", "crates/a/src/two.rs"]);
    }
}
