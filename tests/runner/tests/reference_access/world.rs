//! The project of the walk: the resources of another owner, and four callers with resources of their own.

use crate::approvals;
use crate::belongings::{
    Belongings, CLOSED, IN_CUSTOM_FIELDS, NamedResource, Owner, custom as custom_of, field_of, path_of,
};
use crate::client::{Client, PROJECT};
use crate::description::{Description, ScopedOperation};
use crate::findings::leaks;
use crate::graphql::QuerySchema;
use crate::open_kinds::{KindOwners, kinds};
use kontor_json::{Value, json};
use std::collections::HashMap;
use std::sync::Mutex;

/// Which operations a caller has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Below `/me`, with the token of a customer or of an anonymous session.
    Me(&'static str),
    /// Below `/as-associate`.
    Associate,
    /// Below `/in-store`, with scopes for one Store.
    Store,
}

/// A caller: a client, customer, visitor or associate with its token.
pub(crate) struct Caller {
    pub(crate) name: &'static str,
    pub(crate) reach: Reach,
    pub(crate) token: String,
    pub(crate) own: Belongings,
    customer: String,
    unit: String,
}

impl Caller {
    pub(crate) fn has(&self, operation: &ScopedOperation) -> bool {
        match self.reach {
            Reach::Me(token) => operation.tokens.iter().any(|other| other == token),
            Reach::Associate => operation.path.starts_with("/as-associate/"),
            Reach::Store => {
                operation.path.starts_with("/in-store/")
                    && operation.scopes.iter().any(|scope| scope.contains("{storeKey}"))
            }
        }
    }

    /// The kind whose own resource a path is about, e.g. `cart` of `/me/carts/{ID}`.
    pub(crate) fn kind_of(path: &str) -> Option<&'static str> {
        if path.ends_with("/me") {
            return Some("customer");
        }
        let rest = path.split("/{ID}").next().unwrap_or(path);
        let rest = rest.split("/key={key}").next().unwrap_or(rest);
        let rest = rest.split("/order-number=").next().unwrap_or(rest);
        CLOSED.iter().find(|(_, other)| rest.ends_with(other)).map(|(kind, _)| *kind)
    }

    /// A path with this caller's own resources in it; `None` where the caller has none of the kind.
    pub(crate) fn path(&self, path: &str) -> Option<String> {
        let filled = self.surroundings(path);
        let filled = match filled.contains('{') {
            true => with_named(&filled, self.own.get(Self::kind_of(path)?)?),
            false => filled,
        };
        (!filled.contains('{')).then_some(filled)
    }

    /// A path with another resource in this caller's Store or Business Unit.
    pub(crate) fn path_to(&self, path: &str, named: &NamedResource) -> String {
        with_named(&self.surroundings(path), named)
    }

    /// A path with this caller's Store, customer and Business Unit.
    fn surroundings(&self, path: &str) -> String {
        path.replace("{storeKey}", "here")
            .replace("{associateId}", &self.customer)
            .replace("{customerId}", &self.customer)
            .replace("{businessUnitKey}", &self.unit)
    }

    /// Where GraphQL finds this caller's resources: fields that lead there.
    pub(crate) fn root(&self) -> Vec<String> {
        match self.reach {
            Reach::Me(_) => vec!["me".into()],
            Reach::Associate => {
                vec![format!(
                    "asAssociate(associateId: \"{}\", businessUnitKey: \"{}\")",
                    self.customer, self.unit
                )]
            }
            Reach::Store => vec!["inStore(key: \"here\")".into()],
        }
    }
}

fn with_named(path: &str, named: &NamedResource) -> String {
    let values = [("{ID}", &named.id), ("{key}", &named.key), ("{orderNumber}", &named.key)];
    values.iter().fold(path.to_owned(), |path, (parameter, value)| path.replace(parameter, value))
}

/// All of it.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) description: Description,
    /// Of GraphQL.
    pub(crate) schema: QuerySchema,
    pub(crate) callers: Vec<Caller>,
    kinds: Vec<KindOwners>,
    /// Foreign resources to which no document of a caller refers: a document's own references may be named again.
    pub(crate) strangers: Belongings,
    /// Versions of documents by their addresses, as they were last read.
    versions: Mutex<HashMap<String, Value>>,
}

impl World {
    pub(crate) fn new(client: Client) -> Self {
        let document = client.send("GET", "/openapi.json", "", "").json();
        let description = Description::new(&document);
        make_settings(&client);
        let callers = make_callers(&client, &description);
        let strangers = make_foreign(&client, "stranger");
        let schema = QuerySchema::read(&client);
        let kinds = kinds();
        Self { client, description, schema, callers, kinds, strangers, versions: Mutex::default() }
    }

    /// Kinds of which a text shows something that a caller must not see. An associate's client has all scopes, which show what is not
    /// looked at for the Business Unit.
    pub(crate) fn leaks(&self, caller: &Caller, text: &str) -> String {
        // The client of a Store sees the fields that are hidden from its buyers.
        let markers = if caller.reach == Reach::Store { &["FOREIGN-"][..] } else { &["FOREIGN-", "HIDDEN-"] };
        leaks(text, markers, |kind| {
            caller.reach != Reach::Associate || self.owners_of(kind).is_some_and(|kind| kind.has_associates)
        })
    }

    /// Returns whether a caller may name all documents of a kind: documents without an owner, and for the client that acts for an
    /// associate also documents that belong to Stores alone.
    pub(crate) fn may_name_all(&self, caller: &Caller, kind: &str) -> bool {
        let is_client = caller.reach == Reach::Associate;
        self.owners_of(kind).is_some_and(|kind| !kind.has_owner && (is_client || !kind.has_stores))
    }

    fn owners_of(&self, kind: &str) -> Option<&KindOwners> {
        self.kinds.iter().find(|known| known.type_id == kind)
    }

    /// The version of a document of a caller, which may be outdated.
    pub(crate) fn version(&self, address: &str) -> Value {
        let known = self.versions.lock().unwrap().get(address).cloned();
        known.unwrap_or_else(|| {
            let version = self.client.read(address)["version"].clone();
            self.versions.lock().unwrap().insert(address.to_owned(), version.clone());
            version
        })
    }

    /// The version of a document is to be read again.
    pub(crate) fn forget_version(&self, address: &str) {
        self.versions.lock().unwrap().remove(address);
    }
}

fn make_settings(client: &Client) {
    for store in ["here", "there"] {
        client.make("/stores", json!({"key": store}));
    }
    let text =
        json!({"name": "text", "label": {"en": "Text"}, "required": false, "type": {"name": "String"}});
    let interaction = json!({"key": "interaction", "name": {"en": "Interaction"},
        "resourceTypeIds": ["payment-interface-interaction"], "fieldDefinitions": [text]});
    client.make("/types", interaction);
    let fields: Vec<Value> = IN_CUSTOM_FIELDS
        .iter()
        .map(|kind| {
            json!({"name": field_of(kind), "label": {"en": *kind}, "required": false,
                "type": {"name": "Reference", "referenceTypeId": *kind}})
        })
        .collect();
    let refs = json!({"key": "refs", "name": {"en": "References"}, "fieldDefinitions": fields, "resourceTypeIds": [
        "address", "business-unit", "cart-discount", "customer", "customer-group", "custom-line-item", "line-item", "order",
        "order-edit", "payment", "payment-method", "payment-method-info", "quote", "recurring-order", "review", "shipping", "shopping-list",
        "shopping-list-text-line-item", "transaction"]});
    client.make("/types", refs);
    client.make(
        "/recurrence-policies",
        json!({"key": "weekly", "schedule": {"type": "standard", "value": 1, "intervalUnit": "Weeks"}}),
    );
    client.make("/associate-roles", json!({"key": "nothing", "permissions": []}));
    client.make("/associate-roles", json!({"key": "approver", "permissions": ["UpdateApprovalFlows"]}));
    let own = [
        "CreateMyCarts",
        "ViewMyCarts",
        "UpdateMyCarts",
        "DeleteMyCarts",
        "CreateMyOrdersFromMyCarts",
        "ViewMyOrders",
        "UpdateMyOrders",
        "CreateMyQuoteRequestsFromMyCarts",
        "ViewMyQuoteRequests",
        "UpdateMyQuoteRequests",
        "ViewMyQuotes",
        "AcceptMyQuotes",
        "DeclineMyQuotes",
        "RenegotiateMyQuotes",
        "ReassignMyQuotes",
        "CreateMyOrdersFromMyQuotes",
        "CreateMyShoppingLists",
        "ViewMyShoppingLists",
        "UpdateMyShoppingLists",
        "UpdateBusinessUnitDetails",
        "CreateApprovalRules",
        "UpdateApprovalRules",
        "UpdateApprovalFlows",
    ];
    client.make("/associate-roles", json!({"key": "own", "permissions": own}));
}

fn make_customer(
    client: &Client,
    tag: &str,
    marker: &str,
    store: &str,
    refers_to: Option<&Belongings>,
) -> NamedResource {
    let mut draft = json!({"email": format!("{tag}@example.com"), "password": "x", "key": format!("{tag}-customer"),
        "firstName": format!("{marker}-customer"), "vatId": format!("{marker}-customer"),
        "addresses": [{"country": "DE", "streetName": format!("{marker}-customer")}]});
    if !store.is_empty() {
        draft.as_object_mut().unwrap().insert("stores", json!([{"typeId": "store", "key": store}]));
    }
    if let Some(others) = refers_to {
        draft.as_object_mut().unwrap().insert("custom", custom_of(others));
    }
    let made = client.make("/customers", draft);
    NamedResource { id: made["customer"]["id"].as_str().unwrap().to_owned(), key: format!("{tag}-customer") }
}

fn make_unit(
    client: &Client,
    key: &str,
    marker: &str,
    store: &str,
    associates: &[(&NamedResource, &str)],
) -> NamedResource {
    let associates: Vec<Value> = associates
        .iter()
        .map(|(customer, role)| {
            json!({"customer": {"typeId": "customer", "id": customer.id},
                "associateRoleAssignments": [{"associateRole": {"typeId": "associate-role", "key": *role}}]})
        })
        .collect();
    let made = client.make("/business-units", json!({"key": key, "unitType": "Company", "name": format!("{marker}-business-unit"),
        "contactEmail": format!("{marker}-business-unit@example.com"), "associates": associates,
        "stores": [{"typeId": "store", "key": store}], "addresses": [{"country": "DE", "streetName": format!("{marker}-business-unit")}]}));
    NamedResource { id: made["id"].as_str().unwrap().to_owned(), key: key.to_owned() }
}

/// Creates the resources of a customer of the Store `there` and its Business Unit. No caller may see any of them.
fn make_foreign(client: &Client, tag: &str) -> Belongings {
    let customer = make_customer(client, tag, "FOREIGN", "there", None);
    let unit = make_unit(client, &format!("{tag}-unit"), "FOREIGN", "there", &[(&customer, "own")]);
    let owner = Owner {
        tag,
        marker: "FOREIGN",
        hidden: "FOREIGN",
        customer: Some(&customer.id),
        session: None,
        store: "there",
        unit: None,
        refers_to: None,
    };
    let mut all = owner.make(client);
    approvals::make(client, tag, "FOREIGN", (&customer, &unit, "there"), &mut all);
    all.insert("customer", customer);
    all.insert("business-unit", unit);
    all
}

fn make_callers(client: &Client, description: &Description) -> Vec<Caller> {
    let mine = my_scopes(description);
    let password = |tag: &str| {
        let form = format!("grant_type=password&username={tag}@example.com&password=x&scope={mine}");
        client.token(&format!("/oauth/{PROJECT}/customers/token"), &form)
    };
    // Before anything has the session's id.
    let form = format!("grant_type=client_credentials&anonymous_id=visitor&scope={mine}");
    let session = client.token(&format!("/oauth/{PROJECT}/anonymous/token"), &form);
    let customer = make_caller(client, "customer", Reach::Me("customer"), "customer", None);
    let visitor = make_caller(client, "visitor", Reach::Me("anonymous"), "visitor", None);
    let of_store = make_caller(client, "client of a Store", Reach::Store, "store", None);
    let idle =
        make_caller(client, "associate without permissions", Reach::Me("customer"), "idle", Some("nothing"));
    let buyer = make_caller(client, "associate with own permissions", Reach::Associate, "buyer", Some("own"));
    let made = client.make("/api-clients", json!({"name": "One Store", "scope": store_scopes(description)}));
    let store_token = client.client_token(made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
    vec![
        Caller { token: password("customer"), ..customer },
        Caller { token: session, ..visitor },
        Caller { token: store_token, ..of_store },
        Caller { token: password("idle"), ..idle },
        Caller { token: client.admin.clone(), ..buyer },
    ]
}

/// Creates a caller with resources of its own, which refer to those of another owner. With a role: in a Business Unit of
/// its own. Its token is still empty.
fn make_caller(client: &Client, name: &'static str, reach: Reach, tag: &str, role: Option<&str>) -> Caller {
    let foreign = make_foreign(client, &format!("{tag}-other"));
    let is_visitor = reach == Reach::Me("anonymous");
    let store = if reach == Reach::Store { "here" } else { "" };
    let customer = (!is_visitor).then(|| make_customer(client, tag, "OWN", store, Some(&foreign)));
    let unit = role.zip(customer.as_ref()).map(|(role, customer)| {
        let colleague = make_customer(client, &format!("{tag}-colleague"), "OWN", "", None);
        let associates = [(customer, role), (&colleague, "own")];
        let unit = make_unit(client, &format!("{tag}-unit"), "OWN", "here", &associates);
        (unit, colleague)
    });
    let owner = Owner {
        tag,
        marker: "OWN",
        // A client reads all fields of the resources in its Store.
        hidden: if matches!(reach, Reach::Me(_)) { "HIDDEN" } else { "OWN" },
        customer: customer.as_ref().map(|customer| &*customer.id),
        session: is_visitor.then_some(tag),
        store: "here",
        unit: unit.as_ref().map(|(unit, _)| &*unit.key),
        refers_to: Some(&foreign),
    };
    let mut own = owner.make(client);
    if let Some((unit, colleague)) = &unit {
        approvals::make(client, tag, "OWN", (colleague, unit, "here"), &mut own);
    }
    let customer_id = customer.as_ref().map_or_else(String::new, |customer| customer.id.clone());
    own.extend(customer.map(|customer| ("customer", customer)));
    let unit_key = unit.as_ref().map_or_else(String::new, |(unit, _)| unit.key.clone());
    own.extend(unit.map(|(unit, _)| ("business-unit", unit)));
    Caller { name, reach, token: String::new(), own, customer: customer_id, unit: unit_key }
}

/// The scopes of operations below `/me`.
fn my_scopes(description: &Description) -> String {
    let own = description.operations.iter().filter(|operation| !operation.tokens.is_empty());
    let mut scopes: Vec<String> = own
        .flat_map(|operation| &operation.scopes)
        .filter(|scope| scope.starts_with("manage_my_") && !scope.contains("{storeKey}"))
        .map(|scope| scope.replace("{projectKey}", PROJECT))
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes.join(" ")
}

/// All scopes that can be had for one Store.
fn store_scopes(description: &Description) -> String {
    let all = description.operations.iter().flat_map(|operation| &operation.scopes);
    let mut scopes: Vec<String> = all
        .filter(|scope| scope.contains("{storeKey}") && !scope.contains("_my_"))
        .map(|scope| scope.replace("{projectKey}", PROJECT).replace("{storeKey}", "here"))
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes.join(" ")
}

/// Where the client with all scopes reads an own resource.
pub(crate) fn address(kind: &str, named: &NamedResource) -> String {
    format!("{}/{}", path_of(kind), named.id)
}
