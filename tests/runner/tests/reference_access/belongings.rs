//! One resource of every kind that has an owner.

use crate::client::Client;
use kontor_json::{Value, json};
use std::collections::BTreeMap;

/// Kinds that belong to a customer, a visitor, a Business Unit, a Store or the seller, with the path of their
/// resources. References to all other kinds are open to every caller.
pub(crate) const CLOSED: &[(&str, &str)] = &[
    ("approval-flow", "/approval-flows"),
    ("approval-rule", "/approval-rules"),
    ("business-unit", "/business-units"),
    ("cart", "/carts"),
    ("cart-discount", "/cart-discounts"),
    ("customer", "/customers"),
    ("customer-group", "/customer-groups"),
    ("key-value-document", "/custom-objects"),
    ("order", "/orders"),
    ("order-edit", "/orders/edits"),
    ("payment", "/payments"),
    ("payment-method", "/payment-methods"),
    ("quote", "/quotes"),
    ("quote-request", "/quote-requests"),
    ("recurring-order", "/recurring-orders"),
    ("review", "/reviews"),
    ("shopping-list", "/shopping-lists"),
    ("staged-quote", "/staged-quotes"),
];

/// The kinds of these that custom fields of the Type Reference can refer to.
pub(crate) const IN_CUSTOM_FIELDS: &[&str] = &[
    "approval-flow",
    "approval-rule",
    "business-unit",
    "cart",
    "cart-discount",
    "customer",
    "customer-group",
    "key-value-document",
    "order",
    "review",
];

/// The path of the resources of a kind.
pub(crate) fn path_of(kind: &str) -> &'static str {
    CLOSED.iter().find(|(name, _)| *name == kind).map_or("", |(_, path)| path)
}

/// The name of the custom field that refers to a kind.
pub(crate) fn field_of(kind: &str) -> String {
    format!("ref-{kind}")
}

/// Id and key of a resource.
#[derive(Clone)]
pub(crate) struct NamedResource {
    pub(crate) id: String,
    pub(crate) key: String,
}

/// Resources of one owner, by kind.
pub(crate) type Belongings = BTreeMap<&'static str, NamedResource>;

/// The owner of the resources, and the text that is written into them.
pub(crate) struct Owner<'a> {
    /// The beginning of keys.
    pub(crate) tag: &'a str,
    /// Goes into texts that the owner is shown: `FOREIGN` makes `FOREIGN-cart`.
    pub(crate) marker: &'a str,
    /// Goes into texts that only the seller is shown.
    pub(crate) hidden: &'a str,
    pub(crate) customer: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
    pub(crate) store: &'a str,
    pub(crate) unit: Option<&'a str>,
    /// The resources that custom fields refer to.
    pub(crate) refers_to: Option<&'a Belongings>,
}

impl Owner<'_> {
    fn text(&self, kind: &str) -> String {
        format!("{}-{kind} {}", self.marker, self.tag)
    }

    fn hidden(&self, kind: &str) -> String {
        format!("{}-{kind} {}", self.hidden, self.tag)
    }

    /// Custom fields that refer to one resource of each kind.
    fn custom(&self) -> Value {
        self.refers_to.map_or(Value::Null, custom)
    }

    /// A draft with a key, the owner in the field for customers, and custom fields.
    fn draft(&self, kind: &str, customer_field: &str, extra: Value) -> Value {
        let mut draft = json!({"key": format!("{}-{kind}", self.tag)});
        let object = draft.as_object_mut().unwrap();
        if self.refers_to.is_some() {
            object.insert("custom", self.custom());
        }
        match (customer_field, self.customer, self.session) {
            ("", ..) => {}
            ("customer", Some(id), _) => {
                object.insert("customer", json!({"typeId": "customer", "id": id}));
            }
            (field, Some(id), _) => {
                object.insert(field, json!(id));
            }
            (_, None, Some(session)) => {
                object.insert("anonymousId", json!(session));
            }
            (_, None, None) => {}
        }
        for (name, value) in extra.as_object().unwrap() {
            object.insert(name.to_string(), value.clone());
        }
        draft
    }

    /// The same with Store and Business Unit.
    fn placed(&self, kind: &str, customer_field: &str, extra: Value) -> Value {
        let mut draft = self.draft(kind, customer_field, extra);
        let object = draft.as_object_mut().unwrap();
        object.insert("store", json!({"typeId": "store", "key": self.store}));
        if let Some(unit) = self.unit {
            object.insert("businessUnit", json!({"typeId": "business-unit", "key": unit}));
        }
        draft
    }

    fn cart(&self, kind: &str) -> Value {
        self.placed(
            kind,
            "customerId",
            json!({
                "currency": "EUR", "country": "DE", "taxMode": "Disabled",
                "shippingAddress": {"country": "DE", "streetName": self.text("cart")},
                "customLineItems": [{"name": {"en": self.text("cart")}, "slug": "coffee", "quantity": 1,
                    "money": {"currencyCode": "EUR", "centAmount": 100}}],
            }),
        )
    }

    /// Makes all of it. Visitors have only what visitors can have.
    pub(crate) fn make(&self, client: &Client) -> Belongings {
        let mut all = Belongings::new();
        self.make_of_seller(client, &mut all);
        self.make_payments(client, &mut all);
        self.make_sales(client, &mut all);
        self.make_recurring_order(client, &mut all);
        if self.customer.is_some() {
            self.make_quotes(client, &mut all);
        }
        all
    }

    fn keep(&self, all: &mut Belongings, kind: &'static str, made: &Value) {
        let id = made["id"].as_str().unwrap().to_owned();
        all.insert(kind, NamedResource { id, key: format!("{}-{kind}", self.tag) });
    }

    fn make_of_seller(&self, client: &Client, all: &mut Belongings) {
        let group = json!({"groupName": self.hidden("customer-group"), "key": format!("{}-customer-group", self.tag)});
        self.keep(all, "customer-group", &client.make("/customer-groups", group));
        let discount = self.draft("cart-discount", "", json!({
            "name": {"en": self.hidden("cart-discount")}, "value": {"type": "relative", "permyriad": 1000},
            "cartPredicate": format!("customer.email = \"{}\"", self.hidden("cart-discount")),
            "target": {"type": "totalPrice"}, "sortOrder": sort_order(self.tag), "requiresDiscountCode": true,
        }));
        self.keep(all, "cart-discount", &client.make("/cart-discounts", discount));
        let code = json!({"code": self.tag, "cartDiscounts": [{"typeId": "cart-discount", "id": all["cart-discount"].id}]});
        client.make("/discount-codes", code);
        let object = json!({"container": "things", "key": format!("{}-key-value-document", self.tag),
            "value": {"text": self.hidden("key-value-document")}});
        self.keep(all, "key-value-document", &client.make("/custom-objects", object));
    }

    fn make_payments(&self, client: &Client, all: &mut Belongings) {
        let payment = self.draft("payment", "customer", json!({
            "amountPlanned": {"currencyCode": "EUR", "centAmount": 100},
            "interfaceId": self.hidden("payment"),
            "paymentMethodInfo": {"method": "card", "paymentInterface": "bank", "name": {"en": self.text("payment")},
                "token": {"value": self.hidden("payment")}},
            "paymentStatus": {"interfaceCode": self.hidden("payment"), "interfaceText": self.hidden("payment")},
            "transactions": [{"type": "Charge", "amount": {"currencyCode": "EUR", "centAmount": 100}, "interactionId": self.text("payment")}],
            "interfaceInteractions": [{"type": {"key": "interaction"}, "fields": {"text": self.hidden("payment")}}],
        }));
        self.keep(all, "payment", &client.make("/payments", payment));
        // A second one, so that there is something to sort.
        let other = self.draft("payment", "customer", json!({"key": format!("{}-second-payment", self.tag),
            "amountPlanned": {"currencyCode": "EUR", "centAmount": 100}, "interfaceId": self.hidden("a-payment")}));
        client.make("/payments", other);
        if self.customer.is_some() {
            let method = self.draft("payment-method", "customer", json!({
                "name": {"en": self.text("payment-method")}, "paymentInterface": "bank", "method": "card", "default": false,
                "token": {"value": self.hidden("payment-method")},
                "interfaceAccount": self.hidden("payment-method"), "paymentMethodStatus": "Active",
            }));
            self.keep(all, "payment-method", &client.make("/payment-methods", method));
            let text = self.text("review");
            let review =
                self.draft("review", "customer", json!({"text": text, "authorName": text, "title": text}));
            self.keep(all, "review", &client.make("/reviews", review));
        }
    }

    fn make_sales(&self, client: &Client, all: &mut Belongings) {
        let list = self.placed(
            "shopping-list",
            "customer",
            json!({"name": {"en": self.text("shopping-list")},
            "textLineItems": [{"name": {"en": self.text("shopping-list")}}]}),
        );
        self.keep(all, "shopping-list", &client.make("/shopping-lists", list));
        let ordered = client.make("/carts", self.cart("ordered"));
        let order = client.make(
            "/orders",
            json!({"cart": {"typeId": "cart", "id": ordered["id"]}, "version": ordered["version"],
            "orderNumber": format!("{}-order", self.tag)}),
        );
        self.keep(all, "order", &order);
        let edit = self.draft(
            "order-edit",
            "",
            json!({"resource": {"typeId": "order", "id": order["id"]},
            "stagedActions": [], "comment": self.hidden("order-edit")}),
        );
        self.keep(all, "order-edit", &client.make("/orders/edits", edit));
        let cart = client.make("/carts", self.cart("cart"));
        self.keep(all, "cart", &cart);
        let cart_id = cart["id"].as_str().unwrap();
        // As if the cart had been paid before bounds were looked at.
        let payment = self.refers_to.and_then(|others| others.get("payment")).unwrap_or(&all["payment"]);
        let payment = json!({"action": "addPayment", "payment": {"typeId": "payment", "id": payment.id}});
        if self.refers_to.is_none() {
            client.act("/carts", cart_id, payment);
        } else {
            let own =
                json!({"action": "addPayment", "payment": {"typeId": "payment", "id": all["payment"].id}});
            client.act("/carts", cart_id, own);
        }
        client.act("/carts", cart_id, json!({"action": "addDiscountCode", "code": self.tag}));
    }

    fn make_recurring_order(&self, client: &Client, all: &mut Belongings) {
        let mut cart = self.cart("recurring");
        cart["customLineItems"][0]["recurrenceInfo"] =
            json!({"recurrencePolicy": {"typeId": "recurrence-policy", "key": "weekly"}});
        let cart = client.make("/carts", cart);
        let order = self.draft(
            "recurring-order",
            "",
            json!({"cart": {"typeId": "cart", "id": cart["id"]},
            "cartVersion": cart["version"], "startsAt": "2099-01-01T00:00:00.000Z"}),
        );
        self.keep(all, "recurring-order", &client.make("/recurring-orders", order));
    }

    fn make_quotes(&self, client: &Client, all: &mut Belongings) {
        let cart = client.make("/carts", self.cart("quoted"));
        let request = json!({"key": format!("{}-quote-request", self.tag), "cart": {"typeId": "cart", "id": cart["id"]},
            "cartVersion": cart["version"], "comment": self.text("quote-request")});
        let request = client.make("/quote-requests", request);
        self.keep(all, "quote-request", &request);
        let staged = json!({"key": format!("{}-staged-quote", self.tag), "quoteRequestVersion": request["version"],
            "quoteRequest": {"typeId": "quote-request", "id": request["id"]}});
        let staged = client.make("/staged-quotes", staged);
        let staged_id = staged["id"].as_str().unwrap();
        // The Quote takes it over, which the buyer is shown.
        let staged = client.act("/staged-quotes", staged_id, comment_of(&self.text("staged-quote")));
        self.keep(all, "staged-quote", &staged);
        let quote = json!({"key": format!("{}-quote", self.tag), "stagedQuote": {"typeId": "staged-quote", "id": staged["id"]},
            "stagedQuoteVersion": staged["version"]});
        let quote = client.make("/quotes", quote);
        self.keep(all, "quote", &quote);
        // The seller writes this after the Quote was sent.
        client.act("/staged-quotes", staged_id, comment_of(&self.hidden("staged-quote")));
    }
}

/// Custom fields that refer to one resource of each kind.
pub(crate) fn custom(others: &Belongings) -> Value {
    let can_be = others.iter().filter(|(kind, _)| IN_CUSTOM_FIELDS.contains(*kind));
    let fields = can_be.map(|(kind, named)| (field_of(kind), json!({"typeId": *kind, "id": named.id})));
    json!({"type": {"key": "refs"}, "fields": Value::from(fields.collect::<kontor_json::Map>())})
}

fn comment_of(text: &str) -> Value {
    json!({"action": "setSellerComment", "sellerComment": text})
}

/// A number between 0 and 1 that no other owner has.
fn sort_order(tag: &str) -> String {
    let digits: String = tag.bytes().map(|byte| byte.to_string()).collect();
    format!("0.{digits}1")
}
