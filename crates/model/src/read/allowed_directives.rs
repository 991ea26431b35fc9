//! The allowed directives of each declaration, with their arguments.

use super::directives::DirectiveRule;

macro_rules! known {
    ($($name:literal: [$($argument:literal),*]),* $(,)?) => {
        &[$(DirectiveRule { name: $name, arguments: &[$($argument),*] }),*]
    };
}

pub(super) const ON_TYPE: &[DirectiveRule] = known![
    "resource": ["path", "typeId", "view", "query", "manage", "operations", "address", "created", "deleted", "limit", "deletesAnyVersion", "erasure", "inherits", "held", "createdBeside", "create", "isStore", "open", "overrides", "ownedBy", "parameters", "uncounted", "expires", "keyField", "plainHead", "service", "whole"],
    "projection": ["of", "within", "current", "staged", "while", "stagedView"],
    "later": ["typeId"],
    "search": ["scopes", "status", "parts", "hits", "projection"],
    "searchByParameters": ["deprecatedSince", "facets", "marks", "parameters", "suggestParameters", "suggestion"],
    "inStore": ["at", "global", "operations", "through"],
    "me": ["of", "path", "create", "customer", "session", "scopes", "operations", "inStore", "byKey", "actions", "unexpanded"],
    "asAssociate": ["unit", "owner", "operations", "view", "create", "update", "delete", "only"],
    "actions": ["of", "bulk"],
    "staged": ["of", "also", "actions"],
    "shownAs": ["of", "path", "parameters"],
    "endpoints": ["of"],
    "lists": ["of"],
    "service": ["name", "at"],
    "message": ["of"],
    "value": ["is"],
    "complete": ["by"],
];
pub(super) const ON_INPUT: &[DirectiveRule] =
    known!["value": ["is"], "complete": ["by"], "import": ["type", "path", "scopes", "list"]];
pub(super) const ON_UNION: &[DirectiveRule] =
    known!["union": ["by", "default"], "import": ["type", "path", "scopes", "list"]];
pub(super) const ON_SCALAR: &[DirectiveRule] = known![
    "string": ["minLength", "maxLength", "pattern"],
];
pub(super) const ON_ENUM_VALUE: &[DirectiveRule] = known!["value": ["is"], "beta": [], "deprecated": []];
pub(super) const ON_FIELD: &[DirectiveRule] = known![
    "unique": ["with"],
    "index": ["lowercase"],
    "generated": [],
    "derived": [],
    "spliced": [],
    "snapshot": [],
    "implied": [],
    "ifAbsent": ["value"],
    "source": [],
    "from": ["field", "as"],
    "secret": [],
    "masked": [],
    "personal": [],
    "sealed": [],
    "shownInPart": ["as"],
    "positions": ["of", "in"],
    "custom": ["of"],
    "limits": ["min", "max", "minLength", "maxLength", "minItems", "maxItems", "pattern", "strictPattern", "overflow"],
    "keyReference": [],
    "onDelete": ["does", "of"],
    "map": ["names"],
    "to": ["path"],
    "beta": [],
    "deprecated": [],
];
