//! The tables of `docs/compatibility.md` that are derived from the model: the served operations, and the effect of
//! deleting a resource on references to it.

use kontor_model::{Kind, KindId, Model, OnDelete, OperationKind, ServedOperation};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The markers around each table.
const SERVED: [&str; 2] = ["<!-- served: written by `cargo xtask codegen` -->\n", "<!-- /served -->"];
const DELETIONS: [&str; 2] =
    ["<!-- deletions: written by `cargo xtask codegen` -->\n", "<!-- /deletions -->"];
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");

/// Returns a paragraph of numbers, and a row for each kind.
fn served(model: &Model) -> String {
    let described = model.operations().iter().filter(|operation| !is_for_tests(operation));
    let kinds: Vec<_> = model.kinds().filter(|(_, kind)| kind.is_served).collect();
    let actions: usize = kinds.iter().map(|(_, kind)| kind.actions.len()).sum();
    let mut text = format!(
        "{} operations on {} kinds of resources with {actions} update actions and {} Messages, all of them in \
         [the OpenAPI document](api/openapi.json) and [the GraphQL schema](api/schema.graphql).\n\n\
         | resource | operations | update actions |\n|---|---|---|\n",
        described.count(),
        kinds.len(),
        model.messages().count(),
    );
    for (id, kind) in kinds {
        writeln!(text, "| {} | {} | {} |", kind.name, operations(model, id), actions_of(kind)).unwrap();
    }
    text
}

fn is_for_tests(operation: &ServedOperation) -> bool {
    matches!(operation.operation_kind, OperationKind::Fixed(kontor_model::FixedOperation::Test(_)))
}

/// Returns the paths of a kind below the project with their methods, without duplicates.
fn operations(model: &Model, kind: KindId) -> String {
    let of_kind = || model.operations().iter().filter(move |operation| operation.kind == Some(kind));
    let mut seen = BTreeSet::new();
    let mut paths = Vec::new();
    for path in of_kind().map(ServedOperation::template) {
        if seen.insert(path.clone()) {
            let methods: BTreeSet<_> = of_kind()
                .filter(|operation| operation.template() == path)
                .map(|operation| operation.method)
                .collect();
            let methods: Vec<_> = methods.iter().map(|method| format!("{method:?}").to_uppercase()).collect();
            let below = path.strip_prefix("/{projectKey}").unwrap_or(&path);
            paths.push(format!("`{below}` {}", methods.join(" ")));
        }
    }
    paths.join("<br>")
}

fn actions_of(kind: &Kind) -> String {
    let names: Vec<_> = kind.actions.iter().map(|action| format!("`{}`", action.name)).collect();
    names.join(" ")
}

/// Returns a row for each kind that other kinds refer to: the fields that prevent its deletion, and the fields whose
/// reference stays.
fn deletions(model: &Model) -> String {
    let mut text =
        "| deleted resource | refused with `ReferenceExists` while referenced by | references that \
                    stay |\n|---|---|---|\n"
            .to_owned();
    for (id, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
        let fields = |on_delete: OnDelete| {
            let referrers = model.referrers(id).iter().filter(|referrer| referrer.on_delete == on_delete);
            let fields: BTreeSet<String> = referrers
                .filter(|referrer| model.kind(referrer.kind).is_served)
                .map(|referrer| {
                    let path = &referrer.path[..referrer.path.len() - 1];
                    format!("{} `{}`", model.kind(referrer.kind).name, path.join("."))
                })
                .collect();
            fields.into_iter().collect::<Vec<_>>().join("<br>")
        };
        let (refusing, staying) = (fields(OnDelete::Block), fields(OnDelete::Dangle));
        if !refusing.is_empty() || !staying.is_empty() {
            writeln!(text, "| {} | {refusing} | {staying} |", kind.name).unwrap();
        }
    }
    text
}

/// Returns the page with another text between two markers.
fn replaced(page: &str, [begin, end]: [&str; 2], text: &str) -> String {
    let (before, rest) = page.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    format!("{before}{begin}\n{text}\n{end}{after}")
}

#[test]
fn the_committed_list_of_served_operations_is_up_to_date() {
    let page = std::fs::read_to_string(PATH).unwrap();
    let model = Model::embedded().unwrap();
    let derived = replaced(&page, SERVED, &served(&model));
    let derived = replaced(&derived, DELETIONS, &deletions(&model));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(PATH, derived).unwrap();
        return;
    }
    assert!(
        page == derived,
        "docs/compatibility.md lists something else; `cargo xtask codegen` writes it anew"
    );
}
