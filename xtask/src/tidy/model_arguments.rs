//! Arguments of directives that one file of the model alone uses: a directive serves three kinds, or is a Rust function.

use super::finding::Finding;
use super::model::Directive;
use std::collections::BTreeMap;

/// One finding for each argument that one file has.
pub(super) fn findings(directives: &[Directive]) -> Vec<Finding> {
    let mut uses: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for directive in directives {
        for argument in &directive.arguments {
            let files = uses.entry(format!("@{}({}:)", directive.name, argument.name)).or_default();
            files.entry(&directive.path).or_insert(argument.line);
        }
    }
    let mut findings = Vec::new();
    for (entry, files) in uses {
        if files.len() > 1 {
            continue;
        }
        findings.extend(files.into_iter().map(|(path, line)| Finding {
            path: path.to_owned(),
            line,
            problem: format!(
                "no other file uses {entry}; let the engine derive what it says, or say it in crates/commerce"
            ),
            entry: entry.clone(),
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::model::read;

    #[test]
    fn an_argument_of_one_file_is_found_where_it_first_stands() {
        let files = [
            ("model/zone.graphql", "type Zone @resource(path: \"zones\", few: true) {\n  key: Key @index\n}"),
            (
                "model/state.graphql",
                "type State @resource(path: \"states\") {\n  key: Key @index(late: true)\n}",
            ),
        ];
        let directives: Vec<Directive> = files.iter().flat_map(|(path, text)| read(path, text)).collect();
        let found = findings(&directives);
        let places: Vec<String> = found
            .iter()
            .map(|finding| format!("{} {}:{}", finding.entry, finding.path, finding.line))
            .collect();
        assert_eq!(places, ["@index(late:) model/state.graphql:2", "@resource(few:) model/zone.graphql:1"]);
    }
}
