//! An authorized request to documents, as `http` hands it to this crate.

use crate::parameters::QueryParameters;
use crate::response::HttpResponse;
use axum::http::HeaderMap;
use kontor_engine::{AccessScope, Address, Caller, PreservedMetadata, Shop, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Addressing, Endpoint, KindId, PathTarget, ServedOperation};
use std::borrow::Cow;
use std::sync::Arc;

/// Called when a guarded call has ended, with the error if it failed.
pub type GuardCompletion<'a> = Box<dyn FnOnce(Option<&ApiError>) + Send + 'a>;

/// Limits the rate of guesses at secrets (`@guarded` in the model).
pub trait Guard: Send + Sync {
    /// Admits a call of an endpoint with this body, and returns a function to call with the result; returns the
    /// response (429) instead if too many recent guesses were wrong.
    fn admit<'g>(
        &'g self,
        endpoint: &Endpoint,
        body: &Value,
    ) -> Result<Option<GuardCompletion<'g>>, Box<HttpResponse>>;
}

/// A request whose operation is known, whose caller is authorized, and whose project, Store and business unit exist.
pub struct AdmittedRequest<'a> {
    /// The requested operation.
    pub operation: &'a ServedOperation,
    /// The kind of the documents.
    pub kind: KindId,
    /// The key of the project.
    pub project: &'a str,
    /// The key of the Store in the path.
    pub store: Option<&'a str>,
    /// The values of the path after those of the Store, associate and unit: ids, keys, fields of the address.
    pub values: &'a [Cow<'a, str>],
    /// The project.
    pub shop: Arc<Shop>,
    /// The documents that the request is limited to.
    pub bounds: AccessScope,
    /// How documents are shown: side, languages, price selection.
    pub view_options: ViewOptions,
    /// The Stores that a search is limited to; `None`: no limit.
    pub stores: Option<&'a [String]>,
    /// Whether the caller may see staged sides, for operations whose body requests them.
    pub staged: &'a ApiResult<()>,
    /// The author of a change, with the bounds of the request; empty for reads.
    pub caller: Caller,
    /// Metadata that the operator sets for created documents.
    pub preserved_metadata: PreservedMetadata<'a>,
    /// The query parameters.
    pub parameters: &'a QueryParameters,
    /// The headers of the request.
    pub headers: &'a HeaderMap,
    /// Limits the rate of guesses at secrets.
    pub guard: &'a dyn Guard,
}

impl AdmittedRequest<'_> {
    /// Returns the first value of the address.
    pub(crate) fn value(&self) -> ApiResult<&str> {
        self.values.first().map(AsRef::as_ref).ok_or_else(|| ApiError::bug("the path addresses no document"))
    }

    /// Returns the engine's address of the document that the path names.
    pub(crate) fn address(&self) -> ApiResult<Address<'_>> {
        Ok(match self.operation.target {
            PathTarget::Id => Address::Id(self.value()?),
            PathTarget::Key => Address::Key(self.value()?),
            PathTarget::Fields => Address::Fields(self.values.iter().map(AsRef::as_ref).collect()),
            PathTarget::Only => match &self.bounds.mine {
                None => Address::Only,
                // Below `/me` the document is the customer that sends the request.
                Some(asker) => Address::Id(
                    asker
                        .customer()
                        .ok_or_else(|| ApiError::bug("a visitor without an account is no document"))?,
                ),
            },
            PathTarget::All | PathTarget::Part | PathTarget::New | PathTarget::StoreDocument { .. } => {
                return Err(ApiError::bug(format!("{:?} is no address", self.operation.target)));
            }
        })
    }

    /// Returns the id of the Store's document that belongs to the addressed one; `None` if the path addresses documents
    /// of the kind itself.
    pub(crate) fn id_through(&self) -> ApiResult<Option<String>> {
        let PathTarget::StoreDocument { parent, by_key } = self.operation.target else { return Ok(None) };
        let value = self.value()?;
        let address = if by_key { Address::Key(value) } else { Address::Id(value) };
        self.shop.id_in_store(self.kind, self.store.unwrap_or_default(), parent, &address).map(Some)
    }

    /// Returns the identifying field of a [`PathTarget::Part`], and its value.
    pub(crate) fn part(&self) -> ApiResult<Option<(String, String)>> {
        if self.operation.target != PathTarget::Part {
            return Ok(None);
        }
        match &self.shop.model().kind(self.kind).addressing {
            Addressing::Fields(fields) => {
                let field = fields.first().cloned();
                Ok(Some((field.unwrap_or_default(), self.value()?.to_owned())))
            }
            _ => Err(ApiError::bug("only kinds that are addressed by fields have parts")),
        }
    }
}
