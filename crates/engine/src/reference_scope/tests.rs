use super::*;
use kontor_json::json;
use kontor_model::ModelFile;

const PROJECT: &str = include_str!("../../tests/project/project.graphql");
const MODEL: &str = r#"
type Shop @resource(path: "shops", typeId: "shop", view: ["view_states"], operations: [GET], isStore: true, open: true) {
  key: String! @unique
}
type Buyer @resource(path: "buyers", typeId: "buyer", view: ["view_states"], operations: [GET]) @inStore(at: "shops", operations: [GET]) {
  key: String @unique
  shops: [Shop!] @keyReference
}
type MyBuyer @me(of: "Buyer", path: "", customer: "id", scopes: ["manage_states"], operations: [GET])
type Firm @resource(path: "firms", typeId: "firm", view: ["view_states"], operations: [GET])
  @asAssociate(owner: ["buyers"], operations: [GET]) {
  key: String! @unique
  buyers: [Buyer!]
}
type Basket @resource(path: "baskets", typeId: "basket", view: ["view_states"], operations: [GET])
  @inStore(at: "shop", operations: [GET]) @asAssociate(unit: "firm", owner: ["buyer"], operations: [GET]) {
  shop: Shop @keyReference
  firm: Firm @keyReference
  buyer: Buyer
  session: String
}
type MyBasket @me(of: "Basket", path: "baskets", customer: "buyer", session: "session", scopes: ["manage_states"], operations: [GET])
type Receipt @resource(path: "receipts", typeId: "receipt", view: ["view_states"], operations: [GET]) {
  buyer: Buyer
  session: String
}
type MyReceipt @me(of: "Receipt", path: "receipts", customer: "buyer", session: "session", scopes: ["manage_states"], operations: [GET])
type Ticket @resource(path: "tickets", typeId: "ticket", view: ["view_states"], operations: [GET], ownedBy: ["buyer", "firm"]) {
  buyer: Buyer
  firm: Firm @keyReference
}
type Remark @resource(path: "remarks", typeId: "remark", view: ["view_states"], operations: [GET]) {
  text: String
}
"#;

fn model() -> Model {
    let sources = [
        ModelFile { name: "project".into(), text: PROJECT },
        ModelFile { name: "kinds".into(), text: MODEL },
    ];
    Model::read(&sources).unwrap()
}

/// A token with a scope to view these documents of every kind.
struct Views(&'static [DocumentOwner<'static>]);

impl ReferenceAccess for Views {
    fn may_view(&self, _kind: KindId, whose: DocumentOwner<'_>) -> bool {
        self.0.contains(&whose)
    }
}

fn client(views: &'static [DocumentOwner<'static>]) -> ReferenceScope {
    ReferenceScope::for_client(Arc::new(Views(views)))
}

fn maria(views: &'static [DocumentOwner<'static>]) -> ReferenceScope {
    client(views).with_principal(Principal::Customer("maria".into())).below_me()
}

fn associate(views: &'static [DocumentOwner<'static>]) -> ReferenceScope {
    client(views).as_associate(ActingAssociate { id: Some("maria".into()), unit: Some("acme".into()) })
}

/// Whether an extent of a kind, given by its path, contains a document.
fn extent_contains(extent: &ReferenceExtent, path: &str, document: &Value) -> bool {
    let model = model();
    let kind = model.kind_by_path(path).unwrap();
    match extent {
        ReferenceExtent::All => true,
        ReferenceExtent::Within { any_of, of_nobody } => {
            let is_nobodys = has_no_owner(model.kind(kind), document.as_object().unwrap());
            is_within(&model, kind, document, any_of) || (*of_nobody && is_nobodys)
        }
        ReferenceExtent::AssociatesOf(_) => false,
        ReferenceExtent::OwnedBy(owners) => {
            is_owned_by(model.kind(kind), document.as_object().unwrap(), owners)
        }
    }
}

fn names(scope: &ReferenceScope, path: &str, document: Value) -> bool {
    let model = model();
    extent_contains(&scope.named_extent(&model, model.kind_by_path(path).unwrap()), path, &document)
}

fn shows(scope: &ReferenceScope, path: &str, document: Value) -> bool {
    let model = model();
    extent_contains(&scope.shown_extent(&model, model.kind_by_path(path).unwrap()), path, &document)
}

fn document_of_buyer(buyer: &str) -> Value {
    json!({"id": "a", "buyer": {"typeId": "buyer", "id": buyer}})
}

#[test]
fn shows_customers_their_own_documents() {
    let scope = maria(&[DocumentOwner::Caller]);
    for ask in [names, shows] {
        assert!(ask(&scope, "baskets", document_of_buyer("maria")));
        assert!(!ask(&scope, "baskets", document_of_buyer("peter")));
        assert!(!ask(&scope, "receipts", json!({"id": "a"})), "a receipt without owner");
        assert!(ask(&scope, "buyers", json!({"id": "maria"})));
        assert!(!ask(&scope, "buyers", json!({"id": "peter"})));
        assert!(ask(&scope, "shops", json!({"key": "any"})), "an open kind");
    }
    assert!(names(&scope, "remarks", json!({"id": "a"})), "remarks have no owner");
    assert!(!shows(&scope, "remarks", json!({"id": "a"})), "they take a scope to view");
}

#[test]
fn documents_with_owners_and_no_paths_of_their_own_are_named_by_their_owners() {
    let of_firm = |key: &str| json!({"firm": {"typeId": "firm", "key": key}});
    let in_store = client(&[]).in_stores(vec!["here".into()], true);
    for (scope, of_maria, of_acme) in
        [(maria(&[]), true, false), (associate(&[]), true, true), (in_store, false, false)]
    {
        assert_eq!(names(&scope, "tickets", document_of_buyer("maria")), of_maria);
        assert_eq!(names(&scope, "tickets", of_firm("acme")), of_acme);
        assert!(
            !names(&scope, "tickets", document_of_buyer("peter"))
                && !names(&scope, "tickets", of_firm("beta"))
        );
        assert!(names(&scope, "tickets", json!({"id": "a"})), "of nobody");
    }
    assert!(names(&client(&[]), "tickets", document_of_buyer("peter")));
}

#[test]
fn requires_a_scope_only_to_show_documents() {
    let scope = maria(&[]);
    assert!(names(&scope, "receipts", document_of_buyer("maria")));
    assert!(!shows(&scope, "receipts", document_of_buyer("maria")));
    assert!(shows(&scope, "buyers", json!({"id": "maria"})), "customers see themselves");
}

#[test]
fn ignores_project_scopes_for_names_below_me() {
    let scope = maria(&[DocumentOwner::Anyone]);
    assert!(!names(&scope, "receipts", document_of_buyer("peter")));
    assert!(shows(&scope, "receipts", document_of_buyer("peter")));
}

#[test]
fn shows_visitors_the_documents_of_their_session() {
    let scope = client(&[DocumentOwner::Caller]).with_principal(Principal::Session("s".into())).below_me();
    for ask in [names, shows] {
        assert!(ask(&scope, "baskets", json!({"session": "s"})));
        assert!(!ask(&scope, "baskets", json!({"session": "other"})));
        assert!(!ask(&scope, "buyers", json!({"id": "s"})));
    }
}

#[test]
fn shows_store_clients_the_documents_of_the_store() {
    let scope = client(&[DocumentOwner::Store("here")]).in_stores(vec!["here".into()], true);
    let at = |key: &str| json!({"shop": {"typeId": "shop", "key": key}});
    for ask in [names, shows] {
        assert!(ask(&scope, "baskets", at("here")));
        assert!(!ask(&scope, "baskets", at("there")));
    }
    assert!(!names(&scope, "receipts", document_of_buyer("maria")), "receipts belong to no Store");
    let without_scope = client(&[]).in_stores(vec!["here".into()], true);
    assert!(names(&without_scope, "baskets", at("here")));
    assert!(!shows(&without_scope, "baskets", at("here")));
}

#[test]
fn shows_project_clients_documents_by_their_scopes() {
    let in_store = client(&[]).in_stores(vec!["here".into()], false);
    for scope in [client(&[]), in_store] {
        assert!(scope.names_all && names(&scope, "receipts", document_of_buyer("peter")));
        assert!(!shows(&scope, "receipts", document_of_buyer("peter")));
    }
    assert!(shows(&client(&[DocumentOwner::Anyone]), "receipts", document_of_buyer("peter")));
}

#[test]
fn shows_associates_the_documents_of_the_unit() {
    let scope = associate(&[DocumentOwner::Anyone]);
    let at = |key: &str| json!({"firm": {"typeId": "firm", "key": key}});
    for ask in [names, shows] {
        assert!(ask(&scope, "baskets", at("acme")));
        assert!(!ask(&scope, "baskets", at("beta")));
        let firm = |buyer: &str| json!({"buyers": [{"typeId": "buyer", "id": buyer}]});
        assert!(ask(&scope, "firms", firm("maria")));
        assert!(!ask(&scope, "firms", firm("peter")));
    }
    assert!(names(&scope, "receipts", document_of_buyer("maria")));
    assert!(!names(&scope, "receipts", document_of_buyer("peter")));
    assert!(names(&scope, "receipts", json!({"id": "a"})), "without owner, for a client that views receipts");
    assert!(!names(&associate(&[]), "receipts", json!({"id": "a"})));
    let model = model();
    let buyers = model.kind_by_path("buyers").unwrap();
    assert_eq!(scope.named_extent(&model, buyers), ReferenceExtent::AssociatesOf("acme".into()));
}
