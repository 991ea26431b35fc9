//! Imports resources of each type: creates a document if its key is unused, and changes an existing one to
//! the imported state. Start at [`import_resource`]; the table [`BY_KEY`] lists the types that only need a comparison
//! of fields.

mod address;
mod asset;
mod business_unit;
mod category;
mod customer;
mod definitions;
mod discount_code;
mod inventory;
mod lane;
mod order;
mod order_patch;
mod price;
mod product;
mod product_selection;
mod product_tailoring;
mod product_variant;
mod sides;
mod standalone_price;
mod variant;

pub(crate) use lane::{completes, imported_resource, lane};

use crate::difference::Difference;
use crate::draft;
use crate::operation::OperationWork;
use crate::outcome::ImportResult;
use crate::references;
use crate::references::References;
use kontor_engine::{Address, Caller, Document, PreservedMetadata, Shop, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::limits::ACTIONS_MAX;
use kontor_model::{IgnoredFields, ImportType};
use std::sync::Arc;

/// Compares a document with the imported resource, and collects the update actions.
type CompareResource = fn(&mut Difference<'_>) -> ImportResult<()>;

/// The types whose resources are documents with a key: the name in requests, the `typeId` of the documents, and the
/// function that compares them.
const BY_KEY: &[(&str, &str, CompareResource)] = &[
    ("business-unit", "business-unit", business_unit::differ),
    ("category", "category", category::differ),
    ("customer", "customer", customer::differ),
    ("discount-code", "discount-code", discount_code::differ),
    ("inventory", "inventory-entry", inventory::differ),
    ("product-type", "product-type", definitions::differ_product_type),
    ("standalone-price", "standalone-price", standalone_price::differ),
    ("type", "type", definitions::differ_type),
];

/// A resource in progress, with its context.
pub(crate) struct ResourceImport<'a> {
    pub(crate) shop: &'a Shop,
    pub(crate) caller: Caller,
    pub(crate) references: References,
    /// The sent resource.
    pub(crate) sent: &'a Document,
    /// The resource as a draft of the API.
    pub(crate) draft: Document,
}

/// Checks the rules of a resource that the shapes of the model do not contain.
pub(crate) fn check(type_name: &str, resource: &Document) -> ApiResult<()> {
    match type_name {
        "customer" => customer::check(resource),
        "product-draft" => product::check_whole(resource),
        "product-variant-patch" => product_variant::check_patch(resource),
        _ => Ok(()),
    }
}

/// Checks the rules between the resources of a request.
pub(crate) fn check_together(type_name: &str, resources: &[Value]) -> ApiResult<()> {
    match type_name {
        "product-variant-patch" => product_variant::check_patches(resources),
        _ => Ok(()),
    }
}

/// Returns the draft of a Product that waits for its first product variant.
pub(crate) fn draft_of(shop: &Shop, work: &OperationWork) -> ImportResult<Document> {
    let import = shop.model().imports().iter().find(|import| import.type_name == work.type_name);
    let import = import.ok_or_else(|| ApiError::bug(format!("nothing imports {}", work.type_name)))?;
    let references = References::resolve(shop, &import.shape, &work.resource, None)?;
    match draft::convert_value(shop.model(), &import.shape, &work.resource, &references) {
        Value::Object(draft) => Ok(draft),
        _ => Err(ApiError::bug("the draft of a resource is no object").into()),
    }
}

/// Imports a resource and returns the version of its document. `waiting` is the Product that waits for its first
/// product variant.
pub(crate) async fn import_resource(
    shop: &Shop,
    import: &ImportType,
    work: &OperationWork,
    waiting: Option<&Document>,
) -> ImportResult<i64> {
    // The Product that waits for this variant does not exist yet.
    let coming = waiting.and_then(|draft| document::text(draft, &["key"])).map(|key| ("product", key));
    let references = References::resolve(shop, &import.shape, &work.resource, coming)?;
    let Value::Object(sent) = &work.resource else {
        return Err(ApiError::bug("a resource that the model admitted is no object").into());
    };
    let draft = match draft::convert_value(shop.model(), &import.shape, &work.resource, &references) {
        Value::Object(draft) => draft,
        _ => return Err(ApiError::bug("the draft of a resource is no object").into()),
    };
    // The import resource was validated when it was accepted; a draft of the API may lack some of its fields.
    let caller = Caller { ignored: Some(Arc::<IgnoredFields>::default()), ..work.caller.clone() };
    let bringing = ResourceImport { shop, caller, references, sent, draft };
    match work.type_name.as_str() {
        "product" => product::import_product(bringing).await,
        "product-draft" => product::import_whole_product(bringing).await,
        "product-variant" => product_variant::import_product_variant(bringing, waiting).await,
        "product-variant-patch" => product_variant::import_patch(bringing).await,
        "price" => price::import_price(bringing).await,
        "product-selection" => product_selection::import_product_selection(bringing).await,
        "product-tailoring" => product_tailoring::import_product_tailoring(bringing).await,
        "variant" => variant::import_variant(bringing).await,
        "order" => order::import_order(bringing).await,
        "order-patch" => order_patch::import_order_patch(bringing).await,
        name => match BY_KEY.iter().find(|(type_name, ..)| *type_name == name) {
            Some((_, type_id, differ)) => bringing.upsert(type_id, *differ).await,
            None => Err(ApiError::bug(format!("nothing brings in resources of type {name}")).into()),
        },
    }
}

impl ResourceImport<'_> {
    /// Returns a text of the resource.
    pub(crate) fn text(&self, path: &[&str]) -> ApiResult<&str> {
        document::must_text(self.sent, path)
    }

    /// Returns a boolean of the resource; `None` if it is missing.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.sent.get(name).and_then(Value::as_bool)
    }

    /// Creates the document, or changes it to the imported state.
    async fn upsert(self, type_id: &str, differ: CompareResource) -> ImportResult<i64> {
        let key = self.text(&["key"])?.to_owned();
        let Some(before) = references::find_by_key(self.shop, type_id, &key)? else {
            return self.create(type_id, self.draft.clone()).await.map(|created| version(&created));
        };
        let mut difference = Difference::new(&before, &self.draft, &self.references);
        differ(&mut difference)?;
        let actions = difference.into_actions()?;
        self.update(type_id, &before, actions).await.map(|after| version(&after))
    }

    /// Creates a document.
    pub(crate) async fn create(&self, type_id: &str, draft: Document) -> ImportResult<Document> {
        let kind = references::kind_of_type_id(self.shop, type_id)?;
        // Secrets were hashed when the resource was accepted.
        let kept = PreservedMetadata { is_hashed: true, ..PreservedMetadata::default() };
        let written = self.shop.create_preserving(kind, kept, Value::Object(draft), &self.caller).await?;
        Ok(document::read(&written.body)?)
    }

    /// Executes update actions, in as few updates as the limit of actions allows. Returns the document afterwards.
    pub(crate) async fn update(
        &self,
        type_id: &str,
        before: &Document,
        actions: Vec<Value>,
    ) -> ImportResult<Document> {
        let kind = references::kind_of_type_id(self.shop, type_id)?;
        let id = document::must_text(before, &["id"])?;
        let mut current = before.clone();
        for some in actions.chunks(ACTIONS_MAX) {
            let body = json!({"version": version(&current), "actions": some});
            let written = self.shop.update(kind, &Address::Id(id), body, &self.caller).await?;
            current = document::read(&written.body)?;
        }
        Ok(current)
    }
}

/// Returns the version of a document.
pub(crate) fn version(document: &Document) -> i64 {
    document::integer_or_log(document, &["version"])
}

/// Returns the documents of a kind that match a predicate, at most `limit`.
pub(crate) fn find_documents(
    shop: &Shop,
    type_id: &str,
    predicate: String,
    limit: usize,
) -> ApiResult<Vec<Document>> {
    let request = kontor_engine::ListRequest {
        wheres: vec![predicate],
        limit,
        ..kontor_engine::ListRequest::default()
    };
    let listed = shop.list(references::kind_of_type_id(shop, type_id)?, &request)?;
    listed.results.iter().map(|body| document::read(body)).collect()
}
