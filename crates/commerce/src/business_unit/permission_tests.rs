//! Tests every operation for associates with each permission granted and missing. The operations come from
//! the table of operations, so that new ones are tested automatically.

use crate::test_shop::{TestShop, object};
use crate::test_values::{draft_of, value_of};
use kontor_engine::document::set;
use kontor_engine::{AccessScope, ActingAssociate, Caller, Document, Effects, Rules, trial};
use kontor_errors::{ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::{Kind, KindId, Operation, OperationKind, Permissions, Shape};
use std::collections::HashSet;

const ASSOCIATE: &str = "acts";
const SOMEBODY: &str = "other";
const UNIT: &str = "unit";

/// A shop in which the key `walk` exists for every resource type, with a unit whose associate has permissions.
fn shop(permissions: &[&str]) -> TestShop {
    let mut shop = TestShop::new();
    for (_, kind) in shop.model().kinds().filter(|(_, kind)| kind.is_served) {
        shop.put_document(&kind.type_id, object(json!({"id": "walk", "key": "walk"})));
    }
    shop.with_document("customer", json!({"id": ASSOCIATE, "key": ASSOCIATE}))
        .with_document("customer", json!({"id": SOMEBODY, "key": SOMEBODY}))
        .with_document("associate-role", json!({"id": "role", "key": "role", "permissions": permissions}))
        .with_document("business-unit", unit())
}

fn unit() -> Value {
    json!({"id": UNIT, "key": UNIT, "version": 1, "status": "Active", "unitType": "Company", "name": "Unit",
        "storeMode": "Explicit", "associateMode": "Explicit", "approvalRuleMode": "Explicit", "addresses": [],
        "topLevelUnit": {"typeId": "business-unit", "key": UNIT},
        "associates": [{"customer": {"typeId": "customer", "id": ASSOCIATE},
            "associateRoleAssignments": [{"associateRole": {"typeId": "associate-role", "key": "role"}, "inheritance": "Disabled"}]}]})
}

/// A document of the kind in the unit, owned by a Customer.
fn document(kind: &Kind, owner: &str, shop: &TestShop) -> Document {
    let associates = kind.associates.as_ref().unwrap();
    if kind.is_unit() {
        return object(unit());
    }
    let mut document = object(json!({"id": "document", "key": "document", "version": 1}));
    set(&mut document, &associates.unit[..1], Some(json!({"typeId": "business-unit", "key": UNIT})));
    if let Some(path) = associates.owner.first() {
        document = with_owner(document, path, owner, kind, shop);
    }
    document
}

/// A reference, or the id alone.
fn with_owner(
    mut document: Document,
    path: &[String],
    owner: &str,
    kind: &Kind,
    shop: &TestShop,
) -> Document {
    let field = shop.model().object(kind.object).field(&path[0]).unwrap();
    let value = match field.shape.element() {
        Shape::Reference(_) => json!({"typeId": "customer", "id": owner}),
        _ => json!(owner),
    };
    document.insert(path[0].clone(), value);
    document
}

/// Returns the result of an operation on a document, for an associate with these permissions.
fn outcome(
    id: KindId,
    who: &str,
    permissions: &[&str],
    run: &dyn Fn(&TestShop, &Rules<'_>) -> ApiResult<()>,
) -> Result<(), Vec<String>> {
    let shop = shop(permissions);
    let is_unit = shop.model().kind(id).is_unit();
    let associate = ActingAssociate { id: Some(who.to_owned()), unit: (!is_unit).then(|| UNIT.to_owned()) };
    let bounds = AccessScope { associate: Some(associate), ..AccessScope::default() };
    match shop.rules_within(&bounds, |rules| run(&shop, rules)) {
        Err(error) if error.code() == Code::AssociateMissingPermission => {
            assert_eq!(error.status(), 403);
            let fields = &error.objects()[0].fields;
            assert_eq!(fields["associate"], json!({"typeId": "customer", "id": who}));
            assert_eq!(fields["businessUnit"]["typeId"], "business-unit");
            let names = fields["permissions"].as_array().unwrap().iter();
            Err(names.map(|name| name.as_str().unwrap().to_owned()).collect())
        }
        // Any other error has nothing to do with permissions.
        _ => Ok(()),
    }
}

/// Walks one operation on documents of one's own and of others.
fn walk(
    id: KindId,
    what: &str,
    needed: &Permissions,
    all: &[&str],
    run: &dyn Fn(&TestShop, &Rules<'_>, &str) -> ApiResult<()>,
) {
    for (owner, needed) in [(ASSOCIATE, needed.own_permission()), (SOMEBODY, needed.other_permission())] {
        let run = |shop: &TestShop, rules: &Rules<'_>| run(shop, rules, owner);
        let (without, with): (Vec<&str>, Vec<&str>) = match needed {
            Some(needed) => (all.iter().copied().filter(|name| *name != needed).collect(), vec![needed]),
            None => (Vec::new(), Vec::new()),
        };
        let allowed = outcome(id, ASSOCIATE, &with, &run);
        assert_eq!(allowed, Ok(()), "{what} of a document of '{owner}' with {with:?}");
        if let Some(needed) = needed {
            let refused = outcome(id, ASSOCIATE, &without, &run);
            let named = refused.err().unwrap_or_else(|| panic!("{what} of '{owner}' without {needed}"));
            assert!(named.iter().any(|name| name == needed), "{what}: {named:?} lacks {needed}");
            let nobody = outcome(id, SOMEBODY, all, &|shop, rules| run(shop, rules));
            assert!(nobody.is_err(), "{what} by who is no associate");
        }
    }
}

#[test]
fn every_operation_asks_for_its_permission() {
    let model = TestShop::new();
    let model = model.model();
    let (_, permission) = model.enums().find(|(_, values)| values.name == "Permission").unwrap();
    let all: Vec<&str> = permission.values.iter().map(|constant| constant.value.as_str()).collect();
    for (_, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
        let Some(associates) = &kind.associates else { continue };
        for name in [&associates.view, &associates.create, &associates.update, &associates.delete]
            .into_iter()
            .chain(kind.actions.iter().filter_map(|action| action.needs.as_ref()))
            .flat_map(Permissions::names)
        {
            assert!(all.contains(&name.as_str()), "{}: there is no permission {name}", kind.name);
        }
    }
    let mut walked = HashSet::new();
    for row in model.operations().iter().filter(|row| row.side.is_associate()) {
        // Conversations test the permissions of endpoints.
        if matches!(row.operation_kind, OperationKind::Endpoint(_)) {
            continue;
        }
        let (Some(id), OperationKind::Documents(operation)) = (row.kind, row.operation_kind) else {
            panic!("{:?} {} is not walked", row.method, row.template());
        };
        // Operations by id, by key and for all of a unit need the same permission.
        if !walked.insert((id, operation)) {
            continue;
        }
        let kind = model.kind(id);
        let Some(associates) = &kind.associates else { panic!("{} has no associates", kind.name) };
        let what = format!("{operation:?} {}", kind.name);
        let needed = associates.permissions(operation);
        match operation {
            Operation::Get | Operation::Head | Operation::Delete => {
                walk(id, &what, needed, &all, &|shop, rules, owner| {
                    trial::authorize(id, &document(kind, owner, shop), operation, rules)
                });
            }
            Operation::Create => walk(id, &what, needed, &all, &|shop, rules, owner| {
                let mut draft = draft_of(shop.model(), kind.draft.unwrap(), "walk");
                if let Some(path) = associates.owner.first().filter(|_| !kind.is_unit()) {
                    let of_draft = shop.model().object(kind.draft.unwrap()).field(&path[0]);
                    let value = match of_draft.map(|field| &field.shape) {
                        Some(Shape::Identifier(_)) => json!({"typeId": "customer", "id": owner}),
                        _ => json!(owner),
                    };
                    draft.insert(path[0].clone(), value);
                }
                trial::create_document(id, Value::Object(draft), rules, &mut Effects::default()).map(drop)
            }),
            Operation::Update => {
                for action in &kind.actions {
                    let what = format!("{} of {}", action.name, kind.name);
                    let needed = action.needs.as_ref().unwrap_or(needed);
                    walk(id, &what, needed, &all, &|shop, rules, owner| {
                        let mut sent = value_of(shop.model(), &Shape::Object(action.arguments), "walk");
                        sent["action"] = json!(action.name);
                        let before = document(kind, owner, shop);
                        trial::update_document(
                            id,
                            &before,
                            vec![sent],
                            &Caller::default(),
                            rules,
                            &mut Effects::default(),
                        )
                        .map(drop)
                    });
                }
            }
            Operation::Query => {
                let any: Vec<&str> = needed.names().iter().map(String::as_str).collect();
                let query = |_: &TestShop, rules: &Rules<'_>| trial::authorize_query(id, rules);
                for name in &any {
                    assert_eq!(outcome(id, ASSOCIATE, &[name], &query), Ok(()), "{what} with {name}");
                }
                if !any.is_empty() {
                    let rest: Vec<&str> = all.iter().copied().filter(|name| !any.contains(name)).collect();
                    let named = outcome(id, ASSOCIATE, &rest, &query);
                    assert_eq!(named.unwrap_err(), any, "{what}");
                }
            }
        }
    }
    assert!(walked.len() >= 5, "the model serves {} operations to associates", walked.len());
}
