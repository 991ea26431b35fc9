//! Destinations at AWS: `moto` emulates SQS, SNS and EventBridge as a separate process and checks keys and signatures.
//! Also end to end: an order is notified to a queue and a webhook, and a Lambda function as API Extension adds to its
//! cart.

use crate::fake_server::FakeServer;
use crate::harness::{ApiCaller, ServerUnderTest, folder, serve, wait_until};
use crate::moto::{AwsEmulator, REGION};
use kontor_json::{Value, json};
use std::process::Stdio;

/// An AWS user that may send and publish.
struct User {
    key: String,
    secret: String,
}

fn create_user(moto: &AwsEmulator) -> User {
    moto.call("iam", None, "Action=CreateUser&Version=2010-05-08&UserName=kontor");
    let made = moto.call("iam", None, "Action=CreateAccessKey&Version=2010-05-08&UserName=kontor");
    let policy = "%7B%22Version%22%3A%222012-10-17%22%2C%22Statement%22%3A%7B%22Effect%22%3A%22Allow%22%2C%22Action%22%3A%5B\
                  %22sqs%3ASendMessage%22%2C%22sns%3APublish%22%2C%22events%3APutEvents%22%5D%2C%22Resource%22%3A%22%2A%22%7D%7D";
    let put = format!(
        "Action=PutUserPolicy&Version=2010-05-08&UserName=kontor&PolicyName=send&PolicyDocument={policy}"
    );
    moto.call("iam", None, &put);
    let within = |name: &str| {
        let (_, rest) = made.split_once(&format!("<{name}>")).unwrap();
        rest.split_once('<').unwrap().0.to_owned()
    };
    User { key: within("AccessKeyId"), secret: within("SecretAccessKey") }
}

/// Creates a queue and returns its URL.
fn create_queue(moto: &AwsEmulator, name: &str) -> String {
    let made = moto.call("sqs", Some("AmazonSQS.CreateQueue"), &json!({"QueueName": name}).to_string());
    let made: Value = kontor_json::from_str(&made).unwrap();
    made["QueueUrl"].as_str().unwrap().to_owned()
}

fn arn(name: &str) -> String {
    format!("arn:aws:sqs:{REGION}:123456789012:{name}")
}

/// Returns the messages in a queue, without removing them.
fn received(moto: &AwsEmulator, url: &str) -> Vec<Value> {
    let body = json!({"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}).to_string();
    let found: Value =
        kontor_json::from_str(&moto.call("sqs", Some("AmazonSQS.ReceiveMessage"), &body)).unwrap();
    let bodies = found["Messages"].as_array().into_iter().flatten().map(|message| &message["Body"]);
    bodies.map(|body| kontor_json::from_str(body.as_str().unwrap()).unwrap()).collect()
}

fn is_message(body: &Value, name: &str) -> bool {
    body["notificationType"] == "Message" && body["type"] == name
}

fn server(moto: &AwsEmulator, user: &User, lambda: &str) -> (tempfile::TempDir, ServerUnderTest) {
    let data = folder();
    let mut command = serve(data.path());
    command
        .args(["--allow-private-destinations", "--use-server-credentials"])
        .env("AWS_ENDPOINT_URL", &moto.url)
        .env("AWS_ENDPOINT_URL_LAMBDA", lambda)
        .env("AWS_ACCESS_KEY_ID", &user.key)
        .env("AWS_SECRET_ACCESS_KEY", &user.secret)
        .env("AWS_REGION", REGION);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    (data, server)
}

fn create_resource(admin: &ApiCaller, path: &str, draft: Value) -> Value {
    let (status, made) = admin.post(path, &draft);
    assert_eq!(status, 201, "{path}: {made}");
    made
}

#[test]
fn queues_topics_and_buses_accept_signed_notifications() {
    let moto = AwsEmulator::start();
    let user = create_user(&moto);
    let orders = create_queue(&moto, "orders");
    let of_topic = create_queue(&moto, "of-topic");
    let of_bus = create_queue(&moto, "of-bus");
    moto.call("sns", None, "Action=CreateTopic&Version=2010-03-31&Name=news");
    let topic = format!("arn:aws:sns:{REGION}:123456789012:news");
    let subscribe = format!(
        "Action=Subscribe&Version=2010-03-31&TopicArn={topic}&Protocol=sqs&Endpoint={}&Attributes.entry.1.key=RawMessageDelivery&Attributes.entry.1.value=true",
        arn("of-topic")
    );
    moto.call("sns", None, &subscribe);
    let rule =
        json!({"Name": "all", "EventPattern": "{\"source\": [{\"prefix\": \"kontor/\"}]}"}).to_string();
    moto.call("events", Some("AWSEvents.PutRule"), &rule);
    let target = json!({"Rule": "all", "Targets": [{"Id": "1", "Arn": arn("of-bus")}]}).to_string();
    moto.call("events", Some("AWSEvents.PutTargets"), &target);
    moto.check_keys(true);

    let (_data, server) = server(&moto, &user, "http://127.0.0.1:1");
    let admin = server.client();
    let zones = json!([{"resourceTypeId": "zone"}]);
    let to_queue = |secret: &str| {
        json!({"destination": {"type": "SQS", "queueUrl": orders, "region": REGION, "accessKey": user.key, "accessSecret": secret},
            "changes": zones})
    };
    let (status, refused) = admin.post("/shop/subscriptions", &to_queue("another-secret"));
    assert_eq!((status, &refused["errors"][0]["code"]), (400, &json!("InvalidInput")), "{refused}");
    create_resource(&admin, "/shop/subscriptions", to_queue(&user.secret));
    create_resource(
        &admin,
        "/shop/subscriptions",
        json!({"destination": {"type": "SNS", "topicArn": topic, "authenticationMode": "IAM"}, "changes": zones}),
    );
    create_resource(
        &admin,
        "/shop/subscriptions",
        json!({"destination": {"type": "EventBridge", "region": REGION, "accountId": "123456789012"}, "changes": zones}),
    );
    let zone = create_resource(&admin, "/shop/zones", json!({"name": "Äther & Co. <1>"}));
    moto.check_keys(false);

    let tells =
        |body: &Value| body["notificationType"] == "ResourceCreated" && body["resource"]["id"] == zone["id"];
    wait_until(|| received(&moto, &orders).iter().any(tells));
    wait_until(|| received(&moto, &of_topic).iter().any(tells));
    wait_until(|| {
        received(&moto, &of_bus)
            .iter()
            .any(|event| event["detail-type"] == "zone.change.ResourceCreated" && tells(&event["detail"]))
    });
}

#[test]
fn notifies_orders_to_a_queue_and_a_webhook_and_calls_functions_for_carts() {
    let peer = FakeServer::start(|path, body| {
        let is_function = path.starts_with("/2015-03-31/functions/arn%3aaws%3alambda%3a");
        match (is_function, body["resource"]["typeId"].as_str()) {
            (true, Some("cart")) if body["action"] == "Create" => {
                let fee = json!({
                    "action": "addCustomLineItem", "name": {"en": "Fee"}, "slug": "fee", "quantity": 2,
                    "money": {"currencyCode": "EUR", "centAmount": 150}, "taxCategory": {"typeId": "tax-category", "key": "full"},
                });
                (200, json!({"actions": [fee]}).to_string())
            }
            (true, _) => (200, json!({"errorMessage": "no", "errorType": "Error"}).to_string()),
            _ => (204, String::new()),
        }
    });
    let moto = AwsEmulator::start();
    let user = create_user(&moto);
    let orders = create_queue(&moto, "orders");
    let (_data, server) = server(&moto, &user, &peer.url);
    let admin = server.client();
    let messages = json!([{"resourceTypeId": "order", "types": ["OrderCreated"]}]);
    create_resource(
        &admin,
        "/shop/subscriptions",
        json!({"destination": {"type": "SQS", "queueUrl": orders, "region": REGION, "authenticationMode": "IAM"}, "messages": messages}),
    );
    create_resource(
        &admin,
        "/shop/subscriptions",
        json!({"destination": {"type": "HTTP", "url": format!("{}/hook", peer.url)}, "messages": messages}),
    );
    create_resource(
        &admin,
        "/shop/extensions",
        json!({
            "destination": {"type": "AWSLambda", "arn": format!("arn:aws:lambda:{REGION}:123456789012:function:fee"),
                "accessKey": user.key, "accessSecret": user.secret},
            "triggers": [{"resourceTypeId": "cart", "actions": ["Create"]}, {"resourceTypeId": "payment", "actions": ["Create"]}],
        }),
    );
    create_resource(
        &admin,
        "/shop/tax-categories",
        json!({"key": "full", "name": "full", "rates": [{"name": "19", "amount": 0.19, "includedInPrice": true, "country": "DE"}]}),
    );
    let cart = create_resource(
        &admin,
        "/shop/carts",
        json!({"currency": "EUR", "country": "DE", "shippingAddress": {"country": "DE"}}),
    );
    assert_eq!(cart["totalPrice"]["centAmount"], 300, "the function has added two fees");
    let order = create_resource(
        &admin,
        "/shop/orders",
        json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": cart["version"]}),
    );

    let tells = |body: &Value| is_message(body, "OrderCreated") && body["order"]["id"] == order["id"];
    wait_until(|| received(&moto, &orders).iter().any(tells));
    wait_until(|| peer.received("/hook").iter().any(|(_, body)| tells(body)));

    // The error of a Lambda function is no valid response of an extension.
    let (status, refused) =
        admin.post("/shop/payments", &json!({"amountPlanned": {"currencyCode": "EUR", "centAmount": 1}}));
    assert_eq!((status, &refused["errors"][0]["code"]), (502, &json!("ExtensionBadResponse")), "{refused}");
}
