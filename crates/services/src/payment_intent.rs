//! Payment Intents of Checkout: requests of a merchant to capture, refund, cancel or reverse a Payment (reference type
//! `PaymentIntent`).
//!
//! Kontor is not connected to a payment service, so an intent becomes a Transaction of the Payment with the state
//! `Pending`, and the outcome is `received`: an integration (an API Extension, a Subscription) executes it and changes
//! its state. Without enough money it is `rejected`, and the Payment stays unchanged.

use kontor_engine::document::{list, must_enum, must_integer, must_text, read_stored};
use kontor_engine::{Address, Caller, Document, Shop};
use kontor_enums::{PaymentIntentActionTag, TransactionState, TransactionType};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// Number of retries when the Payment is changed concurrently.
const CONFLICTS_MAX: usize = 7;

/// Rejects intents with missing fields or several actions: 400 `RequiredField`, `MultipleActionsNotAllowed`.
pub(crate) fn check_actions(body: &Value) -> ApiResult<()> {
    let actions = match body.get("actions") {
        Some(Value::Array(actions)) if actions.is_empty() => return Err(ApiError::required_field("actions")),
        Some(Value::Array(actions)) => actions,
        // The model rejects other values.
        Some(Value::Null) | None if body.is_object() => return Err(ApiError::required_field("actions")),
        _ => return Ok(()),
    };
    if actions.len() > 1 {
        let message = "A Payment Intent has one action.";
        return Err(ApiError::new(Code::MultipleActionsNotAllowed, message));
    }
    let moves = ["capturePayment", "refundPayment"].map(Value::from);
    let lacks_amount = |action: &&Value| moves.contains(&action["action"]) && action["amount"].is_null();
    match actions.iter().find(lacks_amount) {
        Some(_) => Err(ApiError::required_field("actions[0].amount")),
        None => Ok(()),
    }
}

/// Executes an intent for a Payment, and returns its outcome; a 404 if there is no such Payment.
pub(crate) async fn execute_intent(
    shop: &Shop,
    payment: &str,
    intent: &Document,
    caller: &Caller,
) -> ApiResult<Value> {
    let kind = shop.model().kind_by_type_id("payment");
    let kind = kind.ok_or_else(|| ApiError::bug("the model has no payment"))?;
    let missing = || ApiError::resource_not_found(&format!("with ID '{payment}'"));
    let wanted = list(intent, &["actions"]).first().cloned().unwrap_or_default();
    let mut conflicts = 0;
    loop {
        let stored = shop.get(kind, &Address::Id(payment))?.ok_or_else(missing)?;
        let before = read_stored(&stored)?;
        let Some(transaction) = transaction(&before, &wanted)? else {
            return Ok(json!({"outcome": "rejected"}));
        };
        let action = json!({"action": "addTransaction", "transaction": transaction});
        let body = json!({"version": stored.version, "actions": [action]});
        match shop.update(kind, &Address::Id(payment), body, caller).await {
            Ok(_) => return Ok(json!({"outcome": "received"})),
            Err(error) if error.code() == Code::ConcurrentModification && conflicts < CONFLICTS_MAX => {
                conflicts += 1
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns the Transaction for an action; `None` if there is not enough money for it.
fn transaction(payment: &Document, wanted: &Value) -> ApiResult<Option<Value>> {
    let money = PaymentTransactions::from_payment(payment)?;
    let Some((kind, cents, currency)) = money.movement(wanted) else { return Ok(None) };
    let mut made = json!({
        "type": kind, "state": TransactionState::Pending, "amount": {"centAmount": cents, "currencyCode": currency},
    });
    if let Some(reference) = wanted.get("merchantReference").filter(|reference| !reference.is_null()) {
        made["interactionId"] = reference.clone();
    }
    Ok(Some(made))
}

/// The type of a new Transaction, its cents, and their currency.
type Movement<'a> = (TransactionType, i64, &'a str);

/// A Transaction of a Payment.
struct PaymentTransaction<'p> {
    kind: TransactionType,
    state: TransactionState,
    cents: i64,
    currency: &'p str,
    id: &'p str,
}

impl PaymentTransaction<'_> {
    fn is_successful(&self) -> bool {
        self.state == TransactionState::Success
    }

    /// Whether it has succeeded or still may.
    fn is_begun(&self) -> bool {
        match self.state {
            TransactionState::Initial | TransactionState::Pending | TransactionState::Success => true,
            TransactionState::Failure => false,
        }
    }
}

/// The Transactions of a Payment.
struct PaymentTransactions<'p>(Vec<PaymentTransaction<'p>>);

impl<'p> PaymentTransactions<'p> {
    fn from_payment(payment: &'p Document) -> ApiResult<Self> {
        let all = list(payment, &["transactions"]).iter().filter_map(Value::as_object);
        let read = |transaction: &'p Document| {
            Ok(PaymentTransaction {
                kind: must_enum(transaction, &["type"])?,
                state: must_enum(transaction, &["state"])?,
                cents: must_integer(transaction, &["amount", "centAmount"])?,
                currency: must_text(transaction, &["amount", "currencyCode"])?,
                id: must_text(transaction, &["id"])?,
            })
        };
        all.map(read).collect::<ApiResult<_>>().map(Self)
    }

    /// Returns the movement of money for an action; `None` if there is not enough.
    fn movement<'a>(&'a self, wanted: &'a Value) -> Option<Movement<'a>> {
        let amount =
            || Some((wanted["amount"]["centAmount"].as_i64()?, wanted["amount"]["currencyCode"].as_str()?));
        match PaymentIntentActionTag::try_from(wanted["action"].as_str()?).ok()? {
            PaymentIntentActionTag::CapturePayment => {
                let (cents, currency) = amount()?;
                let fits = cents > 0 && cents <= self.left_to_capture(currency);
                fits.then_some((TransactionType::Charge, cents, currency))
            }
            PaymentIntentActionTag::RefundPayment => {
                let (cents, currency) = amount()?;
                let of = wanted["transactionId"].as_str();
                let fits = cents > 0 && cents <= self.left_to_refund(currency, of);
                fits.then_some((TransactionType::Refund, cents, currency))
            }
            PaymentIntentActionTag::CancelPayment => self.cancellation(),
            PaymentIntentActionTag::ReversePayment => self.cancellation().or_else(|| self.whole_refund()),
        }
    }

    /// Returns the sum of successful Transactions of a type, in cents.
    fn settled_cents(&self, kind: TransactionType, currency: &str) -> i64 {
        self.sum(|one| one.kind == kind && one.is_successful() && one.currency == currency)
    }

    /// Returns the sum of Transactions of a type that have succeeded or still may, in cents.
    fn begun_cents(&self, kind: TransactionType, currency: &str) -> i64 {
        self.sum(|one| one.kind == kind && one.is_begun() && one.currency == currency)
    }

    fn sum(&self, is_meant: impl Fn(&PaymentTransaction<'_>) -> bool) -> i64 {
        self.0.iter().filter(|one| is_meant(one)).fold(0, |sum, one| sum.saturating_add(one.cents))
    }

    /// Returns the first successful Transaction of a type.
    fn first_successful(&self, kind: TransactionType) -> Option<&PaymentTransaction<'p>> {
        self.0.iter().find(|one| one.kind == kind && one.is_successful())
    }

    fn left_to_capture(&self, currency: &str) -> i64 {
        let gone = self
            .begun_cents(TransactionType::Charge, currency)
            .saturating_add(self.begun_cents(TransactionType::CancelAuthorization, currency));
        self.settled_cents(TransactionType::Authorization, currency).saturating_sub(gone)
    }

    /// Returns the cents that can be refunded of one Charge, or of all.
    fn left_to_refund(&self, currency: &str, charge: Option<&str>) -> i64 {
        let back = self
            .begun_cents(TransactionType::Refund, currency)
            .saturating_add(self.begun_cents(TransactionType::Chargeback, currency));
        let left = self.settled_cents(TransactionType::Charge, currency).saturating_sub(back);
        let Some(charge) = charge else { return left };
        let of_it = self.sum(|one| {
            one.kind == TransactionType::Charge
                && one.is_successful()
                && one.currency == currency
                && one.id == charge
        });
        left.min(of_it)
    }

    /// Returns the cancellation of an authorization. It is cancelled as a whole, and only if no part of it has been
    /// charged.
    fn cancellation(&self) -> Option<Movement<'_>> {
        let currency = self.first_successful(TransactionType::Authorization)?.currency;
        let left = self.left_to_capture(currency);
        let is_whole = left > 0 && self.begun_cents(TransactionType::Charge, currency) == 0;
        is_whole.then_some((TransactionType::CancelAuthorization, left, currency))
    }

    /// Returns the refund of everything that was charged.
    fn whole_refund(&self) -> Option<Movement<'_>> {
        let currency = self.first_successful(TransactionType::Charge)?.currency;
        let left = self.left_to_refund(currency, None);
        (left > 0).then_some((TransactionType::Refund, left, currency))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transaction_of(transactions: &[(&str, &str, i64)], wanted: Value) -> Option<Value> {
        let transactions: Vec<Value> = transactions
            .iter()
            .enumerate()
            .map(|(index, (kind, state, cents))| {
                let amount = json!({"centAmount": cents, "currencyCode": "EUR"});
                json!({"id": index.to_string(), "type": kind, "state": state, "amount": amount})
            })
            .collect();
        let Value::Object(payment) = json!({"transactions": transactions}) else { panic!() };
        transaction(&payment, &wanted).unwrap()
    }

    fn moves(action: &str, cents: i64) -> Value {
        json!({"action": action, "amount": {"centAmount": cents, "currencyCode": "EUR"}})
    }

    #[test]
    fn captures_authorized_money_once() {
        let authorized = ("Authorization", "Success", 100);
        let taken = transaction_of(&[authorized], moves("capturePayment", 60)).unwrap();
        assert_eq!(taken["type"], "Charge");
        assert_eq!(taken["state"], "Pending");
        assert_eq!(taken["amount"]["centAmount"], 60);
        for (transactions, cents, fits) in [
            (vec![authorized, ("Charge", "Pending", 60)], 40, true),
            (vec![authorized, ("Charge", "Pending", 60)], 41, false),
            (vec![authorized, ("Charge", "Failure", 60)], 100, true),
            (vec![authorized, ("CancelAuthorization", "Success", 100)], 1, false),
            (vec![("Authorization", "Pending", 100)], 1, false),
            (vec![authorized], 0, false),
            (vec![authorized], -5, false),
            (vec![], 1, false),
        ] {
            assert_eq!(
                transaction_of(&transactions, moves("capturePayment", cents)).is_some(),
                fits,
                "{transactions:?}"
            );
        }
        let dollars = json!({"action": "capturePayment", "amount": {"centAmount": 1, "currencyCode": "USD"}});
        assert_eq!(transaction_of(&[authorized], dollars), None);
    }

    #[test]
    fn refunds_charged_money_once() {
        let taken = ("Charge", "Success", 100);
        assert!(transaction_of(&[taken], moves("refundPayment", 100)).is_some());
        assert_eq!(transaction_of(&[taken, ("Refund", "Initial", 30)], moves("refundPayment", 71)), None);
        let mut of_one = moves("refundPayment", 60);
        of_one["transactionId"] = json!("1");
        assert_eq!(transaction_of(&[taken, ("Charge", "Success", 50)], of_one.clone()), None);
        of_one["transactionId"] = json!("0");
        assert!(transaction_of(&[taken, ("Charge", "Success", 50)], of_one).is_some());
    }

    #[test]
    fn a_payment_is_cancelled_or_reversed_as_a_whole() {
        let authorized = ("Authorization", "Success", 100);
        let (cancel, reverse) = (
            json!({"action": "cancelPayment"}),
            json!({"action": "reversePayment", "merchantReference": "R"}),
        );
        assert_eq!(transaction_of(&[authorized], cancel.clone()).unwrap()["type"], "CancelAuthorization");
        assert_eq!(transaction_of(&[authorized, ("Charge", "Success", 10)], cancel.clone()), None);
        assert_eq!(transaction_of(&[authorized, ("CancelAuthorization", "Pending", 100)], cancel), None);
        let reversed = transaction_of(&[authorized, ("Charge", "Success", 10)], reverse.clone()).unwrap();
        assert_eq!((&reversed["type"], &reversed["amount"]["centAmount"]), (&json!("Refund"), &json!(10)));
        assert_eq!(reversed["interactionId"], "R");
        assert_eq!(transaction_of(&[authorized], reverse.clone()).unwrap()["type"], "CancelAuthorization");
        assert_eq!(transaction_of(&[], reverse), None);
    }
}
