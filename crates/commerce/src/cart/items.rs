//! Shared access to line items and custom line items: lookup by id or key, changes, and comparison with the items
//! before the change.

use super::{CUSTOM_LINE_ITEMS, LINE_ITEMS};
use kontor_engine::document::{has_enum, integer_or_log, list, must_text, text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::LineItemMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::cell::OnceCell;
use std::collections::HashMap;

/// One of the two kinds of items.
pub(super) struct CartItemKind {
    /// The field of the Cart that contains them.
    pub(super) field: &'static str,
    /// Their shape in the model.
    pub(super) shape: &'static str,
    /// The arguments that identify one by `id` and by `key`.
    id: &'static str,
    key: &'static str,
}

pub(super) const LINES: CartItemKind =
    CartItemKind { field: LINE_ITEMS, shape: "LineItem", id: "lineItemId", key: "lineItemKey" };
pub(super) const CUSTOM: CartItemKind = CartItemKind {
    field: CUSTOM_LINE_ITEMS,
    shape: "CustomLineItem",
    id: "customLineItemId",
    key: "customLineItemKey",
};

impl CartItemKind {
    /// Returns all items of this kind.
    pub(super) fn all_mut<'d>(&self, cart: &'d mut Document) -> ApiResult<&'d mut Vec<Value>> {
        let items = cart.entry(self.field).or_insert_with(|| json!([]));
        items.as_array_mut().ok_or_else(|| ApiError::bug("items of a Cart that are no list"))
    }

    /// Returns all items of this kind as objects.
    pub(super) fn each_mut<'d>(
        &self,
        cart: &'d mut Document,
    ) -> ApiResult<impl Iterator<Item = &'d mut Document>> {
        Ok(self.all_mut(cart)?.iter_mut().filter_map(Value::as_object_mut))
    }

    /// Returns the index of the item that the arguments identify.
    ///
    /// 400 `InvalidJsonInput`: neither id nor key; `InvalidOperation`: there is no such item.
    pub(super) fn index(
        &self,
        context: &mut ActionContext<'_, '_>,
        arguments: &Document,
    ) -> ApiResult<usize> {
        let given = [(self.id, "id"), (self.key, "key")];
        let given = given.into_iter().find_map(|(argument, field)| Some((field, arguments.get(argument)?)));
        let Some((field, wanted)) = given else {
            let message = format!("{}: one of {}, {} is required", context.place, self.id, self.key);
            return Err(ApiError::invalid_json(message));
        };
        let place = context.place;
        let found = self.all_mut(context.document)?.iter().position(|item| item.get(field) == Some(wanted));
        found.ok_or_else(|| {
            let message = format!("{place}: {} has no element with {field} {wanted}.", self.field);
            ApiError::invalid_operation(message)
        })
    }

    /// Returns the item that the arguments identify. Errors as of [`Self::index`].
    pub(super) fn identified_item<'d>(
        &self,
        context: &'d mut ActionContext<'_, '_>,
        arguments: &Document,
    ) -> ApiResult<&'d mut Document> {
        let index = self.index(context, arguments)?;
        match self.all_mut(context.document)?.get_mut(index) {
            Some(Value::Object(item)) => Ok(item),
            _ => Err(ApiError::bug("an item of a Cart that is no object")),
        }
    }
}

/// The items before a change, found by their ids.
pub(super) struct PreviousItems<'d> {
    all: &'d [Value],
    /// The index of each item by id; built when the first item is not at its old place.
    places: OnceCell<HashMap<&'d str, usize>>,
}

impl<'d> PreviousItems<'d> {
    /// Returns the items of a Cart; none without a Cart.
    pub(super) fn from_cart(items: &CartItemKind, cart: Option<&'d Document>) -> Self {
        Self { all: cart.map_or(&[], |cart| list(cart, &[items.field])), places: OnceCell::new() }
    }

    /// Returns the state before the change of the item that is at `place` now.
    pub(super) fn find(&self, place: usize, item: &Document) -> Option<&'d Value> {
        let here = self.all.get(place);
        if here.and_then(Value::as_object).is_some_and(|before| before.is_identical_to(item)) {
            return here;
        }
        let id = text(item, &["id"])?;
        let is_it = |before: &&Value| before.as_object().and_then(|before| text(before, &["id"])) == Some(id);
        here.filter(is_it).or_else(|| self.all.get(*self.positions().get(id)?))
    }

    /// Whether the item at `place` is unchanged.
    pub(super) fn is_untouched(&self, place: usize, item: &Document) -> bool {
        let before = self.all.get(place).and_then(Value::as_object);
        before.is_some_and(|before| before.is_identical_to(item))
    }

    fn positions(&self) -> &HashMap<&'d str, usize> {
        let all = || self.all.iter().enumerate();
        self.places
            .get_or_init(|| all().filter_map(|(place, item)| Some((item["id"].as_str()?, place))).collect())
    }
}

/// Whether a line item is the gift of a discount.
pub(super) fn is_gift(line: &Document) -> bool {
    has_enum(line, &["lineItemMode"], LineItemMode::GiftLineItem)
}

/// Returns the quantity of an item.
pub(super) fn quantity(item: &Document) -> i64 {
    integer_or_log(item, &["quantity"])
}

/// Returns the sum of two quantities; `InvalidOperation` if it is too large.
pub(super) fn add_quantities(one: i64, other: i64, place: &str) -> ApiResult<i64> {
    one.checked_add(other)
        .ok_or_else(|| ApiError::invalid_operation(format!("{place}: the quantity becomes too large.")))
}

/// Sorts the fields of an object in the order of its shape, and drops fields without a value.
pub(super) fn in_model_order(shape: &str, mut object: Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let fields = shape_fields(shape, rules)?;
    let mut left = fields.iter();
    if object.keys().all(|name| left.any(|field| field.name == *name)) {
        return Ok(object);
    }
    let mut sorted = Document::with_capacity(fields.len());
    for field in fields {
        if let Some((name, value)) = object.remove_entry(&field.name) {
            sorted.insert(name, value);
        }
    }
    Ok(sorted)
}

fn shape_fields<'r>(shape: &str, rules: &'r Rules<'_>) -> ApiResult<&'r [kontor_model::Field]> {
    let missing = || ApiError::bug("the model lacks a shape that rules name");
    let shape = rules.model.object_by_name(shape).ok_or_else(missing)?;
    Ok(&rules.model.object(shape).fields)
}

/// The currency of a Cart.
pub(super) fn currency(cart: &Document) -> ApiResult<&str> {
    must_text(cart, &["totalPrice", "currencyCode"])
}
